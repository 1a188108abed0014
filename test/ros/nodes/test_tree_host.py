# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Both tree hosts tick one goal after the other, and leave ended trees alone."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import py_trees
import pytest
from py_trees.common import Status

from reactree_ros.ros.nodes import tree_host
from reactree_ros.ros.nodes.tree_host import RosTreeHost, TreeHost, make_tree_host

pytestmark = pytest.mark.ros
try:
    importlib.import_module('py_trees_ros')
    WITH_ROS_TREES = True
except ImportError:
    WITH_ROS_TREES = False
ros_trees = pytest.mark.skipif(not WITH_ROS_TREES, reason='py_trees_ros is not installed')


class GrowingRoot(py_trees.composites.Sequence):
    """Gets a child between two ticks, as agent nodes do; ends with the third."""

    def __init__(self, name: str) -> None:
        super().__init__(name, memory=True)
        self.outcome: str | None = None
        self.ticks = 0

    def tip(self) -> Any:
        return super().tip() or self

    def tick(self) -> Any:
        if self.outcome is not None:  # as agent nodes that have ended
            yield self
            return
        self.ticks += 1
        if len(self.children) < 3:
            child = py_trees.behaviours.Success(f'{self.name} {self.ticks}')
            self.add_child(child)
            yield from child.tick()
        self.status = Status.SUCCESS if self.ticks == 3 else Status.RUNNING
        if self.status == Status.SUCCESS:
            self.outcome = 'done'
        yield self


def run_of(root: GrowingRoot) -> Any:
    def tick() -> None:
        if root.outcome is None:
            root.tick_once()

    return SimpleNamespace(root=root, tick=tick)


def test_the_host_fits_what_is_installed(spinner: Any) -> None:
    host = make_tree_host(spinner.node)
    assert isinstance(host, RosTreeHost if WITH_ROS_TREES else TreeHost)
    host.shutdown()


@pytest.mark.parametrize(
    ('missing', 'level'),
    [('py_trees_ros', 'info'), ('sensor_msgs', 'warning')],
    ids=['not installed', 'broken installation'],
)
def test_a_tree_that_cannot_be_watched_is_logged_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, missing: str, level: str
) -> None:
    error = ModuleNotFoundError(f"No module named '{missing}'", name=missing)
    monkeypatch.setattr(tree_host, '_NO_PY_TREES_ROS', error)
    log = Mock()
    tree_host.log_unwatched(log)
    ((name, (message,), _),) = log.method_calls
    assert name == level
    assert message.startswith(f"py_trees_ros cannot be imported (No module named '{missing}')")


@pytest.mark.parametrize(
    'make', [lambda node: TreeHost(), pytest.param(RosTreeHost, marks=ros_trees)]
)
def test_goals_follow_each_other_in_growing_trees(spinner: Any, make: Callable[[Any], Any]) -> None:
    host = make(spinner.node)
    host.tick()
    for name in ('first', 'second'):
        root = GrowingRoot(name)
        host.begin(run_of(root))
        for _ in range(5):
            host.tick()
        assert root.ticks == 3
        assert [child.name for child in root.children] == [f'{name} {n}' for n in (1, 2, 3)]
    host.shutdown()


@pytest.fixture
def watched(spinner: Any) -> Iterator[tuple[RosTreeHost, list[Any]]]:
    """A host and the snapshots that somebody who watches it gets."""
    from py_trees_ros.utilities import qos_profile_latched
    from py_trees_ros_interfaces.msg import BehaviourTree
    from rclpy.parameter import Parameter

    host = RosTreeHost(spinner.node)
    spinner.node.set_parameters([Parameter('default_snapshot_stream', value=True)])
    shown: list[Any] = []
    topic = f'{spinner.node.get_name()}/snapshots'
    spinner.node.create_subscription(BehaviourTree, topic, shown.append, qos_profile_latched())
    spinner.until(lambda: spinner.node.count_subscribers(topic) > 0)
    yield host, shown
    host.shutdown()


@ros_trees
def test_snapshots_show_the_tree_that_grows(spinner: Any, watched: Any) -> None:
    host, shown = watched
    host.begin(run_of(GrowingRoot('watched')))
    for _ in range(3):
        host.tick()
        before = len(shown)
        spinner.until(lambda before=before: len(shown) > before, 'a snapshot comes')
    names = {behaviour.name for behaviour in shown[-1].behaviours}
    assert names == {'watched', 'watched 1', 'watched 2', 'watched 3'}


@ros_trees
def test_a_tree_that_was_canceled_is_shown_once_more(spinner: Any, watched: Any) -> None:
    from py_trees_ros_interfaces.msg import Behaviour

    host, shown = watched
    root = GrowingRoot('stopped')
    host.begin(run_of(root))
    host.tick()
    spinner.until(lambda: shown, 'a snapshot comes')
    root.stop(Status.INVALID)
    root.outcome = 'canceled'
    before = len(shown)
    host.show()
    spinner.until(lambda: len(shown) > before, 'another snapshot comes')
    assert {one.status for one in shown[-1].behaviours} <= {Behaviour.INVALID, Behaviour.SUCCESS}


@ros_trees
def test_one_who_comes_late_is_shown_that_a_goal_is_awaited(spinner: Any, watched: Any) -> None:
    host, shown = watched

    def told() -> bool:
        host.tick()
        return bool(shown)

    spinner.until(told, 'a snapshot comes without a goal')
    assert [one.name for one in shown[-1].behaviours] == ['waiting for a goal']


@ros_trees
def test_a_watcher_of_the_blackboard_has_time_to_subscribe(spinner: Any) -> None:
    from py_trees_ros_interfaces.srv import OpenBlackboardStream
    from std_msgs.msg import String

    host = RosTreeHost(spinner.node)
    board = py_trees.blackboard.Client(name='tester')
    board.register_key('watched', access=py_trees.common.Access.WRITE)
    name = f'{spinner.node.get_name()}/blackboard_streams/open'
    client = spinner.node.create_client(OpenBlackboardStream, name)
    spinner.until(client.service_is_ready, 'the service is there')
    future = client.call_async(OpenBlackboardStream.Request(variables=['watched']))
    spinner.until(future.done, 'a view is opened')
    host.begin(run_of(GrowingRoot('watched')))
    host.tick()  # nobody has subscribed yet
    shown: list[Any] = []
    topic = future.result().topic
    spinner.node.create_subscription(String, topic, shown.append, 10)
    spinner.until(lambda: spinner.node.count_subscribers(topic) > 0)

    def told() -> bool:
        board.watched = len(shown) + 1
        host._tree.blackboard_exchange.post_tick_handler()
        return bool(shown)

    spinner.until(told, 'the view is served')
    host.shutdown()
