# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The real planner with a faulty robot and a restless client, for the time of one schedule."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.action import ExecuteGoal
from reactree_interfaces.srv import Observe
from reactree_ros.ros.goals.goal_server import GoalServer
from reactree_ros.ros.nodes import services as planner_services
from reactree_ros.ros.nodes.parameters import load
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.nodes.tree_host import TreeHost
from reactree_ros.ros.skills.asking import Handshake
from reactree_ros.ros.skills.run import Timeouts

from ..goal_results import in_words
from .faulty_server import FaultyServer
from .schedule import GOAL_SEC, LIMITS, RESULT_SEC, SKILLS, Errand, Moods, RandomModel, Schedule

ACTION = 'robot/execute_skill'
MACHINE_SEC = 6.0
"""What a busy machine may need beyond all limits."""
SKILL_SEC = LIMITS.server_wait_sec + LIMITS.goal_response_sec + RESULT_SEC + LIMITS.cancel_sec
LOOK_SEC = LIMITS.server_wait_sec + LIMITS.goal_response_sec
GOAL_BOUND_SEC = 2 * (GOAL_SEC + SKILL_SEC + LOOK_SEC) + MACHINE_SEC
"""In this time a goal has ended, the one before it included."""
LIBRARY = {
    'name': 'restless',
    'action': ACTION,
    'result_sec': RESULT_SEC,
    'skills': {phrase.replace(' ', '_'): {'phrase': phrase} for phrase in SKILLS},
}


def spinning(executor: Any, stumbled: list[Exception]) -> threading.Thread:
    """Spin on a thread of its own; an error does not end that, as in ``node_main``."""

    def spin() -> None:
        while True:
            try:
                executor.spin()
                return
            except Exception as error:
                stumbled.append(error)

    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    return thread


class FaultyRobot:
    """The faulty server and what the robot perceives, on a thread of their own.

    Args:
        moods: how it behaves.
    """

    def __init__(self, moods: Moods) -> None:
        self.node = Node('faulty_robot')
        self._moods = moods
        self.server = FaultyServer(self.node, ACTION, self._moods, time.monotonic)
        self._back_at = 0.0
        self._silent: Any = None
        service = self.node.create_service(Observe, 'robot/observe', self._on_observe)
        self._answer, service.send_response = service.send_response, self._perhaps
        self.node.create_timer(0.005, self._step)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self.stumbled: list[Exception] = []
        self._thread = spinning(self._executor, self.stumbled)

    def _on_observe(self, _: Any, response: Any) -> Any:
        response.observation.text = 'You are in a hall.'
        return response

    def _perhaps(self, response: Any, header: Any) -> None:
        if not self._moods.observation_is_silent():
            self._answer(response, header)

    def _step(self) -> None:
        self.server.step()
        now = time.monotonic()
        if self.server.alive:
            self._back_at = 0.0
        elif not self._back_at:
            self._back_at = now + self._moods.absence_sec()
        elif now >= self._back_at:
            self.server.live()

    def close(self) -> None:
        self._executor.shutdown(timeout_sec=5.0)
        self._thread.join(timeout=5.0)
        self.node.destroy_node()


@dataclass
class Sent:
    """A goal that the client has sent, and what it heard of it."""

    errand: Errand
    at: float
    handle: Any
    response: Any
    asked: Any = None
    results: list[Any] = field(default_factory=list)
    ended_at: float = 0.0
    canceled: int = 0

    @property
    def accepted(self) -> bool | None:
        return self.response.result().accepted if self.response.done() else None

    @property
    def over(self) -> bool:
        return self.accepted is False or bool(self.results)


class Stage:
    """All that takes part in one schedule.

    Args:
        schedule: what happens.
        folder: for files.
        patch: puts the model in the place of one that is loaded.
        moods: how the robot behaves; at random by default.
        model: what decides; at random by default.
        limits: of the planner, for its robot.
    """

    def __init__(
        self,
        schedule: Schedule,
        folder: Path,
        patch: pytest.MonkeyPatch,
        moods: Moods | None = None,
        model: Any = None,
        limits: Timeouts = LIMITS,
    ) -> None:
        self.schedule = schedule
        self.journal = folder / 'journal'
        self.sent: list[Sent] = []
        self.stumbled: list[Exception] = []
        """What was raised on the planner's executor."""
        self._made = ExitStack()
        library = folder / 'restless.yaml'
        library.write_text(yaml.safe_dump(LIBRARY))
        model = model or RandomModel(schedule.seed)
        patch.setattr(planner_services, 'start_model', lambda *_: model)
        self.robot = FaultyRobot(moods or Moods(schedule.seed))
        self._made.callback(self.robot.close)
        self.planner = self._start_planner(self._parameters(str(library), limits))
        self._start_client()

    def _parameters(self, library: str, limits: Timeouts) -> dict[str, Any]:
        return {
            'skills': library,
            'memory.store': '',
            'restart.journal': str(self.journal),
            'recording.runs_dir': '',
            'robot.observe_service': 'robot/observe',
            'goals.policy': self.schedule.policy,
            'limits.max_duration_sec': GOAL_SEC,
            'tick_hz': 100.0,
            'robot.server_wait_sec': limits.server_wait_sec,
            'robot.goal_response_sec': limits.goal_response_sec,
            'robot.cancel_sec': limits.cancel_sec,
        }

    def _start_planner(self, values: dict[str, Any]) -> Any:
        node = Node(
            'reactree_planner',
            parameter_overrides=[Parameter(key, value=value) for key, value in values.items()],
            automatically_declare_parameters_from_overrides=True,
        )
        planner = GoalServer(node, load(node, PlannerConfig), TreeHost())
        planner.accept()
        executor = MultiThreadedExecutor(GoalServer.THREADS)
        executor.add_node(node)
        thread = spinning(executor, self.stumbled)
        self._made.callback(node.destroy_node)
        self._made.callback(planner.close)
        self._made.callback(thread.join, 5.0)
        self._made.callback(executor.shutdown, 5.0)
        return planner

    def _start_client(self) -> None:
        self._node = Node('restless_client')
        self._made.callback(self._node.destroy_node)
        self._client = ActionClient(self._node, ExecuteGoal, 'reactree/execute_goal')
        self._made.callback(self._client.destroy)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._made.callback(self._executor.shutdown)
        handshake = Handshake(self._node, 'reactree/execute_goal')
        self.until(handshake.done, 10 * MACHINE_SEC, 'the planner is there')
        handshake.destroy()

    def until(self, condition: Callable[[], Any], seconds: float, what: str) -> None:
        """Spin the client until something is the case.

        Raises:
            AssertionError: it was not in time.
        """
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f'in {seconds:.1f} s it did not come about that {what}'
            self._executor.spin_once(timeout_sec=0.005)

    def play(self) -> None:
        """Let the client do what the schedule says, until the planner is told to leave."""
        begin = time.monotonic()
        errands = list(self.schedule.errands)

        def over() -> bool:
            now = time.monotonic() - begin
            while errands and errands[0].at <= now:
                self.send(errands.pop(0))
            for sent in self.sent:
                self._look(sent)
            return now >= self.schedule.leave_at

        self.until(over, self.schedule.leave_at + MACHINE_SEC, 'the schedule is over')

    def watch(self) -> bool:
        """Go on with cancels and results; return whether every goal is over."""
        for sent in self.sent:
            self._look(sent)
        return all(sent.over for sent in self.sent)

    def send(self, errand: Errand) -> Sent:
        """Send a goal; ``watch`` hears of its end."""
        goal_id = UUID(uuid=list(uuid.uuid4().bytes))
        goal = ExecuteGoal.Goal(goal=f'do as you like {len(self.sent)}')
        response = self._client.send_goal_async(goal, goal_uuid=goal_id)
        handle = ClientGoalHandle(self._client, goal_id, None)
        self.sent.append(Sent(errand, time.monotonic(), handle, response))
        return self.sent[-1]

    def _look(self, sent: Sent) -> None:
        age = time.monotonic() - sent.at
        cancels = sent.errand.cancels
        if sent.canceled < len(cancels) and age >= cancels[sent.canceled]:
            sent.canceled += 1
            sent.handle.cancel_goal_async()
        if sent.accepted and sent.asked is None:
            sent.asked = sent.handle.get_result_async()
            sent.asked.add_done_callback(lambda future: self._ended(sent, future))

    def _ended(self, sent: Sent, future: Any) -> None:
        sent.results.append(in_words(future.result()))
        sent.ended_at = time.monotonic()

    def close(self) -> None:
        self._made.close()
