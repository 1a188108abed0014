# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the launch file asks of launch, also where that is not installed."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from reactree_ros.cli.processes import ARGUMENTS
from reactree_ros.ros.nodes.node_main import STOP_SEC

pytestmark = pytest.mark.ros

FILE = Path(__file__).parents[3] / 'launch' / 'planner.launch.py'


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return what each node is started with, in a namespace and with the viewer."""
    nodes: list[dict[str, Any]] = []
    given = {one.name: one.default for one in ARGUMENTS}
    given |= {'viewer': 'true', 'namespace': '/robot1', 'use_sim_time': 'true'}
    for name in ('launch', 'launch.actions', 'launch.substitutions', 'launch_ros.actions'):
        monkeypatch.setitem(sys.modules, name, MagicMock())
    monkeypatch.setattr(
        sys.modules['launch.substitutions'],
        'LaunchConfiguration',
        lambda name: MagicMock(perform=lambda _: given[name]),
    )
    monkeypatch.setattr(
        sys.modules['launch_ros.actions'], 'Node', lambda **about: nodes.append(about)
    )
    spec = spec_from_file_location('planner_launch', FILE)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    module.start_nodes(MagicMock())
    return nodes


def test_nodes_have_the_time_to_stop_their_robots(started: list[dict[str, Any]]) -> None:
    assert {one['executable'] for one in started} == {
        'reactree_planner',
        'reactree_household_bridge',
        'reactree_viewer',
    }
    for node in started:
        assert float(node['sigterm_timeout']) >= 2 * STOP_SEC, 'a busy machine is slower'
        assert float(node['sigkill_timeout']) >= 5.0


def test_a_namespace_is_within_the_one_of_an_including_file(started: list[dict[str, Any]]) -> None:
    assert {one['namespace'] for one in started} == {'robot1'}
    assert not any('__ns' in argument for one in started for argument in one['arguments'])


def test_every_node_takes_the_time_from_the_simulator(started: list[dict[str, Any]]) -> None:
    assert all('use_sim_time:=true' in one['arguments'] for one in started)
