# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of a goal, for an assistant."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from reactree_ros.core.events import Event
from reactree_ros.core.outcome import ConditionState
from reactree_ros.ros.goals.client import GoalResult
from reactree_ros.ros.goals.operator_server import OpenQuestion
from reactree_ros.viewer.history import RunHistory

_LATEST_EVENTS = 8


@dataclass
class GoalState:
    """A goal as far as it is known.

    Args:
        goal_id: 32 hexadecimal digits.
        goal: what the person wants.
        status: ``queued``, ``running``, ``succeeded``, ``failed``, ``canceled``, or ``lost`` if the
            planner does not say any more.
        message: how it ended, one sentence; empty while it runs.
        answer: to a goal that was a question; empty for none.
        conditions: what must hold in the end, and whether it does, as far as the robot knows.
        unconfirmed: it succeeded, but not all conditions hold, or they are not known.
        decisions: decisions so far.
        skills: skills that the robot was sent so far.
        seconds: since it began.
        doing: the behaviours that run now, each with what it waits for or does.
        latest: the latest events, the newest last.
        events: how many there were so far.
        pause_state: of the planner: ``running``, ``pausing`` or ``paused``.
        questions: what the planner asks and an assistant may answer.
    """

    goal_id: str
    goal: str
    status: str
    message: str = ''
    answer: str = ''
    conditions: list[ConditionState] = field(default_factory=list)
    unconfirmed: bool = False
    decisions: int = 0
    skills: int = 0
    seconds: float = 0.0
    doing: list[str] = field(default_factory=list)
    latest: list[str] = field(default_factory=list)
    events: int = 0
    pause_state: str = ''
    questions: list[OpenQuestion] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.status not in ('queued', 'running')


class SentGoal:
    """A goal that was sent from here.

    Attributes:
        goal_id: 32 hexadecimal digits; empty until the planner has accepted it.
        waits: what it waits for while it is queued; empty otherwise.
        result: how it ended; None while it is under way.
        fault: why the planner does not say how it ends; empty if it does.
        answered: set once the planner has accepted or rejected it.

    Args:
        text: the goal.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.goal_id = ''
        self.waits = ''
        self.result: GoalResult | None = None
        self.fault = ''
        self.answered = threading.Event()

    @property
    def over(self) -> bool:
        """Whether it has ended, or nobody says any more how it will."""
        return self.result is not None or bool(self.fault)

    def listen(self, event: Event, tree: str) -> None:
        """Take note of an event of the goal."""
        self.waits = event.text if event.kind == 'queued' else ''


def state_of(run: RunHistory | None, sent: SentGoal | None) -> GoalState:
    """Return what is known of a goal from its run, and from the planner's own word."""
    if run is None:
        assert sent is not None
        state = GoalState(sent.goal_id, sent.text, 'queued' if sent.waits else 'running')
        state.latest = [sent.waits] if sent.waits else []
    else:
        state = _state_of_run(run)
    if sent is not None and sent.result is not None:
        result = sent.result
        state.status, state.message, state.answer = result.status, result.message, result.answer
        state.conditions, state.unconfirmed = list(result.conditions), result.unconfirmed
        costs = result.costs
        state.decisions, state.skills = costs.decisions, costs.skills
        state.seconds = round(costs.total_seconds, 1)
    elif sent is not None and sent.fault:
        state.status, state.message = 'lost', sent.fault
    if state.over:
        state.doing = []
    return state


def _state_of_run(run: RunHistory) -> GoalState:
    status, _, message = run.ended.partition(': ')  # as the event "ended" says it
    state = GoalState(run.name, run.goal, status or 'running', message)
    events = [one for one in run.frames if one['kind'] == 'event']
    state.latest = [f'{one["what"]}: {one["text"]}' for one in events[-_LATEST_EVENTS:]]
    state.events = len(events)
    if events:
        costs = events[-1]['run']
        state.decisions, state.skills = int(costs.get('decisions', 0)), int(costs.get('skills', 0))
        state.seconds = round(costs.get('total_seconds', 0.0), 1)
    known = [one['conditions'] for one in events if 'conditions' in one]
    state.conditions = [ConditionState(**one) for one in known[-1]] if known else []
    if not status:
        running = [one for one in run.behaviours if one.status == 'running']
        above = {one.parent for one in running}
        state.doing = [
            f'{one.name}: {one.feedback}' if one.feedback else one.name
            for one in running
            if one.number not in above
        ]
    return state
