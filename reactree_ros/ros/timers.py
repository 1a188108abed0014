# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Timers that do not wait for ROS time, which may stand still or jump."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer


def steady_timer(
    node: Node, period_sec: float, callback: Callable[[], None], group: CallbackGroup | None = None
) -> Timer:
    """Return a timer of a node that keeps to a steady clock, also with ``use_sim_time``.

    Args:
        node: the node.
        period_sec: between two calls.
        callback: is called each time.
        group: its callback group; None for the node's own.
    """
    steady = Clock(clock_type=ClockType.STEADY_TIME)
    return node.create_timer(period_sec, callback, callback_group=group, clock=steady)
