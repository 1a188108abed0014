# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a household says of conditions: it judges by its own truth, as a robot does by memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from reactree_ros.core.observation import Observation
from reactree_ros.core.situation import Situation
from reactree_ros.paths import share
from reactree_ros.sim.household.goal import GoalCheck
from reactree_ros.skills.goal_conditions import (
    Condition,
    ConditionError,
    ConditionTracker,
    ConditionWords,
    parse_conditions,
)
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import read_library

if TYPE_CHECKING:
    from reactree_ros.sim.household.world import World


@cache
def household_library() -> SkillLibrary:
    """The skills of the robot in the household, whose predicates the world judges by."""
    return read_library(share('behaviors', 'household.yaml'))


def true_situation(world: World) -> Situation:
    """Return what a robot would know that has seen everything."""
    return situation_of(world.everything(), household_library())


def situation_of(truth: Observation, library: SkillLibrary) -> Situation:
    """Return what a robot would know that has seen all that there is."""
    return Situation(
        room=truth.room,
        place=truth.place,
        objects={item.name: item for item in truth.objects},
        looked_into=frozenset(one.name for one in truth.objects if 'furniture' in one.affordances),
        movable=library.objects,
        places=library.places,
        rooms=truth.rooms,
    )


def read_conditions(
    line: str, situation: Situation, library: SkillLibrary | None = None
) -> tuple[Condition, ...]:
    """Read a line of conditions for a household, or for the world of another library.

    Raises:
        ConditionError: it is not in the language.
    """
    words = ConditionWords.of(library or household_library(), situation)
    return parse_conditions(line, words)


def check_lines(world: World, lines: Sequence[str]) -> GoalCheck | None:
    """Check conditions against the truth about a household; see ``check_conditions``.

    Args:
        world: the world as it is now.
        lines: in the language of conditions.
    """
    start, now = true_situation(world.at_start()), true_situation(world)
    return check_conditions(lines, start, now, household_library())


def check_conditions(
    lines: Sequence[str], start: Situation, now: Situation, library: SkillLibrary
) -> GoalCheck | None:
    """Check conditions against the truth about a world.

    Args:
        lines: in the language of conditions.
        start: everything as it was at the start.
        now: everything as it is.
        library: whose predicates the world judges by.

    Returns:
        None if there are none, or they cannot be read. Questions are not judged, nor what may have
        been undone since: the order is for the worlds of tasks to follow.
    """
    try:
        conditions = read_conditions('; '.join(lines), now, library)
    except ConditionError:
        return None
    lasting = [one for one in conditions if not one.asks and not one.may_be_undone(conditions)]
    tracker = ConditionTracker(lasting, library, complete=True)
    tracker.update(start)
    return checked(tracker, now) if lasting else None


def checked(tracker: ConditionTracker, situation: Situation) -> GoalCheck:
    """Return which conditions hold, given everything that there is."""
    states = tracker.states(situation)
    return GoalCheck(
        tuple(one.text for one in states if one.met),
        tuple(f'{one.text} ({one.detail})' for one in states if not one.met),
        *tracker.counts(situation),
    )


def moved_unasked(
    start: Situation, now: Situation, conditions: Sequence[Condition]
) -> Iterator[str]:
    """Yield a line for each thing that was moved and is in no condition.

    Args:
        start: everything as it was at the start.
        now: everything as it is.
        conditions: of a goal.
    """
    named = frozenset().union(*(one.things for one in conditions))
    for name, one in now.objects.items():
        before = start.objects[name]
        if one.class_name in named or 'grabbable' not in one.affordances:
            continue
        if (one.receptacle, one.held) != (before.receptacle, before.held):
            yield f'{name} was moved, which nobody asked for'
