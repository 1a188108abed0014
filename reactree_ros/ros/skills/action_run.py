# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A skill as an action goal: its time limits, and what its answers mean."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus

from reactree_ros.core.observation import SkillStatus
from reactree_ros.ros.skills.action_goal import ActionGoal
from reactree_ros.ros.skills.run import READING_FAULTS, CalledSkill


class ActionRun(CalledSkill):
    """One skill on its way through an action server; its channel is an ``ActionChannel``.

    Whatever its result is: as long as the server has not said that the robot is not executing it,
    it has been asked, once, to stop it (see ``ActionGoal``).
    """

    absent = 'no action server {} was there'

    def _prepare(self) -> None:
        self._server = f'the action server {self._skill.call.name}'
        self._goal = ActionGoal(
            self._channel, self._skill.phrase, self._timeouts.server_wait_sec, self._clock
        )
        if self._attach_to:
            self._goal.attach(self._attach_to)
            self._sent = True
        self._acknowledged = False
        self._stopping = ''

    @property
    def goal_id(self) -> str:
        """Id of its goal, 32 hexadecimal digits; it is known before the goal is sent."""
        return self._goal.id

    def leave(self) -> bool:
        """Have the robot stop: nobody polls any more."""
        self._left = True
        if self._result is None:
            self._fail('the planner left while it ran; the robot was asked to stop')
        return self._goal.stop()

    def _is_server_ready(self) -> bool:
        return bool(self._channel.server_is_ready())

    def _send(self) -> None:
        self._goal.send(self._message, self._on_feedback)

    def _watch(self) -> None:
        self._goal.look()

    def _is_answered(self) -> bool:
        return self._goal.ended

    def _is_at_rest(self) -> bool:
        return self._goal.settled

    def _stop(self) -> None:
        if self._goal.stop():
            self._since = self._clock() if self._acknowledged else self._since

    def _look(self) -> None:
        self._goal.look()
        if self._goal.answer is not None:
            self._answered(self._goal.answer)
        elif self._goal.fault:
            self._fail(f'{self._server} gave no answer: {self._goal.fault}')
        elif self._goal.accepted:
            self._await_result()
        else:
            self._await_response()
        if self._result is not None:
            self._goal.stop()

    def _on_feedback(self, message: Any) -> None:
        if self._result is not None:
            return
        try:
            self.doing = self._answers.doing(message.feedback)
        except READING_FAULTS:
            self.doing = ''  # it is for people to read; the skill does not depend on it

    def _await_response(self) -> None:
        limit = self._timeouts.goal_response_sec
        if self._goal.accepted is False:
            if self._cancel_wanted:
                self._end(SkillStatus.CANCELED, 'was canceled; it had not been accepted')
            else:
                self._fail(f'{self._server} rejected it')
        elif self._passed(limit):
            if self._cancel_wanted:
                self._end(SkillStatus.CANCELED, f'was canceled; no answer for {limit:g} s')
            else:
                self._fail(f'{self._server} neither accepted nor rejected it for {limit:g} s')

    def _await_result(self) -> None:
        if not self._acknowledged:
            self._acknowledged = True
            self._since = self._clock()
        limit_sec = self._skill.call.limit_sec
        if self._stopping or self._cancel_wanted:
            if self._passed(self._timeouts.cancel_sec):
                limit = self._timeouts.cancel_sec
                silent = f'the robot did not confirm within {limit:g} s that it stopped'
                if self._cancel_wanted:
                    self._end(SkillStatus.CANCELED, f'was canceled; {silent}')
                else:
                    self._fail(f'{self._stopping}; {silent}')
        elif self._passed(limit_sec):
            self._stopping = f'there was no result for {limit_sec:g} s'
            self._since = self._clock()
            self._goal.stop()
        elif self._goal.gone:
            self._fail(f'{self._server} went away while it ran', gone=True)

    def _answered(self, response: Any) -> None:
        if response.status == GoalStatus.STATUS_CANCELED:
            if self._stopping:
                self._fail(f'{self._stopping}; the robot stopped')
            else:
                by = 'was canceled' if self._cancel_wanted else 'was canceled by the robot'
                self._end(SkillStatus.CANCELED, by)
        elif response.status == GoalStatus.STATUS_SUCCEEDED:
            self._read(self._answers.succeeded, response.result)
        elif response.status == GoalStatus.STATUS_ABORTED:
            self._read(self._answers.aborted, response.result)
        elif response.status == GoalStatus.STATUS_UNKNOWN:
            self._fail(f'{self._server} does not know the goal any more')
        else:
            self._fail(
                f'{self._server} gave a result with the status {response.status}, '
                'which is not an end'
            )
