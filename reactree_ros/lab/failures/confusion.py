# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One thing or place taken for another (paper, section 5.6: "object confusion")."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from reactree_ros.guidance.checks import verbs_of
from reactree_ros.lab.failures.case import Case, Failure, Stage, classes_of


def confused(case: Case) -> Failure | None:
    """Something else was taken for what was wanted, or what was wanted was put elsewhere."""
    return next(
        itertools.chain(
            _undone(case),
            _wrong_place(case),
            _wrong_thing(case),
            _one_too_many(case),
            _wrong_switch(case),
            _said_done(case),
        ),
        None,
    )


def _undone(case: Case) -> Iterator[Failure]:
    for want in case.wants:
        if want.stage is not Stage.UNDONE:
            continue
        before = case.walk.met_at_start[want.number]
        for step in case.walk.steps:
            now = step.met[want.number]
            if now < before:
                text = case.trace.events[step.event].text
                line = want.condition.line(before)
                detail = f'"{text}" (#{step.event}) undid what was reached: {line}.'
                yield Failure('confusion', detail, step.event, (step.event,))
            before = now


def _wrong_thing(case: Case) -> Iterator[Failure]:
    walk = case.walk
    targets = {want.condition.target for want in case.wants} - {''}
    for name, taken in walk.taken.items():
        node = walk.node(name)
        if node is None or node.words in case.asked:
            continue
        put = walk.put.get(name)
        graph = walk.world.state
        supports = [graph.scene.nodes[edge.to_id] for edge in graph.supports(node.id)]
        at = next((place for place in supports if place.words in targets), None)
        if at is not None and put is not None:
            detail = f'{name}, which nobody asked for, was put at {at.name} (#{put}).'
            yield Failure('confusion', detail, taken, (taken, put))
        elif node.id in graph.held():
            detail = f'{name}, which nobody asked for, was picked up (#{taken}) and kept.'
            yield Failure('confusion', detail, taken, (taken,))


def _said_done(case: Case) -> Iterator[Failure]:
    walk = case.walk
    wanted = {want.condition.subject for want in case.focus}
    for span in case.said_done():
        assert span.end is not None
        verbs = verbs_of(span.goal)
        things = case.words.named(span.goal) & case.words.movable
        if 'hold' not in verbs or 'put' in verbs or not things & wanted:
            continue
        held = [node for name in walk.held_at(span.end) if (node := walk.node(name))]
        if held and all(node.words not in things for node in held):
            name = held[0].name
            taken = walk.picked_up(name, span.end)
            detail = f'"{span.goal}" was said to be done (#{span.end}) with {name} in the hand.'
            yield Failure('confusion', detail, taken, (taken, span.end))


def _one_too_many(case: Case) -> Iterator[Failure]:
    """Something was put where another thing is missing, though no more of it was wanted."""
    walk = case.walk
    missing = {w.condition.target: w.condition.subject for w in case.wants if w.condition.target}
    before = walk.met_at_start
    for step in walk.steps:
        met, before = before, step.met
        node = walk.node(step.arguments[0])
        if node is None or step.refused or not step.skill.startswith('put_'):
            continue
        of_it = [
            (condition, now)
            for condition, now in zip(walk.conditions, met, strict=True)
            if node.words in classes_of(condition)
        ]
        graph = walk.world.state
        at = {graph.scene.nodes[edge.to_id].words for edge in graph.supports(node.id)}
        place = next(
            (place for place in sorted(at) if missing.get(place, node.words) != node.words), ''
        )
        # A node whose goal asks for one more object did not mistake it for the missing one.
        goal = case.trace.events[step.event].path[-1]
        more = place and missing[place] not in case.words.named(goal)
        if of_it and place and not more and all(now >= condition.count for condition, now in of_it):
            taken = walk.picked_up(node.name, step.event)
            detail = (
                f'{node.name} was put at the {place} (#{step.event}), where no more {node.words} '
                f'was wanted, and the {missing[place]} is missing.'
            )
            yield Failure('confusion', detail, taken, (taken, step.event))


def _wrong_place(case: Case) -> Iterator[Failure]:
    walk = case.walk
    for want in case.focus:
        # Put down while the right place was still looked for, it is not yet in a wrong one.
        if want.stage is not Stage.LEFT or (want.sought and case.gave_up):
            continue
        name = want.names[0]
        put = walk.put[name]
        wanted = want.condition.line(0).partition(':')[0]
        detail = f'{name} was put {walk.where(name)} (#{put}) and left; wanted: {wanted}.'
        yield Failure('confusion', detail, put, (walk.taken[name], put))


def _wrong_switch(case: Case) -> Iterator[Failure]:
    wanted = {w.condition.subject for w in case.focus if w.condition.predicate == 'turnOn'}
    for step in case.walk.steps:
        if not wanted or step.skill != 'turn_on' or step.refused:
            continue
        node = case.walk.node(step.arguments[0])
        if node is not None and node.words not in wanted and node.words not in case.asked:
            what = ' or '.join(sorted(wanted))
            detail = f'{node.name} was turned on (#{step.event}), not the {what}.'
            yield Failure('confusion', detail, step.event, (step.event,))
