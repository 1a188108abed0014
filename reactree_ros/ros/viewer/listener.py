# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Follows the runs of planners by what they publish."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.node import Node
from std_msgs.msg import String

from reactree_interfaces.msg import DecisionRecord as DecisionRecordMsg
from reactree_interfaces.msg import Event as EventMsg
from reactree_interfaces.msg import Observation as ObservationMsg
from reactree_interfaces.msg import Tree
from reactree_ros.ros.conversions import (
    behaviour_from_msg,
    decision_record_from_msg,
    event_from_msg,
    observation_from_msg,
)
from reactree_ros.ros.qos import EVENTS, LATEST
from reactree_ros.ros.recording.run_publisher import (
    AUDIT_TOPIC,
    EVENT_TOPIC,
    MEMORY_TOPIC,
    POSES_TOPIC,
    SCENE_TOPIC,
    TREE_TOPIC,
)
from reactree_ros.ros.timers import steady_timer
from reactree_ros.viewer.history import RunHistory
from reactree_ros.viewer.run_index import RunIndex

_QUIET_SEC = 0.2
_LONGEST_SEC = 2.0
_LAST = float('inf')


class RunListener:
    """Subscribes to what planners publish of their runs, and adds it to an index.

    What was published before comes first, all topics mixed: it is sorted by its stamps.
    """

    def __init__(self, node: Node, index: RunIndex) -> None:
        self._index = index
        self._early: list[tuple[float, Callable[[], None]]] | None = []
        self._first = self._last = 0.0
        self._timer = steady_timer(node, _QUIET_SEC / 4, self._catch_up)
        self.latest: RunHistory | None = None
        """The run of which something was published last; None for none yet."""
        self._at = self._heard = 0.0
        self._told: dict[str, str] = {}  # the simulation, by topic
        for kind, topic, take, profile in (
            (EventMsg, EVENT_TOPIC, self._on_event, EVENTS),
            (Tree, TREE_TOPIC, self._on_tree, LATEST),
            (DecisionRecordMsg, AUDIT_TOPIC, self._on_audit, EVENTS),
            (ObservationMsg, MEMORY_TOPIC, self._on_memory, LATEST),
            (String, SCENE_TOPIC, partial(self._on_shown, SCENE_TOPIC), LATEST),
            (String, POSES_TOPIC, partial(self._on_shown, POSES_TOPIC), LATEST),
        ):
            node.create_subscription(kind, topic, partial(self._receive, take), profile)

    def _receive(self, take: Callable[[Any], None], message: Any) -> None:
        if self._early is None:
            take(message)
            return
        self._last = time.monotonic()
        self._first = self._first or self._last
        stamp = getattr(message, 'stamp', None)  # what has none is of the latest run
        at = _LAST if stamp is None else stamp.sec + stamp.nanosec / 1e9
        self._early.append((at, partial(take, message)))

    def _catch_up(self) -> None:
        """Take what was published before, once all of it is here."""
        now = time.monotonic()
        if not self._early or now < min(self._last + _QUIET_SEC, self._first + _LONGEST_SEC):
            return
        self._timer.cancel()
        early, self._early = self._early, None
        for _, take in sorted(early, key=lambda one: one[0]):
            take()

    def _on_event(self, message: EventMsg) -> None:
        at = self._moment(message.stamp)
        self._run(bytes(message.goal_id.uuid), '').event(at, event_from_msg(message))

    def _on_audit(self, message: DecisionRecordMsg) -> None:
        # published when the outcome is known, and stamped with when it was decided
        at = self._at or self._moment(message.stamp)
        run = self._run(bytes(message.goal_id.uuid), '')
        run.decision(at, decision_record_from_msg(message))

    def _on_tree(self, message: Tree) -> None:
        at = self._moment(message.stamp)
        run = self._run(bytes(message.goal_id.uuid), message.goal)
        run.tree(at, tuple(map(behaviour_from_msg, message.behaviours)))

    def _on_memory(self, message: ObservationMsg) -> None:
        # it does not say of which run it is: of the one that was published before
        if self.latest is not None:
            self.latest.memory(self._at, observation_from_msg(message))

    def _on_shown(self, topic: str, message: String) -> None:
        self._told[topic] = message.data
        if self.latest is not None and not self.latest.ended:
            self._show(self.latest, topic)

    def _show(self, run: RunHistory, topic: str) -> None:
        """Tell a run of the simulation; what cannot be read is nothing to be drawn."""
        if topic in self._told:
            with suppress(ValueError, TypeError, OverflowError, RecursionError):
                show = run.scene if topic == SCENE_TOPIC else run.pose
                # by the planner's clock, which may be a simulator's
                at = self._at + time.monotonic() - self._heard
                show(at, json.loads(self._told[topic]))

    def _run(self, goal_id: bytes, goal: str) -> RunHistory:
        run = self._index.begin(goal_id.hex(), goal)
        if run is not self.latest:
            self.latest = run
            for topic in (SCENE_TOPIC, POSES_TOPIC):
                self._show(run, topic)
        return run

    def _moment(self, stamp: Time) -> float:
        self._at, self._heard = stamp.sec + stamp.nanosec / 1e9, time.monotonic()
        return self._at
