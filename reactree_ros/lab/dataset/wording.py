# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Says the goal of a task in other words: the same things, numbers, states and place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from reactree_ros.lab.dataset.frames import (
    DOING,
    LIT,
    LOADED,
    PLACED,
    SWITCHABLE,
    SWITCHED,
    TREATED,
)
from reactree_ros.lab.dataset.held_back import is_test_wording, normalised
from reactree_ros.lab.generator.draw import Draw
from reactree_ros.lab.generator.nouns import NAMES, ON_TOP, PLACES, Noun, counted
from reactree_ros.sim.household.goal import Condition, parse_conditions
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.household.task_sets import scene_of
from reactree_ros.sim.household.words import words

_NOUNS: Mapping[str, tuple[Noun, ...]] = {words(name): nouns for name, nouns in NAMES.items()}
_PLACES: Mapping[str, tuple[str, ...]] = {words(name): said for name, said in PLACES.items()}
_TRIES = 20


def rewordings(task: Task, how_many: int, seed: int = 0) -> tuple[str, ...]:
    """Return other wordings of a task's goal.

    Args:
        task: which. One that leaves open on purpose what is meant has none: they would say it.
        how_many: most wordings; there are fewer where the goal can be said in fewer ways.
        seed: the same seed gives the same wordings.

    Returns:
        Wordings that differ from each other, from those of the task and from those of all tests.
    """
    if task.ambiguous or not how_many:
        return ()
    conditions = parse_conditions(task.goal, scene_of(task))
    frames = _frames(conditions)
    known = {normalised(wording) for wording in (task.instruction, *task.instructions)}
    draw = Draw(f'rewording {seed} {task.instruction} {task.scene} {sorted(task.goal.items())}')
    found: list[str] = []
    for _ in range(_TRIES if frames else 0):
        # Every frame is used once before one is used again.
        for frame in draw.shuffled(frames):
            text = _worded(conditions, frame, draw)
            if normalised(text) not in known and not is_test_wording(text):
                known.add(normalised(text))
                found.append(text)
            if len(found) == how_many:
                return tuple(found)
    return tuple(found)


def _frames(conditions: Sequence[Condition]) -> tuple[str, ...]:
    """Return the sentences that fit a goal; none if it is one that they cannot say."""
    things = [one for one in conditions if one.predicate in ('on', 'inside', 'lit')]
    others = [one for one in conditions if one not in things]
    place = things[0].target if things else ''
    if not things or any(one.target != place for one in things):
        return ()
    if any(one.predicate != 'turnOn' for one in others) or len(others) > 1:
        return ()
    first, alone = things[0], len(things) == things[0].count == 1
    if first.predicate == 'lit':
        return LIT if alone and others and not first.kind.states else ()
    if others and others[0].subject != place:
        return ()
    if first.kind.load is not None:
        return LOADED if alone and not others and not first.kind.load.states else ()
    if any(one.kind.states or one.kind.load for one in things):
        return TREATED if alone and not others else ()
    return SWITCHABLE if others else PLACED


def _worded(conditions: Sequence[Condition], frame: str, draw: Draw) -> str:
    things = [one for one in conditions if one.predicate in ('on', 'inside', 'lit')]
    first, many = things[0], sum(one.count for one in things) > 1
    switched = [one.subject for one in conditions if one.predicate == 'turnOn']
    target = first.target or switched[0]
    place = draw.pick(_PLACES.get(target, (f'the {target}',)))
    load = first.kind.load
    noun = draw.pick(_nouns(load.words if load else first.subject))
    inside = first.predicate == 'inside'
    gaps = {
        'items': _items(things, draw),
        'them': 'them' if many else 'it',
        'they': 'they' if many else 'it',
        'are': 'are' if many else 'is',
        's': '' if many else 's',
        'at': f'{draw.pick(("in", "inside")) if inside else "on"} {place}',
        'to': f'{draw.pick(("in", "into")) if inside else draw.pick(("on", "onto"))} {place}',
        'place': re.sub(r'^(?:the|an?|one of the) ', '', place),
        'thing': f'{draw.pick(("the", noun.article))} {noun.one}',
        'lamp': place,
    }
    if load is not None:
        vessel = draw.pick(_nouns(first.subject))
        gaps |= {'vessel': f'{vessel.article} {vessel.one}', 'same': vessel.one}
        gaps['in'] = 'on' if first.subject in ON_TOP else 'in'
    doing = [DOING[state] for state in DOING if state in first.kind.states]
    gaps['do'] = ' and '.join(do for do, _ in doing)
    gaps['done'] = ' and '.join(done for _, done in doing)
    if switched and first.predicate != 'lit':
        ending = draw.pick(SWITCHED).format(it=place)
        frame = re.sub(r'([.?])$', rf'{ending}\1', frame)
    text = frame.format_map(gaps)
    return text[0].upper() + text[1:]


def _nouns(name: str) -> tuple[Noun, ...]:
    return _NOUNS.get(name, (Noun(name, f'{name}s'),))


def _items(things: Sequence[Condition], draw: Draw) -> str:
    style = draw.pick(('a', 'the', 'word', 'digit', 'digit'))
    parts = draw.shuffled(
        counted(draw.pick(_nouns(one.subject)), one.count, style) for one in things
    )
    if len(parts) == 1:
        return parts[0]
    comma = ', and ' if len(parts) > 2 else ' and '
    between = draw.pick((' and ', comma, ' plus '))
    return f'{", ".join(parts[:-1])}{between}{parts[-1]}'
