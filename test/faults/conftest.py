# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the fault tests share: a private domain and a clock that does not mind a busy machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('reactree_interfaces')

from rclpy.executors import SingleThreadedExecutor, TimeoutException  # noqa: E402
from rclpy.signals import SignalHandlerOptions  # noqa: E402

from reactree_ros.cli.domain import private_domain  # noqa: E402


@pytest.fixture(scope='module', autouse=True)
def ros() -> Iterator[None]:
    with private_domain():
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        yield
        rclpy.try_shutdown()


class PatientClock:
    """Time that passes only while nothing happens, so that a busy machine fails no test."""

    STEP_SEC = 0.01

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        return self._now

    def advance(self) -> None:
        """Let a moment pass."""
        self._now += self.STEP_SEC


class PatientExecutor(SingleThreadedExecutor):
    """Spins on the test's thread; its clock stands still as long as there is something to do.

    Args:
        clock: the clock of all that it spins.
    """

    _ENOUGH_SEC = 0.005
    """In this time a message arrives that was sent within the process."""

    def __init__(self, clock: PatientClock) -> None:
        super().__init__()
        self._patient = clock

    def spin_step(self) -> None:
        """Do one thing that is to be done; if there is none, let a moment pass."""
        try:
            handler, _, _ = self.wait_for_ready_callbacks(timeout_sec=self._ENOUGH_SEC)
        except TimeoutException:
            self._patient.advance()
            return
        handler()
        if handler.exception() is not None:
            raise handler.exception()


@pytest.fixture
def clock() -> PatientClock:
    return PatientClock()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what the random schedules were, summed up over all of them, and the slowest."""
    total: Counter[str] = Counter()
    slowest: dict[str, float] = {}
    reports = [one for word in ('passed', 'failed') for one in terminalreporter.getreports(word)]
    for report in reports:
        for name, value in getattr(report, 'user_properties', ()):
            kind, _, what = name.partition(': ')
            if kind == 'faults' and report.when == 'call':
                total[what] += value
            elif kind == 'slowest':
                slowest[what] = max(slowest.get(what, 0.0), value)
    if total:
        terminalreporter.section('random schedules')
        for what, number in total.items():
            terminalreporter.write_line(f'{what:40}{number:>8,}')
        for what, seconds in slowest.items():
            terminalreporter.write_line(f'slowest: {what:31}{seconds:>8.2f}')
