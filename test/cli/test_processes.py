# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the processes of a start are given."""

from __future__ import annotations

import pytest

from reactree_ros import plugins
from reactree_ros.cli.processes import ARGUMENTS, NONE, chosen, processes_of


@pytest.mark.parametrize(
    ('given', 'told'),
    [
        ({'sim': 'none'}, []),
        ({'sim': 'none', 'memory': ''}, []),
        ({'sim': 'none', 'memory': 'user'}, ['-p', 'memory.store:="user"']),
        (
            {'sim': 'none', 'memory': '/a place/m.sqlite'},
            ['-p', 'memory.store:="/a place/m.sqlite"'],
        ),
        ({'sim': 'none', 'memory': 'none'}, ['-p', 'memory.store:=""']),
        ({'sim': 'none', 'model': 'none'}, ['-p', 'model.name:="none"']),
        ({'sim': 'none', 'task': '3'}, []),
        (
            {},
            [
                *('-p', 'skills:="household"'),
                *('-p', 'robot.observe_service:="household/observe"'),
                *('-p', 'robot.check_service:="household/check_goal"'),
            ],
        ),
        (
            {'sim': 'pddl', 'check_service': 'mine', 'params_file': 'my.yaml'},
            [
                *('-p', 'skills:="blocksworld"'),
                *('-p', 'robot.check_service:="pddl/check_goal"'),
                *('--params-file', 'my.yaml'),
                *('-p', 'robot.check_service:="mine"'),
            ],
        ),
    ],
)
def test_the_planner_is_told_what_was_given(given: dict[str, str], told: list[str]) -> None:
    (planner,) = (one for one in chosen(given) if one.name == 'reactree_planner')
    assert planner.arguments(given) == ['--ros-args', *told]


def test_every_parameter_that_a_process_takes_can_be_given() -> None:
    known = {argument.name for argument in ARGUMENTS}
    worlds = (*plugins.names(plugins.WORLDS), NONE)
    for process in {one.name: one for sim in worlds for one in processes_of(sim)}.values():
        assert {*process.parameters} <= known
