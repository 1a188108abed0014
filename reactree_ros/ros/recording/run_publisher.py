# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every run on topics, and in a file: its events, its tree and what is known around the robot."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.time import Time
from std_msgs.msg import String
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.msg import DecisionRecord as DecisionRecordMsg
from reactree_interfaces.msg import Event as EventMsg
from reactree_interfaces.msg import Observation as ObservationMsg
from reactree_interfaces.msg import Tree
from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.core.events import DecisionRecord, Event
from reactree_ros.core.outcome import RunReport
from reactree_ros.core.situation import Situation
from reactree_ros.core.wire import Values
from reactree_ros.planner.run import GoalRun
from reactree_ros.ros.conversions import (
    behaviour_to_msg,
    decision_record_to_msg,
    event_to_msg,
    observation_to_msg,
)
from reactree_ros.ros.qos import EVENTS, LATEST
from reactree_ros.ros.recording.run_recorder import RunRecorder

EVENT_TOPIC = 'reactree/events'
AUDIT_TOPIC = 'reactree/audit'
TREE_TOPIC = 'reactree/tree'
MEMORY_TOPIC = 'reactree/working_memory'
INPUT_TOPIC = 'reactree/inputs'
"""In files only: what the run got from outside (``planner.recorded_inputs``), JSON each."""
SCENE_TOPIC = 'reactree/scene'
"""Of a simulator: what is drawn (``sim.physics.viewing.shapes``), JSON; goes into the files."""
POSES_TOPIC = 'reactree/poses'
"""Of a simulator: the positions of its joints, a JSON list; some of them go into the files."""
_POSES_SEC = 0.2
_POSES = 1500
"""Two poses in a file are at least so long apart; after so many poses twice as long, and so on."""


class RunPublisher:
    """Publishes what happens in runs; the tree and working memory only when they change."""

    def __init__(self, node: Node, recorder: RunRecorder) -> None:
        self._node = node
        self._recorder = recorder
        self._events = node.create_publisher(EventMsg, EVENT_TOPIC, EVENTS)
        self._audit = node.create_publisher(DecisionRecordMsg, AUDIT_TOPIC, EVENTS)
        self._trees = node.create_publisher(Tree, TREE_TOPIC, LATEST)
        self._memory = node.create_publisher(ObservationMsg, MEMORY_TOPIC, LATEST)
        self._goal_id = UUID()
        self._count = 0
        self._tree: tuple[BehaviourState, ...] = ()
        self._situation: Situation | None = None
        self._scene: String | None = None
        self._poses: String | None = None
        self._noted_poses: String | None = None
        self._poses_at, self._poses_count = 0.0, 0
        self._subscriptions = (
            node.create_subscription(String, SCENE_TOPIC, self._on_scene, LATEST),
            node.create_subscription(String, POSES_TOPIC, self._on_poses, LATEST),
        )

    def begin(self, goal_id: UUID, goal: str, about: Mapping[str, Any]) -> None:
        """Begin with the run of another goal.

        Args:
            goal_id: of the action goal.
            goal: what the person wants.
            about: what else its file says of it; plain data.
        """
        self._recorder.begin(bytes(goal_id.uuid), goal, about)
        self._goal_id = goal_id
        self._count = 0
        self._tree = ()
        self._situation = None
        self._poses_count, self._noted_poses = 0, None
        if self._scene is not None:
            self.note(SCENE_TOPIC, self._scene, LATEST)
        self._note_poses()

    @property
    def fault(self) -> str:
        """Why the run is not written into a file; empty if it is, or is not to be."""
        return self._recorder.fault

    def note(self, topic: str, message: Any, qos: QoSProfile) -> None:
        """Write into the run's file what somebody else publishes."""
        # without remappings, so that a reader knows the topic by the end of its name
        full = self._node.resolve_topic_name(topic, only_expand=True)
        self._recorder.write(full, message, qos)

    def input(self, entry: Values) -> None:
        """Write what the run got from outside into its file."""
        self.note(INPUT_TOPIC, String(data=json.dumps(entry, ensure_ascii=False)), EVENTS)

    def event(self, event: Event) -> EventMsg:
        """Publish what happened, and return the message."""
        self._count += 1
        stamp = self._node.get_clock().now().to_msg()
        message = event_to_msg(event, self._goal_id, self._count, stamp)
        self._note_poses()
        self._publish(self._events, EVENT_TOPIC, message)
        return message

    def audit(self, record: DecisionRecord) -> None:
        """Publish the record of a decision of this run."""
        now = self._node.get_clock().now().nanoseconds
        # ROS time may stand still, or have jumped back meanwhile
        decided = Time(nanoseconds=max(0, now - int(record.seconds_ago * 1e9)))
        message = decision_record_to_msg(record, self._goal_id, decided.to_msg())
        self._publish(self._audit, AUDIT_TOPIC, message)

    def look(self, run: GoalRun) -> None:
        """Publish what has changed."""
        tree = run.snapshot()
        if tree != self._tree:
            self._tree = tree
            message = Tree(
                stamp=self._node.get_clock().now().to_msg(),
                goal_id=self._goal_id,
                goal=run.goal,
                behaviours=[behaviour_to_msg(one) for one in tree],
            )
            self._publish(self._trees, TREE_TOPIC, message)
        situation = run.situation()
        if situation is not self._situation:
            self._situation = situation
            known = observation_to_msg(situation.as_observation())
            self._publish(self._memory, MEMORY_TOPIC, known)

    def end(self, report: RunReport) -> None:
        """End the run's file with how it ended."""
        self._recorder.end(report_to_json(report))

    def destroy(self) -> None:
        """Withdraw the topics, and finish the file."""
        self._recorder.close()
        for publisher in (self._events, self._audit, self._trees, self._memory):
            self._node.destroy_publisher(publisher)
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _on_scene(self, message: String) -> None:
        self._scene = message
        self.note(SCENE_TOPIC, message, LATEST)

    def _on_poses(self, message: String) -> None:
        self._poses = message
        period_sec = _POSES_SEC * (1 + self._poses_count // _POSES)
        if time.monotonic() - self._poses_at >= period_sec:
            self._note_poses()

    def _note_poses(self) -> None:
        """Write the latest poses into the run's file, if they are not there."""
        poses = self._poses
        if poses is not None and poses is not self._noted_poses:
            self._noted_poses, self._poses_at = poses, time.monotonic()
            self._poses_count += 1
            self.note(POSES_TOPIC, poses, LATEST)

    def _publish(self, publisher: Any, topic: str, message: Any) -> None:
        publisher.publish(message)
        self.note(topic, message, publisher.qos_profile)


def report_to_json(report: RunReport) -> dict[str, Any]:
    """Return how a run ended, as its file has it; the reason is empty after success."""
    return {
        'status': report.status,
        'reason': report.reason_word,
        'message': report.full_message,
        'tree': report.tree,
        'costs': vars(report.costs),
        'nodes': [
            {
                'path': node.path,
                'reason': node.reason and node.reason.value,
                'costs': vars(node.costs),
            }
            for node in report.nodes
        ],
        'conditions': [vars(one) for one in report.conditions],
        'unconfirmed': report.unconfirmed,
        'answer': report.answer,
    }
