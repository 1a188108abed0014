# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A planner whose ROS time stands still, or jumps, works and stops all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from builtin_interfaces.msg import Duration, Time
from rosgraph_msgs.msg import Clock

from reactree_ros.models.scripted import ENDLESS

pytestmark = pytest.mark.ros

SCRIPT = {
    'look around': ['Act: go to bathroom 1', 'Act: done'],
    'look again': ['Act: go to kitchen 1', 'Act: done'],
    'think for ever': [ENDLESS, ENDLESS],
}
PLANNER = {
    'use_sim_time': True,
}


def test_ros_time_that_stands_still_or_jumps_keeps_nothing_from_happening(
    start_system: Callable[..., Any],
) -> None:
    with start_system(SCRIPT, PLANNER, {'room': 'kitchen 1'}) as system:
        system.ready()
        assert system.result(system.send(goal='look around')).result.status == 'succeeded'
        clock = system.spinner.node.create_publisher(Clock, '/clock', 10)
        for seconds in (1_000_000, 5, 2_000_000_000):
            clock.publish(Clock(clock=Time(sec=seconds)))
        handle = system.send(goal='think for ever', max_duration=Duration(sec=30))
        system.happens('goal')
        clock.publish(Clock(clock=Time(sec=1)))
        system.cancel(handle)
        assert system.result(handle).result.status == 'canceled'
        assert system.result(system.send(goal='look again')).result.status == 'succeeded'
        handle = system.send(goal='think for ever', max_duration=Duration(sec=1))
        assert system.result(handle).result.reason == 'max_seconds'
