# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Sends a goal from a node of your own, whose executor goes on spinning meanwhile.

reactree up                                        in another shell
python client_in_node.py "go to the fridge"
"""

from __future__ import annotations

import sys
import threading

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from reactree_ros import PlannerClient


class Watchman(Node):
    """Stands for a program that runs rclpy already: its timer has to go on."""

    def __init__(self) -> None:
        super().__init__('watchman')
        self.rounds = 0
        self.create_timer(0.1, self._make_round)

    def _make_round(self) -> None:
        self.rounds += 1


if __name__ == '__main__':
    rclpy.init()
    watchman = Watchman()
    executor = SingleThreadedExecutor()
    executor.add_node(watchman)
    spinning = threading.Thread(target=executor.spin)
    spinning.start()
    # The client neither initializes nor shuts down rclpy. Its calls wait, so they are made here
    # and not on the thread that spins.
    try:
        with PlannerClient(node=watchman) as client:
            if not client.wait_for_planner(seconds=60.0):
                raise SystemExit('no planner found: start one with "reactree up"')
            result = client.run_goal(sys.argv[1], listen=lambda event, tree: print(event))
        print(f'{result.status}: {result.message}')
        print(f'the timer ran meanwhile: {watchman.rounds > 0}')
    finally:
        executor.shutdown()
        spinning.join()
        watchman.destroy_node()
        rclpy.try_shutdown()
