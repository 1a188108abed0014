# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Guidance: aids that read goals for a small model's benefit; a skill library names one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from reactree_ros import plugins
from reactree_ros.core.decision import Expand
from reactree_ros.core.situation import Situation
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.skill_filter import EVERYTHING, SkillFilter


@dataclass(frozen=True)
class GoalCheck:
    """What was found when a goal was compared with what is known.

    Args:
        objection: what contradicts the ending; empty if nothing does.
        confirmed: all of the goal that could be read was seen to hold, and that is something.
    """

    objection: str = ''
    confirmed: bool = False


@dataclass(frozen=True)
class Review:
    """An expansion after guidance has read it, in the words of the skill library.

    Args:
        expansion: as it may join the tree.
        off_goal: subgoals that were taken out because the goal does not ask for them.
        reached: subgoals that were taken out because they are reached already.
        rejections: why it may not join the tree, one sentence each; empty if it may.
    """

    expansion: Expand
    off_goal: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()
    rejections: tuple[str, ...] = ()


class Guidance(Protocol):
    """Reads goals. Paths hold the goals from the root to the agent node, in class words."""

    def skill_filter(
        self,
        situation: Situation,
        rooms: tuple[str, ...],
        path: tuple[str, ...],
        *,
        named: bool,
        unsearched: bool,
    ) -> SkillFilter:
        """Return what can matter for the last goal of a path.

        Args:
            situation: what is known now.
            rooms: names of all rooms.
            path: goals; empty leaves nothing out.
            named: leave out what the goal does not name.
            unsearched: leave out places that were looked into, until what is sought is found.
        """

    def recallable(
        self, situation: Situation, rooms: tuple[str, ...], path: tuple[str, ...]
    ) -> frozenset[str]:
        """Return the classes of movable objects that working memory may be asked for."""

    def reachable(
        self, situation: Situation, rooms: tuple[str, ...], path: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Return names of objects within reach that the goal is about."""

    def check_done(self, goal: str, situation: Situation) -> GoalCheck:
        """Return what speaks against a goal having been reached."""

    def check_failure(self, goal: str, situation: Situation, rooms: tuple[str, ...]) -> str:
        """Return what was left undone before a goal was given up; empty for nothing."""

    def undoes(self, phrase: str, goal: str, situation: Situation) -> bool:
        """Return whether a skill would undo what a goal asks for."""

    def review(self, expansion: Expand, path: tuple[str, ...], situation: Situation) -> Review:
        """Return an expansion as it may join the tree."""


class NoGuidance:
    """Offers everything and objects to nothing."""

    def skill_filter(
        self,
        situation: Situation,
        rooms: tuple[str, ...],
        path: tuple[str, ...],
        *,
        named: bool,
        unsearched: bool,
    ) -> SkillFilter:
        """Return a filter that leaves nothing out."""
        return EVERYTHING

    def recallable(
        self, situation: Situation, rooms: tuple[str, ...], path: tuple[str, ...]
    ) -> frozenset[str]:
        """Return all classes of movable objects."""
        return movable_classes(situation)

    def reachable(
        self, situation: Situation, rooms: tuple[str, ...], path: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Return nothing."""
        return ()

    def check_done(self, goal: str, situation: Situation) -> GoalCheck:
        """Object to nothing."""
        return GoalCheck()

    def check_failure(self, goal: str, situation: Situation, rooms: tuple[str, ...]) -> str:
        """Object to nothing."""
        return ''

    def undoes(self, phrase: str, goal: str, situation: Situation) -> bool:
        """Return False."""
        return False

    def review(self, expansion: Expand, path: tuple[str, ...], situation: Situation) -> Review:
        """Return the expansion as it is."""
        return Review(expansion)


def guidance_of(library: SkillLibrary) -> Guidance:
    """Return the guidance that a skill library names.

    Raises:
        ConfigurationError: if there is none of that name.
    """
    return _factory(library.guidance)(library) if library.guidance else NoGuidance()


def movable_classes(situation: Situation) -> frozenset[str]:
    """Return classes of movable objects that were seen or that perception can name."""
    seen = (item for item in situation.objects.values() if 'grabbable' in item.affordances)
    return situation.movable | {item.class_name for item in seen}


@cache
def _factory(name: str) -> Callable[[SkillLibrary], Guidance]:
    made: Callable[[SkillLibrary], Guidance] = plugins.load(plugins.GUIDANCE, name)
    return made
