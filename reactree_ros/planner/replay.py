# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Computing a recorded run again from its recorded inputs, and comparing the two."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from reactree_ros.behaviours.services import RunServices
from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.wire import Values
from reactree_ros.models.recorded import RecordedModel
from reactree_ros.planner.resume import replayed
from reactree_ros.planner.run import GoalRun

_IDLE_TICKS = 20
"""After so many ticks in which nothing happens nothing will: all answers are there at once."""


@dataclass(frozen=True)
class RecordedRun:
    """What is known of a run.

    Args:
        name: of the recording, for messages.
        goal: what the person wanted.
        limits: limits of the run.
        events: what happened.
        tree: the tree at its end; empty if it is not known.
        inputs: what ``recorded_inputs.with_recording`` wrote.
        cut: it was cut short from outside: canceled, out of time, or its recording ends early.
        conditions: what had to hold before the goal counted as reached.
    """

    name: str
    goal: str
    limits: Limits
    events: Sequence[Event]
    tree: Sequence[BehaviourState]
    inputs: Sequence[Values]
    cut: bool
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recomputed:
    """What came of planning a run again.

    Args:
        same: how many events at the beginning are the same.
        difference: the first difference; empty if there is none.
    """

    same: int
    difference: str


def recompute(recorded: RecordedRun, services: RunServices) -> Recomputed:
    """Compute a run again and compare it with the recorded one.

    Args:
        recorded: the run.
        services: with the library, the prompts and the settings that are to be used now.

    Raises:
        ConfigurationError: if the recording is incomplete.
    """
    given = replayed(services, recorded.inputs, recorded.name)
    events: list[Event] = []
    # Time has passed as it did then; what ended by it is compared up to there.
    subtree = float('inf') if recorded.limits.subtree_duration_sec else 0.0
    limits = replace(recorded.limits, max_duration_sec=float('inf'), subtree_duration_sec=subtree)
    run = GoalRun(
        recorded.goal,
        given,
        limits,
        events.append,
        'recompute',
        lambda: 0.0,
        conditions=recorded.conditions,
    )
    try:
        _play(run, events)
        left = _left(given)
        if run.finished:
            run.report()
        same, difference = _compare(recorded.events, events, recorded.cut)
        if difference and left:
            difference = f'{difference}; {left}'
        if not difference and not recorded.cut and recorded.tree:
            difference = _other_tree(recorded.tree, run.snapshot())
        return Recomputed(same, difference)
    finally:
        run.close()


def _play(run: GoalRun, events: Sequence[Event]) -> None:
    idle = 0
    while not run.finished and idle < _IDLE_TICKS:
        before = len(events)
        run.tick()
        idle = 0 if len(events) > before else idle + 1


def _left(given: RunServices) -> str:
    """Return where the model was asked what was not recorded; empty if nowhere."""
    model = given.model
    return model.diverged if isinstance(model, RecordedModel) else ''


def _compare(then: Sequence[Event], now: Sequence[Event], cut: bool) -> tuple[int, str]:
    # the events of stopping the robot come last
    while cut and then and then[-1].kind in ('fault', 'ended'):
        then = then[:-1]
    old_lines, new_lines = [_line(event) for event in then], [_line(event) for event in now]
    if len({event.robot for event in then}) > 1:
        # what robots do at the same time has no order; what each agent node does has
        old_lines.sort(key=_node)
        new_lines.sort(key=_node)
    for index, (old, new) in enumerate(zip(old_lines, new_lines, strict=False)):
        if old != new:
            return index, f'event {index + 1}: recorded "{old}", now "{new}"'
    same = min(len(old_lines), len(new_lines))
    if same < len(old_lines):
        return same, f'event {same + 1}: recorded "{old_lines[same]}", now nothing'
    if same < len(new_lines) and not cut:
        return same, f'event {same + 1}: recorded nothing, now "{new_lines[same]}"'
    return same, ''


def _node(line: str) -> str:
    return line.partition(': ')[0]


def _line(event: Event) -> str:
    return f'{" / ".join(event.path)}: {event.kind}: {event.text}'


def _other_tree(then: Iterable[BehaviourState], now: Iterable[BehaviourState]) -> str:
    pairs = itertools.zip_longest(_lines(then), _lines(now), fillvalue='nothing')
    for place, (old, new) in enumerate(pairs, 1):
        if old != new:
            return f'line {place} of the final tree: recorded "{old}", now "{new}"'
    return ''


def _lines(tree: Iterable[BehaviourState]) -> Iterator[str]:
    """Yield a tree as text, without numbers: these depend on when somebody looked."""
    depths = {0: 0}
    for one in tree:
        depths[one.number] = depth = depths.get(one.parent, 0) + 1
        yield f'{"- " * depth}{one.kind}: {one.name}: {one.status}'
