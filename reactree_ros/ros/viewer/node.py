# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer's node: the runs of the planners in its namespace on a web page."""

from __future__ import annotations

import sys
import threading
from functools import partial

from rclpy.node import Node

from reactree_ros.ros.nodes.node_main import Server, run_node
from reactree_ros.ros.nodes.parameters import load
from reactree_ros.ros.nodes.planner_config import runs_folder
from reactree_ros.ros.nodes.viewer_config import ViewerConfig
from reactree_ros.ros.recording.run_recorder import SUFFIX
from reactree_ros.ros.viewer.camera import CameraPicture
from reactree_ros.ros.viewer.controls import PlannerControls
from reactree_ros.ros.viewer.listener import RunListener
from reactree_ros.ros.viewer.recorded import FollowedFiles, read_history
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
        if folder is not None:
            index.file_of = FollowedFiles(folder).of
        self._listener = RunListener(node, index)
        self._controls = PlannerControls(node)
        self._camera = CameraPicture(node, config.camera) if config.camera else None
        picture = self._camera.latest if self._camera is not None else None
        self._server = ViewerServer(index, self._controls, config.host, config.port, picture)
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
        if self._camera is not None:
            self._camera.close()


def main() -> None:
    """Run the viewer as a process."""
    sys.exit(run_node('reactree_viewer', RunViewer))
