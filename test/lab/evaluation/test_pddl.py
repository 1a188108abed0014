# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""PDDL problems are evaluated like household tasks: same trees, traces and metrics."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import pytest
import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli import main
from reactree_ros.lab.evaluation.trace import read_trace
from reactree_ros.lab.pddl.generator import DOMAINS
from reactree_ros.sim.pddl.problem import PddlProblem
from reactree_ros.sim.pddl.shipped import shipped_problem
from reactree_ros.sim.tasks import select_tasks, task_of
from reactree_ros.strategies.registry import strategy_names

pytest.importorskip('unified_planning')
NUMBER = 3


def solution(problem: PddlProblem) -> list[str]:
    """Return the phrases of a shortest solution, by breadth first."""
    paths: dict[frozenset[tuple[str, ...]], list[str]] = {problem.initial: []}
    waiting = deque(paths)
    while waiting:
        state = waiting.popleft()
        if not problem.unmet(state):
            return paths[state]
        for action, *objects in problem.applicable(state):
            after = problem.after(state, action, objects)
            if after is not None and after not in paths:
                phrase = problem.words.action_phrase(action, problem.actions[action])
                named = zip(problem.actions[action], map(problem.name_of, objects), strict=True)
                paths[after] = [*paths[state], phrase.format(**dict(named))]
                waiting.append(after)
    raise AssertionError('it has no solution')


def test_tasks_are_phrased_as_goals() -> None:
    tasks = select_tasks('blocksworld:3')
    assert [(name, task.id, task.type) for name, task in tasks] == [
        ('blocksworld', number, 'blocksworld') for number in (1, 2, 3)
    ]
    assert task_of('blocksworld', 1).instruction.startswith('Reach that block ')
    with pytest.raises(ConfigurationError, match='no task set .*household.*blocksworld.*barman'):
        select_tasks('blockworld')


@pytest.mark.parametrize(
    ('planner', 'prefix'), [('react+wm', 'Act: '), ('zsp', '')], ids=['react', 'zsp']
)
@pytest.mark.parametrize('acts', ['all', 'but the last'])
def test_a_run_counts_the_conditions_that_it_has_met(
    tmp_path: Path, acts: str, planner: str, prefix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = shipped_problem('blocksworld', NUMBER)
    phrases = solution(problem)
    kept = phrases if acts == 'all' else phrases[:-1]
    lines = [*(f'{prefix}{phrase}' for phrase in kept), f'{prefix}done']
    script = tmp_path / 'script.yaml'
    script.write_text(yaml.safe_dump({problem.instruction: lines}))
    out = tmp_path / 'results'
    tasks = f'blocksworld:{NUMBER}-{NUMBER}'
    line = ['evaluate', '--no-baselines', '--planners', planner, '--tasks', tasks]
    line += ['--out', str(out)]
    assert main.run([*line, '--models', f'scripted:{script}']) == 0
    (path,) = out.rglob('*.jsonl')
    trace = read_trace(path)
    ending = trace.ending
    assert ending.status == 'succeeded'
    assert ending.holds is (acts == 'all')
    assert ending.wanted == len(problem.goals)
    assert (ending.met == ending.wanted) is (acts == 'all')
    assert ending.costs.skills == len(kept)
    assert 'blocksworld' in capsys.readouterr().out
    assert main.run(['explain', str(path)]) == 0
    told = capsys.readouterr().out
    assert ('false done' in told) is (acts != 'all')


@pytest.mark.parametrize(
    ('settings', 'met'),
    [
        ('[read_conditions=true]', True),
        ('[check_done=true]', True),
        ('', False),  # what a script is not asked for it does not answer
        ('[preset=paper]', False),
    ],
)
def test_a_done_too_early_does_not_count_where_the_world_is_asked(
    tmp_path: Path, settings: str, met: bool
) -> None:
    problem = shipped_problem('blocksworld', NUMBER)
    *most, last = solution(problem)
    acts = [f'Act: {phrase}' for phrase in (*most, 'done', last, 'done')]
    script = tmp_path / 'script.yaml'
    script.write_text(yaml.safe_dump({problem.instruction: acts}))
    out = tmp_path / 'results'
    planner = f'react+wm{settings}'
    tasks = f'blocksworld:{NUMBER}-{NUMBER}'
    line = ['evaluate', '--no-baselines', '--planners', planner, '--tasks', tasks]
    line += ['--out', str(out)]
    assert main.run([*line, '--models', f'scripted:{script}']) == 0
    (path,) = out.rglob('*.jsonl')
    ending = read_trace(path).ending
    assert (ending.status, ending.holds) == ('succeeded', met)


@pytest.mark.parametrize('strategy', strategy_names())
def test_every_strategy_comes_to_an_end_in_it(tmp_path: Path, strategy: str) -> None:
    script = tmp_path / 'script.yaml'
    script.write_text('{}')
    out = tmp_path / 'results'
    line = ['evaluate', '--no-baselines', '--strategies', strategy]
    line += ['--tasks', 'gripper:1', '--out', str(out)]
    assert main.run([*line, '--models', f'scripted:{script}']) == 0
    (path,) = out.rglob('*.jsonl')
    assert read_trace(path).ending.status == 'failed'


def test_it_is_not_for_robots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ['evaluate', '--planners', 'react', '--tasks', 'barman:1', '--ros', '--out']
    assert main.run([*line, str(tmp_path / 'results')]) == 2
    assert 'omit --ros' in capsys.readouterr().err


def test_all_domains_have_tasks() -> None:
    assert {len(select_tasks(domain)) for domain in DOMAINS} == {20}
