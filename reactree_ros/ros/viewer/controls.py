# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer's way to the planner: goals, cancels and answers, without ever waiting."""

from __future__ import annotations

import re
import threading
import uuid
from typing import Any

from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.action import ExecuteGoal
from reactree_interfaces.msg import PauseState
from reactree_interfaces.srv import ConfirmGoal, ContinueRun, CorrectMemory, SetConditions
from reactree_ros.ros.conversions import GOAL_STATUSES, PAUSES, RELATIONS, goal_to_msg
from reactree_ros.ros.goals.client import (
    ACTION,
    CONDITIONS_SERVICE,
    CONFIRM_SERVICE,
    CONTINUE_SERVICE,
    MEMORY_SERVICE,
)
from reactree_ros.ros.goals.operator_server import OperatorServer
from reactree_ros.ros.goals.pause_server import PAUSE_SERVICE, PAUSE_TOPIC, STEP_SERVICE
from reactree_ros.ros.qos import LATEST
from reactree_ros.strategies.registry import strategy_names
from reactree_ros.viewer.controls import ControlState, ViewerControls

_ALL = 2**32 - 1
"""More decisions than a run can have."""


class PlannerControls(ViewerControls):
    """Carries out what a person does on the page.

    The planner's questions are answered here as long as a page is open, for the planner takes the
    service that answers them for a person who is there.
    """

    def __init__(self, node: Node) -> None:
        self._strategies = strategy_names()  # a search of all that is installed
        self._node = node
        self._planner = ActionClient(node, ExecuteGoal, ACTION)
        self._cancel = node.create_client(CancelGoal, f'{ACTION}/_action/cancel_goal')
        self._conditions = node.create_client(SetConditions, CONDITIONS_SERVICE)
        self._memory = node.create_client(CorrectMemory, MEMORY_SERVICE)
        self._continue = node.create_client(ContinueRun, CONTINUE_SERVICE)
        self._confirm = node.create_client(ConfirmGoal, CONFIRM_SERVICE)
        self._pause_client = node.create_client(SetBool, PAUSE_SERVICE)
        self._step_client = node.create_client(Trigger, STEP_SERVICE)
        self._pause_state = ''
        self._subscription = node.create_subscription(
            PauseState, PAUSE_TOPIC, self._on_pause, LATEST
        )
        self._operator: OperatorServer | None = None
        self._guard = threading.Lock()
        self._notice = ''
        self._notices = 0

    def state(self) -> ControlState:
        """Return what is to be shown."""
        operator = self._operator
        ready = self._planner.server_is_ready()
        question = operator.question if operator is not None and ready else None
        return ControlState(
            planner='ready' if ready else 'absent',
            pause_state=self._pause_state if ready else '',
            strategies=self._strategies,
            question=question.text if question is not None else '',
            question_id=question.id if question is not None else '',
            options=question.options if question is not None else (),
            notice=self._notice,
            notices=self._notices,
        )

    def watched(self, pages: int) -> None:
        """Answer questions as long as somebody looks."""
        with self._guard:
            if pages and self._operator is None:
                self._operator = OperatorServer(self._node.get_namespace())
            elif not pages and self._operator is not None:
                operator, self._operator = self._operator, None
                operator.close()

    def send(self, goal: str, strategy: str) -> None:
        """Send a goal; what the planner says of it comes as a notice."""
        sent = self._planner.send_goal_async(goal_to_msg(goal, strategy))
        sent.add_done_callback(self._on_answer)

    def cancel(self, run: str) -> None:
        """Cancel the goal of a run, whoever has sent it."""
        goal_id = self._goal_id(run)
        if goal_id is not None:
            request = CancelGoal.Request(goal_info=GoalInfo(goal_id=goal_id))
            self._cancel.call_async(request).add_done_callback(self._on_canceled)

    def correct(self, run: str, conditions: tuple[str, ...]) -> None:
        """Correct what must hold; how the planner has read it comes as a notice."""
        goal_id = self._goal_id(run)
        if goal_id is not None:
            request = SetConditions.Request(goal_id=goal_id, conditions=list(conditions))
            self._conditions.call_async(request).add_done_callback(self._on_said)

    def believe(self, run: str, name: str, relation: str, place: str) -> None:
        """Correct where a thing is; what the planner says comes as a notice."""
        goal_id = self._goal_id(run)
        if relation not in RELATIONS.words:
            self._notify(f'{relation!r} is not a relation')
        elif goal_id is not None:
            request = CorrectMemory.Request(
                goal_id=goal_id, name=name, relation=RELATIONS.number(relation), place=place
            )
            self._memory.call_async(request).add_done_callback(self._on_said)

    def decide(self, run: str, decision: int, others: bool, again: bool) -> None:
        """Continue a run where a person decides; a refusal comes as a notice."""
        if not self._continue.service_is_ready():
            self._notify('no planner is running that could continue the run')
            return
        goal_id = UUID(uuid=list(uuid.uuid4().bytes))
        request = ContinueRun.Request(
            run=run,
            decision=decision,
            by_person=_ALL if others else 1,
            again=again,
            goal_id=goal_id,
        )

        def send(asked: Any) -> None:
            answer = asked.result()
            self._notify(answer.message)
            if answer.accepted:
                goal = goal_to_msg(answer.goal, answer.strategy, conditions=list(answer.conditions))
                sent = self._planner.send_goal_async(goal, goal_uuid=goal_id)
                sent.add_done_callback(self._on_answer)

        self._continue.call_async(request).add_done_callback(send)

    def confirm(self, run: str, reached: bool) -> None:
        """Confirm or deny that a goal was reached; what the planner does comes as a notice."""
        goal_id = self._goal_id(run)
        if goal_id is not None:
            request = ConfirmGoal.Request(goal_id=goal_id, reached=reached)
            self._confirm.call_async(request).add_done_callback(self._on_said)

    def answer(self, question: str, text: str) -> None:
        """Answer a question, by its id; an empty text declines it."""
        operator = self._operator
        remark = operator.answer(question, text) if operator is not None else ''
        if remark:
            self._notify(remark)

    def pause(self, word: str) -> None:
        """Pause, resume or do one step."""
        if word == 'step':
            self._step_client.call_async(Trigger.Request())
        else:
            self._pause_client.call_async(SetBool.Request(data=word == 'pause'))

    def close(self) -> None:
        """Leave ROS 2."""
        self.watched(0)
        self._planner.destroy()
        clients = (self._cancel, self._conditions, self._confirm, self._memory, self._continue)
        for client in (*clients, self._pause_client, self._step_client):
            self._node.destroy_client(client)
        self._node.destroy_subscription(self._subscription)

    def _goal_id(self, run: str) -> UUID | None:
        # rclpy does not check the length, and a planner takes zeros for any goal
        if not re.fullmatch('[0-9a-f]{32}', run) or not int(run, 16):
            self._notify('that is not a run of a planner')
            return None
        return UUID(uuid=list(bytes.fromhex(run)))

    def _on_said(self, asked: Any) -> None:
        self._notify(asked.result().message)

    def _on_pause(self, message: PauseState) -> None:
        self._pause_state = PAUSES.word(message.state)

    def _on_answer(self, sent: Any) -> None:
        handle = sent.result()
        if handle is None or not handle.accepted:
            self._notify('the planner rejected the goal: another one is running, or it is leaving')
            return
        handle.get_result_async().add_done_callback(self._on_result)

    def _on_result(self, asked: Any) -> None:
        result = asked.result().result
        status = GOAL_STATUSES.word(result.status) or 'without a result'
        self._notify(result.message or f'the goal has ended: {status}')

    def _on_canceled(self, asked: Any) -> None:
        if asked.result().return_code != CancelGoal.Response.ERROR_NONE:
            self._notify('there is nothing to cancel: the goal has ended, or is ending')

    def _notify(self, text: str) -> None:
        self._notice = text
        self._notices += 1
