# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the processes of a start are given."""

from __future__ import annotations

import pytest

from reactree_ros.commands.processes import ARGUMENTS, PROCESSES


@pytest.mark.parametrize(
    ('given', 'told'),
    [
        ({}, []),
        ({'memory': ''}, []),
        ({'memory': 'user'}, ['-p', 'memory:="user"']),
        ({'memory': '/a place/m.sqlite'}, ['-p', 'memory:="/a place/m.sqlite"']),
        ({'memory': 'none'}, ['-p', 'memory:=""']),
        ({'model': 'none'}, ['-p', 'model:="none"']),
        ({'task': '3'}, []),
        ({'sim': 'pddl'}, ['-p', 'check_service:="pddl/check_goal"']),
        ({'sim': 'pddl', 'check_service': 'mine'}, ['-p', 'check_service:="mine"']),
    ],
)
def test_the_planner_is_told_what_was_given(given: dict[str, str], told: list[str]) -> None:
    (planner,) = (one for one in PROCESSES if one.name == 'reactree_planner')
    assert planner.arguments(given) == ['--ros-args', *told]


def test_every_parameter_that_a_process_takes_can_be_given() -> None:
    known = {argument.name for argument in ARGUMENTS}
    for process in PROCESSES:
        assert {*process.texts, *process.numbers} <= known
        assert set(process.emptied) <= set(process.texts)
