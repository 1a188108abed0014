# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node of the teacher is to do, the goal that says it, and the way back.

Every goal text can be read again: wherever a student has brought a node with such a goal, the
teacher can say what is to be done there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

STATES = ('sliced', 'clean', 'hot', 'cooked', 'cold', 'dirty', 'open', 'closed', 'on', 'off')
"""States of things in the order in which goals name them and they are brought about."""
VERBS = {'clean': 'wash', 'hot': 'heat', 'cooked': 'cook', 'cold': 'cool'}
DEVICES = {'clean': ('sink', 'faucet'), 'cold': ('fridge',)}
HEATER = ('microwave oven',)
"""Classes of the places that change a state; the thing is put into the first of them."""
SETTING = {'on': 'switch on', 'off': 'switch off', 'open': 'open', 'closed': 'close'}
"""How goals say that a place is brought into a state."""
THE, ONE, ANOTHER, EVERY = 'the', 'one', 'another', 'every'


@dataclass(frozen=True)
class Thing:
    """Things that are meant.

    Args:
        noun: a class, one thing of it (``apple 2``), or a kind.
        states: what each of them is like.
        load: what lies on or in it: a noun; empty for anything.
        room: where it is: a class of rooms or the name of one; empty for anywhere.
    """

    noun: str
    states: tuple[str, ...] = ()
    load: str = ''
    room: str = ''

    def said(self, article: str = THE) -> str:
        """Return it with an article, e.g. ``the hot potato in kitchen 1``."""
        load = f' with the {self.load}' if self.load else ''
        name = f'{" ".join((*self.states, self.noun))}{load}'
        if article == THE and (self.states and not self.load or re.search(r' \d+$', self.noun)):
            article = '' if re.search(r' \d+$', self.noun) else 'a'
        if article == 'a' and name[0] in 'aeiou':
            article = 'an'
        where = f' in {self.room}' if self.room else ''
        return f'{article} {name}{where}'.strip()


@dataclass(frozen=True)
class Move:
    """Bring a thing to a place, in the states that it is to have there."""

    thing: Thing
    place: str
    relation: str = 'on'
    which: str = THE

    @property
    def text(self) -> str:
        """The goal."""
        to = 'into' if self.relation == 'inside' else 'to'
        return f'move {self.thing.said(self.which)} {to} {the(self.place)}'


@dataclass(frozen=True)
class Find:
    """Find a thing, and pick it up or slice it.

    Args:
        thing: which.
        then: ``take``, ``slice``, ``see``, or ``every``: look into all there is for all of them.
        off: place whose things are not meant.
    """

    thing: Thing
    then: str = 'take'
    off: str = ''

    @property
    def text(self) -> str:
        """The goal."""
        said = self.thing.said(EVERY if self.then == 'every' else 'a' if self.off else THE)
        if self.then == 'take':
            return f'find and pick up {said}' + (f', not from {the(self.off)}' if self.off else '')
        return f'find {"and slice " if self.then == "slice" else ""}{said}'


@dataclass(frozen=True)
class Put:
    """Put down the thing in the hand; without a place anywhere."""

    thing: Thing
    place: str = ''
    relation: str = 'on'

    @property
    def text(self) -> str:
        """The goal."""
        if not self.place:
            return f'put down {self.thing.said()}'
        preposition = 'in' if self.relation == 'inside' else 'on'
        return f'put down {self.thing.said()} {preposition} {the(self.place)}'


@dataclass(frozen=True)
class Into:
    """Put the thing in the hand into a movable vessel that is in reach."""

    thing: Thing
    vessel: str

    @property
    def text(self) -> str:
        """The goal."""
        return f'put {self.thing.said()} into {the(self.vessel)}'


@dataclass(frozen=True)
class Treat:
    """Give the thing in the hand another state, and have it in the hand again."""

    thing: Thing
    state: str

    @property
    def text(self) -> str:
        """The goal."""
        device = ' and '.join(the(one) for one in self.devices)
        return f'use {device} to {VERBS[self.state]} {self.thing.said()}'

    @property
    def devices(self) -> tuple[str, ...]:
        """Classes of the places that do it; the thing is put into the first of them."""
        return DEVICES.get(self.state, HEATER)


@dataclass(frozen=True)
class Clear:
    """Take things away from a place."""

    thing: Thing
    place: str
    relation: str = 'on'

    @property
    def text(self) -> str:
        """The goal."""
        return f'clear {self.thing.said(EVERY)} from {the(self.place)}'


@dataclass(frozen=True)
class Set:
    """Bring a place into a state: ``on``, ``off``, ``open`` or ``closed``."""

    place: Thing
    state: str
    which: str = THE

    @property
    def text(self) -> str:
        """The goal."""
        return f'{SETTING[self.state]} {self.place.said(self.which)}'


@dataclass(frozen=True)
class Go:
    """Go to a place or room."""

    place: str

    @property
    def text(self) -> str:
        """The goal."""
        return f'go to {the(self.place)}'


@dataclass(frozen=True)
class Empty:
    """Put down whatever is in the hand."""

    text: str = 'empty the hands'


@dataclass(frozen=True)
class Reach:
    """Bring conditions about, as the root does."""

    line: str

    @property
    def text(self) -> str:
        """The goal."""
        return f'reach: {self.line}'


@dataclass(frozen=True)
class See:
    """Look where the answer to a question is to be seen: ``whether milk inside fridge``."""

    question: str

    @property
    def text(self) -> str:
        """The goal."""
        return f'see {self.question}'


Job = Move | Find | Put | Into | Treat | Clear | Set | Go | Empty | Reach | See


def the(name: str) -> str:
    """Return a name with its article; one thing of a class has none."""
    return name if re.search(r' \d+$', name) else f'the {name}'


_SET = '|'.join(SETTING.values())
_TREAT = '|'.join(VERBS.values())
_FRAMES: tuple[tuple[str, str], ...] = (
    ('reach', r'reach: (.+)'),
    ('see', r'see ((?:whether|where|how many) .+)'),
    ('empty', r'empty the hands'),
    ('go', r'go to (.+)'),
    ('clear', r'clear (.+) from (.+)'),
    ('treat', rf'use (?:.+) to ({_TREAT}) (.+)'),
    ('take', r'find and pick up (.+?)(?:, not from (.+))?'),
    ('slice', r'find and slice (.+)'),
    ('find', r'find (.+)'),
    ('move', r'move (.+) (into|to) (.+)'),
    ('put', r'put down (.+?)(?: (in|on) (.+))?'),
    ('into', r'put (.+) into (.+)'),
    ('set', rf'({_SET}) (.+)'),
)


def read_job(text: str, rooms: Sequence[str]) -> Job | None:
    """Return the job that a goal says; None if it is not the teacher's.

    Args:
        text: the goal.
        rooms: names of all rooms.
    """
    for kind, frame in _FRAMES:
        found = re.fullmatch(frame, text)
        if found is not None:
            return _made(kind, found, rooms)
    return None


def _made(kind: str, found: re.Match[str], rooms: Sequence[str]) -> Job:
    one, two, three = (*(part or '' for part in found.groups()), '', '', '')[:3]
    which, thing = _thing(two if kind in ('treat', 'set') else one, rooms)
    match kind:
        case 'reach':
            return Reach(one)
        case 'see':
            return See(one)
        case 'empty':
            return Empty()
        case 'go':
            return Go(_bare(one))
        case 'clear':
            return Clear(thing, _bare(two))
        case 'treat':
            return Treat(thing, next(state for state, verb in VERBS.items() if verb == one))
        case 'take':
            return Find(thing, off=_bare(two))
        case 'slice':
            return Find(thing, 'slice')
        case 'find':
            return Find(thing, 'every' if which == EVERY else 'see')
        case 'move':
            return Move(thing, _bare(three), 'inside' if two == 'into' else 'on', which)
        case 'put':
            return Put(thing, _bare(three), 'inside' if two == 'in' else 'on')
        case 'into':
            return Into(thing, _bare(two))
    return Set(thing, next(state for state, verb in SETTING.items() if verb == one), which)


def _bare(text: str) -> str:
    return re.sub(r'^(?:the|an?) ', '', text)


def _thing(text: str, rooms: Sequence[str]) -> tuple[str, Thing]:
    article, noun = THE, text
    begin = re.match(r'(the|an?|one|another|every) ', text)
    if begin is not None:
        article, noun = begin[1], text[begin.end() :]
    thing = Thing(noun)
    classes = {re.sub(r' \d+$', '', room) for room in rooms}
    where = re.search(rf' in ({"|".join(map(re.escape, [*rooms, *classes]))})$', noun)
    if where is not None:
        thing = replace(thing, noun=noun[: where.start()], room=where[1])
    noun, _, load = thing.noun.partition(' with the ')
    *states, last = _states(noun)
    which = article if article in (ONE, ANOTHER, EVERY) else THE
    return which, replace(thing, noun=last, states=tuple(states), load=load)


def _states(noun: str) -> list[str]:
    first, _, rest = noun.partition(' ')
    return [first, *_states(rest)] if rest and first in STATES else [noun]
