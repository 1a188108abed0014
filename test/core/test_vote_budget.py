# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The vote of a parallel control flow, and the limits of a run."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from reactree_ros.core.budget import NO_LIMIT, Budget, Limits, RemainingBudget
from reactree_ros.core.outcome import Costs, Outcome, Reason
from reactree_ros.core.vote import VotePolicy, vote
from reactree_ros.errors import ConfigurationError

# successes of children: majority, all, any
VOTES = [
    ('0/1', False, False, False),
    ('1/1', True, True, True),
    ('0/2', False, False, False),
    ('1/2', False, False, True),  # a tie fails
    ('2/2', True, True, True),
    ('1/3', False, False, True),
    ('2/3', True, False, True),
    ('3/3', True, True, True),
    ('2/4', False, False, True),  # a tie fails
    ('3/4', True, False, True),
]


@pytest.mark.parametrize(('count', 'majority', 'everyone', 'anyone'), VOTES)
def test_a_vote_counts_whoever_succeeded(
    count: str, majority: bool, everyone: bool, anyone: bool
) -> None:
    successes, children = map(int, count.split('/'))
    results = [True] * successes + [False] * (children - successes)
    for order in set(itertools.permutations(results)):
        assert vote(order, VotePolicy.MAJORITY) is majority
        assert vote(order, VotePolicy.ALL) is everyone
        assert vote(order, VotePolicy.ANY) is anyone


@pytest.mark.parametrize('policy', list(VotePolicy))
def test_an_empty_vote_has_no_meaning(policy: VotePolicy) -> None:
    with pytest.raises(ValueError, match='at least one'):
        vote([], policy)


@pytest.mark.parametrize('name', ['max_decisions', 'max_depth', 'max_duration_sec'])
@pytest.mark.parametrize('value', [0, -1, math.nan])
def test_limits_under_which_nothing_could_happen_are_refused(name: str, value: float) -> None:
    with pytest.raises(ConfigurationError, match=f'{name} is {value}: it must be greater than 0'):
        Limits(**{name: value})  # type: ignore[arg-type]


def reason(outcome: Any) -> Reason | None:
    return outcome.reason if outcome else None


def test_a_budget_says_which_limit_is_reached() -> None:
    now = [50.0]
    budget = Budget(Limits(max_decisions=2, max_depth=3, max_duration_sec=10.0), lambda: now[0])
    assert [reason(budget.depth_is_exceeded(depth)) for depth in (1, 3, 4)] == [
        None,
        None,
        Reason.MAX_DEPTH,
    ]
    decided = []
    for decisions in range(4):
        budget.costs = Costs(decisions=decisions)
        decided.append(reason(budget.spent()))
    assert decided == [None, None, Reason.MAX_DECISIONS, Reason.MAX_DECISIONS]
    timed = []
    for now[0] in (50.0, 59.99, 60.0, 1000.0):
        timed.append(reason(budget.time_is_up()))
    assert timed == [None, None, Reason.MAX_SECONDS, Reason.MAX_SECONDS]
    assert budget.seconds == pytest.approx(950.0)


def test_the_tokens_of_a_run_may_be_limited() -> None:
    budget = Budget(Limits(max_tokens=100))
    budget.spend(Costs(tokens_in=90, tokens_reused=90, tokens_out=9))
    assert budget.spent() is None
    budget.spend(Costs(tokens_out=1))
    assert reason(budget.spent()) is Reason.MAX_TOKENS


def test_a_subtree_has_limits_of_its_own_and_spends_what_is_around_it() -> None:
    now = [0.0]
    limits = Limits(
        max_decisions=5, subtree_decisions=2, subtree_duration_sec=10.0, subtree_tokens=50
    )
    run = Budget(limits, lambda: now[0])
    now[0] = 100.0
    outer = run.below()
    inner = outer.below()
    now[0] = 103.0
    inner.start()
    inner.spend(Costs(decisions=1, tokens_in=20))
    assert (run.costs, outer.costs) == (inner.costs, inner.costs)
    assert inner.remaining() == RemainingBudget(1, 7.0, 30)
    assert run.remaining() == RemainingBudget(4, 497.0, NO_LIMIT)
    second = outer.below()
    second.spend(Costs(decisions=1, tokens_in=10))
    assert inner.spent() == outer.spent() == second.spent()
    assert outer.spent() == Outcome(
        False, Reason.SUBTREE_BUDGET, 'all 2 decisions of a subtree are spent'
    )
    assert run.spent() is None
    now[0] = 112.0
    assert inner.time_is_up() == Outcome(
        False, Reason.SUBTREE_BUDGET, 'the time limit of a subtree (10 s) has passed'
    )
    assert run.time_is_up() is None
    assert inner.seconds == pytest.approx(112.0), 'seconds are those of the run'


def test_the_limit_of_a_run_comes_before_that_of_its_subtree() -> None:
    run = Budget(Limits(max_decisions=2, subtree_decisions=2))
    below = run.below()
    below.spend(Costs(decisions=2))
    assert reason(below.spent()) is Reason.MAX_DECISIONS


@pytest.mark.parametrize('name', ['max_tokens', 'subtree_decisions', 'subtree_duration_sec'])
def test_a_negative_limit_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f'{name} is -1: it must not be negative'):
        Limits(**{name: -1})  # type: ignore[arg-type]
