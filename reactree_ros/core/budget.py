# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Limits of a run and of its subtrees, and the counters that all agent nodes share.

The counter of decisions is D of Algorithms 1 and 2.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TypeVar

from reactree_ros.core.option import DAY, option
from reactree_ros.core.outcome import Costs, Outcome, Reason
from reactree_ros.errors import ConfigurationError

Number = TypeVar('Number', int, float)

NO_LIMIT = -1


@dataclass(frozen=True)
class Limits:
    """Limits of a run; ``subtree_*`` apply to each agent node below the root with all below it.

    Raises:
        ConfigurationError: if a value is out of its range.
    """

    max_decisions: int = option(
        200,
        'Most decisions of all agent nodes together.',
        minimum=1,
        maximum=1_000_000,
        live=True,
    )
    max_depth: int = option(
        8,
        'Greatest depth of an agent node. The root has depth 1.',
        minimum=1,
        maximum=100,
        live=True,
    )
    max_duration_sec: float = option(
        600.0,
        'Wall-clock limit.',
        unit='s',
        minimum=0.1,
        maximum=DAY,
        live=True,
    )
    max_tokens: int = option(
        0,
        'Most tokens that the model reads and writes. 0: no limit.',
        unit='tokens',
        minimum=0,
        maximum=1_000_000_000,
        live=True,
    )
    subtree_decisions: int = option(
        0,
        'Most decisions of a subtree: an agent node below the root and all nodes below it. 0: no '
        'limit.',
        minimum=0,
        maximum=1_000_000,
        live=True,
    )
    subtree_duration_sec: float = option(
        0.0,
        'Wall-clock limit of a subtree. 0: no limit.',
        unit='s',
        minimum=0.0,
        maximum=DAY,
        live=True,
    )
    subtree_tokens: int = option(
        0,
        'Most tokens that the model reads and writes for a subtree. 0: no limit.',
        unit='tokens',
        minimum=0,
        maximum=1_000_000_000,
        live=True,
    )

    def __post_init__(self) -> None:
        """Refuse limits under which nothing could happen; a default of 0 means no limit."""
        for one in fields(self):
            value = getattr(self, one.name)
            if not (value > 0 or value == one.default):
                wrong = 'not be negative' if one.default == 0 else 'be greater than 0'
                raise ConfigurationError(f'{one.name} is {value}: it must {wrong}')

    def requested(
        self,
        max_decisions: int = 0,
        max_depth: int = 0,
        max_duration_sec: float = 0.0,
        max_tokens: int = 0,
    ) -> Limits:
        """Return the limits of a goal; 0 takes the value of these."""
        return replace(
            self,
            max_decisions=max_decisions or self.max_decisions,
            max_depth=max_depth or self.max_depth,
            max_duration_sec=max_duration_sec or self.max_duration_sec,
            max_tokens=max_tokens or self.max_tokens,
        )


@dataclass(frozen=True)
class RemainingBudget:
    """The remaining budget; ``NO_LIMIT`` where there is no limit.

    Args:
        decisions: decisions.
        seconds: wall-clock seconds.
        tokens: tokens that the model may read and write.
    """

    decisions: int = NO_LIMIT
    seconds: float = NO_LIMIT
    tokens: int = NO_LIMIT


class Budget:
    """Counts what a run spends, or a subtree of it, and says when a limit is reached.

    Args:
        limits: the limits.
        clock: monotonic time in seconds.
        above: the budget of the subtree around this one; None for that of the whole run.
    """

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
        above: Budget | None = None,
    ) -> None:
        self.limits = limits
        self.costs = Costs()
        self._clock = clock
        self._above = above
        self._start = clock()
        if above is None:
            most = (limits.max_decisions, limits.max_duration_sec, limits.max_tokens)
        else:
            most = (limits.subtree_decisions, limits.subtree_duration_sec, limits.subtree_tokens)
        self._decisions, self._seconds, self._tokens = most

    @property
    def whole(self) -> Budget:
        """The budget of the whole run."""
        return self if self._above is None else self._above.whole

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return self._clock() - self.whole._start

    def below(self) -> Budget:
        """Return the budget of a subtree, whose time begins with ``start``."""
        return Budget(self.limits, self._clock, self)

    def start(self) -> None:
        """Begin to count the time of a subtree."""
        if self._above is not None:
            self._start = self._clock()

    def spend(self, costs: Costs) -> None:
        """Count costs, here and in all around."""
        self.costs += costs
        if self._above is not None:
            self._above.spend(costs)

    def time_is_up(self) -> Outcome | None:
        """Return the failure if a wall-clock limit has passed, here or around."""
        above = None if self._above is None else self._above.time_is_up()
        limit = self._seconds
        if above is not None or not limit or self._clock() - self._start < limit:
            return above
        if self._above is None:
            return Outcome(False, Reason.MAX_SECONDS, f'the time limit of {limit:g} s has passed')
        return Outcome(
            False, Reason.SUBTREE_BUDGET, f'the time limit of a subtree ({limit:g} s) has passed'
        )

    def spent(self) -> Outcome | None:
        """Return the failure if nothing is left to decide with, here or around.

        The number of decisions is that of Algorithm 1, line 12.
        """
        above = None if self._above is None else self._above.spent()
        if above is not None:
            return above
        whose = '' if self._above is None else ' of a subtree'
        if self._decisions and self.costs.decisions >= self._decisions:
            reason, what = Reason.MAX_DECISIONS, f'{self._decisions} decisions'
        elif self._tokens and self.costs.tokens >= self._tokens:
            reason, what = Reason.MAX_TOKENS, f'{self._tokens:,} tokens'
        else:
            return None
        reason = Reason.SUBTREE_BUDGET if whose else reason
        return Outcome(False, reason, f'all {what}{whose} are spent')

    def remaining(self) -> RemainingBudget:
        """Return what is left, here and around: of each the least."""
        above = RemainingBudget() if self._above is None else self._above.remaining()
        return RemainingBudget(
            _left(self._decisions, self.costs.decisions, above.decisions),
            _left(self._seconds, self._clock() - self._start, above.seconds),
            _left(self._tokens, self.costs.tokens, above.tokens),
        )

    def depth_is_exceeded(self, depth: int) -> Outcome | None:
        """Return the failure if an agent node at ``depth`` would be too deep."""
        limit = self.limits.max_depth
        if depth <= limit:
            return None
        return Outcome(False, Reason.MAX_DEPTH, f'a subgoal would be deeper than {limit} levels')


def _left(limit: Number, spent: Number, above: Number) -> Number:
    if not limit:
        return above
    own = max(limit - spent, 0)
    return own if above == NO_LIMIT else min(own, above)
