# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How every node process of the project starts and ends.

The executor spins in a thread of its own, so that the main thread is free for signals: rclpy's
own handlers would shut ROS down before a goal could be canceled.
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
_LOOK_SEC = 0.1
_CLOSE_SEC = 2.0
_MOST_ERRORS = 100
_ERRORS_SEC = 60.0


class Server(Protocol):
    """A node with what it serves; a subclass defines ``leave`` and ``close`` at least."""

    node: Node
    threads: int
    """Most callbacks that run or wait at the same time."""

    def begin(self) -> str:
        """Start to serve and return an empty text, or why that is not possible.

        The executor spins; ``leave`` may be called meanwhile, and then it ends.
        """
        return ''

    def leave(self) -> threading.Event:
        """Stop serving; the event is set when nothing is running any more."""

    def close(self) -> None:
        """Release everything; the executor does not spin any more."""

    @property
    def broken(self) -> str:
        """Why the process cannot go on; empty if it can."""
        return ''


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
            return _refuse(name, f'unknown arguments {" ".join(extra)}: only --ros-args …')
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


class ErrorLimiter:
    """Tolerates errors of rclpy that come now and then, but not a middleware that is broken."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: deque[float] = deque(maxlen=_MOST_ERRORS)

    def count(self) -> None:
        """Count one more.

        Raises:
            RuntimeError: there were too many within a minute.
        """
        self._times.append(self._clock())
        if len(self._times) == _MOST_ERRORS and self._times[-1] - self._times[0] < _ERRORS_SEC:
            raise RuntimeError(f'{_MOST_ERRORS} rclpy executor errors within {_ERRORS_SEC:g} s')


def _serve(name: str, server: Server, signals: list[int]) -> int:
    executor = MultiThreadedExecutor(server.threads)
    executor.add_node(server.node)

    def spin() -> None:
        errors = ErrorLimiter()
        try:
            while True:
                try:
                    executor.spin()
                    return
                except Exception as error:
                    if not _is_of_rclpy(error):
                        raise
                    text = f'{type(error).__name__}: {error}'
                    server.node.get_logger().warning(f'rclpy executor error, continuing: {text}')
                    errors.count()
        except BaseException:
            # A fault of our own in a callback. Threads that wait for it would never end, so the
            # process is ended; a model server sees its pipe close and ends too. Closing stops
            # what the robot does.
            traceback.print_exc()
            sys.stderr.flush()
            closing = threading.Thread(target=server.close, daemon=True)
            closing.start()
            closing.join(_CLOSE_SEC)
            os._exit(1)

    thread = threading.Thread(target=spin, name='executor', daemon=True)
    thread.start()
    faults: list[str] = []

    def begin() -> None:
        try:
            fault = server.begin()
        except Exception as error:
            traceback.print_exc()
            fault = f'{type(error).__name__}: {error}'
        if fault:
            faults.append(fault)

    starting = threading.Thread(target=begin, name='begin', daemon=True)
    starting.start()
    while not signals and not server.broken and not faults:
        time.sleep(_LOOK_SEC)
    broken = server.broken
    server.leave().wait(STOP_SEC)
    starting.join(timeout=STOP_SEC)
    # the results of the goals that were cut short are still on their way out
    time.sleep(SEND_SEC)
    executor.shutdown(timeout_sec=2.0)
    thread.join(timeout=2.0)
    server.close()
    server.node.destroy_node()
    rclpy.try_shutdown()
    if faults and not signals:
        return _refuse(name, faults[0])
    return 1 if broken else 0


def _is_of_rclpy(error: Exception) -> bool:
    """Return whether an error came up in rclpy itself, not in a callback of ours.

    rclpy looks at clients and servers for its wait set while another thread makes or destroys
    them, and does not guard that.
    """
    _, *frames = traceback.walk_tb(error.__traceback__)
    ours = __name__.partition('.')[0]
    names = (str(frame.f_globals.get('__name__', '')) for frame, _ in frames)
    return all(name.partition('.')[0] != ours for name in names)


def _refuse(name: str, message: str) -> int:
    print(f'{name} does not start: {" ".join(message.split())}', file=sys.stderr)
    return 2
