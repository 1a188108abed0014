# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that a person has to allow, each time, before the robot begins."""

from __future__ import annotations

from collections.abc import Callable

from reactree_ros.behaviours.ask import Operator
from reactree_ros.behaviours.skill import SkillExecutor, SkillRun, WaitingRun, WrappedExecutor
from reactree_ros.core.situation import Situation
from reactree_ros.models.interface import Pending
from reactree_ros.skills.library import GroundedSkill

YES = frozenset({'y', 'yes', 'ok', 'okay', 'allow', 'allowed', 'approve', 'approved'})
"""Answers that allow a skill; every other one, and none in time, does not."""


class ApprovingExecutor(WrappedExecutor):
    """A robot that asks before skills whose library says so (``skill.SkillExecutor``).

    Args:
        executor: the robot.
        operator: who is asked; None for nobody, and then such skills are refused.
    """

    def __init__(self, executor: SkillExecutor, operator: Operator | None) -> None:
        super().__init__(executor)
        self._operator = operator

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill, or ask for it, and return at once."""
        if not skill.approval:
            return self._executor.start(skill, situation)
        return ApprovedRun(skill, self._operator, lambda: self._executor.start(skill, situation))


class ApprovedRun(WaitingRun):
    """A skill that begins when a person has allowed it.

    Args:
        skill: the skill.
        operator: who is asked; None for nobody.
        start: starts it.
    """

    _what_for = 'to be allowed'

    def __init__(
        self, skill: GroundedSkill, operator: Operator | None, start: Callable[[], SkillRun]
    ) -> None:
        self._answer: Pending[str] | None = None
        if operator is not None and operator.present:
            self._answer = operator.ask(f'May the robot {skill.phrase}? (yes or no)')
        super().__init__(skill, start)

    def _may_begin(self) -> bool:
        if self._answer is None:
            self._refuse('nobody is there to allow it')
            return False
        answer = self._answer.poll()
        if answer is None:
            return False
        if ' '.join(answer.lower().split()).rstrip('.!') in YES:
            return True
        self._refuse('the operator said no' if answer.strip() else 'nobody allowed it in time')
        return False

    def _give_up(self) -> None:
        if self._answer is not None:
            self._answer.cancel()
