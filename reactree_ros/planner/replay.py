# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded run, planned again with what its model, its robot and its memory said then."""

from __future__ import annotations

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
        inputs: what ``run_inputs.with_recording`` wrote.
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
    """Plan a run again and hold it against the recorded one.

    Args:
        recorded: the run.
        services: with the library, the prompts and the settings that are to be used now.

    Raises:
        ConfigurationError: if the recording is incomplete.
    """
    given = replayed(services, recorded.inputs, recorded.name)
    events: list[Event] = []
    # Time has passed as it did then; what ended by it is compared up to there.
    limits = replace(recorded.limits, max_duration_sec=float('inf'), subtree_duration_sec=0.0)
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
    # what came of stopping the robot is told last
    while cut and then and then[-1].kind in ('fault', 'ended'):
        then = then[:-1]
    told, tells = [_line(event) for event in then], [_line(event) for event in now]
    if len({event.robot for event in then}) > 1:
        # what robots do at the same time has no order; what each agent node does has
        told, tells = (sorted(lines, key=_node) for lines in (told, tells))
    for index, (old, new) in enumerate(zip(told, tells, strict=False)):
        if old != new:
            return index, f'event {index + 1}: recorded "{old}", now "{new}"'
    if len(tells) < len(told):
        old = told[len(tells)]
        return len(tells), f'event {len(tells) + 1}: recorded "{old}", now nothing'
    if len(tells) > len(told) and not cut:
        new = tells[len(told)]
        return len(told), f'event {len(told) + 1}: recorded nothing, now "{new}"'
    return len(told), ''


def _node(line: str) -> str:
    return line.partition(': ')[0]


def _line(event: Event) -> str:
    return f'{" / ".join(event.path)}: {event.kind}: {event.text}'


def _other_tree(then: Iterable[BehaviourState], now: Iterable[BehaviourState]) -> str:
    for place, (old, new) in enumerate(zip(_lines(then), _lines(now), strict=False), 1):
        if old != new:
            return f'line {place} of the final tree: recorded "{old}", now "{new}"'
    return ''


def _lines(tree: Iterable[BehaviourState]) -> Iterator[str]:
    """Yield a tree as text, without numbers: these depend on when somebody looked."""
    depths = {0: 0}
    for one in tree:
        depths[one.number] = depth = depths.get(one.parent, 0) + 1
        yield f'{"- " * depth}{one.kind}: {one.name}: {one.status}'
