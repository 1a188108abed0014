# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What counts as late."""

from __future__ import annotations

import pytest

from reactree_ros.lab.bench.ticks import lateness

MS = 1_000_000
BEAT = [n * 50 * MS for n in range(10)]


def changed(**late_ms: float) -> list[int]:
    """Return ten beats with some of them late; the names are ``t3`` and the like."""
    times = list(BEAT)
    for name, late in late_ms.items():
        times[int(name[1:])] += int(late * MS)
    return times


@pytest.mark.parametrize(
    ('times', 'late'),
    [
        (BEAT, [0] * 10),
        (changed(t3=4), [4] + [0] * 9),
        (changed(t0=7), [7] + [0] * 9),
        (changed(t2=3, t9=20), [20, 3] + [0] * 8),
        (BEAT[:4] + BEAT[6:], [100, 50] + [0] * 8),
        (changed(t4=44, t5=1), [44, 1] + [0] * 8),
    ],
)
def test_lateness_is_against_the_beat(times: list[int], late: list[float]) -> None:
    assert sorted(lateness(times, 0.05), reverse=True) == pytest.approx(late, abs=1e-6)


def test_a_stall_counts_as_long_as_it_was() -> None:
    stalled = BEAT + [time + 5_450 * MS for time in BEAT]
    assert lateness(stalled, 0.05).max() == pytest.approx(4_950, abs=1e-6)


def test_one_tick_has_no_beat() -> None:
    assert lateness([5], 0.05).size == 0
