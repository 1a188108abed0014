# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Drafts what a generated robot may be asked for, before it is worded and tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.make import FIELD_SETS
from reactree_ros.sim.made.robot import AT, ROBOT, MadeRobot, Thing, Wish
from reactree_ros.sim.made.saying import (
    ALL_OF_A_CLASS,
    AT_MOST,
    BACK,
    CLEAR,
    DO,
    EXACTLY,
    VISIT,
    Part,
    Phrase,
)
from reactree_ros.sim.made.seeing import View
from reactree_ros.sim.planning.facts import State
from reactree_ros.sim.vocabulary import HELD_OUT, TRAINING, Noun, phrases, requests, trades

SHAPES: Mapping[str, float] = {
    'single': 5.0,
    'count': 2.0,
    'all': 2.0,
    'none_on': 1.0,
    'exactly': 0.7,
    'at_most': 0.7,
    'described': 2.5,
    'both': 2.5,
    'three': 1.0,
    'either': 1.0,
    'order': 2.5,
    'order_three': 0.7,
    'if_found': 1.5,
    'whether': 0.8,
    'where': 0.7,
    'how_many': 0.7,
    'impossible_count': 0.35,
    'impossible_thing': 0.25,
    'nonsense': 0.12,
}
"""The shapes of goals, and how often each is tried."""
STEPS = 'steps'
"""The shape of a goal that names what is to be done step by step."""
LIST = 'list'
"""The shape of a goal that wants the same for several things."""
FIELD_SHAPES: Mapping[str, float] = {**SHAPES, 'single': 12.0, 'both': 5.0, STEPS: 16.0, LIST: 6.0}
"""The same for robots of the field sets."""
_FEWEST_STEPS, _MOST_STEPS = 3, 7
_TRIES = 8


@dataclass(frozen=True)
class Draft:
    """A goal before it is worded and tried.

    Args:
        lines: of conditions.
        parts: what it says.
        joint: how parts are joined; empty for one.
        acts: kinds of the wishes.
        fails: what cannot be done is the part that has another to do instead.
        question: of the requests, with what fills it.
        answer: see ``MadeGoal``.
        impossible: see ``MadeGoal``.
    """

    lines: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    joint: str = ''
    acts: tuple[str, ...] = ()
    fails: bool = False
    question: tuple[str, Mapping[str, Phrase]] | None = None
    answer: tuple[str, ...] = ()
    impossible: bool = False


class NoDraftError(Exception):
    """The robot cannot do anything of a shape."""


class Drafting:
    """Drafts a goal for a robot at a start."""

    def __init__(self, robot: MadeRobot, state: State, draw: Draw) -> None:
        self._robot, self._state, self._draw = robot, state, draw
        self._view = View(robot, state)

    def draft(self, shape: str) -> Draft:
        """Return a draft of a shape."""
        make: Mapping[str, Callable[[], Draft]] = {
            'single': lambda: self._joined(1, ''),
            'both': lambda: self._joined(2, 'both'),
            'three': lambda: self._joined(3, 'both'),
            'either': lambda: self._joined(2, 'either'),
            'order': lambda: self._joined(2, 'order'),
            'order_three': lambda: self._joined(3, 'order'),
            STEPS: self._steps,
            LIST: self._list,
            'count': lambda: self._counted(0),
            'impossible_count': lambda: self._counted(1),
            'all': self._all,
            'none_on': self._none_on,
            'exactly': lambda: self._limit(EXACTLY),
            'at_most': lambda: self._limit(AT_MOST),
            'described': self._described,
            'if_found': self._if_found,
            'whether': self._whether,
            'where': self._where,
            'how_many': self._how_many,
            'impossible_thing': self._unknown_thing,
            'nonsense': lambda: Draft((), impossible=True),
        }
        return make[shape]()

    # One wish -----------------------------------------------------------------------------------

    def _wish(self, *shapes: str) -> Wish:
        fitting = [
            one
            for one in self._robot.wishes
            if one.shape != 'found' and (not shapes or one.shape in shapes)
        ]
        if not fitting:
            raise NoDraftError
        by_act: dict[str, list[Wish]] = {}
        for one in fitting:
            by_act.setdefault(one.shape + one.act, []).append(one)
        return self._draw.pick(by_act[self._draw.pick(sorted(by_act))])

    def _part(self, wish: Wish, kinds: bool = True) -> tuple[str, Part]:
        """Return a condition of a wish for one thing, and how it is said."""
        item, x = self._thing(wish, kinds)
        other, p = self._other(wish)
        if other and other.rsplit(' ', 1)[0] == item.rsplit(' ', 1)[0]:
            raise NoDraftError
        part = Part(DO, wish.request, x, p, self._words(wish), self._whereabouts(item, p))
        return self._line(wish, item, other), part

    def _whereabouts(self, item: str, p: Phrase | None) -> Phrase | None:
        """Return where the only thing of a name is, other than at a place; None if that is open."""
        things = [self._robot.things[item]] if item in self._robot.things else []
        things = things or (self._instances(item) if item else [])
        where = self._view.where(things[0].name) if len(things) == 1 else None
        if where is None or not where.bearer or where.bearer not in self._robot.things:
            return None
        bearer = self._robot.things[where.bearer]
        if p is not None and p.noun.name == bearer.noun.name:
            return None
        room = self._view.room_of(bearer.name)
        if self._robot.set in FIELD_SETS and room and self._draw.chance(0.3):
            return self._room(room)
        is_only = len(self._instances_of_place(bearer.noun.name)) == 1
        return Phrase(bearer.noun, 0 if is_only else bearer.number, is_only=is_only)

    def _line(self, wish: Wish, item: str, other: str) -> str:
        phrase: str = self._robot.document['predicates'][wish.predicate]['phrase']
        words = iter([*filter(None, [item]), *filter(None, [other])])
        return ' '.join(next(words) if word[0] == '{' else word for word in phrase.split())

    def _words(self, wish: Wish) -> dict[str, str]:
        return {'verb': wish.verb, 'state': wish.predicate} if wish.verb else {}

    def _instances(self, class_name: str) -> list[Thing]:
        there = {fact[1] for fact in self._state}
        return [
            one
            for name, one in self._robot.things.items()
            if one.noun.name == class_name and name in there
        ]

    def _thing(self, wish: Wish, kinds: bool) -> tuple[str, Phrase | None]:
        if not wish.items:
            return '', None
        if kinds and self._draw.chance(0.15):
            fitting = [
                kind
                for kind, classes in self._robot.library.kinds.items()
                if classes <= {*wish.items}
            ]
            if fitting and self._robot.say.language == 'en':
                kind = self._draw.pick(sorted(fitting))
                return kind, Phrase(self._robot.kind_nouns[kind])
        class_name = self._draw.pick(wish.items)
        things = self._instances(class_name)
        if not things:
            raise NoDraftError
        one = self._draw.pick(things)
        if len(things) > 1 and (wish.shape == 'state' and not wish.verb or self._draw.chance(0.3)):
            return one.name, Phrase(one.noun, one.number)
        return class_name, Phrase(one.noun, is_only=len(things) == 1)

    def _room(self, name: str) -> Phrase:
        class_name, number = name.rsplit(' ', 1)
        noun = self._robot.room_nouns[class_name]
        same = [one for one in self._robot.rooms if one.startswith(f'{class_name} ')]
        if len(same) > 1:
            return Phrase(noun, int(number), proper=True, is_room=True)
        return Phrase(noun, is_only=True, is_room=True)

    def _other(self, wish: Wish) -> tuple[str, Phrase | None]:
        if not wish.places:
            return '', None
        name = self._draw.pick(wish.places)
        if name in self._robot.rooms:
            room = self._room(name)
            return name if room.proper else name.rsplit(' ', 1)[0], room
        things = self._instances(name) or [
            one for one in self._robot.things.values() if one.noun.name == name
        ]
        one = self._draw.pick(things)
        if len(things) > 1 and self._draw.chance(0.6):
            return one.name, Phrase(one.noun, one.number)
        return name, Phrase(one.noun, is_only=len(things) == 1)

    # Shapes -------------------------------------------------------------------------------------

    def _joined(self, how_many: int, joint: str) -> Draft:
        lines: list[str] = []
        parts: list[Part] = []
        acts: list[str] = []
        subjects: set[str] = set()
        while len(lines) < how_many:
            wish = self._wish()
            if joint == 'both' and wish.shape in ('go', 'go_room', 'held') and len(lines) < 1:
                raise NoDraftError  # where it ends is said last
            line, part = self._part(wish)
            subject = part.x.noun.name if part.x else ROBOT
            if subject in subjects and joint == 'both':
                raise NoDraftError
            subjects.add(subject)
            lines.append(line)
            parts.append(part)
            acts.append(wish.request)
        if len({*lines}) < len(lines):
            raise NoDraftError
        if joint == 'either':
            lines = [' or '.join(lines)]
        elif joint == 'order':
            lines[1:] = [f'then {line}' for line in lines[1:]]
        return Draft(tuple(lines), tuple(parts), joint, tuple(acts))

    def _list(self) -> Draft:
        """Draft the same for two or three things."""
        self._english_only()
        wish = self._wish('put', 'put_room', 'give', 'state')
        other, p = self._other(wish)
        parts: dict[str, Part] = {}
        for _ in range(self._draw.whole(2, 3)):
            item, x = self._thing(wish, False)
            if x is None or (p is not None and x.noun.name == p.noun.name):
                raise NoDraftError
            parts[self._line(wish, item, other)] = Part(DO, wish.request, x, p, self._words(wish))
        if len({part.x.noun.name for part in parts.values() if part.x}) < max(2, len(parts)):
            raise NoDraftError
        return Draft(tuple(parts), tuple(parts.values()), LIST, (wish.request,))

    def _steps(self) -> Draft:
        """Draft several things to be done one after the other.

        In most goals something else is to be done instead of one of them where that cannot be
        done, and in most of these it cannot.
        """
        self._english_only()
        visited = {fact[2] for fact in self._state if fact[:2] == (AT, ROBOT)}
        steps: list[tuple[str, Part]] = []
        for _ in range(self._draw.whole(_FEWEST_STEPS, _MOST_STEPS)):
            line, part = self._step([line for line, _ in steps])
            if part.act == VISIT and part.p is not None and _is_of_one(part):
                place = f'{part.p.noun.name} {part.p.number or 1}'
                part = replace(part, act=BACK if place in visited else VISIT)
                visited.add(place)
            steps.append((line, part))
        able = [number for number, (_, part) in enumerate(steps) if _is_of_one(part)]
        fails = False
        if able and self._draw.chance(0.6):
            number = self._draw.pick(able)
            line, part = steps[number]
            other, instead = self._step([line for line, _ in steps], again=False)
            steps[number] = (f'{line} or {other}', replace(part, instead=instead))
            fails = self._draw.chance(0.7)
        lines = [f'then {line}' if number else line for number, (line, _) in enumerate(steps)]
        parts = tuple(part for _, part in steps)
        return Draft(tuple(lines), parts, STEPS, tuple(part.act for part in parts), fails)

    def _step(self, lines: Sequence[str], *, again: bool = True) -> tuple[str, Part]:
        """Return something to be done after other things: to go somewhere, often.

        Args:
            lines: what is to be done before.
            again: it may be to go where the robot was before.
        """
        goes = any(one.shape == 'go' for one in self._robot.wishes)
        for _ in range(_TRIES):
            is_way = goes and self._draw.chance(0.45)
            try:
                line, part = self._part(self._wish('go') if is_way else self._wish())
            except NoDraftError:
                continue
            may_be_again = again and part.act == 'go' and line not in lines[-1:]
            if line not in lines or may_be_again:
                return line, replace(part, act=VISIT) if part.act == 'go' else part
        raise NoDraftError

    def _counted(self, too_many: int) -> Draft:
        wish = self._wish('put', 'give', 'state', 'put_room')
        class_name, things = self._several(wish, 1 if too_many else 2)
        count = len(things) + 1 if too_many else self._draw.whole(2, len(things))
        if count > 6:
            raise NoDraftError
        noun = self._noun(class_name)
        other, p = self._other(wish)
        line = self._line(wish, f'{count} {class_name}', other)
        part = Part(DO, wish.request, Phrase(noun, count=count), p, self._words(wish))
        acts = (wish.request,)
        return Draft((line,), (part,), acts=acts, impossible=bool(too_many))

    def _several(self, wish: Wish, least: int) -> tuple[str, list[Thing]]:
        """Return a class or kind of which there are several things."""
        kinds = self._robot.library.kinds if self._robot.say.language == 'en' else {}
        fitting = [*wish.items, *(kind for kind in sorted(kinds) if kinds[kind] <= {*wish.items})]
        found = {
            name: [
                thing
                for one in (sorted(kinds[name]) if name in kinds else [name])
                for thing in self._instances(one)
            ]
            for name in fitting
        }
        able = [name for name, things in found.items() if len(things) >= least]
        if not able:
            raise NoDraftError
        name = self._draw.pick(able)
        return name, found[name]

    def _noun(self, name: str) -> Noun:
        if name in self._robot.kind_nouns and name in self._robot.library.kinds:
            return self._robot.kind_nouns[name]
        return self._instances(name)[0].noun

    def _all(self) -> Draft:
        self._english_only()
        wish = self._wish('put', 'state', 'give', 'put_room')
        class_name, _ = self._several(wish, 2)
        other, p = self._other(wish)
        line = self._line(wish, f'all {class_name}', other)
        part = Part(DO, wish.request, Phrase(self._noun(class_name), count=0), p, self._words(wish))
        return Draft((line,), (part,), acts=(wish.request,))

    def _none_on(self) -> Draft:
        self._english_only()
        wish = self._wish('put')
        class_name, things = self._several(wish, 1)
        bearers = [
            where.bearer for one in things if (where := self._view.where(one.name)) is not None
        ]
        classes = [
            self._robot.things[name].noun.name
            for name in bearers
            if name and self._robot.things[name].noun.name in wish.places
        ]
        if not classes:
            raise NoDraftError
        place = self._draw.pick(sorted({*classes}))
        noun = self._noun(class_name)
        same = self._instances_of_place(place)
        p = Phrase(
            same[0].noun, is_only=len(same) == 1, count=1 if len(same) == 1 else ALL_OF_A_CLASS
        )
        line = self._line(wish, f'no {class_name}', place)
        return Draft((line,), (Part(CLEAR, wish.act, Phrase(noun), p),), acts=(wish.act,))

    def _instances_of_place(self, class_name: str) -> list[Thing]:
        return [one for one in self._robot.things.values() if one.noun.name == class_name]

    def _limit(self, how: str) -> Draft:
        self._english_only()
        wish = self._wish('put')
        class_name, things = self._several(wish, 2)
        place, p = self._other(wish)
        if p is not None and not (p.is_only or p.number):
            raise NoDraftError
        count = self._draw.whole(1, min(len(things), 4))
        words = 'exactly' if how == EXACTLY else 'at most'
        line = self._line(wish, f'{words} {count} {class_name}', place)
        part = Part(how, wish.act, Phrase(self._noun(class_name), count=count), p)
        return Draft((line,), (part,), acts=(wish.act,))

    def _described(self) -> Draft:
        self._english_only()
        works = [
            one for one in self._robot.wishes if one.act == 'work' and ' ' not in one.predicate
        ]
        if not works:
            raise NoDraftError
        work = self._draw.pick(works)
        wish = self._wish('put', 'give')
        both = [one for one in wish.items if one in work.items and self._instances(one)]
        if not both:
            raise NoDraftError
        class_name = self._draw.pick(both)
        other, p = self._other(wish)
        line = self._line(wish, f'{work.predicate} {class_name}', other)
        x = Phrase(self._noun(class_name), adjective=work.predicate)
        return Draft((line,), (Part(DO, wish.request, x, p),), acts=('work', wish.request))

    def _if_found(self) -> Draft:
        self._english_only()
        reports = [one for one in self._robot.wishes if one.act == 'report']
        normal = phrases('en')['states']['normal']
        found = [
            one for one in self._robot.wishes if one.shape == 'found' and one.predicate != normal
        ]
        if not reports or not found:
            raise NoDraftError
        state = self._draw.pick(found)
        class_name = self._draw.pick(state.items)
        things = self._instances_of_place(class_name)
        line = self._line(reports[0], f'all {state.predicate} {class_name}', '')
        part = Part(CLEAR, 'found', Phrase(things[0].noun), words={'state': state.predicate})
        return Draft((line,), (part,), acts=('report',))

    # Questions ----------------------------------------------------------------------------------

    def _whether(self) -> Draft:
        states = [
            one
            for one in self._robot.wishes
            if one.shape == 'found' or (one.shape == 'state' and one.act in ('open', 'on'))
        ]
        if not states:
            raise NoDraftError
        wish = self._draw.pick(states)
        things = self._instances_of_place(self._draw.pick(wish.items))
        one = self._draw.pick(things)
        x = Phrase(one.noun, one.number if len(things) > 1 else 0, is_only=len(things) == 1)
        is_so = wish.predicate in self._view.states(one.name, everything=True)
        words = requests(self._robot.say.language)['yes' if is_so else 'no']
        subject = one.name if x.number else one.noun.name
        line = f'tell whether {self._line(wish, subject, "")}'
        return Draft(
            (line,), acts=('whether', wish.predicate), question=('ask_state', {'x': x}),
            answer=tuple(words),
        )  # fmt: skip

    def _where(self) -> Draft:
        items = [
            one
            for one in self._robot.things.values()
            if 'grabbable' in one.tags and len(self._instances(one.noun.name)) == 1
        ]
        if not items:
            raise NoDraftError
        one = self._draw.pick(items)
        where = self._view.where(one.name)
        if where is None or not where.root:
            raise NoDraftError
        x = Phrase(one.noun, is_only=True)
        names: dict[str, None] = {}
        below = where.bearer or where.root
        while below in self._robot.things:  # on a stack, what it lies on, too
            noun = self._robot.things[below].noun
            names |= dict.fromkeys((noun.name, *noun.every))
            under = self._view.where(below)
            below = under.bearer if under is not None else ''
        answer = tuple(names)
        return Draft(
            (f'tell where {one.noun.name}',), acts=('where',), question=('ask_where', {'x': x}),
            answer=answer,
        )  # fmt: skip

    def _how_many(self) -> Draft:
        self._english_only()
        wish = self._wish('put')
        class_name, things = self._several(wish, 1)
        place, p = self._other(wish)
        if p is None or not (p.is_only or p.number):
            raise NoDraftError
        place_name = place if p.number else f'{place} 1'
        count = sum(
            (where := self._view.where(one.name)) is not None and where.bearer == place_name
            for one in things
        )
        if not count and self._draw.chance(0.7):
            raise NoDraftError
        key = 'ask_many' if wish.act == 'on' else 'ask_many_in'
        line = f'tell how many {self._line(wish, class_name, place)}'
        named = {'xs': Phrase(self._noun(class_name)), 'p': p}
        numbers = requests('en')['numbers']
        word = ('none', 'no', '0') if count == 0 else (str(count), *numbers[count : count + 1])
        return Draft((line,), acts=('how_many',), question=(key, named), answer=tuple(word))

    # What cannot be -----------------------------------------------------------------------------

    def _unknown_thing(self) -> Draft:
        """Draft something about a thing that this robot has no word for."""
        wish = self._wish('put', 'give')
        every = [
            noun
            for file in (TRAINING, HELD_OUT)
            for trade in trades(file)
            if trade.language == self._robot.say.language and trade.name != self._robot.trade
            and (file == HELD_OUT) == self._robot.is_held_out
            for nouns in trade.kinds.values()
            for noun in nouns
        ]  # fmt: skip
        if not every:
            raise NoDraftError
        noun = self._draw.pick(every)
        known = [one.noun for one in self._robot.things.values()]
        known += self._robot.kind_nouns.values()
        if {*map(str.casefold, noun.every)} & {w.casefold() for one in known for w in one.every}:
            raise NoDraftError
        _, p = self._other(wish)
        part = Part(DO, wish.request, Phrase(noun, is_only=True), p)
        return Draft((), (part,), acts=(wish.request,), impossible=True)

    def _english_only(self) -> None:
        if self._robot.say.language != 'en':
            raise NoDraftError


def _is_of_one(part: Part) -> bool:
    """Return whether a part is about one thing and one place, so that it can fail as a whole."""
    nouns = (part.x, part.p)
    return part.act != BACK and all(one is None or one.is_only or one.number for one in nouns)
