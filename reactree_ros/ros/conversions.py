# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All translation between the project's data and its ROS messages, in pairs."""

from __future__ import annotations

import itertools
from dataclasses import fields

from builtin_interfaces.msg import Time

from reactree_interfaces.action import ExecuteGoal, ExecuteSkill
from reactree_interfaces.msg import Behaviour
from reactree_interfaces.msg import Costs as CostsMsg
from reactree_interfaces.msg import DecisionRecord as DecisionMsg
from reactree_interfaces.msg import Event as EventMsg
from reactree_interfaces.msg import Left as LeftMsg
from reactree_interfaces.msg import NodeCosts as NodeCostsMsg
from reactree_interfaces.msg import Observation as ObservationMsg
from reactree_interfaces.msg import ObservedObject as ObservedObjectMsg
from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.core.budget import Left
from reactree_ros.core.events import DecisionRecord, Event
from reactree_ros.core.observation import (
    Observation,
    ObservedObject,
    SkillResult,
    SkillStatus,
)
from reactree_ros.core.outcome import Costs, NodeCosts, Reason
from reactree_ros.core.plain_text import one_line
from reactree_ros.core.prompt import MOST_OBSERVED
from reactree_ros.errors import SkillError

MOST_NAME = 80
"""Longest name of an object, a room or a state, in characters."""
MOST_OBJECTS = 2000
"""Most objects of one observation; more are left out."""

_OUTCOMES = {
    SkillStatus.SUCCEEDED: ExecuteSkill.Result.SUCCEEDED,
    SkillStatus.REFUSED: ExecuteSkill.Result.REFUSED,
    SkillStatus.FAILED: ExecuteSkill.Result.FAILED,
    # a canceled skill says so by its goal status; its outcome is that it did not succeed
    SkillStatus.CANCELED: ExecuteSkill.Result.FAILED,
}
_STATUSES = {
    ExecuteSkill.Result.SUCCEEDED: SkillStatus.SUCCEEDED,
    ExecuteSkill.Result.REFUSED: SkillStatus.REFUSED,
    ExecuteSkill.Result.FAILED: SkillStatus.FAILED,
}


def observed_object_to_msg(item: ObservedObject) -> ObservedObjectMsg:
    """Return the message of one object; its sets become sorted lists."""
    return ObservedObjectMsg(
        class_name=item.class_name,
        instance=item.instance,
        room=item.room,
        receptacle=item.receptacle,
        relation=item.relation,
        states=sorted(item.states),
        affordances=sorted(item.affordances),
        near=item.near,
        held=item.held,
    )


def observed_object_from_msg(msg: ObservedObjectMsg) -> ObservedObject:
    """Return the object that a message tells of, its names as plain lines."""
    return ObservedObject(
        class_name=_name(msg.class_name),
        instance=msg.instance,
        room=_name(msg.room),
        receptacle=_name(msg.receptacle),
        relation=_name(msg.relation),
        states=frozenset(map(_name, msg.states)),
        affordances=frozenset(map(_name, msg.affordances)),
        near=msg.near,
        held=msg.held,
    )


def observation_to_msg(observation: Observation) -> ObservationMsg:
    """Return the message of an observation."""
    return ObservationMsg(
        text=observation.text,
        room=observation.room,
        place=observation.place,
        rooms=list(observation.rooms),
        objects=[observed_object_to_msg(item) for item in observation.objects],
    )


def observation_from_msg(msg: ObservationMsg) -> Observation:
    """Return the observation that a message tells of.

    All of it is data: lines are plain, names are short, what has no name is left out.
    """
    objects = map(observed_object_from_msg, itertools.islice(msg.objects, MOST_OBJECTS))
    return Observation(
        text=one_line(msg.text, MOST_OBSERVED),
        room=_name(msg.room),
        place=_name(msg.place),
        rooms=tuple(filter(None, dict.fromkeys(map(_name, msg.rooms[:MOST_OBJECTS])))),
        objects=tuple(item for item in objects if item.class_name),
    )


def _name(text: str) -> str:
    return one_line(text, MOST_NAME)


def skill_result_to_msg(result: SkillResult) -> ExecuteSkill.Result:
    """Return the action result of a skill."""
    return ExecuteSkill.Result(
        outcome=_OUTCOMES[result.status], observation=observation_to_msg(result.observation)
    )


def skill_result_from_msg(msg: ExecuteSkill.Result) -> SkillResult:
    """Return the skill result of an action result.

    Raises:
        SkillError: if the server did not set the outcome, or to none that there is.
    """
    if msg.outcome == ExecuteSkill.Result.UNSET:
        raise SkillError('the server did not set the outcome in its result')
    if msg.outcome not in _STATUSES:
        raise SkillError(f'the server set the unknown outcome {msg.outcome} in its result')
    return SkillResult(_STATUSES[msg.outcome], observation_from_msg(msg.observation))


def costs_to_msg(costs: Costs) -> CostsMsg:
    """Return the message of what a decision, an agent node or a run cost."""
    return CostsMsg(**vars(costs))


def costs_from_msg(msg: CostsMsg) -> Costs:
    """Return what a decision, an agent node or a run cost."""
    return Costs(**{name: getattr(msg, name) for name in vars(Costs())})


def node_costs_to_msg(node: NodeCosts) -> NodeCostsMsg:
    """Return the message of what one agent node cost."""
    reason = node.reason.value if node.reason else ''
    return NodeCostsMsg(path=list(node.path), reason=reason, costs=costs_to_msg(node.costs))


def node_costs_from_msg(msg: NodeCostsMsg) -> NodeCosts:
    """Return what one agent node cost."""
    reason = Reason(msg.reason) if msg.reason else None
    return NodeCosts(tuple(msg.path), reason, costs_from_msg(msg.costs))


def left_to_msg(left: Left) -> LeftMsg:
    """Return the message of what is left of a budget."""
    return LeftMsg(decisions=left.decisions, seconds=float(left.seconds), tokens=left.tokens)


def left_from_msg(msg: LeftMsg) -> Left:
    """Return what is left of a budget."""
    return Left(msg.decisions, msg.seconds, msg.tokens)


def event_to_msg(event: Event, tree: str) -> ExecuteGoal.Feedback:
    """Return the feedback that tells of one event.

    Args:
        event: what happened.
        tree: the tree as text at this moment; empty if it did not change.
    """
    return ExecuteGoal.Feedback(
        kind=event.kind,
        text=event.text,
        path=list(event.path),
        depth=event.depth,
        run=costs_to_msg(event.run),
        node=costs_to_msg(event.node),
        decision=costs_to_msg(event.decision),
        model=event.model,
        behaviour=event.behaviour,
        robot=event.robot,
        goal_left=left_to_msg(event.goal_left),
        node_left=left_to_msg(event.node_left),
        tree=tree,
    )


def run_event_to_msg(event: Event, goal_id: bytes, index: int, stamp: Time) -> EventMsg:
    """Return the message of one event for the topic of all runs.

    Args:
        event: what happened.
        goal_id: of the action goal, 16 bytes.
        index: its place among the events of the goal, from 1.
        stamp: when it happened.
    """
    return EventMsg(
        stamp=stamp,
        goal_id=list(goal_id),
        index=index,
        kind=event.kind,
        text=event.text,
        behaviour=event.behaviour,
        robot=event.robot,
        path=list(event.path),
        run=costs_to_msg(event.run),
        node=costs_to_msg(event.node),
        decision=costs_to_msg(event.decision),
        model=event.model,
    )


def decision_record_to_msg(record: DecisionRecord, goal_id: bytes, stamp: Time) -> DecisionMsg:
    """Return the message of the record of one decision.

    Args:
        record: the record.
        goal_id: of the action goal, 16 bytes.
        stamp: when it was decided.
    """
    values = {name: value for name, value in vars(record).items() if name != 'seconds_ago'}
    values['path'] = list(record.path)
    return DecisionMsg(stamp=stamp, goal_id=list(goal_id), **values)


def decision_record_from_msg(msg: DecisionMsg) -> DecisionRecord:
    """Return the record of one decision; how long ago it was is not in the message."""
    names = {field.name for field in fields(DecisionRecord)} - {'seconds_ago', 'path'}
    values = {name: getattr(msg, name) for name in names}
    return DecisionRecord(path=tuple(msg.path), **values)


def behaviour_to_msg(state: BehaviourState) -> Behaviour:
    """Return the message of one behaviour."""
    return Behaviour(**vars(state))


def behaviour_from_msg(msg: Behaviour) -> BehaviourState:
    """Return the behaviour that a message tells of."""
    names = [field.name for field in fields(BehaviourState)]
    return BehaviourState(**{name: getattr(msg, name) for name in names})


def event_from_msg(msg: ExecuteGoal.Feedback | EventMsg) -> Event:
    """Return the event that a feedback, or a message of the topic of all runs, tells of."""
    lefts = {}
    if isinstance(msg, ExecuteGoal.Feedback):
        lefts = {name: left_from_msg(getattr(msg, name)) for name in ('goal_left', 'node_left')}
    return Event(
        kind=msg.kind,
        text=msg.text,
        path=tuple(msg.path),
        depth=len(msg.path),
        run=costs_from_msg(msg.run),
        node=costs_from_msg(msg.node),
        decision=costs_from_msg(msg.decision),
        model=msg.model,
        behaviour=msg.behaviour,
        robot=msg.robot,
        **lefts,
    )
