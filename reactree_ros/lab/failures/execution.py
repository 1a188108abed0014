# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Failures of execution (paper, section 5.6): limits, repetition, confusion, skipped steps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from reactree_ros.core.outcome import Reason
from reactree_ros.lab.failures.case import Case, Failure, Stage, Want
from reactree_ros.lab.failures.nodes import failed_leaves
from reactree_ros.lab.goal_words import verbs_of

IDLE_DECISIONS = 6
"""A run that ends after so many decisions without anything new may have repeated itself."""
PATIENCE = 0.25
"""A limit came too early if the latest progress lies in this last share of the decisions, …"""
PATIENT_DECISIONS = 10
"""… or among so many last ones."""
CUT_OFF = frozenset({Reason.MODEL, Reason.ROBOT, Reason.CANCELED})
"""Endings that say nothing about the plan."""
LIMITS = frozenset({Reason.MAX_DECISIONS, Reason.MAX_DEPTH, Reason.MAX_SECONDS})


def cut_off(case: Case) -> Failure | None:
    """The model, the robot or the operator ended the run, or the planner's own code failed."""
    ending = case.trace.ending
    if ending.reason is Reason.ERROR:
        return Failure('other', f"The planner's own code failed: {ending.message}", case.last)
    if ending.reason not in CUT_OFF:
        return None
    detail = f'The run was cut off ({ending.reason.value}): {ending.message}.'
    return Failure('limits', detail, case.last)


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
            detail = f'"{events[done[-1]].text}" came {len(same)} times with the same result.'
            return Failure('revisit' if _walked_back(case, same) else 'repeat', detail, same[0])
    if case.trace.ending.reason is Reason.MAX_DEPTH:
        for span in case.root.below():
            if span.goal.casefold() in (goal.casefold() for goal in span.path[:-1]):
                return Failure('repeat', f'"{span.goal}" was expanded into itself.', span.first)
    return _idle_end(case)


def _walked_back(case: Case, events: list[int]) -> bool:
    """Whether acts are walks of a robot that has not seen anything yet of what is wanted."""
    steps = [step for step in case.walk.steps if step.event in events]
    walks = all(step.skill == 'go_to' and not step.held for step in steps)
    return bool(steps) and walks and all(want.sought for want in case.focus)


def _idle_end(case: Case) -> Failure | None:
    events = case.trace.events
    since = max(case.walk.progress, default=-1) + 1
    count = _decisions(case, since)
    if count < IDLE_DECISIONS:
        return None
    steps = [s for s in case.walk.steps if s.event >= since and (s.repeated or s.refused)]
    idle = [step.event for step in steps]
    thoughts: set[str] = set()
    for index, event in enumerate(events):
        again = event.kind == 'think' and event.text in thoughts
        if index >= since and (event.kind == 'rejected' or again):
            idle.append(index)
        if event.kind == 'think':
            thoughts.add(event.text)
    # Walking from one known place to the next while a thing is sought is a search, if a poor one.
    walks = [step.arguments for step in steps if step.skill == 'go_to']
    sought = any(want.sought for want in case.focus)
    searching = sought and len(set(walks)) > 2 and 2 * len(walks) > len(idle)
    if 2 * len(idle) < count or searching:
        return None
    detail = (
        f'The last {count} decisions brought nothing new, {len(idle)} of them were refused, '
        f'rejected or the same as before.'
    )
    return Failure('repeat', detail, min(idle))


def out_of_budget(case: Case) -> Failure | None:
    """A limit ended the run while it still made progress, or the tree grew too deep."""
    ending = case.trace.ending
    if ending.reason not in LIMITS:
        return None
    latest = max(case.walk.progress, default=-1)
    patience = max(PATIENT_DECISIONS, PATIENCE * ending.costs.decisions)
    if _decisions(case, latest + 1) > patience and ending.reason is not Reason.MAX_DEPTH:
        return None
    news = f'the latest progress was #{latest}' if latest >= 0 else 'there was no progress before'
    detail = (
        f'A limit ended the run ({ending.reason.value}) after {ending.costs.decisions} decisions; '
        f'{news}.'
    )
    return Failure('limits', detail, case.last)


def _decisions(case: Case, since: int) -> int:
    """Return the number of decisions since an event."""
    return sum(event.decision.decisions for event in case.trace.events[since:])


def skipped(case: Case) -> Failure | None:
    """What was needed was seen or in the hand, and a step was left out."""
    for want in sorted(case.focus, key=lambda want: -want.stage):
        if want.stage is not Stage.UNSEEN and not want.sought:
            return _skipped(case, want)
    return None


def _skipped(case: Case, want: Want) -> Failure:
    walk, condition = case.walk, want.condition
    name = want.names[0]
    wanted = condition.line(0).partition(':')[0]
    if want.stage is Stage.SHORT:
        event = walk.put.get(name, walk.taken.get(name, case.last))
        return Failure('skipping', f'{name} is in its place; wanted: {wanted}.', event)
    if want.stage is Stage.HELD:
        detail = f'{name} was picked up (#{walk.taken[name]}) and never put down; wanted: {wanted}.'
        return Failure('skipping', detail, case.last)
    seen = walk.seen[name]
    when = f'seen at #{seen}' if seen >= 0 else 'in view from the start'
    detail = f'{name} was {when} ({walk.where(name)}) and never used; wanted: {wanted}.'
    if not condition.target and condition.predicate not in ('holds', 'lit'):
        return Failure('skipping', detail, case.last)
    false_done = _false_done(case, want)
    return Failure('skipping', detail, max(seen, 0) if false_done is None else false_done)


def _false_done(case: Case, want: Want) -> int | None:
    """Where the model said done about a thing that it should hold and did not."""
    for span, end in case.said_done():
        verbs = verbs_of(span.goal)
        about = want.condition.subject in case.words.named(span.goal)
        has = any(_class_of(name) == want.condition.subject for name in case.walk.at(end).held)
        if about and 'hold' in verbs and 'put' not in verbs and not has:
            return end
    return None


def confused(case: Case) -> Failure | None:
    """One thing or place was taken for another, or what was reached was undone."""
    rules = (_undone, _wrong_place, _wrong_thing, _wrong_switch, _wrong_in_hand)
    found = itertools.chain.from_iterable(rule(case) for rule in rules)
    return next((Failure('confusion', detail, event) for detail, event in found), None)


def _undone(case: Case) -> Iterator[tuple[str, int]]:
    for want in case.wants:
        for before, step in itertools.pairwise(case.walk.steps):
            if want.stage is Stage.UNDONE and step.met[want.number] < before.met[want.number]:
                line = want.condition.line(before.met[want.number])
                text = case.trace.events[step.event].text
                yield f'"{text}" (#{step.event}) undid what was reached: {line}.', step.event


def _wrong_place(case: Case) -> Iterator[tuple[str, int]]:
    walk = case.walk
    for want in case.focus:
        # Put down while the right place was still looked for, it is not yet in a wrong one.
        if want.stage is Stage.LEFT and not (want.sought and case.gave_up):
            name = want.names[0]
            wanted = want.condition.line(0).partition(':')[0]
            place = f'{walk.where(name)} (#{walk.put[name]})'
            yield f'{name} was put {place} and left; wanted: {wanted}.', walk.put[name]


def _wrong_thing(case: Case) -> Iterator[tuple[str, int]]:
    walk = case.walk
    graph = walk.world.state
    targets = {want.condition.target for want in case.wants} - {''}
    for name, taken in walk.taken.items():
        node = walk.node(name)
        if node is None or node.words in case.asked:
            continue
        at = [graph.scene.nodes[edge.to_id].words for edge in graph.supports(node.id)]
        if name in walk.put and targets.intersection(at):
            where = f'{walk.where(name)} (#{walk.put[name]})'
            yield f'{name}, which nobody asked for, was put {where}.', taken
        elif node.id in graph.held():
            yield f'{name}, which nobody asked for, was picked up (#{taken}) and kept.', taken


def _wrong_switch(case: Case) -> Iterator[tuple[str, int]]:
    wanted = {w.condition.subject for w in case.focus if w.condition.predicate == 'turnOn'}
    for step in case.walk.steps:
        if wanted and step.skill == 'turn_on' and not step.refused:
            name = step.arguments[0]
            if _class_of(name) not in wanted | case.asked:
                what = ' or '.join(sorted(wanted))
                yield f'{name} was turned on (#{step.event}), not the {what}.', step.event


def _wrong_in_hand(case: Case) -> Iterator[tuple[str, int]]:
    walk = case.walk
    wanted = {want.condition.subject for want in case.focus}
    for span, end in case.said_done():
        verbs = verbs_of(span.goal)
        things = case.words.named(span.goal) & case.words.movable
        held = walk.at(end).held
        if 'hold' not in verbs or 'put' in verbs or not things & wanted or not held:
            continue
        if not things.intersection(map(_class_of, held)):
            detail = f'"{span.goal}" was reported as done (#{end}) with {held[0]} in the hand.'
            yield detail, walk.taken.get(held[0], end)


def _class_of(name: str) -> str:
    """Return the class of an object's name, e.g. ``apple`` of ``apple 1``."""
    return name.rpartition(' ')[0]
