# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer's node: the runs of the planners in its namespace on a web page."""

from __future__ import annotations

import sys
import threading
from functools import partial
from pathlib import Path

from rclpy.node import Node

from reactree_ros.ros.nodes.node_main import run_node
from reactree_ros.ros.nodes.parameters import load
from reactree_ros.ros.nodes.planner_config import runs_folder
from reactree_ros.ros.nodes.viewer_config import ViewerConfig
from reactree_ros.ros.recording.run_recorder import SUFFIX
from reactree_ros.ros.viewer.controls import PlannerDesk
from reactree_ros.ros.viewer.run_history import RunListener, read_history
from reactree_ros.viewer.run_index import Gallery
from reactree_ros.viewer.server import ViewerServer


class RunViewer:
    """Serves the page until it is told to leave.

    Args:
        node: the node.
    """

    threads = 2
    broken = ''

    def __init__(self, node: Node) -> None:
        self.node = node
        config = load(node, ViewerConfig)
        gallery = Gallery()
        folder = runs_folder(config.runs_dir)
        if folder is not None:
            offer_recorded(gallery, folder)
        self._listener = RunListener(node, gallery)
        self._desk = PlannerDesk(node)
        self._server = ViewerServer(gallery, self._desk, config.host, config.port)
        self._server.start()
        node.get_logger().info(f'the viewer is at {self._server.address}')

    def begin(self) -> str:
        """Return that there is nothing to wait for."""
        return ''

    def leave(self) -> threading.Event:
        """Close the page."""
        self._server.close()
        left = threading.Event()
        left.set()
        return left

    def close(self) -> None:
        """Let go of everything."""
        self._desk.close()


def offer_recorded(gallery: Gallery, folder: Path) -> None:
    """Offer the recorded runs of a folder."""
    for path in sorted(folder.glob(f'*{SUFFIX}')):
        gallery.offer(path.stem, partial(read_history, path))


def main(argv: list[str] | None = None) -> None:
    """Run the viewer as a process."""
    sys.exit(run_node('reactree_viewer', RunViewer, argv=argv))


if __name__ == '__main__':
    main()
