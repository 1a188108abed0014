# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What carries out skills: the protocols of a robot and of a running skill."""

from __future__ import annotations

from typing import Protocol

from reactree_ros.core.futures import Future
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.outcome import Costs
from reactree_ros.core.situation import Situation
from reactree_ros.errors import WorldError
from reactree_ros.skills.conditions import Question
from reactree_ros.skills.library import GroundedSkill

SENT = Costs(skills=1)
"""Costs of one skill, without questions to a person."""


class SkillRun(Protocol):
    """One execution of a skill, from its start until the robot is at rest again.

    Everything here is called within a tick and must return at once. A subclass has to define
    ``settled``, ``poll`` and ``cancel``; the rest has defaults.
    """

    @property
    def doing(self) -> str:
        """The robot's progress in one line, shown in the tree; empty if it reports none."""
        return ''

    @property
    def goal_id(self) -> str:
        """UUID of the ROS action goal, 32 hexadecimal digits; empty without one, or before it."""
        return ''

    @property
    def started(self) -> bool:
        """False while the start is delayed, e.g. until a person approves; True from then on."""
        return True

    @property
    def settled(self) -> bool:
        """True once the skill has ended and the robot has confirmed that it is at rest.

        A skill whose result timed out has a result, but is not settled as long as the robot may
        still be executing it. A skill with a claim in common waits until this is true.
        """

    @property
    def costs(self) -> Costs:
        """Whether it was sent to the robot (``skills``), and what asking a person for it took."""
        return SENT

    def poll(self) -> SkillResult | None:
        """Return the result, the same on every call once there is one; None until then.

        Raises:
            WorldError: if the robot is gone.
        """

    def cancel(self) -> None:
        """Ask the robot to stop.

        ``poll`` returns a result once it has stopped, or a time limit has passed. Calling it
        again, or after the end, does nothing.
        """


def has_ended(run: SkillRun) -> bool:
    """Return whether a skill has ended; polling is what notices it."""
    try:
        return run.poll() is not None
    except WorldError:  # which was its own leaf's to report
        return True


class EndedSkill(SkillRun):
    """A skill that ended as soon as it was started.

    Args:
        result: how it ended.
    """

    settled = True

    def __init__(self, result: SkillResult) -> None:
        self._result = result

    def poll(self) -> SkillResult:
        """Return the result."""
        return self._result

    def cancel(self) -> None:
        """Do nothing: it has ended."""


class WrappedRun:
    """Wraps the run of a skill (``SkillRun``); a subclass overrides what differs.

    Args:
        run: the skill.
    """

    def __init__(self, run: SkillRun) -> None:
        self._run = run

    @property
    def doing(self) -> str:
        """See ``SkillRun``."""
        return self._run.doing

    @property
    def goal_id(self) -> str:
        """See ``SkillRun``."""
        return self._run.goal_id

    @property
    def started(self) -> bool:
        """See ``SkillRun``."""
        return self._run.started

    @property
    def settled(self) -> bool:
        """See ``SkillRun``."""
        return self._run.settled

    @property
    def costs(self) -> Costs:
        """See ``SkillRun``."""
        return self._run.costs

    def poll(self) -> SkillResult | None:
        """See ``SkillRun``."""
        return self._run.poll()

    def cancel(self) -> None:
        """See ``SkillRun``."""
        self._run.cancel()


ABORTED = 'the robot aborted it'
"""Why a skill was not done whose action server has aborted the goal."""


def done_text(skill: GroundedSkill) -> str:
    """Return what a robot that says nothing itself is taken to say when a skill was done."""
    return f'You {skill.phrase}.'


def failed(skill: GroundedSkill, why: str, status: SkillStatus = SkillStatus.FAILED) -> SkillResult:
    """Return the result of a skill that was not done, with the reason."""
    how = 'was refused' if status is SkillStatus.REFUSED else 'failed'
    return SkillResult(status, Observation(f'"{skill.phrase}" {how}: {why.rstrip(".")}.'))


def aborted(skill: GroundedSkill, why: str = '') -> SkillResult:
    """Return the result of a skill whose action server has aborted the goal."""
    return failed(skill, f'{ABORTED}: {why}' if why else ABORTED)


class SkillExecutor(Protocol):
    """A robot: starts skills and answers questions about what it perceives.

    Everything here is called within a tick and must return at once; what takes time is returned
    as a ``SkillRun`` or a ``Future``, which are polled on later ticks.
    """

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill and return at once.

        Args:
            skill: the skill.
            situation: what working memory knows now.
        """

    def check(self, question: Question) -> Future[str]:
        """Ask whether a condition holds.

        Args:
            question: a condition that working memory cannot answer.

        Returns:
            Why it does not hold, as a sentence for the model; empty if it holds. A future that
            raises WorldError ends the goal: the robot is gone.
        """

    def observe(self) -> Future[Observation]:
        """Ask for the full description of what is perceived now.

        A future that raises WorldError ends the goal: the robot is gone.
        """

    def survey(self) -> Future[Observation]:
        """Ask for a map: all rooms, the places in them and the names of movable objects.

        Only strategies that plan before they look ask for it. Where movable objects are need not
        be known. A robot without a map answers with an observation without rooms and objects.
        """
