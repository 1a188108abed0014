# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What skills on their way to a robot have in common, whatever they call."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.outcome import Costs
from reactree_ros.skills.executor import SENT, failed
from reactree_ros.skills.library import GroundedSkill

Clock = Callable[[], float]


@dataclass(frozen=True)
class Timeouts:
    """How long a robot is waited for; how long a skill may take stands in the skill library.

    Args:
        server_wait_sec: for a server to appear, and for one that went away to come back.
        goal_response_sec: for a goal to be accepted or rejected, or an observation to be given.
        cancel_sec: for the result of a goal that was cancelled.
    """

    server_wait_sec: float = 5.0
    goal_response_sec: float = 5.0
    cancel_sec: float = 5.0


class CalledSkill:
    """One skill on its way (``behaviours.SkillRun``); its subclasses say how it goes on.

    =========  ====================================================================
    SUCCEEDED  the robot says so
    REFUSED    the robot says that a precondition did not hold, or it cannot be
               told what it needs
    FAILED     nobody there, rejected, aborted, gone, or a time limit passed;
               the observation's text says which
    CANCELED   ``cancel`` was called, and the robot has stopped or does not answer
    =========  ====================================================================

    Args:
        skill: the skill.
        timeouts: how long the robot is waited for.
        clock: monotonic time in seconds.
    """

    def __init__(
        self, skill: GroundedSkill, timeouts: Timeouts, clock: Clock = time.monotonic
    ) -> None:
        self.doing = ''
        self._skill = skill
        self._timeouts = timeouts
        self._clock = clock
        self._since = clock()
        self._cancel_wanted = False
        self._left = False
        self._result: SkillResult | None = None

    @property
    def phrase(self) -> str:
        """What the robot is to do, in words."""
        return self._skill.phrase

    @property
    def goal_id(self) -> str:
        """Id of its action goal, 32 hexadecimal digits; empty for services and topics."""
        return ''

    @property
    def started(self) -> bool:
        """Whether it waits for nothing before it begins: it is on its way to the robot."""
        return True

    @property
    def costs(self) -> Costs:
        """Costs of a skill that nobody was asked for."""
        return SENT

    @property
    def settled(self) -> bool:
        """Whether it has ended and the robot cannot be at it any more.

        A result may be there before: when a time limit passed and the robot did not confirm that
        it stopped. A server that has gone for the time limit of servers settles it too, until it
        comes back.
        """
        return self._result is not None

    @property
    def unsettled(self) -> bool:
        """Whether it has ended, but the robot may still be at it."""
        return self._result is not None and not self.settled

    @property
    def closed(self) -> bool:
        """Whether nothing can come of it any more."""
        return self._result is not None

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""
        if self._result is None:
            self._advance()
            self._mark()
        elif not (self._left or self.closed):
            self.watch()
        return self._result

    def _mark(self) -> None:
        """Mark a result that is there although the robot may still be at it."""
        if self._result is not None and not self.closed:
            self._result = replace(self._result, confirmed=False)

    def watch(self) -> None:
        """Look, after the result, whether the robot has come to its end; never waits."""

    def leave(self) -> bool:
        """Have the robot stop, because nobody will look any more: the channel is closed next.

        Returns:
            Whether something was sent.
        """
        self._left = True
        if self._result is None:
            self._fail('the planner left while it ran')
        return False

    def cancel(self) -> None:
        """Ask the robot to stop; the result is there when it has, or when a time limit passed."""
        if self._result is None and not self._cancel_wanted:
            self._cancel_wanted = True
            self._stop_wanted()

    def _advance(self) -> None:
        """Look what has happened; set the result when it has ended."""
        raise NotImplementedError

    def _stop_wanted(self) -> None:
        """Do what is to be done at once after a cancel."""

    def _fail(self, why: str) -> None:
        self._result = failed(self._skill, why)

    def _end(self, status: SkillStatus, how: str) -> None:
        self._result = SkillResult(status, Observation(f'"{self._skill.phrase}" {how}.'))

    def _passed(self, seconds: float) -> bool:
        return self._clock() - self._since >= seconds
