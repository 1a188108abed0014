# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the planner is, on ``/diagnostics`` (REP 107), where monitors of robots look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from reactree_ros.ros.qos import DIAGNOSTICS

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


@dataclass(frozen=True)
class Health:
    """How the planner is at one moment.

    Args:
        level: OK, WARN or ERROR.
        message: in a few words.
        values: what a person wants to know besides, by name.
    """

    level: bytes
    message: str
    values: dict[str, str] = field(default_factory=dict)


@dataclass
class GoalCounts:
    """What became of the goals so far.

    Args:
        ended: how many ended how, by status.
        last: how the last one ended: its status, and its reason if there is one.
        rejected: how many were not taken.
    """

    ended: Counter[str] = field(default_factory=Counter)
    last: str = ''
    rejected: int = 0

    def end(self, status: str, reason: str) -> None:
        """Count a goal that has ended."""
        self.ended[status] += 1
        self.last = f'{status} ({reason})' if reason else status

    def values(self) -> dict[str, str]:
        """Return them for a person."""
        counts = {f'goals {status}': str(number) for status, number in sorted(self.ended.items())}
        return {**counts, 'goals rejected': str(self.rejected), 'last goal': self.last or 'none'}


class Diagnostics:
    """Publishes the planner's health at a steady pace.

    Args:
        node: the node.
        period_sec: time between two messages.
        look: tells how the planner is; it must not wait.
    """

    def __init__(self, node: Node, period_sec: float, look: Callable[[], Health]) -> None:
        self._node = node
        self._look = look
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', DIAGNOSTICS)
        self._timer = node.create_timer(
            period_sec, self.publish, callback_group=MutuallyExclusiveCallbackGroup()
        )

    def publish(self) -> None:
        """Publish how it is now."""
        health = self._look()
        name = self._node.get_fully_qualified_name().lstrip('/')
        status = DiagnosticStatus(
            level=health.level,
            name=f'{name}: planner',
            message=health.message,
            hardware_id=name,
            values=[KeyValue(key=key, value=value) for key, value in health.values.items()],
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def destroy(self) -> None:
        """Stop publishing."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)
