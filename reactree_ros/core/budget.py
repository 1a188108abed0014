# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Limits of a run and the counters that all agent nodes share (D of Algorithms 1 and 2)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from reactree_ros.core.outcome import Costs, Outcome, Reason
from reactree_ros.exceptions import ConfigurationError


@dataclass(frozen=True)
class Limits:
    """Limits of one run.

    Args:
        max_decisions: most decisions of the whole run, D_max of the paper.
        max_depth: deepest agent node; the root has depth 1.
        max_seconds: wall-clock limit of the whole run in seconds.
    """

    max_decisions: int = 200
    max_depth: int = 8
    max_seconds: float = 600.0

    def __post_init__(self) -> None:
        """Refuse limits under which nothing could happen."""
        for name in ('max_decisions', 'max_depth', 'max_seconds'):
            value = getattr(self, name)
            if not value > 0:
                raise ConfigurationError(f'{name} is {value}: it must be greater than 0')


@dataclass
class Budget:
    """Counts what a run spends and says when a limit is reached.

    Args:
        limits: the limits.
        clock: monotonic time in seconds.
    """

    limits: Limits
    clock: Callable[[], float] = time.monotonic
    costs: Costs = field(default_factory=Costs)
    _start: float = field(init=False)

    def __post_init__(self) -> None:
        """Start the clock."""
        self._start = self.clock()

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return self.clock() - self._start

    def time_is_up(self) -> Outcome | None:
        """Return the failure if the wall-clock limit has passed."""
        limit = self.limits.max_seconds
        if self.seconds < limit:
            return None
        return Outcome(False, Reason.MAX_SECONDS, f'the time limit of {limit:g} s has passed')

    def decisions_are_spent(self) -> Outcome | None:
        """Return the failure if no further decision is left (Algorithm 1, line 12)."""
        limit = self.limits.max_decisions
        if self.costs.decisions < limit:
            return None
        return Outcome(False, Reason.MAX_DECISIONS, f'all {limit} decisions are spent')

    def depth_is_exceeded(self, depth: int) -> Outcome | None:
        """Return the failure if an agent node at ``depth`` would be too deep."""
        limit = self.limits.max_depth
        if depth <= limit:
            return None
        return Outcome(False, Reason.MAX_DEPTH, f'a subgoal would be deeper than {limit} levels')
