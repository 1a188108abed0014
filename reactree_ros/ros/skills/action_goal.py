# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One goal at an action server: the protocol, and what of it may still be moving."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from reactree_ros.ros.goals.sent_goal import GoalJournal, SentGoal

_ENDS = (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED)
_ANSWERED = CancelGoal.Response.ERROR_NONE
_NOT_RUNNING = (
    CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID,
    CancelGoal.Response.ERROR_GOAL_TERMINATED,
)


class ActionChannel:
    """The way to one action of one robot.

    Args:
        robot: namespace of the robot, within the planner's.
        journal: records every goal; None for none.
    """

    def __init__(
        self,
        client: ActionClient,
        robot: str,
        action: str,
        type_name: str,
        journal: GoalJournal | None = None,
    ) -> None:
        self._client = client
        self._robot, self._action, self._type = robot, action, type_name
        self._journal = journal

    def server_is_ready(self) -> bool:
        """Return whether the action server is there."""
        return bool(self._client.server_is_ready())

    def send(
        self, goal_id: str, phrase: str, message: Any, on_feedback: Callable[[Any], None]
    ) -> Future:
        """Write a goal into the journal, send it and return its response to be."""
        if self._journal is not None:
            self._journal.sending(SentGoal(self._robot, self._action, self._type, goal_id, phrase))
        return self._client.send_goal_async(message, on_feedback, goal_uuid=_uuid(goal_id))

    def handle(self, goal_id: str) -> ClientGoalHandle:
        """Return a handle of a goal, whether it was accepted or not."""
        return ClientGoalHandle(self._client, _uuid(goal_id), None)

    def over(self, goal_id: str) -> None:
        """Write into the journal that the robot is not executing a goal any more."""
        if self._journal is not None:
            self._journal.over(goal_id)

    def destroy(self) -> None:
        """Destroy the client."""
        self._client.destroy()


class ActionGoal:
    """One goal, from its sending until nothing of it can be moving any more.

    Its id is chosen here, so that it can be canceled before the server has answered. It is
    canceled exactly once, counted where it matters: by the cancel requests that a server gets
    for a goal that it knows.

    ===================================  ======================================================
    answer to the first cancel request   a second one is sent
    ===================================  ======================================================
    "unknown goal", the goal not yet     as soon as the goal is accepted: the first request was
    acknowledged when it was asked       there before the goal
    none, and the server was away        as soon as it is back: perhaps nobody received the first
    any other, or none                   never
    ===================================  ======================================================

    Answers count once: whatever comes a second time changes nothing but ``ended``.

    Args:
        channel: the way to the action.
        away_sec: a server that is away for so long has gone.
    """

    def __init__(
        self, channel: ActionChannel, phrase: str, away_sec: float, clock: Callable[[], float]
    ) -> None:
        self.id = uuid.uuid4().hex
        self.accepted: bool | None = None
        self.answer: Any = None
        """The first response with a result."""
        self.fault = ''
        """What the middleware said instead of an answer."""
        self.ended = False
        """Whether the server has said that the robot is not executing it: nothing is to stop."""
        self.gone = False
        """Whether the server has gone; it may come back."""
        self._channel = channel
        self._phrase = phrase
        self._away_sec = away_sec
        self._clock = clock
        self._handle: Any = None
        self._response: Future | None = None
        self._results: list[tuple[Future, bool]] = []
        self._cancel: Future | None = None
        self._cancel_code: int | None = None
        self._asked_unacknowledged = self._asked_again = False
        self._absent_since: float | None = None
        self._is_reported = self._attached = False

    @property
    def sent(self) -> bool:
        """Whether it was sent."""
        return self._response is not None or self._attached

    @property
    def settled(self) -> bool:
        """Whether the robot cannot be executing it any more, as far as can be known."""
        return self.ended or self.gone

    def send(self, message: Any, on_feedback: Callable[[Any], None]) -> None:
        """Send it; its server must be there."""
        self._handle = self._channel.handle(self.id)
        self._response = self._channel.send(self.id, self._phrase, message, on_feedback)

    def attach(self, goal_id: str) -> None:
        """Attach to a goal that another process has sent; its server should know this client."""
        self.id = goal_id
        self.accepted = self._attached = True
        self._handle = self._channel.handle(goal_id)
        if self._channel.server_is_ready():
            self._ask_result()
        else:
            self._absent_since = self._clock()  # it is asked when the server is there

    def stop(self) -> bool:
        """Have the robot stop, unless that was asked for before; return whether it is now."""
        if not self.sent or self.ended or self._cancel is not None:
            return False
        self._ask_to_stop()
        return True

    def look(self) -> None:
        """Take in what has come since the last look; never waits."""
        if not self.sent or self._is_reported:
            return
        self._look_at_server()
        self._take_response()
        self._take_cancel_answer()
        self._take_results()
        if self.ended:
            self._is_reported = True
            self._channel.over(self.id)

    def _ask_to_stop(self) -> None:
        self._asked_unacknowledged = self.accepted is None
        self._cancel, self._cancel_code = self._handle.cancel_goal_async(), None

    def _ask_result(self) -> None:
        self._results.append((self._handle.get_result_async(), self._cancel_code is not None))

    def _look_at_server(self) -> None:
        if self._channel.server_is_ready():
            if self._absent_since is not None:
                self._server_is_back()
            self._absent_since = None
            self.gone = False
            return
        now = self._clock()
        self._absent_since = now if self._absent_since is None else self._absent_since
        self.gone = now - self._absent_since >= self._away_sec

    def _server_is_back(self) -> None:
        # it may be another one, which knows nothing of the goal and says so
        if self.accepted:
            self._ask_result()
        if self._cancel is not None and self._cancel_code is None:
            self._asked_again = True
            self._ask_to_stop()

    def _take_response(self) -> None:
        if self.accepted is not None or not _is_over(self._response):
            return
        handle, fault = _read(self._response)
        if handle is None:
            self.fault = self.fault or fault
            return
        self.accepted = bool(handle.accepted)
        self.ended = not self.accepted
        if self.accepted:
            self._ask_result()
            self._ask_again_if_accepted()

    def _take_cancel_answer(self) -> None:
        if self._cancel_code is not None or not _is_over(self._cancel):
            return
        answer, _ = _read(self._cancel)
        self._cancel_code = _ANSWERED if answer is None else answer.return_code
        unknown = self._cancel_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID
        if unknown and self.accepted is None and self._asked_again:
            self.ended = True  # a goal that was sent before the server went will not come any more
        elif unknown and (self.accepted is None or self._asked_unacknowledged):
            self._ask_again_if_accepted()
        elif self._cancel_code in _NOT_RUNNING or all(_is_over(one) for one, _ in self._results):
            # a server that has forgotten the goal says so; one that knows it answers at its end
            self._ask_result()

    def _ask_again_if_accepted(self) -> None:
        unknown = self._cancel_code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID
        if self.accepted and self._asked_unacknowledged and unknown:
            self._ask_to_stop()

    def _take_results(self) -> None:
        for future, after_cancel in tuple(self._results):
            if not _is_over(future):
                continue
            self._results.remove((future, after_cancel))
            response, fault = _read(future)
            if response is None:
                self.fault = self.fault or fault
                continue
            if self.answer is None:
                self.answer = response
            unknown = response.status == GoalStatus.STATUS_UNKNOWN
            sure = after_cancel or self._cancel_code in _NOT_RUNNING
            self.ended = self.ended or response.status in _ENDS or (unknown and sure)


def _is_over(future: Future | None) -> bool:
    return future is not None and (future.done() or future.cancelled())


def _read(future: Any) -> tuple[Any, str]:
    """Return what a future that is over holds; if nothing, None and why."""
    error = future.exception()
    if error is not None:
        return None, ' '.join(str(error).split()) or type(error).__name__
    value = future.result()
    return value, '' if value is not None else 'nothing came'


def _uuid(goal_id: str) -> UUID:
    return UUID(uuid=list(bytes.fromhex(goal_id)))
