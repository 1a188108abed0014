# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How often the mechanism of a strategy ran: a method that never did its own thing is not measured.

All counts are of the events of a run.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from reactree_ros.core.decision import is_prose
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.planners import PLANNERS, read_planner
from reactree_ros.lab.evaluation.trace import TraceEvent
from reactree_ros.strategies.hiagent import RETRIEVE, VERDICTS
from reactree_ros.strategies.registry import strategy
from reactree_ros.strategies.step import CONSISTENCY, INCONSISTENT, REFINED
from reactree_ros.strategies.strategy import Mechanism

DEPTH = 'depth'
"""Depth of the deepest agent node; the root has 1."""
COUNTS = (*(one.value for one in Mechanism), DEPTH)


def engagement_of(planner: str, events: Sequence[TraceEvent]) -> dict[str, int]:
    """Return how often each mechanism ran in a run, by ``COUNTS``.

    Args:
        planner: its name; retries are counted of methods that are made of them, for others begin a
            goal again to split it.
        events: of the run.
    """
    found = Counter[Mechanism]()
    plans = Mechanism.REPLANS in mechanisms_of(planner)
    expanded: set[tuple[str, ...]] = set()
    unfit: set[tuple[str, ...]] = set()
    for event, after in _with_next(events):
        if event.kind == 'goal':
            expanded.discard(event.path)
            unfit.discard(event.path)
        elif event.kind == 'think' and event.path in unfit:
            found[Mechanism.REPLANS] += 1
            unfit.discard(event.path)
        elif event.kind == 'expand' and not _fails(event, after):  # as one that is too deep does
            found[Mechanism.EXPANSIONS] += 1
            found[Mechanism.REPLANS] += event.path in expanded
            expanded.add(event.path)
        elif event.kind == 'summary':
            # what follows the number; a small model may copy a decision instead
            found[Mechanism.SUMMARIES] += is_prose(event.text.partition(': ')[2])
        elif event.kind == 'check':
            found.update(_check(event.text, plans))
            if plans and event.text.endswith(INCONSISTENT):
                unfit.add(event.path)
        elif event.kind == 'recall':
            found[Mechanism.RETRIEVALS] += event.text.startswith(RETRIEVE)
        elif event.kind == 'plan':
            found[Mechanism.PLANS] += 1
    if Mechanism.RETRIES in mechanisms_of(planner):
        found[Mechanism.RETRIES] = _retries(events)
    counts = {one.value: found[one] for one in Mechanism}
    return counts | {DEPTH: max((len(event.path) for event in events), default=0)}


def _check(text: str, splits: bool) -> tuple[Mechanism, ...]:
    """Return what an answer of a check counts as: the first of its questions is the check."""
    if text.endswith(VERDICTS):
        return (Mechanism.VERDICTS,)
    if text.endswith(CONSISTENCY):
        return (Mechanism.CHECKS,)
    return (Mechanism.EXPANSIONS,) if splits and text.endswith(REFINED) else ()


def _retries(events: Sequence[TraceEvent]) -> int:
    """Count how often something was decided for a goal that had failed and began again."""
    count = 0
    failed: set[tuple[str, ...]] = set()
    begun: set[tuple[str, ...]] = set()
    for event in events:
        # a lesson is written before the next try, for which no decision may be left
        written = event.kind in ('summary', 'rejected')
        if event.path in begun and event.decision.decisions and not written:
            begun.discard(event.path)
            count += 1
        if event.kind == 'failure':
            failed.add(event.path)
        elif event.kind == 'goal' and event.path in failed:
            failed.discard(event.path)
            begun.add(event.path)
    return count


def _with_next(
    events: Sequence[TraceEvent],
) -> Iterator[tuple[TraceEvent, TraceEvent | None]]:
    return itertools.zip_longest(events, events[1:])


def _fails(event: TraceEvent, after: TraceEvent | None) -> bool:
    """Return whether the node of an event has failed right after it, without another decision."""
    if after is None or after.decision.decisions:
        return False
    return after.kind == 'failure' and after.path == event.path


def mechanisms_of(planner: str) -> tuple[Mechanism, ...]:
    """Return what makes the method of a planner, with what its settings add to it.

    Args:
        planner: its name; of one whose strategy is not installed nothing is known.
    """
    known = PLANNERS.get(planner.partition('[')[0], {})
    name = str(known.get('strategy'))
    try:
        method = strategy(name)
    except ConfigurationError:
        return ()
    try:
        settings = read_planner(planner).parameters
    except ConfigurationError:  # of a run of an earlier version
        settings = {}
    added = (
        more for option, more in method.added.items() if settings.get(f'strategies.{name}.{option}')
    )
    return tuple(dict.fromkeys(itertools.chain(method.mechanisms, *added)))


def idle_text(planner: str, totals: Mapping[str, int]) -> str:
    """Return which mechanisms of a planner's method never ran; empty if all of them did.

    Args:
        planner: its name.
        totals: counts of all of its runs together.
    """
    own = [one.value for one in mechanisms_of(planner)]
    idle = [name for name in own if not totals[name]]
    if not idle:
        return ''
    if len(idle) < len(own):
        return f'{planner}: no {", no ".join(idle)}'
    return f'{planner}: no {", no ".join(idle)}, so its row says nothing of what makes the method'
