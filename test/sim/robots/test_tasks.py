# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Files of tasks are read: plans of acts, plans of subgoals, and what is neither."""

from __future__ import annotations

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.robots.tasks import RobotTask, read_tasks

TASK = """
parts:
  up: &up [go to lift 1, ride the lift to floor 2]
tasks:
  - id: 7
    type: several
    instruction: Load the toner, then go up.
    plan: {plan}
"""
ACTS = ('load toner 1', 'go to lift 1', 'ride the lift to floor 2')


def read(plan: str) -> RobotTask:
    (task,) = read_tasks(TASK.replace('{plan}', plan), 'office')
    return task


def test_a_plan_of_acts_is_not_divided() -> None:
    task = read('[load toner 1, *up]')
    assert (task.plan, task.subgoals, task.steps) == (ACTS, (), 3)


def test_a_plan_of_subgoals_keeps_its_acts_in_order() -> None:
    task = read('[get the toner: [load toner 1], go up: *up]')
    assert (task.plan, task.steps) == (ACTS, 3)
    assert task.subgoals == (('get the toner', ACTS[:1]), ('go up', ACTS[1:]))


@pytest.mark.parametrize('plan', ['[load toner 1, go up: *up]', '[go up: *up, [load toner 1]]'])
def test_a_plan_is_divided_completely_or_not_at_all(plan: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r'task 7 of office .* \(load toner 1\) .* \(go up\)'
    ):
        read(plan)
