# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All translation between the project's data and its ROS messages, in pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.duration import Duration
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.action import ExecuteGoal, ExecuteSkill
from reactree_interfaces.msg import Behaviour, PauseState
from reactree_interfaces.msg import Condition as ConditionMsg
from reactree_interfaces.msg import Costs as CostsMsg
from reactree_interfaces.msg import DecisionRecord as DecisionMsg
from reactree_interfaces.msg import Event as EventMsg
from reactree_interfaces.msg import NodeCosts as NodeCostsMsg
from reactree_interfaces.msg import Observation as ObservationMsg
from reactree_interfaces.msg import ObservedObject as ObservedObjectMsg
from reactree_interfaces.msg import Reason as ReasonMsg
from reactree_interfaces.msg import RemainingBudget as RemainingBudgetMsg
from reactree_interfaces.srv import CorrectMemory
from reactree_ros.behaviours.snapshot import KIND_WORDS, STATUS_WORDS, BehaviourState
from reactree_ros.core.budget import RemainingBudget
from reactree_ros.core.events import KINDS, DecisionRecord, Event
from reactree_ros.core.observation import (
    Observation,
    ObservedObject,
    SkillResult,
    SkillStatus,
)
from reactree_ros.core.outcome import (
    STATUSES,
    ConditionState,
    Costs,
    NodeCosts,
    Reason,
    RunReport,
)
from reactree_ros.core.plain_text import one_line
from reactree_ros.core.prompt import MOST_OBSERVED
from reactree_ros.errors import SkillError
from reactree_ros.execution.pause import PAUSE_STATES
from reactree_ros.memory.belief import RELATIONS as RELATION_WORDS

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


class Constants:
    """The constants of an interface as words: ``KIND_THINK`` is ``think``, ``KIND_UNSET`` is empty.

    Args:
        interface: the message class that declares them.
        words: every word, each with a constant of its name.
        prefix: of the constants' names.
    """

    def __init__(self, interface: type, words: Iterable[str], prefix: str = '') -> None:
        self.words = tuple(words)
        self._numbers = {word: getattr(interface, prefix + word.upper()) for word in self.words}
        self._numbers[''] = getattr(interface, f'{prefix}UNSET')
        self._words = {number: word for word, number in self._numbers.items()}

    def number(self, word: str) -> int:
        """Return the constant of a word.

        Raises:
            KeyError: if it has none.
        """
        return self._numbers[word]

    def word(self, number: int) -> str:
        """Return the word of a constant; of an unknown one, its number."""
        return self._words.get(number, str(number))


EVENT_KINDS = Constants(EventMsg, KINDS, 'KIND_')
BEHAVIOUR_KINDS = Constants(Behaviour, KIND_WORDS, 'KIND_')
BEHAVIOUR_STATUSES = Constants(Behaviour, STATUS_WORDS, 'STATUS_')
GOAL_STATUSES = Constants(ExecuteGoal.Result, STATUSES, 'STATUS_')
REASONS = Constants(ReasonMsg, (reason.value for reason in Reason))
RELATIONS = Constants(CorrectMemory.Request, RELATION_WORDS)
PAUSES = Constants(PauseState, PAUSE_STATES)


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
    """Return the object of a message, its names as plain lines."""
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
    """Return the observation of a message.

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
    reason = REASONS.number(node.reason.value if node.reason else '')
    return NodeCostsMsg(path=list(node.path), reason=reason, costs=costs_to_msg(node.costs))


def node_costs_from_msg(msg: NodeCostsMsg) -> NodeCosts:
    """Return what one agent node cost."""
    reason = REASONS.word(msg.reason)
    return NodeCosts(tuple(msg.path), Reason(reason) if reason else None, costs_from_msg(msg.costs))


def goal_to_msg(
    goal: str,
    strategy: str = '',
    max_decisions: int = 0,
    max_depth: int = 0,
    max_duration_sec: float = 0.0,
    max_tokens: int = 0,
    priority: int = 0,
    conditions: Sequence[str] = (),
) -> ExecuteGoal.Goal:
    """Return the goal message; an empty strategy and limits of 0 are left to the planner."""
    return ExecuteGoal.Goal(
        goal=goal,
        strategy=strategy,
        max_decisions=max_decisions,
        max_depth=max_depth,
        max_duration=Duration(seconds=max_duration_sec).to_msg(),
        max_tokens=max_tokens,
        priority=priority,
        conditions=list(conditions),
    )


def goal_from_msg(msg: ExecuteGoal.Goal) -> dict[str, Any]:
    """Return the arguments of ``goal_to_msg`` that make a goal message; plain data."""
    return {
        'goal': msg.goal,
        'strategy': msg.strategy,
        'max_decisions': msg.max_decisions,
        'max_depth': msg.max_depth,
        'max_duration_sec': Duration.from_msg(msg.max_duration).nanoseconds / 1e9,
        'max_tokens': msg.max_tokens,
        'priority': msg.priority,
        'conditions': list(msg.conditions),
    }


def report_to_msg(report: RunReport) -> ExecuteGoal.Result:
    """Return the action result of a run."""
    return ExecuteGoal.Result(
        status=GOAL_STATUSES.number(report.status),
        reason=REASONS.number(report.reason_word),
        message=report.full_message,
        tree=report.tree,
        costs=costs_to_msg(report.costs),
        nodes=[node_costs_to_msg(node) for node in report.nodes],
        conditions=conditions_to_msg(report.conditions),
        unconfirmed=report.unconfirmed,
        answer=report.answer,
    )


def conditions_to_msg(conditions: Iterable[ConditionState]) -> list[ConditionMsg]:
    """Return the messages of conditions."""
    return [ConditionMsg(text=one.text, met=one.met, detail=one.detail) for one in conditions]


def conditions_from_msg(msg: Iterable[ConditionMsg]) -> tuple[ConditionState, ...]:
    """Return the conditions of messages."""
    return tuple(ConditionState(one.text, one.met, one.detail) for one in msg)


def event_to_msg(event: Event, goal_id: UUID, index: int, stamp: Time) -> EventMsg:
    """Return the message of one event.

    Args:
        event: what happened.
        goal_id: of the action goal.
        index: its position among the events of the goal, from 1.
        stamp: when it happened.
    """
    return EventMsg(
        stamp=stamp,
        goal_id=goal_id,
        index=index,
        kind=EVENT_KINDS.number(event.kind),
        text=event.text,
        behaviour=event.behaviour,
        robot=event.robot,
        path=list(event.path),
        run=costs_to_msg(event.run),
        node=costs_to_msg(event.node),
        decision=costs_to_msg(event.decision),
        model=event.model,
        conditions=conditions_to_msg(event.conditions),
    )


def event_from_msg(msg: EventMsg) -> Event:
    """Return the event of a message."""
    return Event(
        kind=EVENT_KINDS.word(msg.kind),
        text=msg.text,
        path=tuple(msg.path),
        run=costs_from_msg(msg.run),
        node=costs_from_msg(msg.node),
        decision=costs_from_msg(msg.decision),
        model=msg.model,
        behaviour=msg.behaviour,
        robot=msg.robot,
        conditions=conditions_from_msg(msg.conditions),
    )


def feedback_to_msg(event: Event, msg: EventMsg, tree: str) -> ExecuteGoal.Feedback:
    """Return the feedback of one event.

    Args:
        event: what happened.
        msg: its message.
        tree: the tree as text at this moment; empty if it did not change.
    """
    return ExecuteGoal.Feedback(
        event=msg,
        remaining=remaining_budget_to_msg(event.remaining),
        node_remaining=remaining_budget_to_msg(event.node_remaining),
        tree=tree,
    )


def feedback_from_msg(msg: ExecuteGoal.Feedback) -> Event:
    """Return the event of a feedback, with the remaining budgets."""
    return replace(
        event_from_msg(msg.event),
        remaining=remaining_budget_from_msg(msg.remaining),
        node_remaining=remaining_budget_from_msg(msg.node_remaining),
    )


def remaining_budget_to_msg(remaining: RemainingBudget) -> RemainingBudgetMsg:
    """Return the message of a remaining budget."""
    return RemainingBudgetMsg(
        decisions=remaining.decisions, seconds=float(remaining.seconds), tokens=remaining.tokens
    )


def remaining_budget_from_msg(msg: RemainingBudgetMsg) -> RemainingBudget:
    """Return a remaining budget."""
    return RemainingBudget(msg.decisions, msg.seconds, msg.tokens)


def decision_record_to_msg(record: DecisionRecord, goal_id: UUID, stamp: Time) -> DecisionMsg:
    """Return the message of the record of one decision.

    Args:
        record: the record.
        goal_id: of the action goal.
        stamp: when it was decided.
    """
    values = {name: value for name, value in vars(record).items() if name != 'seconds_ago'}
    values['path'] = list(record.path)
    return DecisionMsg(stamp=stamp, goal_id=goal_id, **values)


def decision_record_from_msg(msg: DecisionMsg) -> DecisionRecord:
    """Return the record of one decision; how long ago it was is not in the message."""
    names = {field.name for field in fields(DecisionRecord)} - {'seconds_ago', 'path'}
    values = {name: getattr(msg, name) for name in names}
    return DecisionRecord(path=tuple(msg.path), **values)


def behaviour_to_msg(state: BehaviourState) -> Behaviour:
    """Return the message of one behaviour."""
    kind, status = BEHAVIOUR_KINDS.number(state.kind), BEHAVIOUR_STATUSES.number(state.status)
    return Behaviour(**{**vars(state), 'kind': kind, 'status': status})


def behaviour_from_msg(msg: Behaviour) -> BehaviourState:
    """Return the behaviour of a message."""
    values = {field.name: getattr(msg, field.name) for field in fields(BehaviourState)}
    values['kind'] = BEHAVIOUR_KINDS.word(msg.kind)
    values['status'] = BEHAVIOUR_STATUSES.word(msg.status)
    return BehaviourState(**values)
