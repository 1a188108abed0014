# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A skill that is one message to the robot."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from reactree_ros.core.observation import SkillResult
from reactree_ros.errors import ReactreeError
from reactree_ros.ros.skills.answers import Answers
from reactree_ros.ros.skills.run import CalledSkill, Clock, Timeouts
from reactree_ros.skills.library import GroundedSkill

READING_FAULTS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    ReactreeError,
    TypeError,
    ValueError,
)
"""What is raised by reading a message that is not as its type says."""


class SentSkill(CalledSkill):
    """One skill on its way through one channel; it begins as soon as it is made.

    Args:
        channel: client of the action or service, or publisher of the topic.
        message: the goal, request or message.
        skill: the skill.
        answers: reads what comes back.
        timeouts: how long the robot is waited for.
        clock: monotonic time in seconds.
        take_up: id of an action goal that another process has sent; it is not sent again.
    """

    def __init__(
        self,
        channel: Any,
        message: Any,
        skill: GroundedSkill,
        answers: Answers,
        timeouts: Timeouts,
        clock: Clock = time.monotonic,
        take_up: str = '',
    ) -> None:
        super().__init__(skill, timeouts, clock)
        self._take_up = take_up
        self._channel = channel
        self._message = message
        self._answers = answers
        self._server_seen = clock()
        self._begin()
        self._advance()

    def _begin(self) -> None:
        """Set what the subclass keeps."""

    def _read(self, read: Callable[[Any], SkillResult], answer: Any) -> None:
        """Take the robot's answer as the result; one that cannot be read is a failure."""
        try:
            self._result = read(answer)
        except READING_FAULTS as error:
            self._fail(f'its answer cannot be read: {" ".join(str(error).split())}')
