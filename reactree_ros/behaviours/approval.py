# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills that a person has to allow, each time, before the robot begins."""

from __future__ import annotations

from collections.abc import Callable

from reactree_ros.behaviours.ask import Operator
from reactree_ros.behaviours.skill import SkillExecutor, SkillRun, failed
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.models.interface import Pending
from reactree_ros.skills.library import GroundedSkill

YES = frozenset({'y', 'yes', 'ok', 'okay', 'allow', 'allowed', 'approve', 'approved'})
"""Answers that allow a skill; every other one, and none in time, does not."""


class ApprovingExecutor:
    """A robot that asks before skills whose library says so (``skill.SkillExecutor``).

    Args:
        executor: the robot.
        operator: who is asked; None for nobody, and then such skills are refused.
    """

    def __init__(self, executor: SkillExecutor, operator: Operator | None) -> None:
        self._executor = executor
        self._operator = operator

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill, or ask for it, and return at once."""
        if not skill.approval:
            return self._executor.start(skill, situation)
        return ApprovedRun(skill, self._operator, lambda: self._executor.start(skill, situation))

    def observe(self) -> Pending[Observation]:
        """Ask for the full description of what is perceived now."""
        return self._executor.observe()

    def survey(self) -> Pending[Observation]:
        """Ask what is in the whole house."""
        return self._executor.survey()


class ApprovedRun:
    """A skill that begins when a person has allowed it (``skill.SkillRun``).

    Args:
        skill: the skill.
        operator: who is asked; None for nobody.
        start: starts it.
    """

    def __init__(
        self, skill: GroundedSkill, operator: Operator | None, start: Callable[[], SkillRun]
    ) -> None:
        self._skill = skill
        self._start = start
        self._run: SkillRun | None = None
        self._answer: Pending[str] | None = None
        self._result: SkillResult | None = None
        if operator is None or not operator.present:
            self._refuse('nobody is there to allow it')
        else:
            self._answer = operator.ask(f'May the robot {skill.phrase}? (yes or no)')

    @property
    def doing(self) -> str:
        """What the robot does, or that it waits."""
        return self._run.doing if self._run is not None else 'waiting to be allowed'

    @property
    def settled(self) -> bool:
        """Whether nothing moves for it any more."""
        return self._run.settled if self._run is not None else self._result is not None

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""
        if self._result is None and self._run is None and self._answer is not None:
            answer = self._answer.poll()
            if answer is not None:
                self._answered(' '.join(answer.lower().split()).rstrip('.!'))
        if self._result is None and self._run is not None:
            self._result = self._run.poll()
        return self._result

    def cancel(self) -> None:
        """Stop the robot, or take the question back."""
        if self._run is not None:
            self._run.cancel()
        elif self._result is None and self._answer is not None:
            self._answer.cancel()
            text = f'"{self._skill.phrase}" was canceled before it was allowed.'
            self._result = SkillResult(SkillStatus.CANCELED, Observation(text))

    def _answered(self, answer: str) -> None:
        if answer in YES:
            self._run = self._start()
        else:
            self._refuse('the operator said no' if answer else 'nobody allowed it in time')

    def _refuse(self, why: str) -> None:
        self._result = failed(self._skill, why, SkillStatus.REFUSED)
