# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node may decide at this moment: only what can be valid and change something."""

from __future__ import annotations

from reactree_ros.behaviours.services import RunState
from reactree_ros.core.checks import check_done, check_failure
from reactree_ros.core.decision import Choices, Decision, Recall, Think
from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.skills.relevance import Relevance


class Offer:
    """Keeps what one agent node has just done and derives the choices of its next decision.

    Args:
        state: what all nodes of the run share.
        path: goals from the root to the node.
    """

    def __init__(self, state: RunState, path: tuple[str, ...]) -> None:
        self.choices = Choices()
        self._idle = True
        self._state = state
        self._path = path
        self._goal = path[-1]
        self._skills: dict[str, GroundedSkill] = {}
        self._thought = False
        self._recalled: set[str] = set()
        self._asked = False
        self._refused: set[str] = set()

    def renew(self) -> None:
        """Derive the choices from the situation of this moment."""
        services = self._state.services
        settings = services.settings
        executable = services.library.executable(
            self._state.memory.situation(),
            self._state.memory.rooms,
            # After a refusal the robot may need what the goal does not name.
            self._path if settings.only_relevant and not self._refused else (),
        )
        self._skills = {
            skill.phrase: skill for skill in executable if skill.phrase not in self._refused
        }
        not_done, no_failure = self._objections() if settings.check_decisions else ('', '')
        think = settings.think_twice or not self._thought
        asks = settings.working_memory and not self._asked
        recall = self._recallable() if asks else ()
        if not (self._skills or think or recall or settings.control_flows):
            no_failure = ''  # where nothing is left to do, giving up is never too early
        self.choices = Choices(
            skills=tuple(self._skills),
            think=think,
            recall=recall,
            control_flows=settings.control_flows,
            not_done=not_done,
            no_failure=no_failure,
        )

    def _objections(self) -> tuple[str, str]:
        situation = self._state.memory.situation()
        done = check_done(self._goal, situation)
        objection = done.objection
        if not objection and not done.confirmed and self._idle:
            objection = 'nothing was done for it yet'
        if done.confirmed:
            return objection, 'what the goal asks for was seen to be so'
        return objection, check_failure(self._goal, situation).objection

    def _recallable(self) -> tuple[str, ...]:
        """Classes to ask for: those that the goal names, or all; each once."""
        relevance = self._relevance(self._state.memory.situation())
        return tuple(sorted((relevance.objects or relevance.movable) - self._recalled))

    def skill(self, phrase: str) -> GroundedSkill:
        """Return the skill of an offered phrase."""
        return self._skills[phrase]

    def decided(self, decision: Decision) -> None:
        """Remember what was decided: no second thought or question in a row, no question twice."""
        self._thought = isinstance(decision, Think)
        if isinstance(decision, Recall):
            self._recalled.add(decision.class_name)
            self._asked = True

    def executed(self, skill: GroundedSkill, status: SkillStatus) -> None:
        """Remember how a skill ended: a refused one is not offered until something changed."""
        self._asked = False
        if status is SkillStatus.SUCCEEDED:
            self._idle = False
            self._refused.clear()
        else:
            self._refused.add(skill.phrase)

    def pointer(self) -> str:
        """Return a sentence on what the goal names and the robot can reach; empty if nothing."""
        if not self._state.services.settings.point_out:
            return ''
        situation = self._state.memory.situation()
        relevance = self._relevance(situation)
        if any(item.class_name in relevance.objects for item in situation.held):
            return ''
        reached = [
            item.name
            for item in situation.objects.values()
            if item.near and 'grabbable' in item.affordances and relevance.meant(item)
        ]
        return f' In reach: {", ".join(reached)}.' if reached else ''

    def _relevance(self, situation: Situation) -> Relevance:
        return Relevance(self._goal, situation, self._state.memory.rooms, self._path[:-1])
