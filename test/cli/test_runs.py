# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The commands with the system's real processes and a scripted model: outcomes and exit codes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.models.scripted import ENDLESS

pytestmark = pytest.mark.ros

OPEN = 'open the fridge'
HEADS = ['decisions', 'skills', 'tokens', 'reused', 'queued', 'prefill', 'decode']
READ = 'Conditions: fridge open'
OPENED = ['Act: go to kitchen 1', 'Act: go to fridge 1', 'Act: open fridge 1', 'Act: done']


def children_of(pid: int) -> dict[int, str]:
    """Return the command lines of a process's living children by their ids."""
    found = {}
    for stat in Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = stat.read_text().rpartition(')')[2].split()
            if int(fields[1]) == pid and fields[0] != 'Z':
                found[int(stat.parent.name)] = (stat.parent / 'cmdline').read_text()
        except OSError:
            continue
    return found


def test_a_demo_succeeds_when_the_world_confirms(
    reactree: Any, scripted: Any, tmp_path: Path
) -> None:
    report = tmp_path / 'report.json'
    arguments = scripted({OPEN: [READ, *OPENED]}, agent__read_conditions=True)
    demo = reactree('demo', '--goal', OPEN, '--report', str(report), *arguments)
    assert demo.ends() == 0
    told = json.loads(report.read_text())
    (node,) = told['nodes']
    assert (node['path'], node['reason']) == ([OPEN], 'done')
    assert node['costs']['decisions'] == told['costs']['decisions'] == 5
    assert told['conditions'] == [{'text': 'fridge open', 'met': True, 'detail': ''}]
    assert not told['unconfirmed']
    text = '\n'.join(demo.lines)
    assert demo.lines[-1] == "The world's goal conditions hold."
    assert 'act: open fridge 1' in text
    assert 'succeeded: ' in text
    assert 'fridge 1: closed -> open' in text
    assert 'decisions  5' in text
    (head,) = [number for number, line in enumerate(demo.lines) if 'agent node' in line]
    assert demo.lines[head].split()[:-2] == HEADS
    assert demo.lines[head + 1].endswith(f'  {OPEN}')
    assert 'model      ' in text and '= queued 0.0 + prefill 0.0 + decode 0.0 + on the way' in text


def test_two_demos_at_once_do_not_meet(reactree: Any, scripted: Any) -> None:
    arguments = scripted({OPEN: OPENED})
    demos = [reactree('demo', '--goal', OPEN, *arguments) for _ in range(2)]
    domains = {demo.says('ROS_DOMAIN_ID=') for demo in demos}
    assert len(domains) == 2
    assert [demo.ends() for demo in demos] == [0, 0]


def test_a_demo_fails_when_the_world_contradicts(reactree: Any, scripted: Any) -> None:
    lines = [READ, *['Act: done'] * 4]  # no more than three are objected to
    demo = reactree('demo', '--goal', OPEN, *scripted({OPEN: lines}, agent__read_conditions=True))
    assert demo.ends() == 1
    assert demo.lines[-1] == "The world's goal conditions do not hold."
    assert 'succeeded (unconfirmed): the agent said done' in demo.lines


def test_a_goal_without_conditions_is_said_to_be_unconfirmed(reactree: Any, scripted: Any) -> None:
    demo = reactree('demo', '--goal', 'be nice', *scripted({'be nice': ['Act: done']}))
    assert demo.ends() == 0
    assert 'no conditions of the goal that the world could check' in demo.lines[-1]
    assert '  nothing has changed' in demo.lines


def test_a_demo_whose_goal_fails_says_how(reactree: Any, scripted: Any) -> None:
    demo = reactree('demo', '--goal', OPEN, *scripted({OPEN: ['Act: failure']}))
    assert demo.ends() == 1
    assert any(line.startswith('failed: ') for line in demo.lines)


def test_a_goal_that_is_too_long_is_told(reactree: Any, scripted: Any) -> None:
    demo = reactree('demo', '--goal', 'x' * 100_000, *scripted({OPEN: OPENED}))
    assert demo.ends() == 1
    assert any(
        line.startswith('failed: the goal has 100000 characters, at most') for line in demo.lines
    )


def test_a_demo_that_cannot_start_says_why(reactree: Any, scripted: Any) -> None:
    demo = reactree('demo', '--goal', OPEN, '--scene', 'castle', *scripted({OPEN: OPENED}))
    assert demo.ends() == 2
    assert 'parameter scene is' in demo.lines[-1] and 'castle' in demo.lines[-1]


def test_an_interrupted_demo_cancels_and_leaves_nothing_behind(
    reactree: Any, scripted: Any
) -> None:
    demo = reactree('demo', '--goal', OPEN, *scripted({OPEN: OPENED}, skill_duration_sec=3600.0))
    demo.says('act: go to kitchen 1')
    started = children_of(demo.process.pid)
    assert len(started) == 2
    demo.process.send_signal(signal.SIGINT)
    assert demo.ends() == 130
    assert not [pid for pid in started if Path(f'/proc/{pid}').exists()]
    assert 'canceled: the goal was canceled' in demo.lines
    assert '  nothing has changed' in demo.lines


def test_up_and_send_from_another_shell(reactree: Any, scripted: Any) -> None:
    script = {OPEN: OPENED, 'wait': [ENDLESS], 'give up': ['Act: failure']}
    up = reactree('up', *scripted(script))
    up.says('ready; send a goal')
    sent = reactree('send', OPEN)
    assert sent.ends() == 0
    assert any('observation: You open fridge (1).' in line for line in sent.lines)
    assert reactree('send', 'give up').ends() == 1
    waiting = reactree('send', 'wait')
    waiting.says('goal: wait')
    busy = reactree('send', 'give up')
    assert busy.ends() == 1
    assert 'rejected the goal: its queue is full, another goal is running' in busy.lines[-1]
    waiting.process.send_signal(signal.SIGINT)
    assert waiting.ends() == 130
    assert 'canceled: the goal was canceled' in waiting.lines
    up.process.send_signal(signal.SIGINT)
    assert up.ends() == 0


def test_a_person_is_asked_afterwards(reactree: Any, scripted: Any) -> None:
    up = reactree('up', *scripted({OPEN: OPENED, 'give up': ['Act: failure']}))
    up.says('ready; send a goal')
    asked = reactree('send', '--ask', OPEN, typed='perhaps\nN\n')
    assert asked.ends() == 1, 'the person says that it was not reached'
    text = ' '.join(asked.lines)
    assert text.count('Did it do what you wanted? [y/n]') == 2
    assert 'the verdict is not recorded: the planner does not learn' in text
    failed = reactree('send', '--ask', 'give up', typed='y\n')
    assert failed.ends() == 1
    assert 'Did it do' not in ' '.join(failed.lines)
    up.process.send_signal(signal.SIGINT)
    assert up.ends() == 0


def test_a_person_answers_while_the_goal_runs(reactree: Any, scripted: Any) -> None:
    script = {
        'fetch it': ['Ask: Which one?', 'Think: aha', 'Ask: Sure?', 'Act: done'],
        'fetch that': ['Ask: Which one?', 'Act: done'],
    }
    up = reactree('up', *scripted(script, operator__ask=True, answer_timeout_sec=3600.0))
    up.says('ready; send a goal')
    sent = reactree('send', 'fetch it', '--answer', typed='the red one\n\n')
    assert sent.ends() == 0
    text = '\n'.join(sent.lines)
    assert 'The planner asks: Which one?' in text
    assert 'observation: The operator answers: the red one' in text
    assert 'observation: The operator declined to answer.' in text
    assert 'questions  2' in text
    alone = reactree('send', 'fetch that')
    assert alone.ends() == 0
    assert any('rejected: Ask: Which one?: no question is allowed' in line for line in alone.lines)


def test_a_question_that_nobody_answers_in_time_is_taken_back(reactree: Any, scripted: Any) -> None:
    arguments = scripted(
        {OPEN: ['Ask: Which one?', *OPENED]}, operator__ask=True, answer_timeout_sec=0.5
    )
    demo = reactree('demo', '--goal', OPEN, '--answer', *arguments, silent=True)
    assert demo.ends() == 0
    why = 'nobody answered within 0.5 s; the planner continues without an answer'
    assert f'no answer: {why}' in demo.lines


def test_a_skill_is_allowed_at_the_terminal(reactree: Any, scripted: Any) -> None:
    arguments = scripted(
        {OPEN: OPENED}, operator__approval_risk_level='low', operator__answer_timeout_sec=3600.0
    )
    typed = 'maybe\n1\nno\n' + 'yes\n' * 10
    demo = reactree('demo', '--goal', OPEN, '--answer', *arguments, typed=typed)
    demo.ends()
    text = '\n'.join(demo.lines)
    assert text.count('The planner asks: Allow the robot to "go to kitchen 1"?') == 2
    assert '[1] yes  [2] no' in text
    assert "not understood: 'maybe'; choose yes or no" in text
    assert 'was refused: the operator said no' in text


def test_send_without_a_planner_says_so(reactree: Any) -> None:
    sent = reactree('send', OPEN, '--wait', '0.5')
    assert sent.ends() == 2
    assert 'no planner answered within 0.5 s' in sent.lines[-1]
    assert 'with the same ROS_DOMAIN_ID and in this namespace (--namespace)?' in sent.lines[-1]


def test_send_names_the_namespace_of_another_planner(reactree: Any, scripted: Any) -> None:
    up = reactree('up', '--namespace', 'robot1', *scripted({OPEN: OPENED}))
    up.says('ready; send a goal')
    sent = reactree('send', OPEN, '--wait', '5')
    assert sent.ends() == 2
    assert 'There is one elsewhere: --namespace robot1' in sent.lines[-1]


@pytest.mark.parametrize('which', ['household_bridge', 'planner_node'])
def test_up_ends_when_a_process_dies(
    reactree: Callable[..., Any], scripted: Any, which: str
) -> None:
    up = reactree('up', *scripted({OPEN: OPENED}))
    up.says('ready; send a goal')
    pid = next(pid for pid, line in children_of(up.process.pid).items() if which in line)
    os.kill(pid, signal.SIGKILL)
    assert up.ends() == 1
    assert 'ended by signal 9' in up.lines[-1]


def test_up_with_a_wrong_parameter_does_not_start(reactree: Any, tmp_path: Path) -> None:
    (tmp_path / 'script.yaml').write_text('{}')
    (tmp_path / 'params.yaml').write_text(
        '/**/reactree_planner: {ros__parameters: {limits: {max_depth: 0}}}\n'
    )
    up = reactree(
        'up',
        '--model',
        f'scripted:{tmp_path / "script.yaml"}',
        '--params-file',
        str(tmp_path / 'params.yaml'),
    )
    assert up.ends() == 2
    assert 'parameter limits.max_depth is 0: it must be an integer from 1 to 100' in up.lines[-1]
