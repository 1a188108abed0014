# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What ends a node's process, and what does not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from reactree_ros.ros.nodes import node_main


def fault_of(code: str, name: str) -> Exception:
    """Return the error that code raises in a module of that name, called from this one."""
    space = {'__name__': name}
    exec(code, space)
    try:
        space['fail']()  # type: ignore[operator]
    except Exception as error:
        return error
    raise AssertionError('it did not fail')


FAIL = 'def fail():\n    raise RuntimeError("dictionary changed size")'


def test_a_fault_of_rclpy_is_told_from_one_of_ours() -> None:
    assert node_main._is_of_rclpy(fault_of(FAIL, 'rclpy.executors'))
    assert not node_main._is_of_rclpy(fault_of(FAIL, 'reactree_ros.ros.goals.goal_server'))


CRASH = """
import threading
from reactree_ros.ros.nodes.node_main import Server, run_node

class Faulty(Server):
    threads = 1
    def __init__(self, node):
        self.node = node
        node.create_timer(0.01, lambda: 1 / 0)
    def leave(self):
        return threading.Event()
    def close(self):
        print('closed', flush=True)

run_node('faulty', Faulty, argv=['faulty'])
"""


def test_a_fault_in_a_callback_ends_the_process_after_it_has_closed() -> None:
    done = subprocess.run([sys.executable, '-c', CRASH], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, 'closed\n')
    assert 'ZeroDivisionError' in done.stderr


def test_many_faults_of_rclpy_end_the_process_only_if_they_come_at_once() -> None:
    now = 0.0
    errors = node_main.ErrorLimiter(lambda: now)
    for _ in range(1000):
        now += 1.0
        errors.count()
    with pytest.raises(RuntimeError, match='rclpy executor errors'):
        for _ in range(100):
            errors.count()
