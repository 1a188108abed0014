# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How failed runs failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from reactree_ros.core.outcome import Costs, NodeCosts, Reason
from reactree_ros.lab.evaluation.trace import Trace, TraceEvent
from reactree_ros.lab.report.failures import failure_of
from reactree_ros.sim.tasks import task_of

TASK = task_of('household', 1)
MISUNDERSTOOD = TraceEvent('conditions', 'apple on kitchen table (not yet)', ('g',), 0.0)


@pytest.mark.parametrize(
    ('status', 'reason', 'said'),
    [
        ('succeeded', Reason.DONE, 'false done'),
        ('failed', Reason.GAVE_UP, 'gave up'),
        ('failed', Reason.EXPANSION, 'gave up'),
        ('failed', Reason.UNMET, 'done refused'),
        ('failed', Reason.MAX_DECISIONS, 'limit'),
        ('failed', Reason.REPETITION, 'repetition'),
        ('failed', Reason.PLAN, 'end of plan'),
        ('error', Reason.ERROR, 'cut off'),
    ],
)
def test_a_failed_run_failed_in_one_way(
    a_trace: Callable[..., Trace], status: str, reason: Reason, said: str
) -> None:
    trace = a_trace('react', 1, 0)
    trace = replace(trace, ending=replace(trace.ending, status=status, reason=reason))
    assert failure_of(trace, TASK) == said
    misread = replace(trace, events=(*trace.events, MISUNDERSTOOD))
    assert failure_of(misread, TASK) == 'goal misread'


def test_a_tree_fails_as_the_node_below_did(a_trace: Callable[..., Trace]) -> None:
    trace = a_trace('reactree', 1, 0)
    nodes = (
        NodeCosts(('g',), Reason.EXPANSION, Costs()),
        NodeCosts(('g', 'a'), Reason.DONE, Costs()),
        NodeCosts(('g', 'b'), Reason.REPETITION, Costs()),
    )
    ending = replace(trace.ending, status='failed', reason=Reason.EXPANSION, nodes=nodes)
    assert failure_of(replace(trace, ending=ending), TASK) == 'repetition'


def test_a_goal_that_holds_is_no_failure_whatever_the_planner_says(
    a_trace: Callable[..., Trace],
) -> None:
    trace = a_trace('react', 1, 1, 1)
    assert failure_of(replace(trace, events=(*trace.events, MISUNDERSTOOD)), TASK) == ''
