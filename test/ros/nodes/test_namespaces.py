# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Several planners with their robots on one graph, each in its namespace."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

pytestmark = pytest.mark.ros

ROOMS = {'robot1': 'bathroom 1', 'robot2': 'bedroom 1'}
PLANNER = {}


def test_two_robots_do_not_meet(start_system: Callable[..., Any]) -> None:
    with ExitStack() as stack:
        robots = {
            name: stack.enter_context(
                start_system(
                    {f'go to the {room}': [f'Act: go to {room}', 'Act: done']},
                    PLANNER,
                    {'room': 'kitchen 1'},
                    namespace=name,
                )
            )
            for name, room in ROOMS.items()
        }
        for robot in robots.values():
            robot.ready()
        sent = {name: robots[name].send(goal=f'go to the {room}') for name, room in ROOMS.items()}
        for name, room in ROOMS.items():
            result = robots[name].result(sent[name]).result
            assert result.status == 'succeeded', result.message
            assert robots[name].observe().room == room
        graph = robots['robot1'].spinner.node.get_node_names_and_namespaces()
        for name in ROOMS:
            assert ('reactree_planner', f'/{name}') in graph
            assert ('household_bridge', f'/{name}') in graph
