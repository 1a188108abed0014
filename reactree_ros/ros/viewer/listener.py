# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Follows the runs of planners by what they publish."""

from __future__ import annotations

import json
import time
from contextlib import suppress

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
from reactree_ros.viewer.history import RunHistory
from reactree_ros.viewer.run_index import RunIndex


class RunListener:
    """Subscribes to what planners publish of their runs, and adds it to an index."""

    def __init__(self, node: Node, index: RunIndex) -> None:
        self._index = index
        self.latest: RunHistory | None = None
        """The run of which something was published last; None for none yet."""
        self._at = self._heard = 0.0
        self._told: dict[str, str] = {}  # the simulation, by topic
        node.create_subscription(EventMsg, EVENT_TOPIC, self._on_event, EVENTS)
        node.create_subscription(Tree, TREE_TOPIC, self._on_tree, LATEST)
        node.create_subscription(DecisionRecordMsg, AUDIT_TOPIC, self._on_audit, EVENTS)
        node.create_subscription(ObservationMsg, MEMORY_TOPIC, self._on_memory, LATEST)
        for topic in (SCENE_TOPIC, POSES_TOPIC):
            node.create_subscription(
                String, topic, lambda message, topic=topic: self._on_shown(topic, message), LATEST
            )

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
