# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A client of the planner and of the bridge's goal check, for programs and the command line."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import rclpy
from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from rcl_interfaces.srv import GetParameters
from rclpy.action import ActionClient, get_action_server_names_and_types_by_node
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.exceptions import NameValidationException
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node, NodeNameNonExistentError
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import SetBool, Trigger
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.action import ExecuteGoal
from reactree_interfaces.srv import CheckGoal, ConfirmGoal
from reactree_ros import plugins
from reactree_ros.core.events import Event
from reactree_ros.core.outcome import ConditionState, Costs, NodeCosts
from reactree_ros.errors import ConfigurationError, GoalError
from reactree_ros.ros.conversions import (
    GOAL_STATUSES,
    REASONS,
    conditions_from_msg,
    costs_from_msg,
    feedback_from_msg,
    goal_to_msg,
    node_costs_from_msg,
)
from reactree_ros.ros.goals.operator_server import OperatorServer
from reactree_ros.ros.goals.pause_server import PAUSE_SERVICE, STOP_SERVICE
from reactree_ros.ros.qos import GOAL_FEEDBACK
from reactree_ros.ros.skills.asking import AskedService, Handshake

ACTION = 'reactree/execute_goal'
CONFIRM_SERVICE = 'reactree/confirm_goal'
CONDITIONS_SERVICE = 'reactree/set_conditions'
CONTINUE_SERVICE = 'reactree/continue_run'
MEMORY_SERVICE = 'reactree/correct_memory'
PLANNER_NODE = 'reactree_planner'
_SERVICES: tuple[tuple[Any, str], ...] = (
    (ConfirmGoal, CONFIRM_SERVICE),
    (CancelGoal, f'{ACTION}/_action/cancel_goal'),
    (SetBool, PAUSE_SERVICE),
    (Trigger, STOP_SERVICE),
    (GetParameters, f'{PLANNER_NODE}/get_parameters'),
)
_STEP_SEC = 0.05
_ANSWER_SEC = 10.0
_REPLY_SEC = 5.0
_GONE_SEC = 5.0
_LAST_WORD_SEC = 2.0
_ENDED = (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED)


@dataclass(frozen=True)
class GoalResult:
    """How a goal ended, as the planner reports it.

    Args:
        status: ``succeeded``, ``failed`` or ``canceled``.
        reason: why it ended; empty after success.
        message: one sentence for a person.
        tree: the final tree as text.
        costs: what it cost.
        nodes: what each agent node cost, each before the nodes below it.
        goal_id: the goal's id, 16 bytes.
        conditions: what had to hold in the end, and whether it does, as far as the robot knows.
        unconfirmed: it succeeded, but not all conditions hold, or they are not known.
        answer: to a goal that was a question; empty for none.
    """

    status: str
    reason: str
    message: str
    tree: str
    costs: Costs
    nodes: tuple[NodeCosts, ...]
    goal_id: bytes = b''
    conditions: tuple[ConditionState, ...] = ()
    unconfirmed: bool = False
    answer: str = ''

    @classmethod
    def from_msg(cls, msg: ExecuteGoal.Result, goal_id: bytes = b'') -> GoalResult:
        """Return what the result of the action says."""
        return cls(
            status=GOAL_STATUSES.word(msg.status),
            reason=REASONS.word(msg.reason),
            message=msg.message,
            tree=msg.tree,
            costs=costs_from_msg(msg.costs),
            nodes=tuple(map(node_costs_from_msg, msg.nodes)),
            goal_id=goal_id,
            conditions=conditions_from_msg(msg.conditions),
            unconfirmed=msg.unconfirmed,
            answer=msg.answer,
        )


class PlannerClient:
    """Sends goals to the planner over ROS 2; a context manager. Its calls wait for the answer.

    Without ``node`` it initializes rclpy and has a node of its own while it is open, for programs
    that do not use rclpy themselves. It leaves signals alone: a caller's ``interrupted`` says when
    to cancel.

    With ``node`` it works inside a program that runs rclpy, and neither initializes nor shuts it
    down. If an executor spins the node, call from another thread than the one that spins, or from
    a callback in a callback group of its own under a ``MultiThreadedExecutor``; if none does, the
    calls spin the node themselves.

    Args:
        answers: serve the planner's questions, too; ``operator`` has them.
        namespace: of the planner; empty for that of the node, or none.
        node: a node of the caller's; None makes one.
    """

    def __init__(
        self, answers: bool = False, namespace: str = '', node: Node | None = None
    ) -> None:
        self._answers = answers
        self._namespace = namespace
        self._given = node
        self.operator: OperatorServer | None = None

    def __enter__(self) -> PlannerClient:
        """Join ROS 2, or make what the given node needs."""
        if self._given is None:
            rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
            try:
                self._node = Node(
                    f'reactree_client_{os.getpid()}',
                    namespace=self._namespace,
                    start_parameter_services=False,
                    parameter_overrides=[Parameter('start_type_description_service', value=False)],
                )
            except NameValidationException as error:
                rclpy.try_shutdown()
                raise ConfigurationError(f'the namespace {self._namespace!r}: {error}') from error
        else:
            self._node = self._given
        self._executor = SingleThreadedExecutor(context=self._node.context)
        if self._answers:
            # Before the handshake, so that the planner knows it when a goal begins.
            self.operator = OperatorServer(self._namespace or self._node.get_namespace())
        group = ReentrantCallbackGroup()
        self._planner = ActionClient(
            self._node,
            ExecuteGoal,
            self._name(ACTION),
            callback_group=group,
            feedback_sub_qos_profile=GOAL_FEEDBACK,
        )
        self._handshake = Handshake(self._node, self._name(ACTION), group=group)
        self._checks = [
            self._node.create_client(CheckGoal, self._name(name), callback_group=group)
            for name in _check_services()
        ]
        self._confirm, self._cancel, self._pause, self._stop, self._parameters = self._others = [
            self._node.create_client(kind, self._name(name), callback_group=group)
            for kind, name in _SERVICES
        ]
        return self

    def __exit__(self, *_: object) -> None:
        """Leave ROS 2; of a given node, destroy what was made for the client."""
        if self.operator is not None:
            self.operator.close()
        self._planner.destroy()
        if self._given is None:
            self._executor.shutdown()
            self._node.destroy_node()
            rclpy.try_shutdown()
            return
        if self._node.executor is self._executor:
            self._node.executor = None
        self._executor.shutdown()
        self._handshake.destroy()
        for client in (*self._checks, *self._others):
            self._node.destroy_client(client)

    def _name(self, name: str) -> str:
        """Return the name of a service of the planner, as the node has to use it."""
        space = self._namespace.strip('/')
        return f'/{space}/{name}' if space and self._given is not None else name

    def _wait(self) -> None:
        """Let callbacks run for a moment: here, unless another executor spins the node."""
        if self._node.executor is None:
            self._executor.add_node(self._node)
        if self._node.executor is self._executor:
            self._executor.spin_once(timeout_sec=_STEP_SEC)
        else:
            time.sleep(_STEP_SEC)

    @property
    def node(self) -> Node:
        """The client's node."""
        return self._node

    def wait_for_planner(
        self, seconds: float, go_on: Callable[[], bool] = lambda: True, bridge: bool = False
    ) -> bool:
        """Wait until the planner takes goals.

        Args:
            seconds: how long to wait at most.
            go_on: asked again and again; waiting ends when it says no.
            bridge: wait for the bridge of the simulated world too.

        Returns:
            Whether it is there.
        """
        end = time.monotonic() + seconds
        while not self._there(bridge):
            if time.monotonic() > end or not go_on():
                return False
            self._wait()
        return True

    def namespaces(self) -> tuple[str, ...]:
        """Return the namespaces in which planners are known, such as ``/`` and ``/robot1``."""
        found = set()
        for name, namespace in self._node.get_node_names_and_namespaces():
            try:
                served = get_action_server_names_and_types_by_node(self._node, name, namespace)
            except NodeNameNonExistentError:
                continue  # it has just gone
            found |= {
                action.removesuffix(ACTION) for action, _ in served if action.endswith(ACTION)
            }
        return tuple(sorted(found))

    def wait_for_bridge_end(self, seconds: float) -> bool:
        """Wait until no simulated world is known any more, so that a new one is not mistaken.

        Args:
            seconds: how long to wait at most.

        Returns:
            Whether none is there.
        """
        end = time.monotonic() + seconds
        while self._check.service_is_ready():
            if time.monotonic() > end:
                return False
            self._wait()
        return True

    def run_goal(
        self,
        goal: ExecuteGoal.Goal | str,
        listen: Callable[[Event, str], None] = lambda event, tree: None,
        interrupted: Callable[[], bool] = lambda: False,
        cancel_sec: float = 10.0,
        accepted: Callable[[bytes], None] = lambda goal_id: None,
    ) -> GoalResult:
        """Send a goal and wait for its end.

        Args:
            goal: the goal, from ``conversions.goal_to_msg``, or its text.
            listen: called with every event and the tree as text, which is empty if it is
                unchanged; on the thread that spins the node.
            interrupted: asked again and again; the goal is canceled when it says yes.
            cancel_sec: seconds to wait for the end of a canceled goal.
            accepted: called with the goal's id, 16 bytes, once the planner has accepted it.

        Raises:
            GoalError: the planner rejected the goal, does not answer, went away, or did not
                confirm the cancel.
            BaseException: what a callback raised; the goal is canceled then.
        """
        received: set[str] = set()
        listening = True

        def on_feedback(message: Any) -> None:
            event = feedback_from_msg(message.feedback)
            received.add(event.kind)
            if listening:
                listen(event, message.feedback.tree)

        message = goal_to_msg(goal) if isinstance(goal, str) else goal
        goal_id = os.urandom(16)
        sent = self._planner.send_goal_async(
            message, on_feedback, goal_uuid=UUID(uuid=list(goal_id))
        )
        try:
            return self._follow(goal_id, sent, received, interrupted, cancel_sec, accepted)
        except GoalError:
            raise
        except BaseException:  # a callback's, such as a closed pipe: nobody watches the robot
            listening = False
            self.cancel_goal(goal_id)
            raise

    def _follow(
        self,
        goal_id: bytes,
        sent: Any,
        received: set[str],
        interrupted: Callable[[], bool],
        cancel_sec: float,
        accepted: Callable[[bytes], None],
    ) -> GoalResult:
        """Wait for the end of a goal that was sent; ``received`` has the kinds of its events."""
        sent_at = time.monotonic()
        canceling: float | None = None
        handle: Any = None
        answer: Any = None
        over: float | None = None
        was_gone = False
        seen = time.monotonic()
        while answer is None or not answer.done():
            self._wait()
            if handle is None and sent.done():
                handle = sent.result()
                if not handle.accepted:
                    raise GoalError(
                        'the planner rejected the goal: its queue is full, another goal is '
                        'running, or it is not active; its log says which'
                    )
                accepted(bytes(handle.goal_id.uuid))
            now = time.monotonic()
            here = self._planner.server_is_ready()
            if handle is not None and answer is None:
                if over is None and handle.status in _ENDED:
                    over = now
                late = over is not None and (not received or now - over > _LAST_WORD_SEC)
                # Asked for as late as possible: rclpy drops feedback that comes after the result.
                if 'ended' in received or late or (here and was_gone):
                    answer = handle.get_result_async()
            was_gone = was_gone or (handle is not None and not here)
            if handle is None and now - sent_at > _ANSWER_SEC:
                self.cancel_goal(goal_id)  # the planner may still accept it
                raise GoalError(f'the planner did not answer within {_ANSWER_SEC:g} s')
            if canceling is None and interrupted() and handle is not None:
                canceling = now
                handle.cancel_goal_async()
            seen = now if here else seen
            if now - seen > _GONE_SEC:
                raise GoalError('the planner went away')
            if canceling is not None and now - canceling > cancel_sec:
                raise GoalError(f'the planner did not confirm the cancel for {cancel_sec:g} s')
        return _result(answer.result(), bytes(handle.goal_id.uuid))

    def check_goal(self, conditions: list[str]) -> CheckGoal.Response | None:
        """Ask the world whether goal conditions hold.

        Args:
            conditions: in the world's own notation, or the instruction of its task;
                empty for those of the bridge's task.

        Returns:
            The reply; None if there is no such world.
        """
        return self._ask(self._check, CheckGoal.Request(conditions=conditions))

    def confirm_goal(self, goal_id: bytes, reached: bool) -> tuple[bool, str] | None:
        """Confirm that a goal was reached, or deny it, for a person who checked.

        Args:
            goal_id: the goal's id, 16 bytes.
            reached: whether it was reached.

        Returns:
            Whether the planner acts on it, and one sentence about that; None if it does not
            answer.
        """
        request = ConfirmGoal.Request(goal_id=UUID(uuid=list(goal_id)), reached=reached)
        reply = self._ask(self._confirm, request)
        return None if reply is None else (reply.accepted, reply.message)

    def cancel_goal(self, goal_id: bytes) -> bool | None:
        """Cancel a goal, whoever has sent it.

        Args:
            goal_id: the goal's id, 16 bytes, not all 0.

        Returns:
            Whether there is such a goal to cancel; None if the planner does not answer.
        """
        if not any(goal_id):
            raise ValueError('all 0 means every goal: see stop')
        request = CancelGoal.Request(goal_info=GoalInfo(goal_id=UUID(uuid=list(goal_id))))
        reply = self._ask(self._cancel, request)
        return None if reply is None else bool(reply.goals_canceling)

    def pause(self, paused: bool) -> str | None:
        """Pause the planner, or let it continue.

        Returns:
            What the planner says; None if it does not answer.
        """
        reply = self._ask(self._pause, SetBool.Request(data=paused))
        return None if reply is None else str(reply.message)

    def stop(self) -> str | None:
        """Cancel all goals, whoever has sent them.

        Returns:
            What the planner says; None if it does not answer.
        """
        reply = self._ask(self._stop, Trigger.Request())
        return None if reply is None else str(reply.message)

    def parameters(self, *names: str) -> list[Any] | None:
        """Return the values of parameters of the planner; None if it does not answer.

        The value of one that the planner does not have is None.
        """
        reply = self._ask(self._parameters, GetParameters.Request(names=list(names)))
        return reply and [parameter_value_to_python(one) for one in reply.values]

    def _ask(self, service: Any, request: Any) -> Any:
        """Return the answer of a service; None if there is none in time."""
        asked = AskedService(service, request, math.inf, math.inf)
        end = time.monotonic() + _REPLY_SEC
        while (answer := asked.poll()) is None and time.monotonic() <= end:
            self._wait()
        asked.cancel()
        return answer

    def _there(self, bridge: bool) -> bool:
        return (
            self._planner.server_is_ready()
            and self._handshake.done()
            and (not bridge or self._check.service_is_ready())
        )

    @property
    def _check(self) -> Any:
        """The service of the world that is there; the household's if none is."""
        there = [one for one in self._checks if one.service_is_ready()]
        return (there or self._checks)[0]


def _check_services() -> tuple[str, ...]:
    """Return the names of the services by which the installed simulated worlds check goals."""
    worlds = (plugins.load(plugins.WORLDS, name) for name in plugins.names(plugins.WORLDS))
    return tuple(world.check_service for world in worlds if world.check_service)


def _result(response: Any, goal_id: bytes) -> GoalResult:
    result = GoalResult.from_msg(response.result, goal_id)
    # A goal whose process ended with an error has an empty result.
    message = result.message or f'the planner gave no result (goal status {response.status})'
    if response.status == GoalStatus.STATUS_UNKNOWN:
        message = 'the planner does not know the goal any more'
    return replace(result, status=result.status or 'failed', message=message)
