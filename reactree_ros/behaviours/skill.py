# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Leaf behaviours: a skill that the robot runs, and a question to working memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import py_trees
from py_trees.common import Status

from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.memory.working import MemoryReader
from reactree_ros.models.interface import Pending, Ready
from reactree_ros.skills.conditions import Question
from reactree_ros.skills.library import GroundedSkill


class SkillRun(Protocol):
    """A skill that the robot is running."""

    @property
    def doing(self) -> str:
        """What the robot says that it is doing; empty if it says nothing."""

    @property
    def goal_id(self) -> str:
        """Id of its action goal, 32 hexadecimal digits; empty if it has none, or none yet."""

    @property
    def begun(self) -> bool:
        """Whether it waits for nothing before it begins; one that has ended does not either."""

    @property
    def settled(self) -> bool:
        """Whether nothing moves for it any more: it has ended, and the robot has confirmed that."""

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""

    def cancel(self) -> None:
        """Ask the robot to stop; the result is there when it has, or when a time limit passed."""


class EndedSkill(Ready[SkillResult]):
    """A skill that has ended as soon as it was begun."""

    doing = ''
    goal_id = ''
    begun = True
    settled = True


class WrappedRun:
    """A skill with something around it (``SkillRun``); what a subclass leaves is as it is.

    Args:
        run: the skill.
    """

    def __init__(self, run: SkillRun) -> None:
        self._run = run

    @property
    def doing(self) -> str:
        """What the robot says that it is doing."""
        return self._run.doing

    @property
    def goal_id(self) -> str:
        """Id of its action goal; empty if it has none, or none yet."""
        return self._run.goal_id

    @property
    def begun(self) -> bool:
        """Whether it waits for nothing before it begins."""
        return self._run.begun

    @property
    def settled(self) -> bool:
        """Whether nothing moves for it any more."""
        return self._run.settled

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""
        return self._run.poll()

    def cancel(self) -> None:
        """Ask the robot to stop."""
        self._run.cancel()


class WaitingRun:
    """A skill that begins as soon as it may (``SkillRun``); subclasses say when that is.

    Args:
        skill: the skill.
        begin: starts it.
    """

    def __init__(self, skill: GroundedSkill, begin: Callable[[], SkillRun]) -> None:
        self._skill = skill
        self._begin = begin
        self._run: SkillRun | None = None
        self._result: SkillResult | None = None
        self._look()

    @property
    def doing(self) -> str:
        """What the robot does, or what is waited for."""
        return self._run.doing if self._run is not None else f'waiting {self._what_for}'

    @property
    def goal_id(self) -> str:
        """Id of its action goal; empty as long as it waits."""
        return self._run.goal_id if self._run is not None else ''

    @property
    def begun(self) -> bool:
        """Whether it waits for nothing before it begins; one that has ended does not either."""
        return self._run.begun if self._run is not None else self._result is not None

    @property
    def settled(self) -> bool:
        """Whether nothing moves for it any more."""
        return self._run.settled if self._run is not None else self._result is not None

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""
        if self._run is None and self._result is None:
            self._look()
        return self._run.poll() if self._run is not None else self._result

    def cancel(self) -> None:
        """Stop the robot, or do not begin."""
        if self._run is not None:
            self._run.cancel()
        elif self._result is None:
            self._give_up()
            text = f'"{self._skill.phrase}" was canceled before it began.'
            self._result = SkillResult(SkillStatus.CANCELED, Observation(text))

    @property
    def _what_for(self) -> str:
        """What is waited for, such as "for the robot to stop"."""
        raise NotImplementedError

    def _may_begin(self) -> bool:
        """Whether it may begin now; it may set the result instead."""
        raise NotImplementedError

    def _give_up(self) -> None:
        """Wait no more."""

    def _refuse(self, why: str) -> None:
        self._result = failed(self._skill, why, SkillStatus.REFUSED)

    def _look(self) -> None:
        if self._may_begin():
            self._run = self._begin()


def failed(skill: GroundedSkill, why: str, status: SkillStatus = SkillStatus.FAILED) -> SkillResult:
    """Return the result of a skill that was not done, with the reason."""
    how = 'was refused' if status is SkillStatus.REFUSED else 'failed'
    return SkillResult(status, Observation(f'"{skill.phrase}" {how}: {why.rstrip(".")}.'))


class SkillExecutor(Protocol):
    """A robot, or a simulator's bridge."""

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill and return at once.

        Args:
            skill: the skill.
            situation: what working memory knows now.
        """

    def check(self, question: Question) -> Pending[str]:
        """Ask for what speaks against a condition; the answer is empty if it holds.

        Args:
            question: the condition, of a kind that working memory does not know.
        """

    def observe(self) -> Pending[Observation]:
        """Ask for the full description of what is perceived now."""

    def survey(self) -> Pending[Observation]:
        """Ask what is in the whole house: rooms, places by room, names of movable things.

        Where movable things are need not be known. A robot that knows no more than it perceives
        answers with an observation without rooms and objects.
        """


class WrappedExecutor:
    """A robot with something around it (``SkillExecutor``); what a subclass leaves is as it is.

    Args:
        executor: the robot.
    """

    def __init__(self, executor: SkillExecutor) -> None:
        self._executor = executor

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill and return at once."""
        return self._executor.start(skill, situation)

    def check(self, question: Question) -> Pending[str]:
        """Ask for what speaks against a condition."""
        return self._executor.check(question)

    def observe(self) -> Pending[Observation]:
        """Ask for the full description of what is perceived now."""
        return self._executor.observe()

    def survey(self) -> Pending[Observation]:
        """Ask what is in the whole house."""
        return self._executor.survey()


class SkillLeaf(py_trees.behaviour.Behaviour):
    """Runs one skill on the robot.

    =======  ===================================================================
    RUNNING  the robot is at it
    SUCCESS  it did it; ``result`` holds the observation
    FAILURE  refused, failed or cancelled; ``result`` says which and why
    =======  ===================================================================

    Args:
        skill: the skill; its phrase names the behaviour.
        executor: the robot.
        memory: working memory, which may know what the robot has to be told.
    """

    def __init__(self, skill: GroundedSkill, executor: SkillExecutor, memory: MemoryReader) -> None:
        super().__init__(name=skill.phrase)
        self.skill = skill
        self.run: SkillRun | None = None
        self.result: SkillResult | None = None
        self._executor = executor
        self._memory = memory

    @property
    def succeeded(self) -> bool:
        """Whether the robot did it."""
        return self.result is not None and self.result.status is SkillStatus.SUCCEEDED

    def initialise(self) -> None:
        """Send the skill to the robot."""
        self.run = self._executor.start(self.skill, self._memory.situation())

    def update(self) -> Status:
        """Look whether the robot has answered."""
        self.result = self.run.poll() if self.run else None
        if self.result is None:
            self.feedback_message = self.run.doing if self.run else ''
            return Status.RUNNING
        self.feedback_message = self.result.observation.text
        return Status.SUCCESS if self.succeeded else Status.FAILURE

    def terminate(self, new_status: Status) -> None:
        """Stop the robot if it is still at it."""
        if new_status == Status.INVALID and self.run is not None and self.result is None:
            self.feedback_message = 'interrupted'
            self.run.cancel()


class RecallLeaf(py_trees.behaviour.Behaviour):
    """Shows a question to working memory and its answer in the tree; always SUCCESS.

    Args:
        class_name: what was asked for.
        answer: what working memory knew.
    """

    def __init__(self, class_name: str, answer: str) -> None:
        super().__init__(name=f'recall location of {class_name}')
        self.feedback_message = answer

    def update(self) -> Status:
        """Return SUCCESS: the answer was there at once."""
        return Status.SUCCESS
