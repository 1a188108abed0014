# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold before a goal counts as reached, from wherever it is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reactree_ros.behaviours.checking import AllHold, put
from reactree_ros.behaviours.skill import SkillExecutor
from reactree_ros.core.outcome import Outcome
from reactree_ros.core.situation import Situation
from reactree_ros.models.interface import Pending
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.conditions import Check, WorldCondition
from reactree_ros.skills.library import SkillLibrary


@dataclass(frozen=True)
class DoneCondition:
    """What must hold when the goal of a run is said to be reached.

    Args:
        check: what must hold.
        words: what stands in the goal for the words that its references name.
    """

    check: Check
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ending:
    """A success that waits for what is said against it.

    Args:
        outcome: it counts if nothing is.
        objection: what is said against it; empty for nothing.
    """

    outcome: Outcome
    objection: Pending[str]


def done_conditions(
    goal: str, library: SkillLibrary, conditions: Sequence[str] = (), ask_world: bool = False
) -> tuple[DoneCondition, ...]:
    """Return what must hold before a goal counts as reached.

    Args:
        goal: as the person put it.
        library: may have conditions for goals like it.
        conditions: what the person wants to hold, which the world is asked for.
        ask_world: ask the world for the goal itself; if it cannot read it, that is no objection.
    """
    found = []
    for one in library.done:
        words = one.fits(goal)
        if words is None:
            words = one.fits(library.in_class_words(goal))
        if words is not None:
            known = {name: library.in_class_words(text) for name, text in words.items()}
            found.append(DoneCondition(one.check, known))
    if conditions:
        found.append(_of_world(conditions))
    if ask_world:
        found.append(_of_world((goal,), if_known=True))
    return tuple(found)


def put_all(
    conditions: Sequence[DoneCondition],
    library: SkillLibrary,
    situation: Situation,
    executor: SkillExecutor,
) -> Pending[str]:
    """Ask whether all conditions hold; the answer is an objection, or empty.

    Args:
        conditions: of the goal.
        library: has the poses that requests may need.
        situation: what working memory knows.
        executor: the robot, which is asked what memory does not know.
    """
    return AllHold(
        [
            put(one.check, situation, Surroundings(one.words, library.poses, situation), executor)
            for one in conditions
        ]
    )


def _of_world(lines: Sequence[str], if_known: bool = False) -> DoneCondition:
    condition = WorldCondition(tuple(lines), if_known=if_known, as_written=True)
    return DoneCondition(Check(asked=(condition,)))
