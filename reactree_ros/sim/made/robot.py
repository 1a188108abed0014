# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A generated robot: its things, its skills and their effects, and what may be wanted of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from string import Formatter
from typing import Any

from reactree_ros.core.observation import ObservedObject
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.planning.facts import (
    Action,
    Fact,
    ForEach,
    Operator,
    Precondition,
    Relations,
    State,
    Things,
    attempt,
    groundings,
    needed_by,
)
from reactree_ros.sim.vocabulary import Noun, identifier, phrases, styled
from reactree_ros.skills.goal_conditions import language
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import library_from

ROBOT = 'robot'
"""What facts about the robot itself are said of."""
AT, ON, IN, HELD, IS, IN_ROOM = 'at', 'on', 'in', 'held', 'is', 'in room'
"""Relations that every robot has: ``at(robot, place or room)``, ``on(thing, place)``,
``in(thing, place)``, ``held(thing)``, ``is(thing, state)``, and ``in room(place, room)``, which
never changes."""
REACH = 'reach'
"""``reach(place, other)``: from that place the robot reaches another. It never changes."""
LOAD, NEXT = 'load', 'next'
"""``load(robot, n)``: it carries so many; ``next(what, n, m)`` counts up, which never changes."""
BASE = 'base'
"""Where a robot stands that cannot drive."""
TAGGED = 'a'
"""``a(thing, tag)``, which never changes; only for tags that needs name."""

FULL, ROOM, PLACE = 'full', 'room', 'place'
"""What a robot sees: everything; the places of its room, and what lies where it stands; or all
places, and what lies where it stands."""


@dataclass(frozen=True)
class Thing:
    """A place or a movable thing.

    Args:
        noun: what it is called.
        number: of its class.
        tags: what can be done with it: affordances in observations, and the types of arguments.
        room: in which it stands; empty for what has none.
    """

    noun: Noun
    number: int
    tags: frozenset[str]
    room: str = ''

    @property
    def name(self) -> str:
        """It as skills name it."""
        return f'{self.noun.name} {self.number}'

    @property
    def is_place(self) -> bool:
        """Whether the robot can go there, or reach into it."""
        return 'furniture' in self.tags


@dataclass(frozen=True)
class Wish:
    """Something that may be wanted of a robot's surroundings.

    Args:
        predicate: name of the predicate.
        shape: what its arguments are: ``put``, ``put_room``, ``stack``, ``state``, ``give``,
            ``go``, ``go_room``, ``held`` or ``found`` (a state that is only found out).
        items: classes of what it is said of.
        places: classes of the second argument, or rooms.
        verb: what is done for it, in the infinitive; empty for none.
        act: what it is for people, e.g. ``open``; chooses the wordings.
    """

    predicate: str
    shape: str
    items: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    verb: str = ''
    act: str = ''

    @property
    def request(self) -> str:
        """What people ask for, a key of the wordings."""
        if self.shape == 'state':
            return {'on': 'switch_on', 'off': 'switch_off'}.get(self.act, self.act)
        if self.shape == 'put':
            return self.act
        return {'put_room': 'room'}.get(self.shape, self.shape)


@dataclass(frozen=True)
class Speech:
    """How a robot talks.

    Args:
        language: ISO code.
        seen: templates of observations by name.
        refuses: frame of a reason.
        bracketed: how it names things: with the number in brackets, or plainly.
        aborts: it says why something was not done as a ROS action server does that aborts.
        brief: it says of itself only what has changed, and not in which room it is.
    """

    language: str
    seen: Mapping[str, str]
    refuses: str
    bracketed: bool
    aborts: bool = False
    brief: bool = False


@dataclass(frozen=True, eq=False)
class MadeRobot:
    """A robot drawn at random.

    Args:
        name: e.g. ``made_train 17``.
        seed: of the robot.
        document: its skill library as plain data.
        things: places and movable things by name.
        rooms: names of its rooms.
        static: facts that never change.
        operators: what its skills need and change, by name of the skill.
        starts: add the facts of a start.
        wishes: what may be wanted.
        sees: FULL, ROOM or PLACE.
        hides: states that show only in things with another state, by its name.
        say: how it talks.
        levels: gauges of what runs out: relation and subject, and the fullest level.
        parts: states of its parts that matter, by the part.
        trade: name of the trade.
        mechanisms: names of what it was made of.
        strict: its library offers a skill only when it is possible, as far as filters can say.
        kind_nouns: what kinds of things are called.
        room_nouns: what rooms are called, by class.
    """

    name: str
    seed: int
    document: Mapping[str, Any]
    things: Mapping[str, Thing]
    rooms: tuple[str, ...]
    static: State
    operators: Mapping[str, tuple[Operator, ...]]
    starts: tuple[Callable[[Draw, set[Fact]], None], ...]
    wishes: tuple[Wish, ...]
    sees: str
    hides: Mapping[str, str]
    say: Speech
    levels: Mapping[tuple[str, str], int]
    parts: Mapping[str, str]
    trade: str
    mechanisms: tuple[str, ...]
    strict: bool
    kind_nouns: Mapping[str, Noun]
    room_nouns: Mapping[str, Noun]

    @cached_property
    def library(self) -> SkillLibrary:
        """Its skill library; a robot that sees everything has nothing to recall."""
        library = library_from(self.document, self.name)
        return replace(library, closed_world=self.sees == FULL)

    @cached_property
    def tags(self) -> Things:
        """Its things and rooms by tag."""
        tags = {name: (*sorted(one.tags), 'thing') for name, one in self.things.items()}
        tags |= {name: ('room', 'spot') for name in self.rooms} | {BASE: ('spot',)}
        tags |= {name: ('level',) for fact in self.static if fact[0] == NEXT for name in fact[2:]}
        return Things(dict(sorted(tags.items())))

    def meant_by(self, noun: language.Noun) -> list[str]:
        """Return the names of all things that a noun of a condition means."""
        return [
            name
            for name, one in self.things.items()
            if noun.fits(ObservedObject(one.noun.name, one.number))
        ]

    def start(self, seed: int) -> State:
        """Return everything that holds at a start, static facts included."""
        facts: set[Fact] = {*self.static}
        draw = Draw(f'{self.name} start {seed}')
        for one in self.starts:
            one(draw, facts)
        return frozenset(facts)

    def attempt(self, skill: str, arguments: Sequence[str], state: State) -> Action | str:
        """Return the action that a skill comes to, or why it is refused."""
        return attempt(self.operators[skill], arguments, state, self.tags)

    @cached_property
    def dynamic(self) -> frozenset[str]:
        """Relations of facts that can change."""
        changed = [
            fact
            for operators in self.operators.values()
            for one in operators
            for fact in (
                *(*one.add, *one.delete),
                *(fact for each in one.each for fact in (*each.add, *each.delete)),
            )
        ]
        unsure = {IN_ROOM} if self.sees == ROOM else set()
        return frozenset(fact[0] for fact in changed) | {IS} | unsure

    @cached_property
    def needed_by(self) -> Mapping[Fact, Sequence[int]]:
        """The numbers of the actions that need a fact."""
        return needed_by(self.actions)

    @cached_property
    def postures(self) -> Mapping[str, str]:
        """Its parts that have a state which matters, such as a folded arm, and the state."""
        states = {
            item: str(self.document['predicates'][wish.predicate]['holds']['state'])
            for wish in self.wishes
            if wish.shape == 'state'
            for item in wish.items
        }
        return {
            name: states[one.noun.name]
            for name, one in self.things.items()
            if 'body part' in one.tags and one.noun.name in states
        } | dict(self.parts)

    @cached_property
    def opens(self) -> frozenset[str]:
        """The state of what is open."""
        return frozenset({str(phrases(self.say.language)['states']['open'])})

    @property
    def set(self) -> str:
        """The set that it is in."""
        return self.name.rpartition(' ')[0]

    @property
    def is_held_out(self) -> bool:
        """Whether its words are in no training set."""
        return self.name.startswith('made_test ')

    @property
    def is_mobile(self) -> bool:
        """Whether it can drive."""
        return not any(fact[:2] == (REACH, BASE) for fact in self.static)

    def refusal(self, reason: str) -> str:
        """Return how it refuses for a reason."""
        why = reason or str(phrases(self.say.language)['reasons']['impossible'])
        if not why.endswith(('.', '?', '!')):
            why = f'{why[0].upper()}{why[1:]}.'
        return self.say.refuses.format(why=why)

    def fault(self, action: Action, draw: Draw) -> str:
        """Return why a skill that is possible has failed."""
        relations = {fact[0] for fact in action.add if fact[0] != AT or fact[1] == ROBOT}
        opened = {fact[1] for fact in action.add if fact[0] == IS and fact[2] in self.opens}
        if AT in relations:
            kind = 'go'
        elif HELD in relations:
            kind = 'pick'
        elif any(self.things[name].tags & {'can_open', 'door'} for name in opened):
            kind = 'open'
        else:
            kind = 'other'
        faults: Mapping[str, Sequence[str]] = phrases(self.say.language)['faults']
        return draw.pick(faults[kind])

    def __hash__(self) -> int:
        """Hash by name: there is one robot of a name."""
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        """Compare by name."""
        return isinstance(other, MadeRobot) and self.name == other.name

    def __deepcopy__(self, memo: object) -> MadeRobot:
        """Return the same: it never changes."""
        return self

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """Everything that the robot can do in any state, with all arguments filled."""
        static = Relations(self.static)
        return tuple(
            action
            for operators in self.operators.values()
            for one in operators
            for action in groundings(one, static, self.dynamic, self.tags)
            if not _is_in_two_rooms(action)
        )


@dataclass
class Build:
    """A robot while it is being drawn.

    Args:
        draw: chooses.
        language: of its words.
        strict: see ``MadeRobot``.
        style: of its phrases; see ``vocabulary.STYLES``.
        of_field: it may have what only robots of the field sets have.
        refusals: words for reasons, in the place of those of the language.
    """

    draw: Draw
    language: str
    strict: bool
    style: str
    of_field: bool = False
    refusals: Mapping[str, Sequence[str]] = field(default_factory=dict)
    things: dict[str, Thing] = field(default_factory=dict)
    rooms: list[str] = field(default_factory=list)
    room_nouns: dict[str, Noun] = field(default_factory=dict)
    static: set[Fact] = field(default_factory=set)
    operators: list[Operator] = field(default_factory=list)
    phrases: dict[str, str] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    predicates: dict[str, dict[str, Any]] = field(default_factory=dict)
    kinds: dict[str, list[str]] = field(default_factory=dict)
    kind_nouns: dict[str, Noun] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)
    starts: list[Callable[[Draw, set[Fact]], None]] = field(default_factory=list)
    wishes: list[Wish] = field(default_factory=list)
    hides: dict[str, str] = field(default_factory=dict)
    levels: dict[tuple[str, str], int] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    mechanisms: list[str] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)
    hands: int = 0
    mobile: bool = True

    def of(self, tag: str) -> list[Thing]:
        """Return everything with a tag."""
        return [one for one in self.things.values() if tag in one.tags]

    def classes(self, tag: str) -> tuple[str, ...]:
        """Return the classes of everything with a tag."""
        return tuple(dict.fromkeys(one.noun.name for one in self.of(tag)))

    def add(self, noun: Noun, number: int, *tags: str, room: str = '') -> Thing:
        """Add a thing; a place can be reached from where the robot stands for it."""
        one = Thing(noun, number, frozenset(tags), room)
        self.things[one.name] = one
        if one.is_place:
            self.static.add((REACH, one.name if self.mobile else BASE, one.name))
            if room:
                self.static.add((IN_ROOM, one.name, room))
        return one

    def add_room(self, noun: Noun, number: int = 1) -> str:
        """Add a room."""
        name = f'{noun.name} {number}'
        self.rooms.append(name)
        self.room_nouns[noun.name] = noun
        self.static.add((IN_ROOM, name, name))
        return name

    def a_room(self) -> str:
        """Return a room for a place; empty if there are no rooms."""
        return self.draw.pick(self.rooms) if self.rooms else ''

    def taken(self, noun: Noun) -> bool:
        """Return whether something is called like this."""
        names = {one.noun.name for one in self.things.values()} | {*self.room_nouns}
        return noun.name in names

    def skill(self, role: str, concept: str, **words: str) -> str:
        """Add a skill with a phrase of its concept, and return its name.

        Args:
            role: what it is for; see ``roles``.
            concept: of the phrases of the language.
            words: that stand in the place of some arguments.
        """
        taken = {_bare(phrase) for phrase in self.phrases.values()}
        for template in self.draw.shuffled(phrases(self.language)['skills'][concept]):
            for key, word in words.items():
                template = template.replace(f'{{{key}}}', word)
            phrase, name = styled(template, self.style), identifier(template)
            if _bare(phrase) in taken:
                continue
            while name in self.phrases:
                name += '_it'
            self.phrases[name] = phrase
            self.roles[name] = role
            return name
        raise AssertionError(f'every phrase of {concept} is taken: {taken}')

    def own_skill(self, role: str, template: str) -> str:
        """Add a skill with a phrase of its own, and return its name."""
        name = identifier(template)
        while name in self.phrases:
            name += '_it'
        self.phrases[name] = styled(template, self.style)
        self.roles[name] = role
        return name

    def why(self, reason: str, **variables: str) -> str:
        """Return a reason with variables in braces.

        Args:
            reason: of the reasons of the language.
            variables: by the words of the reason: ``thing='item'``.
        """
        own = [
            one
            for one in self.refusals.get(reason, ())
            if {name for _, name, _, _ in Formatter().parse(one) if name} <= {*variables}
        ]
        text = self.draw.pick(own) if own else str(phrases(self.language)['reasons'][reason])
        return text.format(**{key: f'{{{name}}}' for key, name in variables.items()})

    def already(self, variable: str, state: str) -> str:
        """Return the reason that a thing is in a state already."""
        return self.why('already', thing=variable, state='_').replace('{_}', state)

    def state(self, key: str) -> str:
        """Return the word for a state."""
        return str(phrases(self.language)['states'].get(key, key))

    def rule(self, key: str, **words: object) -> None:
        """Add a sentence to the rules."""
        sentence = self.draw.pick(phrases(self.language)['rules'][key]).format(**words)
        if sentence not in self.rules:
            self.rules.append(sentence[0].upper() + sentence[1:])

    def predicate(self, key: str, holds: Mapping[str, Any], **arguments: Sequence[str]) -> str:
        """Add a predicate with a phrase of the language, and return its name."""
        if key not in self.predicates:
            phrase = self.draw.pick(phrases(self.language)['predicates'][key])
            given = {name: [*classes] for name, classes in arguments.items()}
            self.predicates[key] = {'phrase': phrase, **given, 'holds': dict(holds)}
        return key

    def state_predicate(self, word: str, classes: Sequence[str]) -> str:
        """Add a predicate of a state, or widen it, and return its name."""
        entry = self.predicates.setdefault(
            word, {'phrase': f'{{item}} {word}', 'item': [], 'holds': {'state': word}}
        )
        assert entry['holds'] == {'state': word}, f'{word} is a predicate of another kind'
        entry['item'] = list(dict.fromkeys([*entry['item'], *classes]))
        return word

    def operator(
        self,
        skill: str,
        needs: Sequence[Precondition],
        *,
        arguments: Mapping[str, str] | None = None,
        hidden: Mapping[str, str] | None = None,
        add: Sequence[Fact] = (),
        delete: Sequence[Fact] = (),
        each: Sequence[ForEach] = (),
    ) -> None:
        """Add a way in which a skill works; see ``Operator``."""
        made = Operator(
            skill, dict(arguments or {}), dict(hidden or {}), (*needs,), (*add,), (*delete,),
            (*each,),
        )  # fmt: skip
        self.operators.append(made)

    def modify(
        self,
        roles: Collection[str],
        needs: Sequence[Precondition],
        *,
        hidden: Mapping[str, str] | None = None,
        add: Sequence[Fact] = (),
        delete: Sequence[Fact] = (),
        unless: str = '',
    ) -> None:
        """Let all skills of some roles need and change something besides.

        Args:
            roles: of the skills.
            needs: what they need, after all else.
            hidden: further variables.
            add: facts that hold afterwards.
            delete: facts that do not.
            unless: name of an argument's tag: what has it is left as it was.
        """
        found = []
        for one in self.operators:
            if self.roles[one.skill] not in roles:
                found.append(one)
                continue
            changed = replace(
                one,
                hidden={**one.hidden, **(hidden or {})},
                needs=(*one.needs, *needs),
                add=(*one.add, *add),
                delete=(*one.delete, *delete),
            )
            argument = next(iter(one.arguments), '')
            if unless and argument:
                home = (TAGGED, f'?{argument}', unless)
                away = Precondition(home, holds=False)
                found.append(replace(one, needs=(*one.needs, Precondition(home))))
                found.append(replace(changed, needs=(*changed.needs, away)))
            else:
                found.append(changed)
        self.operators = found


def _is_in_two_rooms(action: Action) -> bool:
    """Return whether an action needs something to be in two rooms at once."""
    rooms: dict[str, str] = {}
    for need in action.needs:
        if need[0] == IN_ROOM and rooms.setdefault(need[1], need[2]) != need[2]:
            return True
    return False


def _bare(phrase: str) -> str:
    return re.sub(r'\{\w+\}', '{}', phrase).lower()
