# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An action server that is late, silent, twice, dead or wrong at any point of the protocol."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatus, GoalStatusArray
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default

from reactree_interfaces.action import ExecuteSkill
from reactree_interfaces.msg import ObservedObject

from .manners import LIES, STOPS_AFTER, TOO_EARLY, Answer, Entry, Manners

Reply = Callable[[Any], None]


class FaultyServer:
    """Serves ``ExecuteSkill`` by its services and topics, and keeps a ledger of every goal.

    Nothing that takes time happens between two calls of ``step``.

    Args:
        node: the node that it belongs to.
        name: name of the action.
        manners: says how it behaves with the next goal.
        clock: monotonic time in seconds.
    """

    def __init__(
        self, node: Node, name: str, manners: Callable[[], Manners], clock: Callable[[], float]
    ) -> None:
        self.ledger: dict[str, Entry] = {}
        self.deaths = 0
        self.alive = False
        self.name = name
        self._node, self._manners, self._clock = node, manners, clock
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._count = itertools.count()
        self._endpoints: list[Callable[[], Any]] = []
        self.live()

    def live(self) -> None:
        """Be there; a server that was dead knows nothing of its goals any more."""
        impl, name = ExecuteSkill.Impl, f'{self.name}/_action'
        self._serve(impl.SendGoalService, f'{name}/send_goal', self._on_goal)
        self._serve(impl.CancelGoalService, f'{name}/cancel_goal', self._on_cancel)
        self._serve(impl.GetResultService, f'{name}/get_result', self._on_result)
        self._feedback = self._node.create_publisher(impl.FeedbackMessage, f'{name}/feedback', 10)
        self._status = self._node.create_publisher(
            GoalStatusArray, f'{name}/status', qos_profile_action_status_default
        )
        for publisher in (self._feedback, self._status):
            self._endpoints.append(partial(self._node.destroy_publisher, publisher))
        self.alive = True

    @property
    def quiet_for(self) -> float:
        """Seconds until something is due; without end if nothing is."""
        return self._due[0][0] - self._clock() if self._due else math.inf

    def die(self) -> None:
        """Be gone without a word; the robot stands still, for nothing drives it."""
        if not self.alive:
            return
        self.hide()
        self.deaths += 1
        self._due = []
        for entry in self.ledger.values():
            entry.moving = entry.known = False

    def hide(self) -> None:
        """Be cut off: nobody sees it, and it goes on; ``live`` ends that."""
        self.alive = False
        for destroy in self._endpoints:
            destroy()
        self._endpoints = []
        for entry in self.ledger.values():
            entry.waiting.clear()

    def step(self) -> None:
        """Do what is due."""
        while self._due and self._due[0][0] <= self._clock():
            heapq.heappop(self._due)[2]()

    def _serve(self, kind: Any, name: str, callback: Callable[[Any, Any, Reply], None]) -> None:
        """Offer a service whose callback replies when, and as often as, it wants."""
        service = self._node.create_service(
            kind, name, lambda request, response: (request, response)
        )
        send = service.send_response

        def taken(pair: tuple[Any, Any], header: Any) -> None:
            callback(*pair, partial(send, header=header))

        service.send_response = taken
        self._endpoints.append(partial(self._node.destroy_service, service))

    def _after(self, seconds: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._due, (self._clock() + seconds, next(self._count), act))

    def _say(self, manner: str, manners: Manners, say: Callable[[], None]) -> None:
        """Say something in a manner that every point has."""
        if manner == 'dead':
            self.die()
        elif manner == 'late':
            self._after(manners.late_sec, say)
        elif manner == 'too_late':
            self._after(manners.too_late_sec, say)
        elif manner == 'twice':
            say()
            say()
        elif manner not in ('silent', 'mute'):
            say()

    def _on_goal(self, request: Any, response: Any, reply: Reply) -> None:
        goal_id = _hex(request.goal_id)
        entry = self.ledger.setdefault(goal_id, Entry(self._manners()))
        entry.received += 1
        manners = entry.manners
        manner = manners.goal

        def answer(accepted: bool) -> None:
            response.accepted = accepted
            reply(response)

        def take() -> None:
            answer(True)
            self._begin(goal_id, entry)

        if manner in ('asleep', 'too_long_asleep'):  # it takes note of the goal late
            late = manners.late_sec if manner == 'asleep' else manners.too_late_sec
            self._after(late, take)
        elif manner == 'reject':
            answer(False)
        elif manner == 'takes_back':  # first no, then yes, and nothing moves
            answer(False)
            answer(True)
        elif manner == 'contradicts':  # first yes, then no, and it moves
            take()
            answer(False)
        elif manner not in ('lost', 'dead'):
            if manner != 'idle':  # that one accepts and never begins
                self._begin(goal_id, entry)
            entry.known = True
            accepted = manner != 'reject_and_move'
            self._say(manner, manners, lambda: answer(accepted))
        elif manner == 'dead':
            self.die()

    def _begin(self, goal_id: str, entry: Entry) -> None:
        manners = entry.manners
        entry.known = entry.moving = True
        entry.begun += 1
        self._set_status(goal_id, entry, GoalStatus.STATUS_EXECUTING)
        text = 'on its way'
        about = goal_id
        if manners.feedback == 'malformed':
            text = '\x1b[31m\x00\ud7ff\n' * 3000
        elif manners.feedback == 'foreign':
            about = 'ab' * 16
        self._after(0.0, lambda: self._feed(about, text, manners))
        self._after(manners.work_sec, lambda: self._finish(goal_id, entry))

    def _feed(self, goal_id: str, text: str, manners: Manners) -> None:
        def publish() -> None:
            message = ExecuteSkill.Impl.FeedbackMessage()
            message.goal_id.uuid = list(bytes.fromhex(goal_id))
            message.feedback.text = text
            self._feedback.publish(message)

        self._say(manners.feedback, manners, publish)

    def _set_status(self, goal_id: str, entry: Entry, status: int) -> None:
        entry.status = status
        manners = entry.manners
        shown = 77 if manners.status == 'unknown' else status
        about = 'cd' * 16 if manners.status == 'foreign' else goal_id

        def publish() -> None:
            message = GoalStatusArray(status_list=[GoalStatus(status=shown)])
            message.status_list[0].goal_info.goal_id.uuid = list(bytes.fromhex(about))
            self._status.publish(message)

        self._after(0.0, lambda: self._say(manners.status, manners, publish))

    def _finish(self, goal_id: str, entry: Entry, status: int = 0) -> None:
        """The robot ends, by itself or because it was stopped."""
        if not entry.known or entry.status > GoalStatus.STATUS_CANCELING:
            return
        entry.moving = False
        by_itself = {'aborts': GoalStatus.STATUS_ABORTED, 'cancels': GoalStatus.STATUS_CANCELED}
        if not status:
            status = by_itself.get(entry.manners.result, GoalStatus.STATUS_SUCCEEDED)
        elif entry.manners.result == 'succeeds_anyway':
            status = GoalStatus.STATUS_SUCCEEDED
        elif entry.manners.result == 'aborts':
            status = GoalStatus.STATUS_ABORTED
        self._set_status(goal_id, entry, status)
        for reply in entry.waiting:
            self._give_result(entry, reply)
        entry.waiting.clear()

    def _on_result(self, request: Any, response: Any, reply: Reply) -> None:
        del response  # every reply is a message of its own
        entry = self.ledger.get(_hex(request.goal_id))
        if entry is None or not entry.known:
            reply(_result(GoalStatus.STATUS_UNKNOWN, ''))
        elif entry.status > GoalStatus.STATUS_CANCELING:
            self._give_result(entry, reply)
        elif entry.manners.result in TOO_EARLY:
            reply(_result(TOO_EARLY[entry.manners.result], 'not true'))
        else:
            entry.waiting.append(reply)

    def _give_result(self, entry: Entry, reply: Reply) -> None:
        manners = entry.manners
        result = _result(entry.status, 'told')
        if manners.result == 'other_outcome':
            result.result.outcome = ExecuteSkill.Result.FAILED
        elif manners.result == 'outcome_unset':
            result.result.outcome = ExecuteSkill.Result.UNSET
        elif manners.result == 'outcome_77':
            result.result.outcome = 77
        elif manners.result == 'malformed':
            result.result.observation.text = '\x1b[31m\x00\n' * 3000
            result.result.observation.objects = [ObservedObject(class_name='\x07' * 9000)]
        self._say(manners.result, manners, lambda: reply(result))
        if manners.result == 'contradicts':
            reply(_result(GoalStatus.STATUS_ABORTED, 'no, it did not'))

    def _on_cancel(self, request: Any, response: Any, reply: Reply) -> None:
        goal_id = _hex(request.goal_info.goal_id)
        entry = self.ledger.get(goal_id)
        if entry is None or not entry.known:
            if entry is not None:
                entry.early_cancels += 1
            response.return_code = Answer.ERROR_UNKNOWN_GOAL_ID
            reply(response)
            return
        entry.cancels += 1
        manners = entry.manners
        if entry.status > GoalStatus.STATUS_CANCELING:
            response.return_code = Answer.ERROR_GOAL_TERMINATED
            reply(response)
            return
        if manners.cancel in LIES:
            response.return_code = LIES[manners.cancel]
        else:
            response.goals_canceling = [request.goal_info]
            entry.status = GoalStatus.STATUS_CANCELING
        self._say(manners.cancel, manners, lambda: reply(response))
        if manners.cancel in STOPS_AFTER:
            late = {'late': manners.late_sec, 'too_late': manners.too_late_sec}
            canceled = partial(self._finish, goal_id, entry, GoalStatus.STATUS_CANCELED)
            self._after(late.get(manners.cancel, 0.0), canceled)


def _hex(goal_id: Any) -> str:
    return bytes(goal_id.uuid).hex()


def _result(status: int, text: str) -> Any:
    response = ExecuteSkill.Impl.GetResultService.Response()
    response.status = status
    response.result.observation.text = text
    done = status == GoalStatus.STATUS_SUCCEEDED
    outcomes = ExecuteSkill.Result
    response.result.outcome = outcomes.SUCCEEDED if done else outcomes.FAILED
    return response
