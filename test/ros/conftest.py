# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the ROS tests share: a private domain, real nodes that spin, and the system's processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('reactree_interfaces')

from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse  # noqa: E402
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor  # noqa: E402
from rclpy.node import Node  # noqa: E402
from rclpy.signals import SignalHandlerOptions  # noqa: E402

from reactree_interfaces.action import ExecuteGoal, ExecuteSkill  # noqa: E402
from reactree_interfaces.msg import Observation  # noqa: E402
from reactree_interfaces.srv import CheckGoal, Observe  # noqa: E402
from reactree_ros.cli.domain import private_domain  # noqa: E402
from reactree_ros.cli.process_group import ProcessGroup  # noqa: E402
from reactree_ros.ros.conversions import feedback_from_msg  # noqa: E402
from reactree_ros.ros.qos import GOAL_FEEDBACK  # noqa: E402
from reactree_ros.ros.skills.asking import Handshake  # noqa: E402

from ..goal_results import in_words  # noqa: E402
from ..options import HOUSEHOLD  # noqa: E402

PATIENCE_SEC = 20.0
"""After this a test fails; nothing waits so long unless something is broken."""


@pytest.fixture(scope='module', autouse=True)
def ros() -> Iterator[None]:
    """ROS for one file: the next in this process may begin it by itself."""
    with private_domain():
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        yield
        rclpy.try_shutdown()


class Spinner:
    """A node that is spun by the test itself, on the test's thread."""

    def __init__(self, name: str, namespace: str = '') -> None:
        self.node = Node(name, namespace=namespace)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)

    def until(
        self,
        condition: Callable[[], Any],
        what: str = 'the condition',
        seconds: float = 0.0,
        *,
        seen: object = '',
    ) -> Any:
        """Spin until the condition is true and return its value; a failure tells what was seen."""
        end = time.monotonic() + (seconds or PATIENCE_SEC)
        while not (value := condition()):
            assert time.monotonic() < end, f'{what} did not come true {seen}'
            self._executor.spin_once(timeout_sec=0.01)
        return value

    def close(self) -> None:
        self._executor.shutdown()
        self.node.destroy_node()


@pytest.fixture
def spinner() -> Iterator[Spinner]:
    spinner = Spinner('tester')
    yield spinner
    spinner.close()


@pytest.fixture(scope='module')
def module_spinner() -> Iterator[Spinner]:
    spinner = Spinner('module_tester')
    yield spinner
    spinner.close()


class SkillServer:
    """A real action server whose manners a test chooses.

    Args:
        action: type of the action.
        result: what it answers with if it is not an ``ExecuteSkill``.
        manner: succeed, refuse, abort, abort_empty, reject, hold (until it is cancelled),
            deaf (goes on after a cancel, until ``release``), or late (accepts after ``release``,
            then holds).
    """

    def __init__(
        self, name: str, manner: str, action: Any = ExecuteSkill, result: Any = None
    ) -> None:
        self.manner = manner
        self.goals: list[Any] = []
        self.cancels: list[str] = []
        self._own = action is ExecuteSkill
        self._result = result or action.Result()
        self.release = threading.Event()
        self.started = threading.Event()
        self.asked = threading.Event()
        self.canceled = threading.Event()
        self.ended = threading.Event()
        self.node = Node(name.replace('/', '_') + '_server')
        self._server = ActionServer(
            self.node,
            action,
            name,
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=self._on_cancel,
        )
        self._executor = MultiThreadedExecutor(4)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()
        self._open = True
        self._destroyed = False

    def _on_goal(self, goal: Any) -> GoalResponse:
        self.goals.append(goal)
        self.asked.set()
        if self.manner == 'late':
            self.release.wait(PATIENCE_SEC)
        return GoalResponse.REJECT if self.manner == 'reject' else GoalResponse.ACCEPT

    def _on_cancel(self, handle: Any) -> CancelResponse:
        self.cancels.append(bytes(handle.goal_id.uuid).hex())
        return CancelResponse.ACCEPT

    def _execute(self, handle: Any) -> Any:
        self.started.set()
        result = self._result
        if self._own:
            result = ExecuteSkill.Result(observation=Observation(text=f'{self.manner}: told'))
            result.outcome = ExecuteSkill.Result.SUCCEEDED
        if self.manner in ('hold', 'late', 'deaf'):
            end = time.monotonic() + PATIENCE_SEC
            while not handle.is_cancel_requested and time.monotonic() < end and self._open:
                time.sleep(0.005)
            if handle.is_cancel_requested:
                self.canceled.set()
            if self.manner == 'deaf':
                self.release.wait(PATIENCE_SEC)
            if handle.is_cancel_requested:
                handle.canceled()
            elif self._open:
                handle.abort()
        elif self.manner == 'succeed':
            handle.succeed()
        else:
            if self._own:
                refused = self.manner == 'refuse'
                outcomes = ExecuteSkill.Result
                result.outcome = outcomes.REFUSED if refused else outcomes.FAILED
            if self.manner == 'abort_empty':
                result = ExecuteSkill.Result()
            handle.abort()
        self.ended.set()
        return result

    def answer(self, result: Any) -> None:
        """Have it answer otherwise from now on."""
        self._result = result

    def vanish(self) -> None:
        """Be gone from ROS without a word, while a goal runs."""
        self.node.executor.remove_node(self.node)
        self._destroy()

    def close(self) -> None:
        self._open = False
        self.release.set()
        self._executor.shutdown(timeout_sec=5.0)
        self._thread.join(timeout=5.0)
        if not self._destroyed:
            self._destroy()

    def _destroy(self) -> None:
        self._destroyed = True
        self._server.destroy()
        self.node.destroy_node()


@pytest.fixture
def serve() -> Iterator[Callable[..., SkillServer]]:
    servers: list[SkillServer] = []

    def make(name: str, manner: str, *of: Any) -> SkillServer:
        servers.append(SkillServer(name, manner, *of))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


class System:
    """The planner and the household as processes, and a client of both."""

    def __init__(self, group: ProcessGroup, spinner: Spinner, log: list[str]) -> None:
        self.group = group
        self.log = log
        self.spinner = spinner
        self.planner = ActionClient(
            spinner.node,
            ExecuteGoal,
            'reactree/execute_goal',
            feedback_sub_qos_profile=GOAL_FEEDBACK,
        )
        self.skills = ActionClient(spinner.node, ExecuteSkill, 'household/execute_skill')
        self._check = spinner.node.create_client(CheckGoal, 'household/check_goal')
        self._observe = spinner.node.create_client(Observe, 'household/observe')
        self._handshakes = [
            Handshake(spinner.node, name)
            for name in ('reactree/execute_goal', 'household/execute_skill')
        ]
        self.events: list[Any] = []
        self.trees: list[str] = []

    def ready(self, bridge: bool = True, seconds: float = 0.0) -> None:
        def there() -> bool:
            assert not self.group.died(), self.group.died()
            return self.planner.server_is_ready() and all(
                handshake.done() for handshake in self._handshakes[: 1 + bridge]
            )

        self.spinner.until(there, 'the system is ready', seconds)

    def send(self, **goal: Any) -> Any:
        """Send a goal and return its handle when the planner has answered."""
        self.events.clear()
        self.trees.clear()
        future = self.planner.send_goal_async(
            ExecuteGoal.Goal(**goal),
            self._on_feedback,
        )
        self.spinner.until(future.done, 'the goal is answered', seen=self.log)
        return future.result()

    def _on_feedback(self, message: Any) -> None:
        self.events.append(feedback_from_msg(message.feedback))
        self.trees.append(message.feedback.tree)

    def send_skill(self, skill: str, *arguments: str) -> Any:
        future = self.skills.send_goal_async(
            ExecuteSkill.Goal(skill=skill, arguments=list(arguments))
        )
        self.spinner.until(future.done, 'the skill is answered')
        return future.result()

    def result(self, handle: Any, seconds: float = 0.0) -> Any:
        """Wait for a goal's end and return its status and result."""
        future = handle.get_result_async()
        self.spinner.until(future.done, 'the result is there', seconds)
        return in_words(future.result())

    def cancel(self, handle: Any) -> None:
        future = handle.cancel_goal_async()
        self.spinner.until(future.done, 'the cancel is answered')

    def happens(self, kind: str, text: str = '') -> None:
        def told() -> bool:
            return any(event.kind == kind and text in event.text for event in self.events)

        self.spinner.until(told, f'{kind} {text}', seen=(self.events, self.log))

    def logs(self, text: str) -> None:
        self.spinner.until(
            lambda: any(text in line for line in self.log), f'{text!r} is logged', seen=self.log
        )

    def check(self, *conditions: str) -> CheckGoal.Response:
        future = self._check.call_async(CheckGoal.Request(conditions=list(conditions)))
        self.spinner.until(future.done, 'the world has answered')
        return future.result()

    def observe(self) -> Observation:
        future = self._observe.call_async(Observe.Request())
        self.spinner.until(future.done, 'the bridge has answered')
        return future.result().observation


@pytest.fixture(scope='module')
def start_system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Any]]:
    @contextmanager
    def start(
        script: dict[str, list[str]],
        planner: dict[str, Any] | None = None,
        bridge: dict[str, Any] | None = None,
        kitchen: dict[str, Any] | None = None,
        **given: str,
    ) -> Iterator[System]:
        folder: Path = tmp_path_factory.mktemp('system')
        (folder / 'script.yaml').write_text(yaml.safe_dump(script))
        params = {
            '/**/reactree_planner': {
                'ros__parameters': {
                    **HOUSEHOLD,
                    **{'tick_hz': 50.0, 'restart.journal': ''},
                    **(planner or {}),
                }
            },
            '/**/household_bridge': {
                'ros__parameters': {'skill_duration_sec': 0.02, **(bridge or {})}
            },
            '/**/kitchen_bridge': {
                'ros__parameters': {'seed': 0, 'motions_dir': '', **(kitchen or {})}
            },
            '/**/reactree_viewer': {'ros__parameters': {'port': 0}},
        }
        (folder / 'params.yaml').write_text(yaml.safe_dump(params))
        given.setdefault('model', f'scripted:{folder / "script.yaml"}')
        given.setdefault('memory', 'none')
        given['params_file'] = str(folder / 'params.yaml')
        log: list[str] = []
        with ExitStack() as stack:
            group = stack.enter_context(ProcessGroup(given, lambda name, line: log.append(line)))
            spinner = Spinner('system_tester', given.get('namespace', ''))
            stack.callback(spinner.close)
            yield System(group, spinner, log)

    yield start
