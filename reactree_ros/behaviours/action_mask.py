# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node may decide at this moment: only what can be valid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from reactree_ros.behaviours.services import RunState
from reactree_ros.core.decision import (
    Ask,
    Choices,
    ControlFlow,
    Decision,
    Expand,
    Think,
    is_own_word,
)
from reactree_ros.core.observation import SkillStatus
from reactree_ros.skills.library import GroundedSkill


class ActionMask:
    """Remembers what one agent node has just done, and masks what it may not decide next.

    Args:
        state: what all nodes of the run share.
        path: goals from the root to the node.
    """

    def __init__(self, state: RunState, path: tuple[str, ...]) -> None:
        self.choices = Choices()
        self._state = state
        self._settings = state.services.settings
        self._path = path
        self._skills: dict[str, GroundedSkill] = {}
        self._thought = False
        self._questioned = False
        self._refused: set[str] = set()

    def update(self) -> None:
        """Derive the choices from the situation of this moment."""
        settings, situation = self._settings, self._state.memory.situation()
        self._skills = {
            skill.phrase: skill
            for skill in self._state.services.library.executable(situation)
            if skill.phrase not in self._refused
            and not skill.shared_claims & situation.claimed
            and not is_own_word(skill.phrase)  # a thing may have such a name
        }
        recall: tuple[str, ...] = ()
        if settings.memory.recall:
            objects = situation.objects.values()
            seen = {one.class_name for one in objects if 'grabbable' in one.affordances}
            recall = tuple(sorted(situation.movable | seen))
        self.choices = Choices(
            skills=tuple(self._skills),
            think=settings.agent.allow_consecutive_thoughts or not self._thought,
            recall=recall,
            control_flows=settings.agent.control_flows,
            ask=self.may_ask(),
            explain=settings.agent.explain_endings,
            max_thought_chars=settings.agent.max_thought_chars,
            max_subgoals=settings.agent.max_subgoals,
            max_subgoal_chars=settings.agent.max_subgoal_chars,
        )

    def may_ask(self) -> bool:
        """Return whether a question to the operator can bring anything."""
        operator, answers = self._state.services.operator, self._state.answers
        return (
            self._settings.operator.ask
            and operator is not None
            and operator.present
            and not self._questioned
            and len(answers) < self._settings.operator.max_questions
            and all(answers.values())
        )

    @property
    def skills(self) -> tuple[str, ...]:
        """Phrases of the skills that are allowed now."""
        return tuple(self._skills)

    def skill(self, phrase: str) -> GroundedSkill:
        """Return the skill that is allowed under a phrase."""
        return self._skills[phrase]

    def decided(self, decision: Decision) -> None:
        """Remember what was decided: no second thought or question in a row."""
        self._thought = isinstance(decision, Think)
        self._questioned = isinstance(decision, Ask)

    def executed(self, skill: GroundedSkill, status: SkillStatus) -> None:
        """Remember how a skill ended: a refused one is not offered until something changed.

        One that failed was tried, so it may have changed something itself: a grasp that missed can
        be tried again.
        """
        if status is not SkillStatus.REFUSED:
            self._refused.clear()
        elif self._settings.agent.mask_refused_skills:
            self._refused.add(skill.phrase)

    def faults(self, expansion: Expand) -> list[str]:
        """Return why an expansion may not join the tree, one sentence a fault."""
        if not self._settings.agent.reject_recursion:
            return []
        state = self._state
        kinds = len({robot.skills for robot in state.robots})
        return expansion_faults(expansion, self._path, state.addressed, kinds)


def expansion_faults(
    expansion: Expand,
    path: Sequence[str],
    addressed: Callable[[str], tuple[str, str]] = lambda subgoal: ('', subgoal),
    kinds: int = 1,
) -> list[str]:
    """Return every fault of an expansion; empty if it may join the tree.

    A sequence may repeat a step, such as to fetch one thing and then another of its kind.

    Args:
        expansion: the expansion.
        path: goals from the root to the node.
        addressed: returns the robot that a subgoal names, and the goal without it.
        kinds: of robots; a goal may be given on by name until each kind has had it.

    Returns:
        One sentence a fault, which the model can repair its decision from.
    """
    faults = []
    above = Counter(goal_words(goal) for goal in path)
    seen: set[str] = set()
    for subgoal in expansion.subgoals:
        key = goal_words(subgoal)
        robot, goal = addressed(subgoal)
        if above[goal_words(goal)] >= (kinds if robot else 1):
            faults.append(f'"{subgoal}" is a goal that is being worked on already')
        if key in seen and expansion.control_flow is not ControlFlow.SEQUENCE:
            faults.append(f'"{subgoal}" is given more than once')
        seen.add(key)
    return [*dict.fromkeys(faults)]


def goal_words(goal: str) -> str:
    """Return a goal so that it equals the same one in other capitals and with other ends."""
    return ' '.join(goal.casefold().strip(' .!').split())
