# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Guidance for goals in English about things in a household."""

from __future__ import annotations

from reactree_ros.behaviours.guidance import ExpansionReview, GoalCheck, Guidance
from reactree_ros.core.decision import Expand
from reactree_ros.core.situation import Situation
from reactree_ros.guidance.checks import check_done
from reactree_ros.guidance.completion import complete
from reactree_ros.guidance.expansion import (
    left_out,
    one_after_the_other,
    overloads,
    without_reached,
    without_strays,
)
from reactree_ros.guidance.needs import states_asked
from reactree_ros.guidance.relevance import Relevance
from reactree_ros.guidance.searches import check_failure
from reactree_ros.guidance.undoing import undoes
from reactree_ros.skills.library import SkillLibrary


class HouseholdGuidance(Guidance):
    """Reads goals in the words of a skill library.

    Args:
        library: names objects, places, kinds, uses and tools.
    """

    def __init__(self, library: SkillLibrary) -> None:
        self._library = library

    def skill_filter(
        self,
        situation: Situation,
        rooms: tuple[str, ...],
        path: tuple[str, ...],
        *,
        named: bool = True,
        unsearched: bool = True,
    ) -> Relevance:
        """Return what can matter for the last goal of a path."""
        library = self._library
        return Relevance(
            path[-1] if path else '',
            situation,
            rooms,
            path[:-1],
            library.uses,
            library.kinds,
            library.tools,
            named=named,
            unsearched=unsearched,
        )

    def recallable(
        self, situation: Situation, rooms: tuple[str, ...], path: tuple[str, ...]
    ) -> frozenset[str]:
        """Return the classes that the goal names, or all."""
        relevance = self.skill_filter(situation, rooms, path)
        return frozenset(relevance.objects or relevance.movable)

    def reachable(
        self, situation: Situation, rooms: tuple[str, ...], path: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Return what the goal names and the robot can reach; nothing once it holds that."""
        relevance = self.skill_filter(situation, rooms, path)
        if any(item.class_name in relevance.objects for item in situation.held):
            return ()
        return tuple(
            item.name
            for item in situation.objects.values()
            if item.near and 'grabbable' in item.affordances and relevance.meant(item)
        )

    def check_done(self, goal: str, situation: Situation) -> GoalCheck:
        """Return what speaks against a goal having been reached."""
        return check_done(goal, situation, self._library.kinds)

    def check_failure(self, goal: str, situation: Situation, rooms: tuple[str, ...]) -> str:
        """Return what was left undone before a search was given up."""
        return check_failure(goal, situation, rooms).objection

    def undoes(self, phrase: str, goal: str, situation: Situation) -> bool:
        """Return whether a skill would undo what a goal asks for, and was seen to be so."""
        return undoes(phrase, goal, situation, self._library.kinds)

    def review(
        self, expansion: Expand, path: tuple[str, ...], situation: Situation
    ) -> ExpansionReview:
        """Return an expansion without strays, completed, in an order that hands can do."""
        library, goal, classes = self._library, path[-1], situation.classes
        tools = self._tools(path, situation)
        expansion, strays = without_strays(
            expansion, goal, classes, situation.movable, tools, library.kinds
        )
        expansion = complete(expansion, goal, classes, situation.movable - tools)
        expansion = one_after_the_other(expansion, library.hands, classes, situation.movable)
        rejections = left_out(expansion, goal, classes, library.kinds)
        rejections += overloads(expansion, library.hands, classes)
        expansion, reached = without_reached(expansion, situation, library.kinds)
        return ExpansionReview(expansion, strays, (), reached, tuple(rejections))

    def _tools(self, path: tuple[str, ...], situation: Situation) -> frozenset[str]:
        """Return classes that a subgoal may name because something above it is to be sliced."""
        known = {*situation.classes, *self._library.kinds}
        sliced = any('sliced' in states_asked(goal, known) for goal in path)
        return self._library.tools if sliced else frozenset()
