# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills on their way to the robot: what actions, services and topics have in common."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from reactree_ros.core.futures import Future, mapped, otherwise, ready, then
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.option import option
from reactree_ros.errors import ReactreeError, WorldError
from reactree_ros.ros.skills.answers import Answers
from reactree_ros.skills.executor import SkillRun, WrappedRun, failed
from reactree_ros.skills.library import GroundedSkill

HOUR = 3600.0
Clock = Callable[[], float]
"""Returns monotonic time in seconds."""

READING_FAULTS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    ReactreeError,
    TypeError,
    ValueError,
)
"""What is raised by reading a message that is not as its type says."""


@dataclass(frozen=True)
class Timeouts:
    """How long to wait for a robot; how long a skill may take stands in the skill library."""

    server_wait_sec: float = option(
        5.0,
        'How long to wait for a server that is not available.',
        unit='s',
        minimum=0.1,
        maximum=HOUR,
    )
    goal_response_sec: float = option(
        5.0,
        'How long a server may take to accept or reject a skill, or to check a goal.',
        unit='s',
        minimum=0.1,
        maximum=HOUR,
    )
    cancel_sec: float = option(
        5.0,
        'How long the robot may take to stop a canceled skill.',
        unit='s',
        minimum=0.1,
        maximum=HOUR,
    )


class CalledSkill(SkillRun):
    """One skill on its way through one client or publisher; it starts as soon as it is made.

    =========  ====================================================================
    SUCCEEDED  the robot says so
    REFUSED    the robot says that a precondition did not hold
    FAILED     nobody there, rejected, aborted, gone, or a time limit passed;
               the observation's text says which
    CANCELED   ``cancel`` was called, and the robot has stopped or does not answer
    =========  ====================================================================

    Args:
        channel: what it is sent through; of which type is for the subclass to say.
        message: the goal, request or message.
        attach_to: id of an action goal that another process has sent; it is not sent again.
    """

    doing = ''
    absent = ''
    """What is reported if nobody is there; ``{}`` stands for the name that is called."""

    def __init__(
        self,
        channel: Any,
        message: Any,
        skill: GroundedSkill,
        answers: Answers,
        timeouts: Timeouts,
        clock: Clock = time.monotonic,
        attach_to: str = '',
    ) -> None:
        self._channel = channel
        self._message = message
        self._skill = skill
        self._answers = answers
        self._timeouts = timeouts
        self._clock = clock
        self._attach_to = attach_to
        self._since = clock()
        self._sent = self._cancel_wanted = self._left = False
        self._result: SkillResult | None = None
        self._prepare()
        self._advance()

    @property
    def phrase(self) -> str:
        """What the robot is to do, in words."""
        return self._skill.phrase

    @property
    def settled(self) -> bool:
        """Whether it has ended and the robot cannot be executing it any more.

        A result may be there before: when a time limit passed and the robot did not confirm that
        it stopped. A server that has gone for the time limit of servers settles it too, until it
        comes back.
        """
        return self._result is not None and (not self._sent or self._is_at_rest())

    @property
    def unsettled(self) -> bool:
        """Whether it has ended, but the robot may still be executing it."""
        return self._result is not None and not self.settled

    @property
    def closed(self) -> bool:
        """Whether nothing can come of it any more."""
        return self._result is not None and (not self._sent or self._is_answered())

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""
        if self._result is None:
            self._advance()
            self._mark_unconfirmed()
        elif not (self._left or self.closed):
            self._watch()
        return self._result

    def _mark_unconfirmed(self) -> None:
        if self._result is not None and not self.closed:
            self._result = replace(self._result, confirmed=False)

    def leave(self) -> bool:
        """Have the robot stop, because nobody polls any more: the channel is closed next.

        Returns:
            Whether something was sent.
        """
        self._left = True
        if self._result is None:
            self._fail('the planner left while it ran')
        return False

    def cancel(self) -> None:
        """Ask the robot to stop; the result is there when it has, or when a time limit passed."""
        if self._result is not None or self._cancel_wanted:
            return
        self._cancel_wanted = True
        if self._sent:
            self._stop()
        else:
            self._end(SkillStatus.CANCELED, 'was canceled before it was sent')

    def _advance(self) -> None:
        """Send it, or look whether it has ended; then set the result."""
        limit = self._timeouts.server_wait_sec
        if self._sent:
            self._look()
        elif self._is_server_ready():
            self._send()
            self._sent = True
            self._since = self._clock()
        elif self._passed(limit):
            self._fail(f'{self.absent.format(self._skill.call.name)} for {limit:g} s', gone=True)

    def _prepare(self) -> None:
        """Set what the subclass keeps."""

    def _is_server_ready(self) -> bool:
        """Return whether there is somebody to send it to."""
        raise NotImplementedError

    def _send(self) -> None:
        """Send it."""
        raise NotImplementedError

    def _look(self) -> None:
        """Look what has become of it; set the result when it has ended."""
        raise NotImplementedError

    def _stop(self) -> None:
        """Do what is to be done at once after a cancel."""

    def _watch(self) -> None:
        """Look, after the result, whether the robot has stopped."""

    def _is_answered(self) -> bool:
        """Return, after the result, whether nothing more can come from the robot."""
        raise NotImplementedError

    def _is_at_rest(self) -> bool:
        """Return, after the result, whether the robot cannot be executing it any more."""
        return self._is_answered()

    def _read(self, read: Callable[[Any], SkillResult], answer: Any) -> None:
        """Take the robot's answer as the result; one that cannot be read is a failure."""
        try:
            self._result = read(answer)
        except READING_FAULTS as error:
            self._fail(f'its answer cannot be read: {" ".join(str(error).split())}')

    def _fail(self, why: str, *, gone: bool = False) -> None:
        self._result = replace(failed(self._skill, why), gone=gone)

    def _end(self, status: SkillStatus, how: str) -> None:
        self._result = SkillResult(status, Observation(f'"{self._skill.phrase}" {how}.'))

    def _passed(self, seconds: float) -> bool:
        return self._clock() - self._since >= seconds


class LookingRun(WrappedRun):
    """A skill after which the robot is asked what it perceives (``SkillRun``).

    If it does not answer, the last known structure holds.

    Args:
        look: asks after a skill that ended so, if there is anything to ask; the observation's
            text begins with that of the result.
    """

    def __init__(
        self, run: SkillRun, look: Callable[[SkillResult], Future[Observation] | None]
    ) -> None:
        super().__init__(run)
        self._look = look
        self._seen: Future[Observation] | None = None
        self._result = then(run, self._look_after)

    @property
    def doing(self) -> str:
        """What it is doing."""
        return 'looking' if self._seen is not None else self._run.doing

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""
        return self._result.poll()

    def cancel(self) -> None:
        """Cancel the skill, or what it perceives: then only what the robot said is known."""
        super().cancel()
        if self._seen is not None:
            self._seen.cancel()

    def _look_after(self, done: SkillResult) -> Future[SkillResult]:
        def not_seen(error: WorldError) -> Future[Observation]:
            said = done.observation.text
            return ready(Observation(f'{said} What is there now is not known: {error}.'))

        self._seen = self._look(done)
        if self._seen is None:
            return ready(done)
        seen = otherwise(self._seen, WorldError, not_seen)
        return mapped(seen, lambda found: replace(done, observation=found))
