# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a planner is shown solves none of the goals that it is judged by."""

from __future__ import annotations

import os

import pytest

from reactree_ros.sim.household import judged
from reactree_ros.sim.robots.tasks import BT_ROBOTS, ROBOTS, SHOWN, RobotTask, bt_sets, robot_tasks

from .player import Player

REPLAYED = None if os.environ.get('REACTREE_ALL_PLANS') else 3
"""How many plans of each robot are replayed, those that are shown first; None for all."""


def replayed(plan: RobotTask, task: RobotTask) -> bool:
    """Return whether a plan, with the answer of its own task, reaches the goal of another."""
    player = Player(task.scene, task)
    for phrase in plan.plan:
        if phrase in player.offered:
            player.do(phrase)
    return judged(task, player.world.judge(), plan.says if plan.asks else '').holds


@pytest.mark.parametrize('robot', ROBOTS)
def test_no_shown_goal_is_one_to_be_judged_by(robot: str) -> None:
    shown = {frozenset(task.conditions + task.guards) for task in robot_tasks(f'{robot}{SHOWN}')}
    judged_by = {frozenset(task.conditions + task.guards) for task in robot_tasks(robot)}
    assert shown & judged_by <= {frozenset()}  # what is impossible has none


@pytest.mark.parametrize('robot', ROBOTS)
def test_no_shown_plan_reaches_a_goal_to_be_judged_by(robot: str) -> None:
    for shown in robot_tasks(f'{robot}{SHOWN}')[:REPLAYED]:
        for task in robot_tasks(robot):
            assert not replayed(shown, task), (shown.instruction, task.instruction)


@pytest.mark.parametrize('robot', BT_ROBOTS)
def test_no_shown_plan_reaches_a_goal_that_trees_are_compared_by(robot: str) -> None:
    (practice,) = robot_tasks(f'bt_{robot}{SHOWN}')
    sets = bt_sets(robot) if REPLAYED is None else bt_sets(robot)[2:]
    for shown in (practice, *robot_tasks(f'{robot}{SHOWN}')[: 0 if REPLAYED else None]):
        for task in (task for name in sets for task in robot_tasks(name)):
            assert not replayed(shown, task), (shown.instruction, task.instruction)


@pytest.mark.parametrize('robot', ROBOTS)
def test_a_person_says_the_answer_or_why_it_is_impossible(robot: str) -> None:
    for task in robot_tasks(f'{robot}{SHOWN}'):
        assert bool(task.says) == (task.asks or task.impossible), task.id


@pytest.mark.parametrize('robot', ROBOTS)
def test_the_first_three_are_a_plain_one_a_divided_one_and_one_that_ends_otherwise(
    robot: str,
) -> None:
    plain, divided, otherwise = robot_tasks(f'{robot}{SHOWN}')[:3]
    assert not plain.subgoals and plain.plan and not (plain.asks or plain.impossible)
    assert len(divided.subgoals) == 2
    assert otherwise.asks or otherwise.impossible
