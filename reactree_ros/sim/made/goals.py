# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals of made-up robots: conditions in their own predicates, worded, and shown to be solvable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.conditions import NoPlanError
from reactree_ros.sim.made.planning import plan_stages
from reactree_ros.sim.made.robot import ROBOT, MadeRobot, Thing, Wish
from reactree_ros.sim.made.saying import (
    ALL_OF_A_CLASS,
    AT_MOST,
    CLEAR,
    DO,
    EXACTLY,
    Part,
    Phrase,
    Speaker,
)
from reactree_ros.sim.made.seeing import View
from reactree_ros.sim.made.world import MadeWorld
from reactree_ros.sim.planning.facts import Action, State
from reactree_ros.sim.vocabulary import (
    HELD_OUT,
    TRAINING,
    Noun,
    phrases,
    requests,
    trades,
    translations,
)

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
_TRIES = 60
_WORDINGS = 5
_OTHERS = ('de', 'es')
"""Languages in which some people speak to robots that speak English."""


@dataclass(frozen=True)
class MadeGoal:
    """A goal of a made-up robot.

    Args:
        shape: one of SHAPES; of what is done, with a dot and the kinds of wishes after it.
        start: seed of a start in which it does not hold.
        conditions: lines of conditions; empty if it cannot be said in the robot's language.
        instructions: wordings.
        languages: of each wording.
        answer: words of which one must stand in the answer; empty if nothing is asked.
        impossible: it cannot be reached.
        plan: phrases of a plan under full knowledge; empty if it is impossible.
    """

    shape: str
    start: int
    conditions: tuple[str, ...]
    instructions: tuple[str, ...]
    languages: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    impossible: bool = False
    plan: tuple[str, ...] = ()


@dataclass(frozen=True)
class Draft:
    """A goal before it is worded and tried.

    Args:
        lines: of conditions.
        parts: what it says.
        joint: how parts are joined; empty for one.
        acts: kinds of the wishes.
        question: of the requests, with what fills it.
        answer: see ``MadeGoal``.
        impossible: see ``MadeGoal``.
    """

    lines: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    joint: str = ''
    acts: tuple[str, ...] = ()
    question: tuple[str, Mapping[str, Phrase]] | None = None
    answer: tuple[str, ...] = ()
    impossible: bool = False


def goals_of(robot: MadeRobot, how_many: int) -> tuple[MadeGoal, ...]:
    """Return goals of a robot, always the same; fewer if it can do too little.

    Args:
        robot: the robot.
        how_many: at most so many.

    Raises:
        ConfigurationError: the planning engine is not installed.
    """
    found: dict[tuple[str, ...], MadeGoal] = {}
    for number in range(_TRIES + 3 * how_many):
        if len(found) == how_many:
            break
        goal = _goal(robot, number)
        if goal is not None and (goal.conditions or goal.instructions) not in found:
            found[goal.conditions or goal.instructions] = goal
    return tuple(found.values())


@lru_cache(maxsize=512)
def _goal(robot: MadeRobot, number: int) -> MadeGoal | None:
    """Draw a goal and try it; None if it does not make sense."""
    draw = Draw(f'{robot.name} goal {number}')
    start = draw.whole(1, 9999)
    state = robot.start(start)
    shape = draw.weighted(SHAPES)
    try:
        draft = _Drafting(robot, state, draw).draft(shape)
    except _NoDraftError:
        return None
    speaker = Speaker(robot.say.language, draw)
    if not all(map(speaker.can_say, draft.parts)):
        return None
    if draft.question and not requests(robot.say.language)[draft.question[0]]:
        return None
    world = MadeWorld(robot, start, draft.lines)
    plan: Sequence[Action] | None = ()
    if draft.lines:
        judged = [one for one in world.conditions if not one.asks]
        if world.judge().satisfied:
            return None  # nothing that is asked for is so already
        with suppress(NoPlanError, TimeoutError):
            plan = plan_stages(robot, state, world.conditions)
            if (plan is None) != draft.impossible:
                return None
            for step in plan or ():
                world.execute(step.skill, step.arguments)
            if plan and judged and not world.judge().holds:
                return None
            return _made(robot, draft, shape, start, speaker, draw, plan or ())
        return None
    return _made(robot, draft, shape, start, speaker, draw, ())


def _made(
    robot: MadeRobot,
    draft: Draft,
    shape: str,
    start: int,
    speaker: Speaker,
    draw: Draw,
    plan: Sequence[Action],
) -> MadeGoal:
    words = {_worded(draft, speaker): robot.say.language for _ in range(_WORDINGS)}
    answer = draft.answer
    if robot.say.language == 'en' and draw.chance(0.6):
        for language in draw.shuffled(_OTHERS):
            other = _translated(draft, robot, language)
            if other is not None:
                foreign = Speaker(language, draw)
                words |= {_worded(other, foreign): language for _ in range(2)}
                answer += other.answer
    kind = '.'.join((shape, *dict.fromkeys(draft.acts)))
    skills = {one.name: one for one in robot.library.skills}
    steps = tuple(skills[one.skill].ground(*one.arguments).phrase for one in plan)
    return MadeGoal(
        kind,
        start,
        draft.lines,
        tuple(words),
        tuple(words.values()),
        tuple(dict.fromkeys(answer)),
        draft.impossible,
        steps,
    )


def _translated(draft: Draft, robot: MadeRobot, language: str) -> Draft | None:
    """Return a draft with the words of another language; None if there are none for it."""
    nouns, verbs = translations(language)
    speaker = Speaker(language, Draw(''))
    if any(part.x and (part.x.count != 1 or part.x.adjective) for part in draft.parts):
        return None

    def phrase(one: Phrase | None) -> Phrase | None:
        return None if one is None else replace(one, noun=nouns[one.noun.name])

    try:
        parts = []
        for part in draft.parts:
            words = part.words
            if words:
                verb, state = verbs[words['verb']]
                words = {'verb': verb, 'state': state}
            parts.append(replace(part, x=phrase(part.x), p=phrase(part.p), words=words))
        question, acts, answer = None, draft.acts, draft.answer
        if draft.question:
            key, slots = draft.question
            question = (key, {name: replace(one, noun=nouns[one.noun.name])
                              for name, one in slots.items()})  # fmt: skip
            if acts[0] == 'where':
                answer = tuple(nouns[one].every[0] for one in answer if one in nouns)
                if not answer:
                    return None
            if acts[0] == 'whether':
                keys = {word: key for key, word in phrases('en')['states'].items()}
                acts = ('whether', phrases(language)['states'][keys[acts[-1]]])
                is_so = answer == tuple(requests('en')['yes'])
                answer = tuple(requests(language)['yes' if is_so else 'no'])
    except KeyError:
        return None
    if not draft.parts and not draft.question:
        return draft
    if not all(map(speaker.can_say, parts)) or (question and not requests(language)[question[0]]):
        return None
    return replace(draft, parts=tuple(parts), question=question, acts=acts, answer=answer)


def _worded(draft: Draft, speaker: Speaker) -> str:
    if draft.question:
        key, named = draft.question
        slots = {}
        for name, phrase in named.items():
            if name == 'xs':
                slots[name] = speaker.plural(phrase)
            else:
                slots[name] = speaker.noun(phrase)
                slots[f'{name}n'] = speaker.noun(phrase, 'n')
        state = draft.acts[-1] if draft.acts else ''
        return speaker.ask(key, **slots, state=state)
    if not draft.parts:
        return speaker.nonsense()
    if draft.joint:
        return speaker.several(draft.parts, draft.joint)
    return speaker.one(draft.parts[0])


class _NoDraftError(Exception):
    """The robot cannot do anything of a shape."""


class _Drafting:
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
            raise _NoDraftError
        by_act: dict[str, list[Wish]] = {}
        for one in fitting:
            by_act.setdefault(one.shape + one.act, []).append(one)
        return self._draw.pick(by_act[self._draw.pick(sorted(by_act))])

    def _part(self, wish: Wish, kinds: bool = True) -> tuple[str, Part]:
        """Return a condition of a wish for one thing, and how it is said."""
        item, x = self._thing(wish, kinds)
        other, p = self._other(wish)
        if other and other.rsplit(' ', 1)[0] == item.rsplit(' ', 1)[0]:
            raise _NoDraftError
        return self._line(wish, item, other), Part(DO, wish.request, x, p, self._words(wish))

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
            raise _NoDraftError
        one = self._draw.pick(things)
        if len(things) > 1 and (wish.shape == 'state' and not wish.verb or self._draw.chance(0.3)):
            return one.name, Phrase(one.noun, one.number)
        return class_name, Phrase(one.noun, is_only=len(things) == 1)

    def _other(self, wish: Wish) -> tuple[str, Phrase | None]:
        if not wish.places:
            return '', None
        name = self._draw.pick(wish.places)
        if name in self._robot.rooms:
            class_name, number = name.rsplit(' ', 1)
            noun = self._robot.room_nouns[class_name]
            same = [one for one in self._robot.rooms if one.startswith(f'{class_name} ')]
            if len(same) > 1:
                return name, Phrase(noun, int(number), proper=True)
            return class_name, Phrase(noun, is_only=True)
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
                raise _NoDraftError  # where it ends is said last
            line, part = self._part(wish)
            subject = part.x.noun.name if part.x else ROBOT
            if subject in subjects and joint == 'both':
                raise _NoDraftError
            subjects.add(subject)
            lines.append(line)
            parts.append(part)
            acts.append(wish.request)
        if len({*lines}) < len(lines):
            raise _NoDraftError
        if joint == 'either':
            lines = [' or '.join(lines)]
        elif joint == 'order':
            lines[1:] = [f'then {line}' for line in lines[1:]]
        return Draft(tuple(lines), tuple(parts), joint, tuple(acts))

    def _counted(self, too_many: int) -> Draft:
        wish = self._wish('put', 'give', 'state', 'put_room')
        class_name, things = self._several(wish, 1 if too_many else 2)
        count = len(things) + 1 if too_many else self._draw.whole(2, len(things))
        if count > 6:
            raise _NoDraftError
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
            raise _NoDraftError
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
            raise _NoDraftError
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
            raise _NoDraftError
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
            raise _NoDraftError
        work = self._draw.pick(works)
        wish = self._wish('put', 'give')
        both = [one for one in wish.items if one in work.items and self._instances(one)]
        if not both:
            raise _NoDraftError
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
            raise _NoDraftError
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
            raise _NoDraftError
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
            raise _NoDraftError
        one = self._draw.pick(items)
        where = self._view.where(one.name)
        if where is None or not where.root:
            raise _NoDraftError
        x = Phrase(one.noun, is_only=True)
        place = self._robot.things[where.root].noun
        answer = tuple(dict.fromkeys((place.name, *place.every)))
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
            raise _NoDraftError
        place_name = place if p.number else f'{place} 1'
        count = sum(
            (where := self._view.where(one.name)) is not None and where.bearer == place_name
            for one in things
        )
        if not count and self._draw.chance(0.7):
            raise _NoDraftError
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
            raise _NoDraftError
        noun = self._draw.pick(every)
        known = [one.noun for one in self._robot.things.values()]
        known += self._robot.kind_nouns.values()
        if {*map(str.casefold, noun.every)} & {w.casefold() for one in known for w in one.every}:
            raise _NoDraftError
        _, p = self._other(wish)
        part = Part(DO, wish.request, Phrase(noun, is_only=True), p)
        return Draft((), (part,), acts=(wish.request,), impossible=True)

    def _english_only(self) -> None:
        if self._robot.say.language != 'en':
            raise _NoDraftError
