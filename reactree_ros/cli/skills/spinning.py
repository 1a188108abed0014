# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The node of a command that spins it itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions


@contextmanager
def spinning(command: str, **options: Any) -> Iterator[tuple[Node, SingleThreadedExecutor]]:
    """Give a node without services of its own, and what spins it.

    Args:
        command: name of the command.
        options: further ones of the node.
    """
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = Node(f'reactree_{command}_{os.getpid()}', start_parameter_services=False, **options)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        try:
            yield node, executor
        finally:
            executor.shutdown()
            node.destroy_node()
    finally:
        rclpy.try_shutdown()
