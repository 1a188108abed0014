# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How an action server behaves at each point of the protocol, and what it knows of each goal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal

Answer = CancelGoal.Response
LIES = {
    'unknown': Answer.ERROR_UNKNOWN_GOAL_ID,
    'rejects': Answer.ERROR_REJECTED,
    'terminated': Answer.ERROR_GOAL_TERMINATED,
}
"""What is said of a goal that goes on; ``deaf`` and ``silent`` go on too."""
STOPS_AFTER = ('right', 'late', 'too_late', 'twice', 'mute')
"""The robot stops; ``mute`` without an answer to the request."""
TOO_EARLY = {
    'unknown': GoalStatus.STATUS_UNKNOWN,
    'running': GoalStatus.STATUS_EXECUTING,
    'nonsense': 77,
}
"""Results of a goal that is still under way."""

POINTS: dict[str, tuple[str, ...]] = {
    'goal': (
        *('right', 'late', 'too_late', 'silent', 'twice', 'dead', 'reject', 'reject_and_move'),
        *('takes_back', 'contradicts', 'asleep', 'too_long_asleep', 'lost', 'idle'),
    ),
    'feedback': ('late', 'silent', 'twice', 'dead', 'malformed', 'foreign'),
    'status': ('late', 'silent', 'twice', 'dead', 'unknown', 'foreign'),
    'result': (
        *('late', 'too_late', 'silent', 'twice', 'dead', 'contradicts', 'unknown', 'running'),
        *('nonsense', 'other_outcome', 'outcome_unset', 'outcome_77', 'malformed'),
        *('aborts', 'cancels', 'succeeds_anyway'),
    ),
    'cancel': (
        *('right', 'late', 'too_late', 'silent', 'mute', 'twice', 'dead', 'deaf', 'unknown'),
        *('rejects', 'terminated'),
    ),
}
"""Every manner that a server may have, by the point of the protocol."""

BRISK_SEC = 0.1
"""How long the right thing takes."""


@dataclass(frozen=True)
class Manners:
    """How a server behaves with one goal: a word for each point of the protocol.

    ``right`` everywhere is a good server. ``dead`` at a point: it is gone as soon as it comes
    there. The other words are explained where they are acted upon.

    Args:
        goal: the response to the goal.
        feedback: it comes when the robot begins.
        status: the status topic.
        result: the result, when the robot ends by itself or because it was stopped.
        cancel: the response to a cancel request, and whether the robot stops.
        late_sec: how late is ``late``.
        too_late_sec: how late is ``too_late``; longer than the client's time limits.
        work_sec: how long the robot moves if nobody stops it.
    """

    goal: str = 'right'
    feedback: str = 'right'
    status: str = 'right'
    result: str = 'right'
    cancel: str = 'right'
    late_sec: float = 0.15
    too_late_sec: float = 0.9
    work_sec: float = BRISK_SEC

    @property
    def faulty(self) -> bool:
        """Whether something is not right."""
        return any(getattr(self, point) != 'right' for point in POINTS)


@dataclass
class Entry:
    """What the server knows of one goal id.

    Args:
        manners: how it behaves with it.
        received: how often the goal came.
        begun: how often the robot began to move for it.
        moving: whether it moves now.
        known: whether the server would say that it knows the goal.
        cancels: cancel requests for it while it was known.
        early_cancels: cancel requests for it before it was known.
        status: its status by the action protocol.
        waiting: headers of the requests for its result.
    """

    manners: Manners
    received: int = 0
    begun: int = 0
    moving: bool = False
    known: bool = False
    cancels: int = 0
    early_cancels: int = 0
    status: int = GoalStatus.STATUS_UNKNOWN
    waiting: list[Any] = field(default_factory=list)
