# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A skill as an action goal: one class owns send, accept, result, cancel and time-out."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.task import Future

from reactree_ros.core.observation import SkillStatus
from reactree_ros.ros.sent_skill import SentSkill


class ActionRun(SentSkill):
    """One skill on its way through an action server; its channel is an ``ActionClient``."""

    def _begin(self) -> None:
        self._server = f'the action server {self._skill.call.name}'
        self._response: Future | None = None
        self._handle: Any = None
        self._outcome: Future | None = None
        self._stopping = ''

    def _stop_wanted(self) -> None:
        if self._handle is not None and not self._stopping:
            self._stop('')

    def _advance(self) -> None:
        if self._response is None:
            self._send()
        elif self._handle is None:
            self._await_response()
        else:
            self._await_result()

    def _send(self) -> None:
        if self._cancel_wanted:
            self._end(SkillStatus.CANCELED, 'was canceled before it was sent')
        elif self._channel.server_is_ready():
            self._response = self._channel.send_goal_async(self._message, self._on_feedback)
            self._since = self._clock()
        elif self._passed(self._timeouts.server_wait_sec):
            limit = self._timeouts.server_wait_sec
            self._fail(f'no action server {self._skill.call.name} was there for {limit:g} s')

    def _on_feedback(self, message: Any) -> None:
        self.doing = self._answers.doing(message.feedback)

    def _await_response(self) -> None:
        assert self._response is not None
        if self._response.done():
            handle = self._response.result()
            if not handle.accepted:
                if self._cancel_wanted:
                    self._end(SkillStatus.CANCELED, 'was canceled; it had not been accepted')
                else:
                    self._fail(f'{self._server} rejected it')
                return
            self._handle = handle
            self._outcome = handle.get_result_async()
            self._since = self._server_seen = self._clock()
            if self._cancel_wanted:
                self._stop('')
        elif self._passed(self._timeouts.goal_response_sec):
            # an acceptance that comes yet must not leave the robot moving
            self._response.add_done_callback(_cancel_if_accepted)
            limit = self._timeouts.goal_response_sec
            if self._cancel_wanted:
                self._end(SkillStatus.CANCELED, f'was canceled; no answer for {limit:g} s')
            else:
                self._fail(f'{self._server} neither accepted nor rejected it for {limit:g} s')

    def _await_result(self) -> None:
        assert self._outcome is not None
        limit_sec = self._skill.call.limit_sec
        if self._outcome.done():
            self._answered(self._outcome.result())
        elif self._stopping or self._cancel_wanted:
            if self._passed(self._timeouts.cancel_sec):
                limit = self._timeouts.cancel_sec
                silent = f'the robot did not confirm within {limit:g} s that it stopped'
                if self._cancel_wanted:
                    self._end(SkillStatus.CANCELED, f'was canceled; {silent}')
                else:
                    self._fail(f'{self._stopping}; {silent}')
        elif self._passed(limit_sec):
            self._stop(f'there was no result for {limit_sec:g} s')
        elif self._channel.server_is_ready():
            self._server_seen = self._clock()
        elif self._clock() - self._server_seen >= self._timeouts.server_wait_sec:
            self._handle.cancel_goal_async()
            self._fail(f'{self._server} went away while it ran')

    def _stop(self, why: str) -> None:
        self._stopping = why
        self._since = self._clock()
        self._handle.cancel_goal_async()

    def _answered(self, response: Any) -> None:
        if response.status == GoalStatus.STATUS_CANCELED:
            if self._stopping:
                self._fail(f'{self._stopping}; the robot stopped')
            else:
                by = 'was canceled' if self._cancel_wanted else 'was canceled by the robot'
                self._end(SkillStatus.CANCELED, by)
        elif response.status == GoalStatus.STATUS_SUCCEEDED:
            self._result = self._answers.succeeded(response.result)
        elif response.status == GoalStatus.STATUS_ABORTED:
            self._result = self._answers.aborted(response.result)
        else:
            self._fail(f'{self._server} does not know the goal any more')


def _cancel_if_accepted(response: Future) -> None:
    handle = response.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()
