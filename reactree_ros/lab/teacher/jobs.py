# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node of the teacher is to do, the goal that says it, and the way back.

Every goal text can be read again: wherever a student has brought a node with such a goal, the
teacher can say what is to be done there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reactree_ros.lab.teacher.common_sense import room_class

STATES = ('sliced', 'clean', 'hot', 'cooked', 'cold', 'dirty', 'open', 'closed', 'on', 'off')
"""States of things in the order in which goals name them and they are brought about."""
VERBS = {'clean': 'wash', 'hot': 'heat', 'cooked': 'cook', 'cold': 'cool'}
_OVEN = ('microwave oven',)
DEVICES = {'clean': ('sink', 'faucet'), 'cold': ('fridge',), 'hot': _OVEN, 'cooked': _OVEN}
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


@dataclass(frozen=True)
class Find:
    """Find a thing, and pick it up or slice it.

    Args:
        thing: which.
        then: ``pick up`` or ``slice``; empty to see it; ``every`` to look into all there is for
            all of them.
        off: place whose things are not meant.
    """

    thing: Thing
    then: str = 'pick up'
    off: str = ''


@dataclass(frozen=True)
class Put:
    """Put down the thing in the hand; without a place anywhere."""

    thing: Thing
    place: str = ''
    relation: str = 'on'


@dataclass(frozen=True)
class Into:
    """Put the thing in the hand into a movable vessel that is in reach."""

    thing: Thing
    vessel: str


@dataclass(frozen=True)
class Treat:
    """Give the thing in the hand another state, and have it in the hand again."""

    thing: Thing
    state: str

    @property
    def devices(self) -> tuple[str, ...]:
        """Classes of the places that do it; the thing is put into the first of them."""
        return DEVICES[self.state]


@dataclass(frozen=True)
class Clear:
    """Take things away from a place."""

    thing: Thing
    place: str


@dataclass(frozen=True)
class Set:
    """Bring a place into a state: ``on``, ``off``, ``open`` or ``closed``."""

    thing: Thing
    state: str
    which: str = THE


@dataclass(frozen=True)
class Go:
    """Go to a place or room."""

    place: str


@dataclass(frozen=True)
class Empty:
    """Put down whatever is in the hand."""


@dataclass(frozen=True)
class Reach:
    """Bring conditions about, as the root does."""

    line: str


@dataclass(frozen=True)
class See:
    """Look where the answer to a question is to be seen: ``whether milk inside fridge``."""

    question: str


Job = Move | Find | Put | Into | Treat | Clear | Set | Go | Empty | Reach | See


def the(name: str) -> str:
    """Return a name with its article; one thing of a class has none."""
    return name if re.search(r' \d+$', name) else f'the {name}'


def goal_of(job: Job) -> str:
    """Return the goal of a node that is to do a job."""
    match job:
        case Reach(line):
            return f'reach: {line}'
        case See(question):
            return f'see {question}'
        case Empty():
            return 'empty the hands'
        case Go(place):
            return f'go to {the(place)}'
        case Clear(thing, place):
            return f'clear {thing.said(EVERY)} from {the(place)}'
        case Treat(thing, state):
            return f'use {" and ".join(map(the, job.devices))} to {VERBS[state]} {thing.said()}'
        case Find(thing, 'pick up', ''):
            return f'find and pick up {thing.said()}'
        case Find(thing, 'pick up', off):
            return f'find and pick up {thing.said("a")}, not from {the(off)}'
        case Find(thing, 'slice'):
            return f'find and slice {thing.said()}'
        case Find(thing, then):
            return f'find {thing.said(EVERY if then == "every" else THE)}'
        case Move(thing, place, relation, which):
            return f'move {thing.said(which)} {_TO[relation]} {the(place)}'
        case Put(thing, ''):
            return f'put down {thing.said()}'
        case Put(thing, place, relation):
            return f'put down {thing.said()} {_AT[relation]} {the(place)}'
        case Into(thing, vessel):
            return f'put {thing.said()} into {the(vessel)}'
        case Set(thing, state, which):
            return f'{SETTING[state]} {thing.said(which)}'


_TO, _AT = {'on': 'to', 'inside': 'into'}, {'on': 'on', 'inside': 'in'}
_MEANT = {
    'relation': {word: relation for words in (_TO, _AT) for relation, word in words.items()},
    'state': {verb: state for states in (VERBS, SETTING) for state, verb in states.items()},
}
_THINGS = r'(?:(?P<which>one|another|every) )?(?P<thing>.+)'
_FRAMES: tuple[tuple[Callable[..., Job], str], ...] = (
    (Reach, r'reach: (?P<line>.+)'),
    (See, r'see (?P<question>(?:whether|where|how many) .+)'),
    (Empty, r'empty the hands'),
    (Go, r'go to (?P<place>.+)'),
    (Clear, r'clear (?P<thing>.+) from (?P<place>.+)'),
    (Treat, rf'use .+ to (?P<state>{"|".join(VERBS.values())}) (?P<thing>.+)'),
    (Find, r'find and (?P<then>pick up) (?P<thing>.+?)(?:, not from (?P<off>.+))?'),
    (Find, r'find and (?P<then>slice) (?P<thing>.+)'),
    (Find, r'find (?P<then>every) (?P<thing>.+)'),
    (Find, r'find(?P<then>) (?P<thing>.+)'),
    (Move, rf'move {_THINGS} (?P<relation>into|to) (?P<place>.+)'),
    (Put, r'put down (?P<thing>.+?)(?: (?P<relation>in|on) (?P<place>.+))?'),
    (Into, r'put (?P<thing>.+) into (?P<vessel>.+)'),
    (Set, rf'(?P<state>{"|".join(SETTING.values())}) {_THINGS}'),
)
"""Goals of each job; the groups are named as its arguments."""


def read_job(text: str, rooms: Sequence[str]) -> Job | None:
    """Return the job that a goal says; None if it is not the teacher's.

    Args:
        text: the goal.
        rooms: names of all rooms.
    """
    for kind, frame in _FRAMES:
        found = re.fullmatch(frame, text)
        if found is not None:
            said = {name: part for name, part in found.groupdict().items() if part is not None}
            return kind(**{name: _argument(name, part, rooms) for name, part in said.items()})
    return None


def _argument(name: str, said: str, rooms: Sequence[str]) -> Thing | str:
    if name == 'thing':
        return _thing(said, rooms)
    if name in ('place', 'off', 'vessel'):
        return _bare(said)
    return _MEANT[name][said] if name in _MEANT else said


def _bare(text: str) -> str:
    return re.sub(r'^(?:the|an?|one|another|every) ', '', text)


def _thing(text: str, rooms: Sequence[str]) -> Thing:
    noun, room = _bare(text), ''
    known = '|'.join(re.escape(one) for one in (*rooms, *map(room_class, rooms)))
    where = re.search(rf' in ({known})$', noun)
    if where is not None:
        noun, room = noun[: where.start()], where[1]
    noun, _, load = noun.partition(' with the ')
    states: list[str] = []
    while noun.partition(' ')[0] in STATES and ' ' in noun:
        state, _, noun = noun.partition(' ')
        states.append(state)
    return Thing(noun, tuple(states), load, room)
