# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A checked "done": what a robot reports as done has failed if what must hold then does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from reactree_ros.behaviours.skill import SkillExecutor, SkillRun, WrappedExecutor, WrappedRun
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.memory.working import MemoryReader
from reactree_ros.models.interface import Pending, Ready
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.conditions import Check, Question
from reactree_ros.skills.library import GroundedSkill


class AllHold:
    """Several conditions (``models.Pending``): the first objection, or nothing if all hold.

    Args:
        pending: objections under way; an empty one is none.
    """

    def __init__(self, pending: Sequence[Pending[str]]) -> None:
        self._pending = pending

    def poll(self) -> str | None:
        """Return the objection once there is one, or none will come; never waits."""
        answers = [one.poll() for one in self._pending]
        objection = next(filter(None, answers), None)
        if objection is not None:
            self.cancel()
            return objection
        return None if None in answers else ''

    def cancel(self) -> None:
        """Give all of them up."""
        for one in self._pending:
            one.cancel()


def told_missing(missing: Sequence[str]) -> str:
    """Return conditions that do not hold as an objection; empty if there are none."""
    return f'this does not hold: {"; ".join(missing)}' if missing else ''


def put(
    check: Check, situation: Situation, look: Surroundings, executor: SkillExecutor
) -> Pending[str]:
    """Ask whether all of a check holds; the answer is an objection, or empty.

    Args:
        check: what must hold.
        situation: what working memory knows.
        look: gives the values of references.
        executor: the robot, which is asked what memory does not know.
    """
    objection = check.objection(situation, look)
    if objection:
        return Ready(objection)
    return AllHold([executor.check(Question(one, look)) for one in check.asked])


def checked(
    run: SkillRun, skill: GroundedSkill, look: Surroundings, executor: SkillExecutor
) -> SkillRun:
    """Return a skill whose success counts only if the robot's side does not object.

    Args:
        run: the skill as the robot reports it.
        skill: the skill.
        look: what references are looked up in.
        executor: the robot.
    """
    if not skill.check.asked:
        return run
    check = Check(asked=skill.check.asked)
    return CheckedRun(run, skill, lambda _: put(check, look.situation, look, executor))


class CheckedRun(WrappedRun):
    """A skill whose success counts only if what must hold then does (``skill.SkillRun``).

    Args:
        run: the skill as the robot reports it.
        skill: the skill.
        ask: asks for the objection to a success, given what the robot reports.
    """

    def __init__(
        self, run: SkillRun, skill: GroundedSkill, ask: Callable[[SkillResult], Pending[str]]
    ) -> None:
        super().__init__(run)
        self._skill = skill
        self._ask = ask
        self._done: SkillResult | None = None
        self._asked: Pending[str] | None = None
        self._result: SkillResult | None = None

    @property
    def doing(self) -> str:
        """What the robot does, or that it is checked."""
        return self._run.doing if self._done is None else 'checking what was done'

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""
        if self._done is None:
            self._done = self._run.poll()
            if self._done is not None and self._done.status is SkillStatus.SUCCEEDED:
                self._asked = self._ask(self._done)
            else:
                self._result = self._done
        if self._result is None and self._done is not None and self._asked is not None:
            objection = self._asked.poll()
            if objection is not None:
                self._result = self._judged(self._done, objection)
        return self._result

    def cancel(self) -> None:
        """Stop the skill; of one that the robot has done, give up the check."""
        if self._done is None:
            self._run.cancel()
        elif self._result is None and self._asked is not None:
            self._asked.cancel()
            text = f'"{self._skill.phrase}" was canceled before it was checked.'
            self._result = SkillResult(SkillStatus.CANCELED, Observation(text))

    def _judged(self, done: SkillResult, objection: str) -> SkillResult:
        if not objection:
            return done
        why = objection.rstrip('.')
        text = f'"{self._skill.phrase}" was reported as done, but {why}.'
        return SkillResult(SkillStatus.FAILED, replace(done.observation, text=text))


class RememberingExecutor(WrappedExecutor):
    """A robot whose skills are held against working memory (``skill.SkillExecutor``).

    Memory is read with what was seen after the skill, before that is taken in.

    Args:
        executor: the robot.
        memory: its working memory.
    """

    def __init__(self, executor: SkillExecutor, memory: MemoryReader) -> None:
        super().__init__(executor)
        self._memory = memory

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill and return at once."""
        run = self._executor.start(skill, situation)
        if not skill.check.memory:
            return run

        def ask(result: SkillResult) -> Pending[str]:
            after = self._memory.situation_after(result.observation)
            return Ready(skill.check.objection(after, Surroundings(skill.named, {}, after)))

        return CheckedRun(run, skill, ask)
