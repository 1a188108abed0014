# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An arm in a physics simulation, over ROS 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reactree_interfaces.srv import CheckGoal

pytest.importorskip('mujoco')
pytest.importorskip('ompl')
pytestmark = pytest.mark.ros

GOAL = 'put the red block in the drawer'
KITCHEN = {
    'skills': 'kitchen_arm',
    'robot.observe_service': 'kitchen/observe',
    'robot.check_service': 'kitchen/check_goal',
}


def test_a_tree_puts_a_block_into_a_drawer_and_the_physics_confirms_it(
    start_system: Callable[..., Any],
) -> None:
    take, put = 'find and pick up the red block', 'put down the red block in the drawer'
    script = {
        GOAL: ['Conditions: red block inside drawer', f'Expand: sequence ["{take}", "{put}"]'],
        take: ['Act: go to kitchen table 1', 'Act: pick up red block 1', 'Act: done'],
        put: [
            'Act: go to drawer 1',
            'Act: open drawer 1',
            'Act: put down red block 1',
            'Act: done',
        ],
    }
    with start_system(script, KITCHEN, sim='kitchen') as system:
        asking = system.spinner.node.create_client(CheckGoal, 'kitchen/check_goal')
        system.spinner.until(asking.service_is_ready, 'the bridge is there')
        system.ready(bridge=False)
        answer = system.result(system.send(goal=GOAL))
        assert answer.result.status == 'succeeded', answer.result.message
        future = asking.call_async(CheckGoal.Request(conditions=['red block inside drawer']))
        system.spinner.until(future.done, 'the world has answered')
        found = future.result()
        assert found.known and found.holds
        assert found.changes == [
            'drawer 1: closed -> open',
            'red block 1: on kitchen table 1 -> inside drawer 1',
        ]
