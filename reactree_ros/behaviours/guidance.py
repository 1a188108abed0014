# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Guidance: aids that read goals for a small model's benefit; a skill library names one."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros import plugins
from reactree_ros.core.decision import Expand
from reactree_ros.core.situation import Situation
from reactree_ros.skills.executable_set import SkillFilter
from reactree_ros.skills.library import SkillLibrary


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
class ExpansionReview:
    """An expansion as it may join the tree.

    Args:
        expansion: as it may join the tree.
        off_goal: subgoals that were taken out because the goal does not ask for them.
        added: subgoals that were put in, for what was left out or had no place.
        reached: subgoals that were taken out because they are reached already.
        rejections: why it may not join the tree, one sentence each; empty if it may.
    """

    expansion: Expand
    off_goal: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()
    rejections: tuple[str, ...] = ()

    def adjustments(self) -> tuple[str, ...]:
        """Return a sentence for each subgoal that was taken out or put in."""
        return (
            *(f'"{one}" is not asked for; the other subgoals stay' for one in self.off_goal),
            *(f'the goal asks for more; added: "{one}"' for one in self.added),
            *(f'"{one}" is reached already; the other subgoals stay' for one in self.reached),
        )


class Guidance:
    """Reads goals; this one offers everything and objects to nothing, subclasses override.

    Paths hold the goals from the root to the agent node, in class words.
    """

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
        return SkillFilter()

    def recallable(
        self, situation: Situation, rooms: tuple[str, ...], path: tuple[str, ...]
    ) -> frozenset[str]:
        """Return the classes of movable objects that working memory may be asked for."""
        seen = (item for item in situation.objects.values() if 'grabbable' in item.affordances)
        return situation.movable | {item.class_name for item in seen}

    def reachable(
        self, situation: Situation, rooms: tuple[str, ...], path: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Return names of objects within reach that the goal is about."""
        return ()

    def check_done(self, goal: str, situation: Situation) -> GoalCheck:
        """Return what contradicts that a goal has been reached."""
        return GoalCheck()

    def check_failure(self, goal: str, situation: Situation, rooms: tuple[str, ...]) -> str:
        """Return what was left undone before a goal was given up; empty for nothing."""
        return ''

    def undoes(self, phrase: str, goal: str, situation: Situation) -> bool:
        """Return whether a skill would undo what a goal asks for."""
        return False

    def review(
        self, expansion: Expand, path: tuple[str, ...], situation: Situation
    ) -> ExpansionReview:
        """Return an expansion as it may join the tree; ``added`` is left empty."""
        return ExpansionReview(expansion)


def guidance_of(library: SkillLibrary) -> Guidance:
    """Return the guidance that a skill library names.

    Raises:
        ConfigurationError: if there is no guidance of that name.
    """
    if not library.guidance:
        return Guidance()
    made: Guidance = plugins.load(plugins.GUIDANCE, library.guidance)(library)
    return made
