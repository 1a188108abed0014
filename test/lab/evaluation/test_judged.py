# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run is judged by its world and by what the agent itself said in the end."""

from __future__ import annotations

import pytest

from reactree_ros.core.outcome import Costs, Reason, RunReport
from reactree_ros.lab.evaluation.trace import (
    NO_REASON,
    TraceEvent,
    conditions_read,
    judged_run,
    means_the_same,
)
from reactree_ros.sim.household import GoalCheck, Task

IMPOSSIBLE = Task(1, 'made', 'apartment_1', 'kitchen 1', 'Fetch the elephant.', impossible=True)


@pytest.mark.parametrize(
    ('reason', 'message', 'reached'),
    [
        (Reason.GAVE_UP, 'there is no elephant', True),
        (Reason.GAVE_UP, NO_REASON, False),
        (Reason.MAX_DECISIONS, 'the budget of 200 decisions is spent', False),
        (Reason.DONE, 'the agent said done', False),
    ],
)
def test_what_is_impossible_has_to_be_refused(reason: Reason, message: str, reached: bool) -> None:
    report = RunReport('failed', reason, message, Costs(), (), '')
    assert judged_run(IMPOSSIBLE, GoalCheck((), ()), report).holds == reached


def test_a_run_that_broke_has_answered_nothing() -> None:
    assert not judged_run(IMPOSSIBLE, GoalCheck((), ()), None).holds


def test_what_the_model_took_the_goal_for_is_compared() -> None:
    text = 'apple inside fridge (not seen); 2 mug held (1 of 2); then tv switched on (holds)'
    later = 'apple inside fridge (holds)'
    events = [TraceEvent('conditions', one, (), 0.0) for one in (text, later)]
    read = conditions_read(events)
    assert read == 'apple inside fridge; 2 mug held; then tv switched on'
    assert means_the_same(read, '2 mug held; apple inside fridge; then tv switched on')
    assert not means_the_same(read, 'tv switched on; 2 mug held; then apple inside fridge')
    assert conditions_read([]) == ''
