# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the children of a parallel control flow decide its result (AggregatePolicy, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum


class VotePolicy(Enum):
    """When a parallel control flow succeeds."""

    MAJORITY = 'majority'
    """More than half of the children succeed (paper, section 4.1); a tie fails."""
    ALL = 'all'
    """Every child succeeds; the rule of the paper's published code."""
    ANY = 'any'
    """At least one child succeeds."""


def vote(successes: Sequence[bool], policy: VotePolicy) -> bool:
    """Return whether a parallel control flow succeeds.

    Raises:
        ValueError: without any result, since an empty vote has no meaning.
    """
    if not successes:
        raise ValueError('a vote needs at least one result')
    if policy is VotePolicy.ALL:
        return all(successes)
    if policy is VotePolicy.ANY:
        return any(successes)
    return 2 * sum(successes) > len(successes)
