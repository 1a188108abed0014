# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters are checked before anything is made, and say what is allowed."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from reactree_ros.cli.parameters import NODES
from reactree_ros.cli.processes import STARTER
from reactree_ros.core.option import group, make, option, parameters_of
from reactree_ros.errors import ConfigurationError, ReactreeError
from reactree_ros.ros.nodes import planner_node
from reactree_ros.ros.nodes.parameters import LoadedParameters, load
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.nodes.planner_node import PlannerNode
from reactree_ros.ros.nodes.services import make_parts
from reactree_ros.ros.nodes.tree_host import TreeHost
from reactree_ros.strategies.registry import strategy_names

pytestmark = pytest.mark.ros


@dataclass(frozen=True)
class Arm:
    speed: float = option(1.5, 'How fast.', unit='m/s', minimum=0.0, maximum=2.0)
    tools: tuple[str, ...] = option(('',), 'Which.')


@dataclass(frozen=True)
class Config:
    tries: int = option(3, 'How often.', minimum=1, maximum=9)
    mode: str = option('calm', 'How.', choices=('calm', 'brisk'))
    name: str = option('', 'Whose.')
    loud: bool = option(False, 'Whether.')
    arm: Arm = group(Arm)


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
        assert load(node, Config) == Config(3, 'calm', '', False, Arm(1.5, ('',)))


def test_values_are_taken_and_an_integer_is_a_number() -> None:
    given = {'arm.speed': 2, 'arm.tools': ['saw'], 'tries': 9, 'mode': 'brisk', 'loud': True}
    with node_with(**given) as node:
        config = load(node, Config)
        assert config == Config(9, 'brisk', '', True, Arm(2.0, ('saw',)))
        assert type(config.arm.speed) is float
        assert node.get_parameter('arm.speed').value == 2.0
        assert node.get_parameter('arm.tools').value == ['saw']


@pytest.mark.parametrize(
    ('name', 'value', 'message'),
    [
        ('arm.speed', 2.1, 'parameter arm.speed is 2.1: it must be a number from 0 to 2 (m/s)'),
        (
            'arm.speed',
            float('nan'),
            'parameter arm.speed is nan: it must be a number from 0 to 2 (m/s)',
        ),
        ('arm.speed', 'x', "parameter arm.speed is 'x': it must be a number from 0 to 2 (m/s)"),
        ('arm.tools', 'saw', "parameter arm.tools is 'saw': it must be a list of strings"),
        ('tries', 0, 'parameter tries is 0: it must be an integer from 1 to 9'),
        ('tries', 2.5, 'parameter tries is 2.5: it must be an integer from 1 to 9'),
        ('tries', True, 'parameter tries is True: it must be an integer from 1 to 9'),
        ('mode', 'wild', "parameter mode is 'wild': it must be one of calm, brisk"),
        ('name', 7, 'parameter name is 7: it must be a string'),
        ('loud', 'yes', "parameter loud is 'yes': it must be true or false"),
        ('speed', 1.0, 'parameter speed is unknown: did you mean arm.speed?'),
        (
            'zzz',
            1.0,
            'parameter zzz is unknown: known are tries, mode, name, loud, arm.speed, arm.tools',
        ),
    ],
)
def test_what_is_not_allowed_is_named(name: str, value: object, message: str) -> None:
    with node_with(**{name: value}) as node, pytest.raises(ConfigurationError) as caught:
        load(node, Config)
    assert str(caught.value) == message


def test_all_faults_are_told_at_once() -> None:
    with node_with(**{'arm.speed': 9.0, 'tries': 0, 'volume': 1}) as node:
        with pytest.raises(ConfigurationError, match=r'volume.*; .*tries.*; .*speed'):
            load(node, Config)


def test_parameters_are_described_and_read_only() -> None:
    with node_with() as node:
        load(node, Config)
        descriptor = node.describe_parameter('arm.speed')
        assert descriptor.description == 'How fast. [m/s]'
        assert descriptor.floating_point_range[0].to_value == 2.0
        assert node.describe_parameter('tries').integer_range[0].from_value == 1
        answer = node.set_parameters([RosParameter('arm.speed', value=1.0)])[0]
        assert not answer.successful
        assert node.get_parameter('arm.speed').value == 1.5


@pytest.mark.parametrize('name', NODES)
def test_a_nodes_defaults_are_allowed_and_fill_its_config(name: str) -> None:
    rows = parameters_of(NODES[name])
    assert [row.check(row.default) for row in rows if row.check(row.default)] == []
    with node_with() as node:
        assert load(node, NODES[name]) == make(NODES[name], {})


@pytest.mark.parametrize('name', NODES)
def test_a_node_takes_the_shipped_file(name: str) -> None:
    path = Path(__file__).parents[3] / 'config' / 'reactree.yaml'
    arguments = ['--ros-args', '--params-file', str(path)]
    node = Node(name, cli_args=arguments, automatically_declare_parameters_from_overrides=True)
    try:
        given = node.get_parameters_by_prefix('')
        assert {row.name for row in parameters_of(NODES[name])} <= {*given}
        assert load(node, NODES[name]) == make(NODES[name], {})
    finally:
        node.destroy_node()


def test_the_action_lists_the_strategies() -> None:
    root = Path(__file__).parents[3]
    text = (root / 'reactree_interfaces' / 'action' / 'ExecuteGoal.action').read_text()
    (about,) = (part for part in text.split('\n\n') if part.endswith('string strategy'))
    assert re.findall(r'"(\w+)"', about) == [*strategy_names()]


PLANNER = 'reactree_ros.ros.nodes.planner_node'
BRIDGE = 'reactree_ros.ros.nodes.household_bridge'
HOUSEHOLD = ('-p', 'skills:=household')


@pytest.mark.parametrize(
    ('module', 'arguments', 'named'),
    [
        (PLANNER, ['-p', 'tick_hz:=0'], ['tick_hz', '0', 'from 1 to 200']),
        (PLANNER, ['-p', 'goals.policy:=ask'], ['goals.policy', 'ask', 'reject, queue, preempt']),
        (
            PLANNER,
            ['-p', 'limits.max_decision:=3'],
            ['limits.max_decision', 'limits.max_decisions'],
        ),
        (PLANNER, ['-p', 'skills:=nobody'], ['skills', 'nobody']),
        (PLANNER, [*HOUSEHOLD, '-p', 'robot.observe_service:=a b'], ['service name', 'a b']),
        (PLANNER, [*HOUSEHOLD, '-p', 'model.name:=scripted:/no/x.yaml'], ['/no/x.yaml']),
        (PLANNER, [], ['skills', 'not set', 'docs/skills.md']),
        (BRIDGE, ['-p', 'scene:=castle'], ['scene', 'castle', 'apartment_1']),
        (BRIDGE, ['-p', 'task:=999'], ['task', '999', 'household']),
        (BRIDGE, ['-p', 'task_set:=house'], ['task_set', 'house', 'wah_test']),
        (BRIDGE, ['-p', 'task_set:=wah_test', '-p', 'task:=999'], ['999', 'from 1 to 100']),
        (BRIDGE, ['-p', 'room:=attic'], ['room', 'attic', 'kitchen 1']),
        (BRIDGE, ['-p', 'skill_duration_sec'], ['skill_duration_sec']),
        (BRIDGE, ['--params-file', '/no/file.yaml'], ['/no/file.yaml']),
    ],
)
def test_a_node_does_not_start_half(module: str, arguments: list[str], named: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, '-m', STARTER, module, '--ros-args', *arguments],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 2
    assert len(ended.stderr.strip().splitlines()) == 1, ended.stderr
    for word in named:
        assert word in ended.stderr
    assert 'ready' not in ended.stdout + ended.stderr


def test_without_a_model_no_client_of_the_robot_is_made() -> None:
    person = cast(Any, None)  # nobody is asked
    given = {'skills': 'household', 'model.name': 'scripted:/no/x.yaml'}
    made: list[str] = []
    with pytest.raises(ReactreeError, match='/no/x.yaml'):
        make_parts(make(PlannerConfig, given), cast(Any, lambda _, name: made.append(name)), person)
    assert not made


def test_metrics_are_served_on_the_port_that_is_set(tmp_path: Path) -> None:
    pytest.importorskip('prometheus_client', reason='requirements/metrics.txt is not installed')
    script = tmp_path / 'script.yaml'
    script.write_text('{}')
    with socket.create_server(('127.0.0.1', 0)) as taken:
        port = taken.getsockname()[1]
    given = {'skills': 'household', 'model.name': f'scripted:{script}', 'memory.store': ''}
    nobody = cast(Any, None)
    config = make(PlannerConfig, {**given, 'metrics.port': port})
    parts = make_parts(config, cast(Any, lambda _, name: object()), nobody)
    with urllib.request.urlopen(f'http://127.0.0.1:{port}/metrics') as page:
        assert 'reactree_model_decisions' in page.read().decode()
    parts.close()
    with pytest.raises(OSError, match='refused'):
        socket.create_connection(('127.0.0.1', port))


def test_others_may_declare_parameters_while_the_planner_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def declaring_host(node: Any) -> Any:
        node.declare_parameter('default_snapshot_stream', value=False)  # as py_trees_ros does
        return TreeHost()

    monkeypatch.setattr(planner_node, 'make_tree_host', declaring_host)
    node = PlannerNode('planner_with_a_host')
    try:
        node.load().close()
    finally:
        node.destroy_node()


@dataclass(frozen=True)
class Completed(Config):
    mode: str = option('calm', 'How.', choices=('calm', 'brisk'), live=True)
    loud: bool = option(False, 'Whether.', live=True)

    @staticmethod
    def completed(given: dict[str, object]) -> dict[str, object]:
        return {'loud': given.get('mode') == 'brisk', **given}


def test_what_nobody_has_set_follows_what_was_set() -> None:
    changed: list[Completed] = []
    with node_with() as node:
        loaded = LoadedParameters(node, Completed, lambda: False, changed.append)
        node.set_parameters([RosParameter('mode', value='brisk')])
        assert (loaded.config.loud, node.get_parameter('loud').value) == (True, True)
        node.set_parameters([RosParameter('loud', value=False)])
        assert [one.loud for one in changed] == [True, False]


@dataclass(frozen=True)
class Trained:
    name: str = option('', 'Which.')

    @staticmethod
    def completed(given: dict[str, object]) -> dict[str, object]:
        return {'colour': 'red', **given} if given.get('name') == 'newer' else given


def test_a_value_that_brings_what_is_not_allowed_is_refused() -> None:
    changed: list[Trained] = []
    with node_with() as node:
        LoadedParameters(node, Trained, lambda: False, changed.append)
        (result,) = node.set_parameters([RosParameter('name', value='newer')])
        assert not result.successful and 'colour' in result.reason
        assert node.get_parameter('name').value == '' and not changed
