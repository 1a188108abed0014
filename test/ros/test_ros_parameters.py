# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters are checked before anything is made, and say what is allowed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from reactree_ros.exceptions import ConfigurationError
from reactree_ros.ros import (
    bridge_node,
    pddl_bridge_node,
    planner_config,
    planner_node,
    planner_parameters,
    viewer_node,
)
from reactree_ros.ros.managed_node import ManagedNode
from reactree_ros.ros.parameters import Parameter, load
from reactree_ros.ros.tree_host import PlainTreeHost

pytestmark = pytest.mark.ros

TABLE = (
    Parameter('speed', 1.5, 'How fast.', unit='m/s', lowest=0.0, highest=2.0),
    Parameter('tries', 3, 'How often.', lowest=1, highest=9),
    Parameter('mode', 'calm', 'How.', choices=('calm', 'brisk')),
    Parameter('name', '', 'Whose.'),
    Parameter('loud', False, 'Whether.'),
)
NODES = {
    'household_bridge': (bridge_node.PARAMETERS, bridge_node.BridgeConfig),
    'pddl_bridge': (pddl_bridge_node.PARAMETERS, pddl_bridge_node.PddlBridgeConfig),
    'reactree_viewer': (viewer_node.PARAMETERS, viewer_node.ViewerConfig),
    'reactree_planner': (planner_parameters.PARAMETERS, planner_config.PlannerConfig),
}


@dataclass(frozen=True)
class Config:
    speed: float
    tries: int
    mode: str
    name: str
    loud: bool


@contextmanager
def node_with(**overrides: object) -> Iterator[Node]:
    node = Node(
        'configured',
        parameter_overrides=[RosParameter(name, value=value) for name, value in overrides.items()],
        automatically_declare_parameters_from_overrides=True,
    )
    yield node
    node.destroy_node()


def test_defaults() -> None:
    with node_with() as node:
        assert load(node, TABLE, Config) == Config(1.5, 3, 'calm', '', False)


def test_values_are_taken_and_a_whole_number_is_a_number() -> None:
    with node_with(speed=2, tries=9, mode='brisk', name='Ada', loud=True) as node:
        config = load(node, TABLE, Config)
        assert config == Config(2.0, 9, 'brisk', 'Ada', True)
        assert type(config.speed) is float
        assert node.get_parameter('speed').value == 2.0


@pytest.mark.parametrize(
    ('name', 'value', 'message'),
    [
        ('speed', 2.1, 'parameter speed is 2.1: it must be a number from 0 to 2 (m/s)'),
        ('speed', float('nan'), 'parameter speed is nan: it must be a number from 0 to 2 (m/s)'),
        ('speed', 'fast', "parameter speed is 'fast': it must be a number from 0 to 2 (m/s)"),
        ('tries', 0, 'parameter tries is 0: it must be a whole number from 1 to 9'),
        ('tries', 2.5, 'parameter tries is 2.5: it must be a whole number from 1 to 9'),
        ('tries', True, 'parameter tries is True: it must be a whole number from 1 to 9'),
        ('mode', 'wild', "parameter mode is 'wild': it must be one of calm, brisk"),
        ('name', 7, 'parameter name is 7: it must be a text'),
        ('loud', 'yes', "parameter loud is 'yes': it must be true or false"),
        ('speeed', 1.0, 'parameter speeed is not known: did you mean speed?'),
        ('zzz', 1.0, 'parameter zzz is not known: known are speed, tries, mode, name, loud'),
    ],
)
def test_what_is_not_allowed_is_named(name: str, value: object, message: str) -> None:
    with node_with(**{name: value}) as node, pytest.raises(ConfigurationError) as caught:
        load(node, TABLE, Config)
    assert str(caught.value) == message


def test_all_faults_are_told_at_once() -> None:
    with node_with(speed=9.0, tries=0, volume=1) as node:
        with pytest.raises(ConfigurationError, match=r'volume.*; .*speed.*; .*tries'):
            load(node, TABLE, Config)


def test_parameters_are_described_and_read_only() -> None:
    with node_with() as node:
        load(node, TABLE, Config)
        descriptor = node.describe_parameter('speed')
        assert descriptor.description == 'How fast. [m/s]'
        assert descriptor.floating_point_range[0].to_value == 2.0
        assert node.describe_parameter('tries').integer_range[0].from_value == 1
        answer = node.set_parameters([RosParameter('speed', value=1.0)])[0]
        assert not answer.successful
        assert node.get_parameter('speed').value == 1.5


@pytest.mark.parametrize('name', NODES)
def test_a_nodes_defaults_are_allowed_and_fill_its_config(name: str) -> None:
    table, config = NODES[name]
    assert [row.name for row in table] == [field.name for field in fields(config)]
    assert [row.check(row.default) for row in table if row.check(row.default)] == []
    with node_with() as node:
        load(node, table, config)


def test_the_shipped_file_has_every_parameter_with_its_default() -> None:
    path = Path(__file__).parents[2] / 'config' / 'reactree.yaml'
    sections = yaml.safe_load(path.read_text())
    for name, (table, _) in NODES.items():
        written = sections.pop(f'/**/{name}')['ros__parameters']
        assert written == {
            row.name: list(row.default) if isinstance(row.default, tuple) else row.default
            for row in table
        }
    assert sections == {}


PLANNER = 'reactree_ros.ros.planner_node'
BRIDGE = 'reactree_ros.ros.bridge_node'


@pytest.mark.parametrize(
    ('module', 'arguments', 'named'),
    [
        (PLANNER, ['-p', 'tick_hz:=0'], ['tick_hz', '0', 'from 1 to 200']),
        (PLANNER, ['-p', 'goal_policy:=ask'], ['goal_policy', 'ask', 'reject, queue, preempt']),
        (PLANNER, ['-p', 'max_decision:=3'], ['max_decision', 'max_decisions']),
        (PLANNER, ['-p', 'skills:=nobody'], ['skills', 'nobody']),
        (PLANNER, ['-p', 'observe_service:=a b'], ['service name', 'a b']),
        (PLANNER, ['-p', 'model:=scripted:/no/script.yaml'], ['/no/script.yaml']),
        (BRIDGE, ['-p', 'scene:=castle'], ['scene', 'castle', 'apartment_1']),
        (BRIDGE, ['-p', 'task:=999'], ['task', '999', 'household']),
        (BRIDGE, ['-p', 'task_set:=house'], ['task_set', 'house', 'wah_test']),
        (BRIDGE, ['-p', 'task_set:=wah_test', '-p', 'task:=999'], ['999', 'from 1 to 100']),
        (BRIDGE, ['-p', 'room:=attic'], ['room', 'attic', 'kitchen 1']),
        (BRIDGE, ['-p', 'skill_seconds'], ['skill_seconds']),
        (BRIDGE, ['--params-file', '/no/file.yaml'], ['/no/file.yaml']),
    ],
)
def test_a_node_does_not_start_half(module: str, arguments: list[str], named: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, '-m', module, '--ros-args', *arguments],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 2
    assert len(ended.stderr.strip().splitlines()) == 1, ended.stderr
    for word in named:
        assert word in ended.stderr
    assert 'ready' not in ended.stdout + ended.stderr


def test_others_may_declare_parameters_while_the_planner_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def declaring_host(node: Any) -> Any:
        node.declare_parameter('default_snapshot_stream', value=False)  # as py_trees_ros does
        return PlainTreeHost()

    monkeypatch.setattr(planner_node, 'make_tree_host', declaring_host)
    node = ManagedNode('planner_with_a_host')
    try:
        managed = planner_node.ManagedPlanner(node)
        managed.close()
    finally:
        node.destroy_node()
