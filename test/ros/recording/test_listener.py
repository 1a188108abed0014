# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A viewer that starts late shows the runs before it in their order."""

from __future__ import annotations

from typing import Any

import pytest
from builtin_interfaces.msg import Time
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.msg import Behaviour, DecisionRecord, Event, ObservedObject, Tree
from reactree_interfaces.msg import Observation as ObservationMsg
from reactree_ros.ros.conversions import EVENT_KINDS
from reactree_ros.ros.qos import EVENTS, LATEST
from reactree_ros.ros.recording.run_publisher import (
    AUDIT_TOPIC,
    EVENT_TOPIC,
    MEMORY_TOPIC,
    TREE_TOPIC,
)
from reactree_ros.ros.viewer.listener import RunListener
from reactree_ros.viewer.run_index import RunIndex

pytestmark = pytest.mark.ros

GOALS, EVENTS_OF_ONE = 4, 12


def publish(node: Node) -> None:
    """Publish some runs, of which the last goes on."""
    events = node.create_publisher(Event, EVENT_TOPIC, EVENTS)
    audits = node.create_publisher(DecisionRecord, AUDIT_TOPIC, EVENTS)
    trees = node.create_publisher(Tree, TREE_TOPIC, LATEST)
    memories = node.create_publisher(ObservationMsg, MEMORY_TOPIC, LATEST)
    for goal in range(GOALS):
        goal_id = UUID(uuid=[goal + 1] * 16)
        for number in range(EVENTS_OF_ONE):
            stamp = Time(sec=1_700_000_000 + 100 * goal + number)
            is_last = number == EVENTS_OF_ONE - 1 and goal < GOALS - 1
            kind = 'goal' if number == 0 else 'ended' if is_last else 'think'
            events.publish(
                Event(
                    goal_id=goal_id,
                    kind=EVENT_KINDS.number(kind),
                    text='succeeded: done' if is_last else f'event {number}',
                    behaviour=1,
                    path=[f'goal {goal}'],
                    stamp=stamp,
                )
            )
            audits.publish(
                DecisionRecord(goal_id=goal_id, index=number + 1, behaviour=1, stamp=stamp)
            )
            behaviour = Behaviour(number=1, name=f'goal {goal}', kind=1, status=1)
            trees.publish(
                Tree(goal_id=goal_id, goal=f'goal {goal}', stamp=stamp, behaviours=[behaviour])
            )
        thing = ObservedObject(class_name=f'thing {goal}', instance=1, room='kitchen 1')
        memories.publish(ObservationMsg(text='x', room='kitchen 1', objects=[thing]))


def test_runs_before_it_are_told_apart_and_in_order(spinner: Any) -> None:
    node = spinner.node
    publish(node)
    index = RunIndex()
    listener = RunListener(node, index)
    spinner.until(lambda: listener.latest, 'a run')
    runs = index.about()
    assert [run['goal'] for run in runs] == ['goal 3', 'goal 2', 'goal 1', 'goal 0']
    assert [bool(run['ended']) for run in runs] == [False, True, True, True]
    assert [run['began'] for run in runs] == [1_700_000_000.0 + 100 * n for n in (3, 2, 1, 0)]
    assert listener.latest is not None and listener.latest.goal == 'goal 3'
    frames = listener.latest.frames
    assert [frame['t'] for frame in frames] == sorted(frame['t'] for frame in frames)
    (memory,) = (frame for frame in frames if frame['kind'] == 'memory')
    assert [one['name'] for one in memory['objects']] == ['thing 3 1']
