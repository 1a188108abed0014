# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C as a flag that a loop polls, instead of an exception anywhere."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

CANCELED = 130
"""Exit code after Ctrl-C."""


class Interrupts:
    """Catches SIGINT, SIGTERM and SIGHUP while it is open; true once one has arrived."""

    def __init__(self) -> None:
        self._count = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        """Install the handlers."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                continue  # nohup
            self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the previous handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __bool__(self) -> bool:
        """Whether a signal has arrived."""
        return self._count > 0

    @property
    def insisted(self) -> bool:
        """Whether a second one has arrived, or one that is not Ctrl-C."""
        return self._count > 1

    def _take(self, number: int, frame: FrameType | None) -> None:
        self._count += 1 if number == signal.SIGINT else 2
