# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What ticks the tree: py_trees_ros where it is installed, plain py_trees elsewhere.

With py_trees_ros the tree can be watched (``py-trees-tree-viewer``, ``py-trees-tree-watcher``)
and so can the blackboard (``py-trees-blackboard-watcher``). Nothing else depends on it.
"""

from __future__ import annotations

import time
from typing import Any

import py_trees
from rclpy.node import Node

from reactree_ros.planner.run import GoalRun

_NO_PY_TREES_ROS: ImportError | None = None
try:
    import py_trees_ros
except ImportError as error:
    py_trees_ros = None
    _NO_PY_TREES_ROS = error

WAITING = 'waiting for a goal'
_VIEW_SEC = 5.0
_IDLE_SEC = 0.5


def make_tree_host(node: Node) -> TreeHost:
    """Return the host for what is installed."""
    return RosTreeHost(node) if py_trees_ros is not None else TreeHost()


def log_unwatched(log: Any) -> None:
    """Log why the tree cannot be watched, if py_trees_ros could not be imported.

    Args:
        log: a ROS logger.
    """
    if _NO_PY_TREES_ROS is None:
        return
    is_broken = _NO_PY_TREES_ROS.name != 'py_trees_ros'
    write = log.warning if is_broken else log.info
    write(
        f'py_trees_ros cannot be imported ({_NO_PY_TREES_ROS}): py-trees-tree-viewer and '
        'py-trees-tree-watcher will not find the tree'
    )


class TreeHost:
    """Ticks the tree of one goal after the other; the tree may grow between two ticks."""

    def __init__(self) -> None:
        self._run: GoalRun | None = None

    def begin(self, run: GoalRun) -> None:
        """Take the tree of a new goal instead of the one before."""
        self._run = run

    def tick(self) -> None:
        """Tick the tree once, unless there is none or it has ended."""
        if self._run is not None:
            self._run.tick()

    def show(self) -> None:
        """Send a snapshot of a tree that was stopped from outside to those who watch."""

    def release(self) -> None:
        """Release the tree of the last goal."""
        self._run = None

    def shutdown(self) -> None:
        """Release what the host made."""


class RosTreeHost(TreeHost):
    """Ticks with ``py_trees_ros.trees.BehaviourTree``, which streams snapshots.

    One py_trees_ros tree serves all goals, because it declares parameters and services on the
    node when it is set up; its root is exchanged.
    """

    def __init__(self, node: Node) -> None:
        super().__init__()
        self._shown = 0.0
        self._idle = py_trees.behaviours.Running(name=WAITING)
        self._tree: Any = py_trees_ros.trees.BehaviourTree(root=self._idle)
        self._tree.setup(node=node, timeout=15.0)
        _keep_young_views(self._tree.blackboard_exchange)

    def begin(self, run: GoalRun) -> None:
        """Take the tree of a new goal instead of the one before."""
        super().begin(run)
        self._tree.root = run.root

    def tick(self) -> None:
        """Tick the tree once, unless there is none or it has ended.

        Then there is a tick now and then, which changes nothing: py_trees_ros sends a new watcher
        what there is to see with the next tick.
        """
        if self._run is not None and self._run.root.outcome is None:
            self._tree.tick()
        elif time.monotonic() - self._shown > _IDLE_SEC:
            self.show()

    def show(self) -> None:
        """Send a snapshot of a tree that was stopped from outside."""
        self._shown = time.monotonic()
        self._tree.tick()  # of what has ended it changes nothing

    def release(self) -> None:
        """Show that a goal is awaited."""
        super().release()
        self._tree.root = self._idle

    def shutdown(self) -> None:
        """Close the streams."""
        self._tree.shutdown()


def _keep_young_views(exchange: Any) -> None:
    """Leave watchers of the blackboard the time to subscribe.

    py_trees_ros closes a view at the first tick at which it has no subscriber, and at 20 Hz that
    comes before the watcher that has just asked for the view.
    """
    close = getattr(exchange, '_close_view', None)
    if close is None:
        return
    asked: dict[int, float] = {}

    def close_old(view: Any) -> None:
        now = time.monotonic()
        if now - asked.setdefault(id(view), now) > _VIEW_SEC:
            del asked[id(view)]
            close(view)

    exchange._close_view = close_old
