# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner says that its machine is too slow, and not before it is."""

from __future__ import annotations

import pytest

from reactree_ros.ros.nodes.diagnostics import Pace

pytestmark = pytest.mark.ros


@pytest.mark.parametrize(('between', 'late'), [(0.1, False), (0.15, False), (0.3, True)])
def test_ticks_that_take_more_than_twice_as_long_as_they_should_are_late(
    between: float, late: bool
) -> None:
    now = [0.0]
    pace = Pace(0.1, lambda: now[0])
    for _ in range(10):
        pace.tick()
        now[0] += between
    assert pace.late is late
    assert pace.word.startswith(f'a tick every {between * 1000:.0f} ms')


def test_a_tick_that_does_not_come_is_late() -> None:
    now = [0.0]
    pace = Pace(0.1, lambda: now[0])
    pace.tick()
    now[0] = 5.0
    assert pace.late
