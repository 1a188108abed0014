# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped tasks can be solved by the skills; wrong task files are refused by place."""

from __future__ import annotations

from reactree_ros.sim.household import (
    shipped_tasks,
)


def test_the_shipped_tasks_are_ten_of_five_types_in_both_apartments() -> None:
    """The first is the demo's default."""
    tasks = shipped_tasks()

    assert [task.id for task in tasks] == list(range(1, 11))
    assert tasks[0].instruction == 'Put the apple in the fridge.'
    assert {task.scene for task in tasks} == {'apartment_1', 'apartment_2'}
    assert {task.type for task in tasks} == {
        'put_fridge', 'put_dishwasher', 'prepare_food', 'prepare_snack', 'setup_table',
    }  # fmt: skip
