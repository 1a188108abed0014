# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The client inside a program that runs rclpy already."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

rclpy = pytest.importorskip('rclpy')

from rclpy.executors import SingleThreadedExecutor  # noqa: E402

from reactree_interfaces.action import ExecuteGoal  # noqa: E402
from reactree_ros import PlannerClient  # noqa: E402
from reactree_ros.errors import GoalError  # noqa: E402

pytestmark = pytest.mark.ros
EXAMPLE = Path(__file__).parents[3] / 'examples' / 'client_in_node.py'
GOAL = 'look around'
WAY = ('kitchen 1', 'fridge 1', 'kitchen counter 1')
"""Where the robot goes, a place for each of the tests."""
SCRIPT = {GOAL: [line for place in WAY for line in (f'Act: go to {place}', 'Act: done')]}
READY_SEC = 60.0


@pytest.fixture(scope='module')
def system(start_system: Any) -> Iterator[Any]:
    with start_system(SCRIPT) as running:
        yield running


@pytest.fixture
def node(system: Any) -> Iterator[Any]:
    node = rclpy.create_node('watchman')
    yield node
    node.destroy_node()


def test_the_example_reaches_its_goal(system: Any) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), GOAL],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'act: go to ' in done.stdout
    assert done.stdout.splitlines()[-2:] == [
        'succeeded: the agent said done', 'the timer ran meanwhile: True',
    ]  # fmt: skip


def test_another_executor_spins_the_node(node: Any) -> None:
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    events: list[str] = []
    try:
        with PlannerClient(node=node) as client:
            assert client.wait_for_planner(READY_SEC, bridge=True)
            result = client.run_goal(GOAL, lambda event, tree: events.append(event.kind))
            check = client.check_goal([GOAL])
        assert node.executor is executor
    finally:
        executor.shutdown()
        thread.join()
    assert (result.status, result.costs.decisions) == ('succeeded', 2)
    assert events[-1] == 'ended'
    assert check is not None
    assert rclpy.ok()


def test_a_goal_that_the_client_gave_up_is_canceled_when_the_planner_accepts_it(
    monkeypatch: pytest.MonkeyPatch, node: Any, serve: Any
) -> None:
    monkeypatch.setattr('reactree_ros.ros.goals.client._ANSWER_SEC', 0.3)
    planner = serve('busy/reactree/execute_goal', 'late', ExecuteGoal)
    with PlannerClient(namespace='busy', node=node) as client:
        with pytest.raises(GoalError, match='did not answer'):
            client.run_goal(GOAL)
    planner.release.set()
    assert planner.canceled.wait(READY_SEC)


def test_a_goal_that_nobody_can_follow_any_more_is_canceled(node: Any, serve: Any) -> None:
    """Such as when the terminal that shows it has gone."""

    def broken() -> bool:
        raise BrokenPipeError

    planner = serve('piped/reactree/execute_goal', 'hold', ExecuteGoal)
    with PlannerClient(namespace='piped', node=node) as client:
        with pytest.raises(BrokenPipeError):
            client.run_goal(GOAL, interrupted=broken)
    assert planner.canceled.wait(READY_SEC)


def test_nobody_else_spins_the_node(node: Any) -> None:
    before = len(list(node.clients))
    with PlannerClient(node=node) as client:
        assert client.wait_for_planner(READY_SEC)
        assert client.run_goal(GOAL).status == 'succeeded'
    assert node.executor is None
    assert len(list(node.clients)) == before
