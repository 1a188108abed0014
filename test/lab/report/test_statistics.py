# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics against published and hand-computed numbers."""

from __future__ import annotations

import pytest

from reactree_ros.lab.report.statistics import Share, Spread, holm, mcnemar, wilson


def test_wilson_interval() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), 857: tables of method 3
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert wilson(20, 20) == pytest.approx((0.8389, 1.0), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ('first_only', 'second_only', 'p'),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (6, 0, 2 / 64),
        (0, 6, 2 / 64),
        (3, 3, 1.0),
        (1, 7, 2 * (1 + 8) / 256),
        (2, 10, 2 * (1 + 12 + 66) / 4096),
    ],
)
def test_mcnemar_sums_the_tails_of_the_binomial(
    first_only: int, second_only: int, p: float
) -> None:
    assert mcnemar(first_only, second_only) == pytest.approx(p)


def test_holm_steps_down_and_never_falls() -> None:
    # 0.01 * 4, 0.02 * 3, then 0.03 * 2 and 0.04 * 1, which may not fall below the one before.
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx((0.06, 0.04, 0.06, 0.06))
    assert holm([0.6, 0.7]) == (1.0, 1.0)
    assert holm([]) == ()


def test_subgoals_of_one_run_do_not_narrow_the_interval() -> None:
    share = Share.count(30, 60, independent=20)
    assert (share.hits, share.of, share.value) == (30, 60, 0.5)
    assert (share.low, share.high) == wilson(10, 20)
    assert Share.count(0, 0, independent=4).value == 0.0


def test_a_spread_is_that_of_a_sample() -> None:
    spread = Spread.of([2, 4, 4, 4, 5, 5, 7, 9])
    assert (spread.n, spread.mean, spread.max) == (8, 5.0, 9)
    assert spread.sd == pytest.approx((32 / 7) ** 0.5)
    assert Spread.of([3]) == Spread(1, 3.0, 0.0, 3)
    assert Spread.of([]) == Spread(0, 0.0, 0.0, 0)
