# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner's health on ``/diagnostics`` (REP 107), and what is measured for it."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from reactree_ros.ros.timers import steady_timer

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
_DISCOVERY_SEC = 3.0
"""So long after activation a server may not have been discovered although it is there."""
_WATCH_SEC = 1.0
_LATE = 2.0
_TICKS = 40


@dataclass(frozen=True)
class Health:
    """How the planner is at one moment: in a few words, and in detail by name."""

    level: bytes
    """OK, WARN or ERROR."""
    message: str
    values: dict[str, str] = field(default_factory=dict)


@dataclass
class GoalCounts:
    """What became of the goals so far."""

    ended: Counter[str] = field(default_factory=Counter)
    """How many ended, by status."""
    last: str = ''
    """How the last one ended: its status, and its reason if there is one."""
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
    """Publishes the planner's health, which ``look`` returns without waiting, periodically."""

    def __init__(self, node: Node, period_sec: float, look: Callable[[], Health]) -> None:
        self._node = node
        self._look = look
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self._begin(period_sec)

    def set_period(self, period_sec: float) -> None:
        """Publish in another period from now on."""
        if period_sec != self._period_sec:
            self._node.destroy_timer(self._timer)
            self._begin(period_sec)

    def _begin(self, period_sec: float) -> None:
        self._period_sec = period_sec
        self._timer = steady_timer(
            self._node, period_sec, self.publish, MutuallyExclusiveCallbackGroup()
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


class Pace:
    """Measures how much time passes from tick to tick, which should be ``period_sec``."""

    def __init__(self, period_sec: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._period = period_sec
        self._clock = clock
        self._times: deque[float] = deque(maxlen=_TICKS + 1)

    def tick(self) -> None:
        """Note that a tick begins."""
        self._times.append(self._clock())

    @property
    def seconds(self) -> float:
        """Mean time between the latest ticks, the one since the last among them."""
        times = [*self._times]
        if not times:
            return self._period
        passed = self._clock() - times[0]
        whole = len(times) - 1
        # the time since the last tick counts only if the next one is overdue
        if self._clock() - times[-1] > self._period * _LATE:
            return passed / (whole + 1)
        return (times[-1] - times[0]) / whole if whole else self._period

    @property
    def late(self) -> bool:
        """Whether ticks take more than twice as long as they should, on the mean."""
        return self.seconds > _LATE * self._period

    @property
    def word(self) -> str:
        """How often they come, for a person."""
        return f'a tick every {self.seconds * 1000:.0f} ms, wanted every {self._period * 1000:.0f}'


class ServerWatch:
    """Looks once a second whether the servers of a skill library are there.

    It logs once which are missing when they should have been discovered, and once that all are
    there when they have come.

    Args:
        look: returns what is missing, e.g. ``action /navigate_to_pose``; it must not wait.
    """

    def __init__(self, look: Callable[[], list[str]], log: Any) -> None:
        self._look = look
        self._log = log
        self._began_at: float | None = None
        self._looked_at = float('-inf')
        self._is_logged = False
        self.missing: tuple[str, ...] = ()
        """What is not there; it may be read from any thread."""
        self.fault = ''
        """What is not there although it had the time to be discovered; empty if nothing."""

    def begin(self) -> None:
        """Begin when the planner is activated."""
        self._began_at = time.monotonic()
        self._looked_at = float('-inf')
        self._is_logged = False

    def tick(self) -> None:
        """Look, if it is time to."""
        now = time.monotonic()
        if self._began_at is None or now - self._looked_at < _WATCH_SEC:
            return
        self._looked_at = now
        self.missing = tuple(self._look())
        is_due = now - self._began_at >= _DISCOVERY_SEC
        listed = ', '.join(self.missing)
        self.fault = f'missing: {listed}' if listed and is_due else ''
        if self.fault and not self._is_logged:
            self._is_logged = True
            self._log.warning(f'{self.fault}; skills that need them fail until they are started')
        elif self._is_logged and not self.missing:
            self._is_logged = False
            self._log.info('all action servers and services of the skill library are available')
