# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How every node process of the project starts and ends.

The executor spins in a thread of its own, so that the main thread is free for signals: rclpy's
own handlers would shut ROS down before a goal could be cancelled.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from typing import Protocol, TypeVar

import rclpy
from rclpy.exceptions import NameValidationException
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from reactree_ros.errors import ReactreeError

AnyNode = TypeVar('AnyNode', bound=Node)

STOP_SEC = 8.0
"""Seconds that a node has for leaving; ``reactree up`` waits longer before it kills."""

SEND_SEC = 0.2
"""Seconds that the last results are given to be sent."""
LOOK_SEC = 0.1
_STUMBLES = 100
_STUMBLES_SEC = 60.0


class Server(Protocol):
    """A node with what it serves."""

    node: Node
    threads: int
    """Most callbacks that run or wait at the same time."""

    def leave(self) -> threading.Event:
        """Begin to leave; the event is set when nothing is under way any more."""

    def close(self) -> None:
        """Let go of everything; the executor does not spin any more."""

    def begin(self) -> str:
        """Begin to serve and return an empty text, or why that is not possible.

        The executor spins; ``leave`` may be called meanwhile, and then it comes to an end.
        """

    @property
    def broken(self) -> str:
        """Why the process cannot go on; empty if it can."""


def _plain_node(name: str) -> Node:
    return Node(name, automatically_declare_parameters_from_overrides=True)


def run_node(
    name: str,
    make: Callable[[AnyNode], Server],
    make_node: Callable[[str], AnyNode] = _plain_node,
    argv: list[str] | None = None,
) -> int:
    """Run a node until SIGINT or SIGTERM and return the process's exit code.

    Args:
        name: name of the node; a remapping may change it.
        make: builds the server; it may raise ReactreeError, after which nothing is left behind.
        make_node: makes the node.
        argv: command line with the program's name; the process's own by default.

    Returns:
        0 after a signal, 1 if the server broke, 2 if it could not start; what was wrong then
        stands in one line on standard error.
    """
    argv = sys.argv if argv is None else argv
    # A plain list: an Event's lock is not reentrant, and a handler may run while it is held.
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: signals.append(number))
    try:
        extra = remove_ros_args(argv)[1:]
        if extra:
            return _refuse(name, f'arguments {" ".join(extra)} are not known, only --ros-args …')
        rclpy.init(args=argv, signal_handler_options=SignalHandlerOptions.NO)
        node = make_node(name)
    # rclpy raises bare RuntimeErrors and errors of its C layer for arguments that it cannot read
    except Exception as error:
        rclpy.try_shutdown()
        return _refuse(name, re.sub(r', at \S+:\d+', '', str(error)))
    try:
        server = make(node)
    except (ReactreeError, NameValidationException) as error:
        node.destroy_node()
        rclpy.try_shutdown()
        return _refuse(name, str(error))
    code = _serve(name, server, signals)
    # Python gives its handlers up while it ends; a late second signal must not look like a crash.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    return code


class Stumbles:
    """Tells errors of rclpy now and then, in months of work, from a middleware that is broken.

    Args:
        clock: monotonic time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: deque[float] = deque(maxlen=_STUMBLES)

    def count(self) -> None:
        """Count one more.

        Raises:
            RuntimeError: there were too many within a minute.
        """
        self._times.append(self._clock())
        full = len(self._times) == _STUMBLES
        if full and self._times[-1] - self._times[0] < _STUMBLES_SEC:
            raise RuntimeError('rclpy stumbles again and again')


def _serve(name: str, server: Server, signals: list[int]) -> int:
    executor = MultiThreadedExecutor(server.threads)
    executor.add_node(server.node)

    def spin() -> None:
        stumbles = Stumbles()
        try:
            while True:
                try:
                    executor.spin()
                    return
                except Exception as error:
                    if not _is_of_rclpy(error):
                        raise
                    told = f'{type(error).__name__}: {error}'
                    server.node.get_logger().warning(f'rclpy stumbled and goes on: {told}')
                    stumbles.count()
        except BaseException:
            # A fault of our own in a callback. Threads that wait for it would never end, so the
            # process is ended; a model server sees its pipe close and ends too.
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)

    thread = threading.Thread(target=spin, name='executor', daemon=True)
    thread.start()
    faults: list[str] = []

    def begin() -> None:
        faults.extend(filter(None, [server.begin()]))

    beginning = threading.Thread(target=begin, name='begin', daemon=True)
    beginning.start()
    while not signals and not server.broken and not faults:
        time.sleep(LOOK_SEC)
    server.leave().wait(STOP_SEC)
    beginning.join(timeout=STOP_SEC)
    # the results of the goals that were cut short are still on their way out
    time.sleep(SEND_SEC)
    executor.shutdown(timeout_sec=2.0)
    thread.join(timeout=2.0)
    server.close()
    server.node.destroy_node()
    rclpy.try_shutdown()
    if faults and not signals:
        return _refuse(name, faults[0])
    return 1 if server.broken else 0


def _is_of_rclpy(error: Exception) -> bool:
    """Say whether an error came up in rclpy itself, not in a callback of ours.

    rclpy looks at clients and servers for its wait set while another thread makes or destroys
    them, and does not guard that.
    """
    ours = __name__.partition('.')[0]
    names = [
        str(frame.f_globals.get('__name__', ''))
        for frame, _ in traceback.walk_tb(error.__traceback__)
    ]
    return not any(name.partition('.')[0] == ours for name in names[1:])


def _refuse(name: str, message: str) -> int:
    print(f'{name} does not start: {" ".join(message.split())}', file=sys.stderr)
    return 2
