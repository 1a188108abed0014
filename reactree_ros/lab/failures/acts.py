# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs that repeated themselves, ran into a limit or left a step out (paper, section 5.6)."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_ros.core.outcome import Reason
from reactree_ros.guidance.checks import verbs_of
from reactree_ros.lab.failures.case import CUT_OFF, LIMITS, Case, Failure, Stage, Want
from reactree_ros.lab.failures.nodes import failed_leaves
from reactree_ros.lab.failures.walk import decisions

IDLE_DECISIONS = 6
"""A run that ends after so many decisions without anything new may have repeated itself."""
PATIENCE = 0.25
"""A limit came too early if the latest progress lies in this last share of the decisions, …"""
PATIENT_DECISIONS = 10
"""… or among so many last ones."""


def cut_off(case: Case) -> Failure | None:
    """The model, the robot or the operator ended the run, or the planner's own code failed."""
    ending = case.trace.ending
    if ending.reason is Reason.ERROR:
        detail = f"The planner's own code failed: {ending.message}"
        return Failure('other', detail, case.last, (case.last,))
    if ending.reason not in CUT_OFF:
        return None
    detail = f'The run was cut off ({ending.reason.value}): {ending.message}.'
    return Failure('limits', detail, case.last, (case.last,))


def repeated(case: Case) -> Failure | None:
    """The run did the same again and again; if that was a search, it revisited."""
    if not case.gave_up:
        return None
    events = case.trace.events
    ended = {n.path for n in case.trace.ending.nodes if n.reason is Reason.REPETITION}
    for leaf in failed_leaves(case.root):
        if leaf.path not in ended:
            continue
        # A plan that went in circles did so before anything was done; its last line says so.
        done = [index for index in leaf.events if events[index].kind == 'plan'][:-1]
        done = done or [index for index in leaf.events if events[index].kind == 'act']
        if done:
            same = [index for index in done if events[index].text == events[done[-1]].text]
            detail = f'"{events[done[-1]].text}" came {len(same)} times and brought the same.'
            kind = 'revisit' if _walked_back(case, same) else 'repeat'
            return Failure(kind, detail, same[0], tuple(same))
    if case.trace.ending.reason is Reason.MAX_DEPTH:
        for span in case.root.below():
            above = [goal.casefold() for goal in span.path[:-1]]
            if span.goal.casefold() in above:
                detail = f'"{span.goal}" was expanded into itself.'
                return Failure('repeat', detail, span.first, (span.first,))
    return _idle_end(case)


def _walked_back(case: Case, events: Sequence[int]) -> bool:
    """Whether acts are walks of a robot that has seen nothing yet of what is wanted."""
    steps = [step for step in case.walk.steps if step.event in events]
    return (
        bool(steps)
        and all(step.skill == 'go_to' and not step.held for step in steps)
        and all(want.sought for want in case.focus)
    )


def _idle_end(case: Case) -> Failure | None:
    events = case.trace.events
    since = max(case.walk.progress, default=-1) + 1
    count = decisions(events[since:])
    if count < IDLE_DECISIONS:
        return None
    thoughts = {event.text for event in events[:since] if event.kind == 'think'}
    idle = [s.event for s in case.walk.steps if s.event >= since and (s.repeated or s.refused)]
    walks = [s for s in case.walk.steps if s.event in idle and s.skill == 'go_to']
    for index, event in enumerate(events[since:], since):
        again = event.text in thoughts or events[max(index - 1, 0)].kind == 'think'
        if event.kind == 'rejected' or (event.kind == 'think' and again):
            idle.append(index)
        thoughts |= {event.text} if event.kind == 'think' else set()
    # Walking from one known place to the next while a thing is sought is a search, if a poor one.
    searching = any(want.sought for want in case.focus) and 2 * len(walks) > len(idle)
    if 2 * len(idle) < count or (searching and len({s.arguments for s in walks}) > 2):
        return None
    idle.sort()
    detail = (
        f'The last {count} decisions brought nothing new, {len(idle)} of them were refused, '
        f'rejected or the same as before.'
    )
    return Failure('repeat', detail, idle[0], tuple(idle))


def out_of_budget(case: Case) -> Failure | None:
    """A limit ended the run while it was still getting somewhere, or below a subgoal of its own."""
    ending = case.trace.ending
    if ending.reason not in LIMITS:
        return None
    latest = max(case.walk.progress, default=-1)
    idle = decisions(case.trace.events[latest + 1 :])
    patience = max(PATIENT_DECISIONS, PATIENCE * ending.costs.decisions)
    if idle > patience and ending.reason is not Reason.MAX_DEPTH:
        return None
    news = f'the latest progress was #{latest}' if latest >= 0 else 'nothing was reached before'
    detail = (
        f'A limit ended the run ({ending.reason.value}) after {ending.costs.decisions} decisions; '
        f'{news}.'
    )
    return Failure('limits', detail, case.last, (case.last, *([latest] if latest >= 0 else [])))


def skipped(case: Case) -> Failure | None:
    """What was needed was seen or at hand, and a step was left out."""
    for want in sorted(case.focus, key=lambda want: -want.stage):
        if want.stage is not Stage.UNSEEN and not want.sought:
            return _skipped(case, want)
    return None


def _skipped(case: Case, want: Want) -> Failure:
    walk, condition = case.walk, want.condition
    name = want.names[0]
    if want.stage is Stage.SHORT:
        node = walk.node(name)
        assert node is not None
        lacks = [
            s for s in condition.kind.states if s.upper() not in walk.world.state.states(node.id)
        ]
        what = ' and '.join(lacks) or (
            f'with {condition.kind.load}' if condition.kind.load else 'at a lamp that is on'
        )
        event = walk.put.get(name, walk.taken.get(name, case.last))
        return Failure('skipping', f'{name} was never made {what}.', event, (event,))
    if want.stage is Stage.HELD:
        event = walk.taken[name]
        where = f'{condition.predicate} the {condition.target}'
        detail = f'{name} was picked up (#{event}) and never put {where}.'
        return Failure('skipping', detail, case.last, (event, case.last))
    seen = walk.seen[name]
    false_done = _false_done(case, want)
    turn = max(seen, 0) if false_done is None else false_done
    when = f'seen at #{seen}' if seen >= 0 else 'in view from the start'
    if condition.target or condition.predicate in ('holds', 'lit'):
        detail = f'{name} was {when} ({walk.where(name)}) and never picked up.'
    else:
        state = condition.line(0).partition(':')[0].removeprefix(f'{condition.kind} ')
        detail = f'{name} was {when} and is not {state}.'
        turn = case.last
    return Failure('skipping', detail, turn, tuple(sorted({turn, max(seen, 0)})))


def _false_done(case: Case, want: Want) -> int | None:
    """Where the model said done about a thing that it should hold and did not."""
    for span in case.said_done():
        assert span.end is not None
        verbs = verbs_of(span.goal)
        about = want.condition.subject in case.words.named(span.goal)
        held = [node for name in case.walk.held_at(span.end) if (node := case.walk.node(name))]
        has = any(node.words == want.condition.subject for node in held)
        if about and 'hold' in verbs and 'put' not in verbs and not has:
            return span.end
    return None
