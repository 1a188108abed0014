# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every run can be followed on topics, also by who comes late."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile

from reactree_interfaces.msg import Behaviour, Event, Observation, Tree
from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.ros.conversions import behaviour_from_msg, event_from_msg

pytestmark = pytest.mark.ros

SCRIPT = {
    'bring it': [
        'Think: two steps',
        'Expand: sequence ["look around", "give up"]',
    ],
    'look around': ['Act: go to bathroom 1', 'Act: done'],
    'give up': ['Act: failure'],
}
PLANNER = {'agent.replan_after_failure': False}
KEPT = DurabilityPolicy.TRANSIENT_LOCAL


class Follower:
    """Reads the three topics."""

    def __init__(self, system: Any) -> None:
        self.events: list[Event] = []
        self.trees: list[Tree] = []
        self.known: list[Observation] = []
        node = system.spinner.node
        for kind, topic, heard, depth in (
            (Event, 'reactree/events', self.events, 1000),
            (Tree, 'reactree/tree', self.trees, 1),
            (Observation, 'reactree/working_memory', self.known, 1),
        ):
            qos = QoSProfile(depth=depth, durability=KEPT)
            node.create_subscription(kind, topic, heard.append, qos)


def behaviours(tree: Tree) -> list[BehaviourState]:
    return [behaviour_from_msg(one) for one in tree.behaviours]


@pytest.fixture(scope='module')
def run(start_system: Callable[..., Any]) -> Iterator[tuple[Any, Any, Follower]]:
    with start_system(SCRIPT, PLANNER, {'room': 'kitchen 1'}) as system:
        system.ready()
        follower = Follower(system)
        handle = system.send(goal='bring it')
        result = system.result(handle)
        assert result.result.status == 'failed'
        system.spinner.until(lambda: any(one.kind == Event.KIND_ENDED for one in follower.events))
        system.spinner.until(
            lambda: follower.trees[-1].behaviours[0].status == Behaviour.STATUS_FAILED
        )
        yield system, handle, follower


def test_events_are_numbered_and_name_their_node(run: Any) -> None:
    _, handle, follower = run
    assert [one.index for one in follower.events] == [*range(1, len(follower.events) + 1)]
    assert {bytes(one.goal_id.uuid) for one in follower.events} == {bytes(handle.goal_id.uuid)}
    told = [(one.kind, one.behaviour, one.text) for one in map(event_from_msg, follower.events)]
    assert told[0] == ('goal', 1, 'bring it')
    assert ('think', 1, 'two steps') in told
    names = {one.number: one.name for one in follower.trees[-1].behaviours}
    for kind, number, text in told:
        if kind in ('goal', 'act', 'done', 'failure'):
            assert names[number] == (text if kind == 'goal' else names[number])
    (act,) = [one for one in follower.events if one.kind == Event.KIND_ACT]
    assert names[act.behaviour] == 'look around'
    assert list(act.path) == ['bring it', 'look around']
    stamps = [one.stamp.sec + one.stamp.nanosec * 1e-9 for one in follower.events]
    assert stamps == sorted(stamps)
    assert stamps[0] > 1e9


def test_a_tree_grows_and_its_numbers_stay(run: Any) -> None:
    _, _, follower = run
    last = {one.number: one for one in follower.trees[-1].behaviours}
    shown = [(one.kind, one.name, one.status) for one in behaviours(follower.trees[-1])]
    assert shown == [
        ('agent', 'bring it', 'failed'),
        ('sequence', 'sequence of 2', 'failed'),
        ('agent', 'look around', 'succeeded'),
        ('skill', 'go to bathroom 1', 'succeeded'),
        ('agent', 'give up', 'failed'),
    ]
    assert [one.parent for one in follower.trees[-1].behaviours][:2] == [0, 1]
    for one in follower.trees[-1].behaviours[1:]:
        assert one.parent in last
    sizes = [len(tree.behaviours) for tree in follower.trees]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    for tree in follower.trees:
        assert tree.goal == 'bring it'
        for one in tree.behaviours:
            assert (last[one.number].name, last[one.number].parent) == (one.name, one.parent)
    shown_costs = [one.feedback for tree in follower.trees for one in tree.behaviours]
    assert any(text.startswith('two steps (1 decision, ') for text in shown_costs)
    waiting = {one.status for tree in follower.trees for one in behaviours(tree)}
    assert waiting >= {'running', 'waiting', 'succeeded', 'failed'}


def test_what_is_known_of_the_house_is_published(run: Any) -> None:
    _, _, follower = run
    # What came before the first observation may have been replaced before it was read.
    places = dict.fromkeys(one.room for one in follower.known if one.room)
    assert [*places] == ['kitchen 1', 'bathroom 1']
    rooms = {item.room for item in follower.known[-1].objects}
    assert rooms >= {'kitchen 1', 'bathroom 1'}


def test_who_comes_late_reads_what_happened(run: Any) -> None:
    system, _, follower = run
    late = Follower(system)
    system.spinner.until(
        lambda: late.trees and late.known and len(late.events) >= len(follower.events)
    )
    assert late.events == follower.events
    assert late.trees == follower.trees[-1:]
    assert late.known == follower.known[-1:]


def test_a_cancelled_goal_leaves_no_behaviour_running(start_system: Callable[..., Any]) -> None:
    script = {'wait': ['Act: go to bathroom 1', 'Act: done']}
    bridge = {'room': 'kitchen 1', 'skill_duration_sec': 10.0}
    with start_system(script, PLANNER, bridge, namespace='other') as system:
        system.ready()
        follower = Follower(system)
        handle = system.send(goal='wait')
        system.happens('act', 'go to bathroom 1')
        system.cancel(handle)
        assert system.result(handle).result.status == 'canceled'
        system.spinner.until(
            lambda: [one.status for one in behaviours(follower.trees[-1])] == ['interrupted'] * 2
        )
