# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Brings robots to rest that an earlier planner's process left moving; nothing here waits.

What became of each is said once, within the time limits. A robot of which that is not good news is
watched beyond: it is asked to stop when its server is seen at last, and it may confirm late.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from reactree_ros.exceptions import ConfigurationError
from reactree_ros.ros.action_channel import ActionChannel
from reactree_ros.ros.action_goal import ActionGoal
from reactree_ros.ros.handshake import Handshake
from reactree_ros.ros.messages import interface
from reactree_ros.ros.sent_goal import GoalJournal, SentGoal
from reactree_ros.ros.skill_run import Clock, Timeouts


class Recovery:
    """Stops action goals that another process has sent, or sees them to their ends.

    Args:
        node: the node that the clients belong to.
        goals: what was sent and is not known to be over.
        journal: is told of each that is over.
        timeouts: how long the robots are waited for.
        stop: whether they are stopped; else they are waited for as long as they take.
        group: callback group of the clients and of the tick.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        node: Node,
        goals: Sequence[SentGoal],
        journal: GoalJournal,
        timeouts: Timeouts,
        stop: bool,
        group: CallbackGroup,
        clock: Clock = time.monotonic,
    ) -> None:
        self._ends = [_End(node, goal, journal, timeouts, stop, group, clock) for goal in goals]

    def look(self) -> bool:
        """Go on as far as possible; return whether there is a verdict on each."""
        for end in self._ends:
            end.look()
        return all(end.verdict for end in self._ends)

    @property
    def closed(self) -> bool:
        """Whether nothing can be heard of any of them any more."""
        return all(end.closed for end in self._ends)

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Phrases of those that robots may still be at although there is a verdict."""
        return tuple(end.phrase for end in self._ends if end.unsettled)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What became of each, a sentence each, as far as it is known."""
        return tuple(end.verdict for end in self._ends if end.verdict)

    def destroy(self) -> None:
        """Destroy the clients."""
        for end in self._ends:
            end.destroy()


class _End:
    """The end of one action goal."""

    def __init__(
        self,
        node: Node,
        goal: SentGoal,
        journal: GoalJournal,
        timeouts: Timeouts,
        stop: bool,
        group: CallbackGroup,
        clock: Clock,
    ) -> None:
        self.verdict = ''
        self._goal = goal
        self._journal = journal
        self._timeouts = timeouts
        self._stop = stop
        self._clock = clock
        self._since = clock()
        self._taken: ActionGoal | None = None
        self._client: ActionClient | None = None
        self._handshake: Handshake | None = None
        try:
            kind = interface(goal.type)
        except ConfigurationError as error:
            self.verdict = f'{self._name} cannot be asked after: {error}'
            return
        self._client = ActionClient(node, kind, goal.action, callback_group=group)
        self._handshake = Handshake(node, goal.action, clock)
        self._channel = ActionChannel(self._client, goal.robot, goal.action, goal.type, journal)

    @property
    def phrase(self) -> str:
        """What the robot was to do."""
        return self._goal.phrase

    @property
    def closed(self) -> bool:
        """Whether nothing can be heard of it any more."""
        return self._handshake is None or (self._taken is not None and self._taken.ended)

    @property
    def unsettled(self) -> bool:
        """Whether there is a verdict, but the robot may still be at it."""
        return bool(self.verdict) and self._taken is not None and not self._taken.settled

    @property
    def _name(self) -> str:
        return f'"{self._goal.phrase}" ({self._goal.action})'

    def look(self) -> None:
        """Go on as far as possible."""
        if self._handshake is None:
            return
        if self._taken is None:
            self._find_server(self._handshake)
            return
        self._taken.look()
        limit = self._timeouts.cancel_sec
        if self.verdict:
            return
        if self._taken.ended:
            self.verdict = f'{self._name} {self._end_word(self._taken)}'
        elif self._taken.gone:
            self.verdict = f'the action server of {self._name} has gone'
        elif self._stop and self._clock() - self._since >= limit:
            self.verdict = f'{self._name} did not confirm within {limit:g} s that it stopped'

    def destroy(self) -> None:
        """Destroy the clients."""
        if self._handshake is not None:
            self._handshake.destroy()
        if self._client is not None:
            self._client.destroy()

    def _find_server(self, handshake: Handshake) -> None:
        if handshake.done():
            self._taken = ActionGoal(
                self._channel, self._goal.phrase, self._timeouts.server_wait_sec, self._clock
            )
            self._taken.take_up(self._goal.goal_id)
            if self._stop:
                self._taken.stop()
            self._since = self._clock()
        elif not self.verdict and self._clock() - self._since >= self._timeouts.server_wait_sec:
            limit = self._timeouts.server_wait_sec
            self._journal.over(self._goal.goal_id)
            self.verdict = f'no action server of {self._name} was there for {limit:g} s'

    @staticmethod
    def _end_word(taken: ActionGoal) -> str:
        status = taken.answer.status if taken.answer is not None else GoalStatus.STATUS_UNKNOWN
        return _WORDS.get(status, 'is not known to its server any more')


_WORDS = {
    GoalStatus.STATUS_SUCCEEDED: 'had succeeded',
    GoalStatus.STATUS_CANCELED: 'was stopped',
    GoalStatus.STATUS_ABORTED: 'had been aborted',
}
