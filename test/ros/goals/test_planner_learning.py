# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A planner node that learns: asked is the household, told is a person, kept is a file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.action import ActionClient
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.action import ExecuteGoal
from reactree_interfaces.srv import CheckGoal, ConfirmGoal
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.ros.goals.client import CONFIRM_SERVICE
from reactree_ros.ros.goals.goal_server import GoalServer
from reactree_ros.ros.nodes import services as planner_services
from reactree_ros.ros.nodes.household_bridge import HouseholdBridge
from reactree_ros.ros.nodes.parameters import load
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.nodes.tree_host import make_tree_host
from reactree_ros.sim.household.task_sets import task_set

from ...goal_results import in_words
from ...options import HOUSEHOLD, full_names

pytestmark = pytest.mark.ros

OPEN = 'fridge open'
LOOK = 'have a look around'
_CALM_LOOKS = 5
WORDS = 'open look fridge around the place'
SCRIPT = {
    OPEN: ['Conditions: fridge open', 'Act: go to fridge 1', 'Act: open fridge 1', 'Act: done'],
    LOOK: ['Conditions: none', 'Act: go to kitchen counter 1', 'Act: done'],
}


class Home:
    """A planner and a household, each a node, and a client of the planner."""

    def __init__(self, spinner: Any, planner: GoalServer) -> None:
        self._spinner = spinner
        self.planner = planner
        self._goals = ActionClient(spinner.node, ExecuteGoal, 'reactree/execute_goal')
        self._confirm = spinner.node.create_client(ConfirmGoal, CONFIRM_SERVICE)
        spinner.until(self._goals.server_is_ready, 'the planner takes goals')
        spinner.until(self._confirm.service_is_ready, 'the planner hears verdicts')

    def reach(self, goal: str) -> list[int]:
        """Have a goal reached, and return its id."""
        sent = self._goals.send_goal_async(ExecuteGoal.Goal(goal=goal))
        self._spinner.until(sent.done, 'the goal is answered')
        result = sent.result().get_result_async()
        self._spinner.until(result.done, 'the goal has ended')
        ended = in_words(result.result()).result
        assert ended.status == 'succeeded', ended.message
        return list(sent.result().goal_id.uuid)

    def judge(self, goal: list[int], reached: bool) -> Any:
        told = self._confirm.call_async(
            ConfirmGoal.Request(goal_id=UUID(uuid=goal), reached=reached)
        )
        self._spinner.until(told.done, 'the planner has heard it')
        return told.result()

    def settled(self) -> None:
        """Wait until all is learned; between two steps of that it looks idle from this thread."""
        calm = 0

        def is_calm() -> bool:
            nonlocal calm
            calm = 0 if self.planner._learning.busy else calm + 1
            return calm == _CALM_LOOKS

        self._spinner.until(is_calm, 'all is learned')

    def close(self) -> None:
        self._goals.destroy()
        self._spinner.node.destroy_client(self._confirm)


def node_with(name: str, **values: Any) -> Node:
    return Node(
        name,
        parameter_overrides=[Parameter(key, value=value) for key, value in values.items()],
        automatically_declare_parameters_from_overrides=True,
    )


@pytest.fixture
def home(
    spinner: Any, word_encoder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(SCRIPT))

    class WordScript(ScriptedModel):
        """A script with a sentence encoder that needs no model."""

        words = word_encoder(WORDS)
        encoder_name = words.encoder_name
        embed = staticmethod(words.embed)
        count = staticmethod(words.count)

    @contextmanager
    def start(**values: Any) -> Iterator[Home]:
        monkeypatch.setattr(
            planner_services, 'start_model', lambda *_: WordScript.read(tmp_path / 'script.yaml')
        )
        with ExitStack() as stack:
            executor = MultiThreadedExecutor(GoalServer.THREADS + HouseholdBridge.threads)
            bridge = HouseholdBridge(
                node_with('household_bridge', room='kitchen 1', skill_duration_sec=0.0)
            )
            settings = {
                **HOUSEHOLD,
                'tick_hz': 100.0,
                **full_names(values, PlannerConfig),
            }
            node = node_with('reactree_planner', **settings)
            planner = GoalServer(node, load(node, PlannerConfig), make_tree_host(node))
            planner.accept()
            for part in (bridge, planner):
                executor.add_node(part.node)
                stack.callback(part.node.destroy_node)
                stack.callback(part.close)
            thread = threading.Thread(target=executor.spin, daemon=True)
            thread.start()
            stack.callback(thread.join, 5.0)
            stack.callback(executor.shutdown, 5.0)
            yield stack.enter_context(closing(Home(spinner, planner)))
            assert planner.drain('the test is over').wait(10.0)

    return start


def kept(path: Path) -> list[tuple[str, str]]:
    """Return goal and verification of every experience in a file."""
    with closing(SqliteStore(path)) as store:
        return [(one.experience.goal, one.origin.verified.value) for one in store.records()]


def test_what_the_household_confirms_is_learned(home: Any, tmp_path: Path) -> None:
    path = tmp_path / 'deep' / 'memory.sqlite'
    with home(memory__store=str(path)) as here:
        here.reach(OPEN)
        here.settled()
        assert kept(path) == [(OPEN, 'world')], 'it is in the file at once'


def test_what_only_a_person_can_tell_is_learned_from_a_person(home: Any, tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    with home(memory__store=str(path)) as here:
        goal = here.reach(LOOK)
        here.settled()
        assert kept(path) == []
        told = here.judge(goal, reached=True)
        assert told.accepted and told.run in told.message
        here.settled()
        assert kept(path) == [(LOOK, 'person')]
        assert here.judge([0] * 16, reached=False).accepted
        here.settled()
        assert kept(path) == []
        stranger = here.judge([7] * 16, reached=True)
        assert not stranger.accepted and 'not one of the last' in stranger.message


def test_a_learned_run_is_retrieved_by_the_next_goal(home: Any, tmp_path: Path) -> None:
    path = tmp_path / 'memory.sqlite'
    with home(memory__store=str(path)) as here:
        here.reach(OPEN)
        here.settled()
    with home(memory__store=str(path), learning_policy='never', example_tokens=1200) as here:
        here.reach(OPEN)
        (first, *_) = here.planner._model.requests
        assert f'Goal: {OPEN}\n' in first.prompt.examples[-1]
        assert 'Act: open fridge 1' in first.prompt.examples[-1]
    assert kept(path) == [(OPEN, 'world')]
    with closing(SqliteStore(path)) as store:
        assert [one.retrieved for one in store.records()] == [1]


def test_without_a_memory_nothing_is_asked_and_no_file_is_made(home: Any, tmp_path: Path) -> None:
    with home(memory__store='') as here:
        goal = here.reach(OPEN)
        told = here.judge(goal, reached=True)
        assert not told.accepted and 'the planner does not learn' in told.message
    assert list(tmp_path.rglob('*.sqlite')) == list((tmp_path / 'cache').rglob('*.sqlite'))


def test_the_household_knows_what_its_task_is_called(spinner: Any) -> None:
    task = task_set('wah_train')[0]
    bridge = HouseholdBridge(node_with('household_bridge', task_set='wah_train', task=task.id))
    executor = SingleThreadedExecutor()
    executor.add_node(bridge.node)
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    client = spinner.node.create_client(CheckGoal, 'household/check_goal')
    spinner.until(client.service_is_ready, 'the household answers')

    def ask(*lines: str) -> Any:
        told = client.call_async(CheckGoal.Request(conditions=list(lines)))
        spinner.until(told.done, 'the household has answered')
        return told.result()

    assert not ask('Make me happy, would you?').known
    for wording in (task.instruction, *task.instructions):
        told = ask(wording)
        assert told.known and not told.holds
        assert told.wanted == len(task.conditions)
    executor.shutdown(5.0)
    thread.join(5.0)
    bridge.close()
    bridge.node.destroy_node()
    spinner.node.destroy_client(client)
