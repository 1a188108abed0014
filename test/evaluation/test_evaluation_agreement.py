# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Agreement with published runs: what is read, offered, compared, and kept on disk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reactree_ros.commands.main import run
from reactree_ros.core.decision import Act, Choices, ControlFlow, Decision, Done, Expand, Think
from reactree_ros.core.decision import to_text as text_of
from reactree_ros.core.prompt import Prompt
from reactree_ros.evaluation.agreement import (
    Case,
    PromptMaker,
    compare,
    draw_cases,
    kind_of,
    split_tasks,
)
from reactree_ros.evaluation.agreement_run import ResultFile, take_decisions
from reactree_ros.evaluation.agreement_table import baseline_rows, row
from reactree_ros.evaluation.wah_choices import make_choices, read_vocabulary
from reactree_ros.evaluation.wah_runs import RecordedNode, read_runs
from reactree_ros.exceptions import ConfigurationError, ModelError
from reactree_ros.models.backend import Watch
from reactree_ros.models.interface import Answer, Ready

HALL = (
    'You are in the house, and there are 2 rooms: hall (1), kitchen (1, 2). You are in the middle '
    'of a hall (1). Looking quickly around the room, you see stove (1).'
)
ROOT = f"""Your task is to: Warm the soup:
- 1 soup
- 1 broth
{HALL}
Think: The soup is first.
OK.
Expand:
- control flow: sequence
- subgoals: fetch the soup, heat the soup
"""
CHILD = f"""Your primary goal is to: Warm the soup
To achieve this, you should perform your sibling tasks in sequence. At this level, your sibling \
tasks are: fetch the soup, and heat the soup.
Your task is to: fetch the soup
{HALL}
Act: recall location of soup
You have not seen soup before.
Act: go to kitchen 2
You move to the kitchen (2). Looking quickly around the room, you see cupboard (1, 2), stove (2).
Act: go to cupboard 2
You arrive at the cupboard (2). The cupboard (2) is closed. You see cupboard (1, 2), ladle (1)
Act: open cupboard 2
You open cupboard. You see cupboard (1, 2), ladle (1), soup (1, 3)
Think: There it is.
OK.
Act: pick up soup 3
You pick up soup. You hold soup (3).
Act: go to stove 2
You arrive at the stove (2). You see stove (2), whisk (1) You hold soup (3).
Act: turn on stove 2
You turn on stove.
Act: put down soup 3
You put down soup on stove
Act: done"""


def record(task: int, text: str, termination: str) -> dict[str, Any]:
    return {'task_id': task, 'text': text, 'termination': termination}


def write(path: Path, records: Sequence[Any]) -> Path:
    path.write_text(''.join(json.dumps(one) + '\n' for one in records), encoding='utf-8')
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Eight tasks of two nodes each; the goals name the task."""
    records = []
    for task in range(8):
        records.append(record(task, ROOT.replace('Warm', f'Warm {task} times'), 'expand'))
        records.append(record(task, CHILD.replace('soup', f'soup of day {task}'), 'success'))
    return write(tmp_path / 'runs.jsonl', records)


@pytest.fixture
def child(tmp_path: Path) -> RecordedNode:
    (node,) = read_runs(write(tmp_path / 'one.jsonl', [record(1, CHILD, 'success')]))
    return node


def test_nodes_are_read_into_the_form_of_this_planner(tmp_path: Path) -> None:
    root, child = read_runs(
        write(tmp_path / 'two.jsonl', [record(1, ROOT, 'expand'), record(1, CHILD, 'success')])
    )
    assert root.trajectory.text() == (
        f'Goal: Warm the soup: 1 soup, 1 broth\n{HALL}\n'
        'Think: The soup is first.\nExpand: sequence ["fetch the soup", "heat the soup"]\n'
    )
    assert [kind_of(decision) for _, decision in root.decisions] == ['Think', 'Expand']
    assert child.trajectory.text().startswith(
        'Primary goal: Warm the soup\nSubgoals (sequence, one after another; all must succeed): '
        f'fetch the soup; heat the soup\nGoal: fetch the soup\n{HALL}\n'
        'Act: recall location of soup\nYou have not seen soup before.\nAct: go to kitchen 2\n'
    )
    assert (root.root, child.root) == (True, False)
    assert 'OK.' not in root.trajectory.text() + child.trajectory.text()
    # A decision's position is that of its line among the steps.
    for node in (root, child):
        for position, decision in node.decisions:
            assert node.trajectory.steps[position].text == text_of(decision)


BROKEN = [
    ROOT.replace('You are in the house', 'You are somewhere'),
    ROOT.replace('Your task is to', 'Somebody wants'),
    ROOT.replace('OK.\n', ''),
    ROOT.replace('- control flow: sequence\n', ''),
    ROOT.replace('sequence', 'at random'),
    CHILD.replace('in sequence', 'in no order'),
]


@pytest.mark.parametrize('text', BROKEN)
def test_a_record_in_another_form_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / 'bad.jsonl', [record(1, ROOT, 'expand'), record(2, text, 'expand')])
    with pytest.raises(ConfigurationError, match=r'bad\.jsonl, line 2: '):
        read_runs(path)


def offered(node: RecordedNode, taken: int) -> Choices:
    return make_choices(node, taken, read_vocabulary([node]), think_twice=False)[0]


ROOMS = ['go to hall 1', 'go to kitchen 1', 'go to kitchen 2']
LOOKED = ['go to cupboard 1', 'go to cupboard 2', 'go to stove 1', 'go to stove 2']
# which decision -> what is on offer (rooms apart), as far as the node was told by then
OFFERS: list[tuple[int, list[str]]] = [
    (0, ['go to stove 1']),
    (2, LOOKED),
    (3, [*LOOKED[:1], *LOOKED[2:], 'go to ladle 1', 'open cupboard 2', 'pick up ladle 1']),
    (
        5,
        [*LOOKED[:1], *LOOKED[2:], 'go to ladle 1', 'go to soup 1', 'go to soup 3']
        + ['close cupboard 2', 'pick up ladle 1', 'pick up soup 1', 'pick up soup 3'],
    ),
    (
        8,
        [*LOOKED[:3], 'go to ladle 1', 'go to soup 1', 'go to soup 3', 'go to whisk 1']
        + ['pick up whisk 1', 'put down soup 3', 'turn on stove 2'],
    ),
]


@pytest.mark.parametrize(('taken', 'skills'), OFFERS)
def test_the_choices_are_what_the_node_was_told_of(
    child: RecordedNode, taken: int, skills: list[str]
) -> None:
    choices = offered(child, taken)
    here = {2: 'kitchen 2', 3: 'cupboard 2', 5: 'cupboard 2', 8: 'stove 2'}.get(taken)
    rooms = [phrase for phrase in ROOMS if phrase != f'go to {here}']
    assert set(choices.skills) == {*rooms, *skills}
    assert choices.recall == ('soup',)
    assert choices.think == (taken != 5)  # the decision before it was a thought


def test_what_the_rules_miss_is_added_and_counted(tmp_path: Path) -> None:
    text = CHILD.replace('Act: turn on stove 2', 'Act: pick up spoon 4')
    (node,) = read_runs(write(tmp_path / 'odd.jsonl', [record(1, text, 'success')]))
    choices, added = make_choices(node, 7, read_vocabulary([node]), think_twice=False)
    assert added and 'pick up spoon 4' in choices.skills
    assert not make_choices(node, 6, read_vocabulary([node]), think_twice=False)[1]


class Letters:
    """Compares texts by their letters, counts their words, and remembers what it was asked."""

    encoder_name = 'letters'

    def embed(self, texts: tuple[str, ...]) -> Ready[Any]:
        counts = np.array([[text.count(chr(97 + n)) for n in range(26)] for text in texts], float)
        return Ready((counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32))

    def count(self, texts: tuple[str, ...]) -> Ready[tuple[int, ...]]:
        return Ready(tuple(len(text.split()) for text in texts))


@pytest.mark.parametrize('seed', range(5))
def test_no_experience_of_a_test_task_is_shown(data: Path, seed: int) -> None:
    nodes = read_runs(data)
    test, rest = split_tasks(nodes, seed)
    held_out = {node.task_id for node in test}
    assert len(held_out) == 2 and len(test) + len(rest) == len(nodes)
    assert not held_out & {node.task_id for node in rest}
    maker = PromptMaker('You steer.', rest, Letters(), token_budget=1000)
    for case in draw_cases(nodes, test, count=100, seed=seed):
        assert case.node.task_id in held_out
        prompt = maker.make(case)
        assert prompt.examples
        for task in held_out:
            shown = ''.join(prompt.examples)
            assert f'{task} times' not in shown and f'of day {task}' not in shown


def test_a_prompt_ends_before_the_decision(data: Path) -> None:
    nodes = read_runs(data)
    test, rest = split_tasks(nodes, seed=0)
    maker = PromptMaker('You steer.', rest, None, token_budget=0)
    cases = draw_cases(nodes, test, count=100, seed=0)
    assert len(cases) == sum(len(node.decisions) for node in test)
    for case in cases:
        prompt = maker.make(case)
        assert prompt.examples == ()
        assert case.node.trajectory.text().startswith(
            prompt.task + ''.join(f'{step.text}\n' for step in prompt.steps)
            + text_of(case.decision)
        )  # fmt: skip


SEQUENCE = Expand(ControlFlow.SEQUENCE, ('Find the soup.', 'heat it'))
PARALLEL = Expand(ControlFlow.PARALLEL, ('wash up', 'dry up'))
# the run's decision, the answer -> same kind, flow, decision
MATCHES: list[tuple[Decision, str, tuple[bool, bool, bool]]] = [
    (Think('so'), 'Think: otherwise', (True, False, True)),
    (Think('so'), 'Act: done', (False, False, False)),
    (Done(), 'Act: done', (True, False, True)),
    (Done(), 'Act: failure', (True, False, False)),
    (Act('go to hall 1'), 'Act: go to hall 1', (True, False, True)),
    (Act('go to hall 1'), 'Act: recall location of soup', (True, False, False)),
    (Act('go to hall 1'), 'Act: go to the moon', (False, False, False)),
    (SEQUENCE, 'Expand: sequence ["find soup", "heat it"]', (True, True, True)),
    (SEQUENCE, 'Expand: sequence ["heat it", "find the soup"]', (True, True, False)),
    (SEQUENCE, 'Expand: fallback ["find the soup", "heat it"]', (True, False, False)),
    (PARALLEL, 'Expand: parallel ["Dry up", "wash up"]', (True, True, True)),
    (PARALLEL, 'Think: wash up', (False, False, False)),
]


@pytest.mark.parametrize(('decision', 'answer', 'expected'), MATCHES)
def test_answers_are_compared(
    decision: Decision, answer: str, expected: tuple[bool, bool, bool]
) -> None:
    match = compare(decision, answer, Choices(skills=('go to hall 1',), recall=('soup',)))
    assert (match.kind, match.flow, match.decision) == expected


class Parrot:
    """A back end that says "done", and fails at a decision if told so."""

    workers = 1

    def __init__(self, fails_at: int = -1) -> None:
        self.prompts: list[Prompt] = []
        self._fails_at = fails_at

    def decide(self, prompt: Prompt, choices: Choices, watch: Watch) -> Answer:
        if len(self.prompts) == self._fails_at:
            raise ModelError('out of words')
        self.prompts.append(prompt)
        return Answer('Act: done', tokens_in=100, tokens_reused=75, tokens_out=3)

    def count(self, text: str) -> int:
        return len(text.split())

    def new_tokens(self, prompt: Prompt) -> int:
        return 0


def drawn(data: Path) -> tuple[Case, ...]:
    nodes = read_runs(data)
    return draw_cases(nodes, split_tasks(nodes, 0)[0], count=100, seed=0)


def test_a_second_start_goes_on_where_the_first_stopped(data: Path, tmp_path: Path) -> None:
    cases = drawn(data)
    make = PromptMaker('You steer.', (), None, 0).make
    path, settings = tmp_path / 'out' / 'results.jsonl', {'seed': 0}
    first = Parrot(fails_at=7)
    with pytest.raises(ModelError):
        take_decisions(first, cases, make, ResultFile(path, settings), lambda line: None)
    with path.open('a', encoding='utf-8') as file:
        file.write('{"case": 7, "task')  # killed while it wrote
    second = Parrot()
    said: list[str] = []
    take_decisions(second, cases, make, ResultFile(path, settings), said.append)
    assert (len(first.prompts), len(second.prompts)) == (7, len(cases) - 7)
    assert [result.case for result in ResultFile(path, settings).results] == [*range(len(cases))]
    assert first.prompts + second.prompts == [make(case) for case in cases]
    assert said[-1].startswith(f'{len(cases)}/{len(cases)}, ')
    # Nothing is left to do.
    third = Parrot()
    take_decisions(third, cases, make, ResultFile(path, settings), said.append)
    assert third.prompts == []


def test_results_of_other_settings_are_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / 'results.jsonl'
    ResultFile(path, {'seed': 0})
    with pytest.raises(ConfigurationError, match='other settings'):
        ResultFile(path, {'seed': 1})
    path.write_text('{"seed": 0}\nno result\n', encoding='utf-8')
    with pytest.raises(ConfigurationError, match='--out'):
        ResultFile(path, {'seed': 0})


def test_rows_count_what_agrees(data: Path, tmp_path: Path) -> None:
    cases = drawn(data)
    file = ResultFile(tmp_path / 'results.jsonl', {})
    take_decisions(Parrot(), cases, PromptMaker('', (), None, 0).make, file, lambda line: None)
    # Of the 12 decisions of a task 9 act, one of them says done; see ROOT and CHILD.
    assert len(cases) == 2 * 12
    assert '| 24 | 75 (55–88) | 8 (2–26) | 100 | 75 |' in row(('parrot', 'no', 'no'), file.results)
    always_act, rule = baseline_rows(file.results)
    assert '| 24 | 75 (55–88) |' in always_act
    # Right are both thoughts and the one Act that follows a thought.
    assert '| 24 | 25 (12–45) |' in rule


def test_a_missing_file_and_wrong_words_end_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(['bench-agreement', '--data', str(tmp_path / 'none.jsonl')]) == 2
    assert 'none.jsonl' in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(['bench-agreement', '--data', 'x', '--chat', 'sometimes'])
    assert 'sometimes' in capsys.readouterr().err


PUBLISHED = Path(__file__).parents[3] / 'shared' / 'data' / 'wah_experiences.jsonl'


@pytest.mark.skipif(not PUBLISHED.is_file(), reason='wah_experiences.jsonl is not there')
def test_the_rules_offer_what_the_published_runs_did() -> None:
    nodes = read_runs(PUBLISHED)
    vocabulary = read_vocabulary(nodes)
    made = [
        (make_choices(node, taken, vocabulary, think_twice=False), decision)
        for node in nodes
        for taken, (_, decision) in enumerate(node.decisions)
    ]
    assert (len(nodes), len(made)) == (792, 4909)
    assert sum(added for (_, added), _ in made) == 4
    assert all(10 <= len(choices.skills) <= 120 for (choices, _), _ in made)
    for (choices, _), decision in made:
        if not isinstance(decision, Think):  # some thoughts are longer than allowed
            assert compare(decision, text_of(decision), choices).decision


@pytest.mark.model
def test_the_command_prints_tables(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ['bench-agreement', '--data', str(data), '--models', 'gemma-3-270m']
    command += ['--decisions', '3', '--out', str(tmp_path / 'out')]
    assert run(command) == 0
    printed = capsys.readouterr()
    assert '3 decisions of 2 test tasks' in printed.out
    assert '| gemma-3-270m | auto | with | 3 |' in printed.out
    assert '| gemma-3-270m | auto | without | 3 |' in printed.out
    assert '3/3, ' in printed.err
    # All is on disk: the second start loads nothing.
    assert run(command) == 0
    again = capsys.readouterr()
    assert (again.out, again.err) == (printed.out, '')
