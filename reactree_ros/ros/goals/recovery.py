# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Stops robots that an earlier planner process left moving; nothing here waits.

There is a verdict on each within the time limits. A robot that did not confirm its stop is watched
beyond that: it is asked to stop when its server appears, and it may confirm late.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.goals.sent_goal import GoalJournal, SentGoal
from reactree_ros.ros.nodes.node_main import SEND_SEC
from reactree_ros.ros.skills.action_goal import ActionChannel, ActionGoal
from reactree_ros.ros.skills.asking import Handshake
from reactree_ros.ros.skills.messages import interface
from reactree_ros.ros.skills.run import Clock, Timeouts


class Recovery:
    """Stops action goals that another process has sent, or waits for their ends.

    Args:
        node: the node that the clients belong to.
        goals: what was sent and is not known to be over.
        journal: notes the end of each.
        timeouts: how long to wait for the robots.
        stop_after_sec: seconds that they may continue; 0 stops them at once.
        group: callback group of the clients and of the tick.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        node: Node,
        goals: Sequence[SentGoal],
        journal: GoalJournal,
        timeouts: Timeouts,
        stop_after_sec: float,
        group: CallbackGroup,
        clock: Clock = time.monotonic,
    ) -> None:
        self._ends = [
            _End(node, goal, journal, timeouts, stop_after_sec, group, clock) for goal in goals
        ]

    def look(self) -> bool:
        """Continue without waiting; return whether there is a verdict on each."""
        for end in self._ends:
            end.look()
        return self.known

    @property
    def known(self) -> bool:
        """Whether there is a verdict on each."""
        return all(end.verdict for end in self._ends)

    @property
    def closed(self) -> bool:
        """Whether none of them can change any more."""
        return all(end.closed for end in self._ends)

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Phrases of those that robots may still execute although there is a verdict."""
        return tuple(end.phrase for end in self._ends if end.unsettled)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The known verdicts, a sentence each."""
        return tuple(end.verdict for end in self._ends if end.verdict)

    def stop(self) -> None:
        """Stop all robots, also those that might have continued."""
        for end in self._ends:
            end.stop()

    def destroy(self) -> None:
        """Destroy the clients; before that, goals that were not asked to stop are.

        It waits until such requests are sent, and only then.
        """
        if any([end.leave() for end in self._ends]):
            time.sleep(SEND_SEC)
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
        stop_after_sec: float,
        group: CallbackGroup,
        clock: Clock,
    ) -> None:
        self.verdict = ''
        self._goal = goal
        self._journal = journal
        self._timeouts = timeouts
        self._stop_after_sec = stop_after_sec
        self._clock = clock
        self._since = self._seen_since = clock()
        self._stopping = False
        self._taken: ActionGoal | None = None
        self._client: ActionClient | None = None
        self._handshake: Handshake | None = None
        try:
            kind = interface(goal.type)
        except ConfigurationError as error:
            self.verdict = f'{self._name} cannot be queried: {error}'
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
        """Whether it cannot change any more."""
        return self._handshake is None or (self._taken is not None and self._taken.ended)

    @property
    def unsettled(self) -> bool:
        """Whether there is a verdict, but the robot may still execute it."""
        return bool(self.verdict) and self._taken is not None and not self._taken.settled

    @property
    def _name(self) -> str:
        return f'"{self._goal.phrase}" ({self._goal.action})'

    def look(self) -> None:
        """Continue without waiting."""
        if self._handshake is None:
            return
        if self._taken is None:
            self._find_server(self._handshake)
            return
        self._taken.look()
        if self.verdict:
            return
        passed, limit = self._clock() - self._since, self._timeouts.cancel_sec
        if self._taken.ended:
            self.verdict = f'{self._name} {self._end_word(self._taken)}'
        elif self._taken.gone:
            self.verdict = f'the action server of {self._name} is no longer available'
        elif not self._stopping:
            if passed >= self._stop_after_sec:
                self.stop()
        elif passed >= limit:
            self.verdict = f'{self._name} did not confirm within {limit:g} s that it stopped'

    def stop(self) -> None:
        """Stop the robot, as soon as it can be asked to."""
        self._stop_after_sec = 0.0
        if self._taken is not None and not self._stopping:
            self._stopping = True
            self._taken.stop()
            self._since = self._clock()

    def leave(self) -> bool:
        """Ask the robot to stop if it was not asked before; return whether that was sent."""
        if self._client is None or self._stopping or self.closed:
            return False
        if not self._client.server_is_ready():
            return False
        if self._taken is None:
            self._take()
        self.stop()
        return True

    def destroy(self) -> None:
        """Destroy the clients."""
        if self._handshake is not None:
            self._handshake.destroy()
        if self._client is not None:
            self._client.destroy()
        self._handshake = self._client = None

    def _find_server(self, handshake: Handshake) -> None:
        assert self._client is not None
        now, limit = self._clock(), self._timeouts.server_wait_sec
        is_there = self._client.server_is_ready()
        self._seen_since = self._seen_since if is_there else now
        # one that does not answer the handshake may still receive a request to stop
        if handshake.done() or (is_there and now - self._seen_since >= limit):
            self._take()
            if not self._stop_after_sec:
                self.stop()
        elif not self.verdict and not is_there and now - self._since >= limit:
            self.verdict = f'no action server of {self._name} was there for {limit:g} s'

    def _take(self) -> None:
        self._taken = ActionGoal(
            self._channel, self._goal.phrase, self._timeouts.server_wait_sec, self._clock
        )
        self._taken.attach(self._goal.goal_id)
        self._since = self._clock()

    @staticmethod
    def _end_word(taken: ActionGoal) -> str:
        status = taken.answer.status if taken.answer is not None else GoalStatus.STATUS_UNKNOWN
        return _WORDS.get(status, 'is no longer known to its server')


_WORDS = {
    GoalStatus.STATUS_SUCCEEDED: 'had succeeded',
    GoalStatus.STATUS_CANCELED: 'was stopped',
    GoalStatus.STATUS_ABORTED: 'had been aborted',
}
