# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer's node: the runs of the planners in its namespace on a web page."""

from __future__ import annotations

import sys
import threading
from functools import partial
from pathlib import Path

from builtin_interfaces.msg import Time
from rclpy.node import Node

from reactree_interfaces.msg import Event as EventMsg
from reactree_interfaces.msg import Observation as ObservationMsg
from reactree_interfaces.msg import Tree
from reactree_ros.ros.conversions import behaviour_from_msg, event_from_msg, observation_from_msg
from reactree_ros.ros.nodes.node_main import Server, run_node
from reactree_ros.ros.nodes.parameters import load
from reactree_ros.ros.nodes.planner_config import runs_folder
from reactree_ros.ros.nodes.viewer_config import ViewerConfig
from reactree_ros.ros.qos import EVENTS, LATEST
from reactree_ros.ros.recording.run_file import RunFile
from reactree_ros.ros.recording.run_publisher import EVENT_TOPIC, MEMORY_TOPIC, TREE_TOPIC
from reactree_ros.ros.recording.run_recorder import SUFFIX
from reactree_ros.ros.viewer.controls import PlannerControls
from reactree_ros.viewer.history import RunHistory
from reactree_ros.viewer.run_index import RunIndex
from reactree_ros.viewer.server import ViewerServer


class RunViewer(Server):
    """Serves the page."""

    threads = 2

    def __init__(self, node: Node) -> None:
        self.node = node
        config = load(node, ViewerConfig)
        index = RunIndex()
        folder = runs_folder(config.runs_dir)
        for path in sorted(folder.glob(f'*{SUFFIX}')) if folder is not None else ():
            index.offer(path.stem, partial(read_history, path))
        self._listener = RunListener(node, index)
        self._controls = PlannerControls(node)
        self._server = ViewerServer(index, self._controls, config.host, config.port)
        self._server.start()
        node.get_logger().info(f'the viewer is at {self._server.address}')

    def leave(self) -> threading.Event:
        """Close the page."""
        self._server.close()
        left = threading.Event()
        left.set()
        return left

    def close(self) -> None:
        """Release everything."""
        self._controls.close()


class RunListener:
    """Subscribes to what planners publish of their runs, and adds it to an index."""

    def __init__(self, node: Node, index: RunIndex) -> None:
        self._index = index
        self._latest: RunHistory | None = None
        self._at = 0.0
        node.create_subscription(EventMsg, EVENT_TOPIC, self._on_event, EVENTS)
        node.create_subscription(Tree, TREE_TOPIC, self._on_tree, LATEST)
        node.create_subscription(ObservationMsg, MEMORY_TOPIC, self._on_memory, LATEST)

    def _on_event(self, message: EventMsg) -> None:
        run = self._run(bytes(message.goal_id.uuid), '')
        run.event(self._moment(message.stamp), event_from_msg(message))

    def _on_tree(self, message: Tree) -> None:
        run = self._run(bytes(message.goal_id.uuid), message.goal)
        run.tree(self._moment(message.stamp), tuple(map(behaviour_from_msg, message.behaviours)))

    def _on_memory(self, message: ObservationMsg) -> None:
        # it does not say of which run it is: of the one that was published before
        if self._latest is not None:
            self._latest.memory(self._at, observation_from_msg(message))

    def _run(self, goal_id: bytes, goal: str) -> RunHistory:
        self._latest = self._index.begin(goal_id.hex(), goal)
        return self._latest

    def _moment(self, stamp: Time) -> float:
        self._at = stamp.sec + stamp.nanosec / 1e9
        return self._at


def read_history(path: Path) -> RunHistory:
    """Return the run of a file.

    Raises:
        ConfigurationError: if it cannot be read.
    """
    file = RunFile(path)
    history = RunHistory(path.stem, file.began['goal'])
    for one in file.messages:
        at = one.nanoseconds / 1e9
        if one.topic == EVENT_TOPIC:
            history.event(at, event_from_msg(one.message))
        elif one.topic == TREE_TOPIC:
            history.tree(at, tuple(map(behaviour_from_msg, one.message.behaviours)))
        elif one.topic == MEMORY_TOPIC:
            history.memory(at, observation_from_msg(one.message))
    history.ended = str(file.ended.get('status') or 'cut off')
    return history


def main(argv: list[str] | None = None) -> None:
    """Run the viewer as a process."""
    sys.exit(run_node('reactree_viewer', RunViewer, argv=argv))


if __name__ == '__main__':
    main()
