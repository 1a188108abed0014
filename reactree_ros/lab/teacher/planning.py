# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the solver splits a whole task, from the conditions of its goal."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.situation import named_classes
from reactree_ros.errors import ModelError
from reactree_ros.lab.teacher.jobs import Insert, Job, Parts, Put, Seek, Switch, Thing, Treat
from reactree_ros.sim.household.goal import Condition
from reactree_ros.sim.household.words import enumeration, number_word, plural

KNIFE = Thing('cutlery knife', 'the cutlery knife')
_SWITCHES = {'turnOn': 'on', 'turnOff': 'off', 'open': 'open', 'closed': 'closed'}
_WITH_DOOR = frozenset({'dishwasher', 'microwave oven', 'washing machine', 'oven'})
_TREATMENTS = ('clean', 'hot', 'cooked', 'cold')
_ORDINALS = {3: 'a third', 4: 'a fourth', 5: 'a fifth', 6: 'a sixth'}


def plan(instruction: str, conditions: Sequence[Condition], known: Iterable[str]) -> Job:
    """Return what the root of a run has to do.

    Args:
        instruction: the goal as text, for the robot.
        conditions: of the goal.
        known: classes that the robot's perception can name, to see what the instruction leaves
            open.

    Raises:
        ModelError: if the solver cannot bring about one of the conditions.
    """
    order = named_classes(instruction.lower(), known)
    ranks = {name: rank for rank, name in enumerate(order)}
    jobs: list[Job] = []
    for condition in sorted(conditions, key=lambda one: ranks.get(one.subject, len(ranks))):
        jobs += _jobs(condition, instruction)
    # What is switched on, or is held at a lamp that is on, comes after all else is in its place.
    jobs.sort(key=lambda job: isinstance(job, Switch))
    if len(jobs) == 1 and isinstance(jobs[0], Switch):
        return jobs[0]
    thought = _thought(conditions, ranks)
    strange = [
        c.subject for c in conditions if c.predicate not in _SWITCHES and c.subject not in ranks
    ]
    if len(jobs) == 1 and isinstance(jobs[0], Parts) and not strange:
        return replace(_as_said(jobs[0], instruction), text=instruction, thought=thought)
    opened = tuple(part for job in jobs for part in _opened(job, instruction))
    if strange and any(isinstance(part, Seek) for part in opened):
        # The next node names what the instruction does not: the planner's checks ask for that.
        switches = [job.text for job in jobs if isinstance(job, Switch)]
        text = ' and '.join([f'hold {_the(strange[0])}', *switches])
        opened = (Parts(text, ControlFlow.SEQUENCE, opened),)
    return Parts(instruction, _flow(opened), opened, thought)


def _flow(jobs: Sequence[Job]) -> ControlFlow:
    """Return how jobs are coordinated: different things can be moved each on its own."""
    moved = {job.text for job in jobs if isinstance(job, Parts) and job.moves and not job.number}
    independent = len(moved) == len(jobs) > 1
    return ControlFlow.PARALLEL if independent else ControlFlow.SEQUENCE


def _opened(job: Job, instruction: str) -> tuple[Job, ...]:
    """Return the parts of what has no goal of its own, such as holding a thing."""
    return job.parts if isinstance(job, Parts) and job.text == instruction else (job,)


def _thought(conditions: Sequence[Condition], named: Collection[str]) -> str:
    """Say what the instruction leaves open; nothing if it says everything."""
    things = [c for c in conditions if c.predicate not in _SWITCHES and c.subject not in named]
    if things:
        first = things[0]
        what = enumeration([_amount(one.subject, one.count) for one in things])
        thought = f'{what[0].upper()}{what[1:]} will do'
        if not first.target:
            return f'{thought}.'
        belong = 'it belongs' if len(things) == first.count == 1 else 'they belong'
        preposition = 'in' if first.predicate == 'inside' else 'on'
        return f'{thought}; {belong} {preposition} {_the(first.target)}.'
    places = [c.target for c in conditions if c.target and c.target not in named]
    return f'{_the(places[0]).capitalize()} is meant.' if places else ''


def _the(name: str) -> str:
    return f'the {name}'


def _amount(name: str, count: int) -> str:
    if count == 1:
        return _the(name)
    return f'{number_word(count)} {plural(name)}'


def _as_said(job: Parts, instruction: str) -> Parts:
    """Say "a potato" where the instruction does, as long as nothing was picked up."""
    seek = job.parts[0]
    if not isinstance(seek, Seek) or seek.thing.said != f'the {seek.thing.name}':
        return job
    if not re.search(rf'\b(an?|one|1) {re.escape(seek.thing.name)}\b', instruction.lower()):
        return job
    thing = replace(seek.thing, said=f'{_article(seek.thing.name)} {seek.thing.name}')
    return replace(job, parts=(Seek(thing), *job.parts[1:]))


def _jobs(condition: Condition, instruction: str) -> list[Job]:
    if condition.predicate in _SWITCHES:
        state = _SWITCHES[condition.predicate]
        shut = state == 'on' and condition.subject in _WITH_DOOR
        return [Switch(condition.subject, state, shut)]
    if condition.predicate in ('inside', 'on'):
        several = condition.count > 1
        numbers = range(1, condition.count + 1) if several else (0,)
        return [_move(condition, number) for number in numbers]
    thing = Thing(condition.subject, _the(condition.subject))
    states = condition.kind.states
    if condition.predicate in ('holds', 'lit'):
        parts = _prepared(thing, states)
    elif condition.predicate == 'sliced' and not states:
        parts = (Seek(KNIFE), Seek(thing, 'slice'))
    elif condition.predicate in _TREATMENTS:
        parts = _prepared(thing, (*states, condition.predicate))
    else:
        raise ModelError(f'the solver cannot bring about {condition.key!r}')
    return [Parts(instruction, ControlFlow.SEQUENCE, parts)]


def _move(condition: Condition, number: int) -> Parts:
    """Return how one thing is brought to its place; the number is 0 if it is the only one."""
    kind, target = condition.kind, condition.target
    name = kind.words
    said = taken = put = _the(name)
    if number == 1:
        said, taken = f'one {name}', f'{_article(name)} {name}'
    elif number > 1:
        said = taken = put = f'{_ORDINALS.get(number, "another")} {name}'
    wanted = Thing(name, taken, target)
    parts = _prepared(wanted, kind.states)
    if kind.load is not None:
        load = Thing(kind.load.words, _the(kind.load.words))
        vessel = Thing(name, _the(name), target)
        filled = replace(vessel, load=load.name)
        parts = (*_prepared(load, kind.load.states), Insert(load, vessel), Seek(filled))
    final = Put(Thing(name, put, target), target, condition.predicate)
    plain = not kind.states and kind.load is None
    return Parts(
        f'move {said} {"into" if condition.predicate == "inside" else "to"} {_the(target)}',
        ControlFlow.SEQUENCE,
        (*parts, final),
        moves=wanted if plain else None,
        number=number,
    )


def _article(name: str) -> str:
    return 'an' if name[0] in 'aeiou' else 'a'


def _prepared(thing: Thing, states: Sequence[str]) -> tuple[Job, ...]:
    """Return what ends with a thing in the hand, in the states that are asked."""
    parts: list[Job] = []
    if 'sliced' in states:
        parts += [Seek(KNIFE), Seek(thing, 'slice'), Put(KNIFE)]
        thing = Thing(thing.name, thing.said, thing.at, state='sliced')
    parts.append(Seek(thing))
    held = Thing(thing.name, f'the {thing.name}', thing.at)
    parts += [Treat(held, state) for state in _TREATMENTS if state in states]
    return tuple(parts)
