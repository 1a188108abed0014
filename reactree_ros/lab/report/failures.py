# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How runs failed, as far as their traces show it without a reader."""

from __future__ import annotations

from reactree_ros.core.outcome import Reason
from reactree_ros.lab.evaluation.trace import Trace, conditions_read, means_the_same
from reactree_ros.sim.household.task import Task

MISREAD = 'goal misread'
FALSE_DONE = 'false done'
GAVE_UP = 'gave up'
_REASONS = {
    Reason.REPETITION: 'repetition',
    Reason.PLAN: 'end of plan',
    Reason.UNMET: 'done refused',
    **dict.fromkeys(
        (
            Reason.MAX_DECISIONS,
            Reason.MAX_DEPTH,
            Reason.MAX_SECONDS,
            Reason.MAX_TOKENS,
            Reason.SUBTREE_BUDGET,
        ),
        'limit',
    ),
    **dict.fromkeys((Reason.MODEL, Reason.ROBOT, Reason.CANCELED, Reason.ERROR), 'cut off'),
}
KINDS = (MISREAD, FALSE_DONE, GAVE_UP, *dict.fromkeys(_REASONS.values()))
"""In the order of a table."""


def failure_of(trace: Trace, task: Task) -> str:
    """Return how a run failed, one of ``KINDS``; empty if its goal is satisfied.

    A goal that was misread comes first: what follows from wrong conditions counts as that.
    """
    ending = trace.ending
    if ending.holds:
        return ''
    read = conditions_read(trace.events)
    if read and not (task.impossible or means_the_same(read, task.condition_line)):
        return MISREAD
    if ending.status == 'succeeded':
        return FALSE_DONE
    reason = ending.reason
    if reason is Reason.EXPANSION:  # the node that failed last says why
        own = (node.reason for node in ending.nodes)
        below = [one for one in own if one not in (None, Reason.DONE, Reason.EXPANSION)]
        reason = below[-1] if below else reason
    return _REASONS.get(reason, GAVE_UP)
