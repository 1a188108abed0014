# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the processes of a start are given."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from reactree_ros import plugins
from reactree_ros.cli.processes import ARGUMENTS, chosen, processes_of
from reactree_ros.core.option import parameters_of
from reactree_ros.core.settings import NONE
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.sim.worlds import WorldNode


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
        (
            {},
            ['--params-file', str(share('config', 'household.yaml'))],
        ),
        (
            {'sim': 'pddl', 'check_service': 'mine', 'params_file': 'my.yaml'},
            [
                *('--params-file', str(share('config', 'pddl.yaml'))),
                *('--params-file', 'my.yaml'),
                *('-p', 'robot.check_service:="mine"'),
            ],
        ),
    ],
)
def test_the_planner_is_told_what_was_given(
    given: dict[str, str], told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path('my.yaml').write_text('/**:\n  ros__parameters: {}\n')
    (planner,) = (one for one in chosen(given) if one.name == 'reactree_planner')
    assert planner.arguments(given) == ['--ros-args', *told]


def test_what_the_world_does_not_take_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match='the world "kitchen": task_set, task'):
        chosen({'sim': 'kitchen', 'task_set': 'wah_test', 'task': '2', 'scene': ''})


def test_every_parameter_that_a_process_takes_can_be_given() -> None:
    known = {argument.name for argument in ARGUMENTS}
    worlds = (*plugins.names(plugins.WORLDS), NONE)
    for process in {one.name: one for sim in worlds for one in processes_of(sim)}.values():
        assert {*process.parameters} <= known


def test_the_worlds_parameter_files_name_parameters_that_exist() -> None:
    names = {row.name for row in parameters_of(PlannerConfig)}
    for sim in plugins.names(plugins.WORLDS):
        world = plugins.load_as(plugins.WORLDS, sim, WorldNode)
        text = share('config', world.params_file).read_text(encoding='utf-8')
        (values,) = (part['ros__parameters'] for part in yaml.safe_load(text).values())
        check_service = values['robot']['check_service']
        groups = {name: value for name, value in values.items() if isinstance(value, dict)}
        inner = {f'{group}.{name}' for group, value in groups.items() for name in value}
        assert {*values} - {*groups} | inner <= names
        assert check_service == world.check_service
