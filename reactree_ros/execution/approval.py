# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Stage ``approval``: a person has to allow a skill, each time, before the robot begins."""

from __future__ import annotations

from collections.abc import Callable

from reactree_ros.core.operator import Operator, Reply, ReplyStatus
from reactree_ros.core.outcome import Costs
from reactree_ros.core.situation import Situation
from reactree_ros.execution.pipeline import Gate, Stage, refusal
from reactree_ros.skills.executor import SkillRun
from reactree_ros.skills.library import GroundedSkill

YES, NO = 'yes', 'no'
"""The answers to choose from. Only the first allows a skill; anything else refuses it."""


def approval_question(robot: str, phrase: str) -> str:
    """Return the question whether a robot may do something.

    Args:
        robot: its name; empty if there is only one.
        phrase: of the skill. Names in it come from the robot: they end neither quote nor question.

    >>> approval_question('', 'go to fridge 1')
    'Allow the robot to "go to fridge 1"?'
    """
    quoted = phrase.replace('"', "'")
    return f'Allow {robot or "the robot"} to "{quoted}"?'


class ApprovalStage(Stage):
    """Asks a person before skills whose library says so.

    Args:
        operator: who is asked; None for nobody, and then such skills are refused.
        clock: the run's time, in seconds.
        robot: its name; empty if there is only one.
    """

    name = 'approval'

    def __init__(
        self, operator: Operator | None, clock: Callable[[], float], robot: str = ''
    ) -> None:
        self._operator = operator
        self._clock = clock
        self._robot = robot

    def before(self, skill: GroundedSkill, situation: Situation, run: SkillRun) -> Gate | None:
        """Ask for a skill that has to be allowed."""
        if not skill.approval:
            return None
        if self._operator is None or not self._operator.person_present:
            return Gate(refusal(skill, 'nobody is there to allow it'))
        question = approval_question(self._robot, skill.phrase)
        return _ApprovalGate(skill, question, self._operator, self._clock)


class _ApprovalGate(Gate):
    waits = 'to be allowed'

    def __init__(
        self, skill: GroundedSkill, question: str, operator: Operator, clock: Callable[[], float]
    ) -> None:
        super().__init__()
        self._skill = skill
        self._clock = clock
        self._asked_at = clock()
        self._waited: float | None = None
        self._reply = operator.ask(
            question,
            (YES, NO),
            f'"{skill.phrase}" was refused',
            person=True,
        )

    @property
    def costs(self) -> Costs:
        waited = self._clock() - self._asked_at if self._waited is None else self._waited
        return Costs(questions=1, operator_seconds=waited)

    def open(self) -> bool:
        reply = self._reply.poll()
        if reply is None:
            return False
        if self._waited is None:
            self._waited = self._clock() - self._asked_at
        objection = _objection(reply)
        if objection:
            self.result = refusal(self._skill, objection)
        return not objection

    def cancel(self) -> None:
        if self._waited is None:
            self._waited = self._clock() - self._asked_at
            self._reply.cancel()


def allows(reply: Reply) -> bool:
    """Return whether a reply allows a skill."""
    return not _objection(reply)


def _objection(reply: Reply) -> str:
    """Return why a reply does not allow a skill; empty if it does."""
    if reply.status is ReplyStatus.UNANSWERED:
        return 'nobody allowed it in time'
    if reply.status is ReplyStatus.DECLINED:
        return 'the operator declined'
    answer = ' '.join(reply.text.casefold().split())
    if answer == NO:
        return 'the operator said no'
    return '' if answer == YES else f'the answer "{reply.text}" was not understood as yes or no'
