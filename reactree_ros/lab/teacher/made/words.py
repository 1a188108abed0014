# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How subgoals, thoughts and reasons of a generated robot's teacher are worded: always alike."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

from reactree_ros.paths import share
from reactree_ros.sim.draw import First
from reactree_ros.sim.made.robot import HELD, IN, IS, ON, MadeRobot, Wish
from reactree_ros.sim.made.saying import AT_MOST, CLEAR, DO, Part, Phrase, Speaker
from reactree_ros.sim.made.saying import EXACTLY as JUST
from reactree_ros.sim.planning.facts import Fact
from reactree_ros.sim.vocabulary import Noun as Word
from reactree_ros.sim.vocabulary import requests
from reactree_ros.skills.goal_conditions import Condition
from reactree_ros.skills.goal_conditions.language import ALL, EXACTLY, NO, Clause, Noun
from reactree_ros.skills.goal_conditions.language import AT_MOST as NO_MORE

_ROUNDABOUT = ('leave ', 'see ', 'make sure ', 'have the ', 'have a ', 'look for any ', 'if ',
               'toca ', 'hay que ')  # fmt: skip
_LIMITS = {EXACTLY: JUST, NO_MORE: AT_MOST}


@cache
def _texts(language: str) -> Mapping[str, Any]:
    path = share('resource', 'made_robots', 'teaching.yaml')
    found: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding='utf-8'))[language]
    return found


class Words:
    """Words what a robot's agent nodes say, in the language of its skills.

    Args:
        robot: the robot.
    """

    def __init__(self, robot: MadeRobot) -> None:
        self._robot = robot
        self._language = robot.say.language
        self._texts = _texts(self._language)
        self._speaker = Speaker(self._language, First())

    # Subgoals

    def condition(self, condition: Condition) -> str:
        """Return a condition as a subgoal; empty if there are no words for it."""
        frame = self._texts.get('either', '')
        if condition.asks or (len(condition.clauses) != 1 and not frame):
            return ''
        first, *others = map(self.clause, condition.clauses)
        for other in others:
            first = frame.format(a=first, b=other) if first and other else ''
        return first

    def clause(self, clause: Clause, which: int = 0) -> str:
        """Return a clause as a subgoal; empty if there are no words for it.

        Args:
            clause: the clause.
            which: of several things one after another, the how many-th this one is; 0 for all.
        """
        part = self._part(clause, which)
        return '' if part is None else self._plainly(part)

    def _part(self, clause: Clause, which: int) -> Part | None:
        wish = self._wish_of(clause)
        if wish is None:
            return None
        act = wish.request
        x = None
        if clause.subject is not None:
            x = self._subject(clause, which)
            if x is None:
                return None
        p = self._noun(clause.others[0]) if clause.others else None
        words = {'verb': wish.verb, 'state': wish.predicate} if wish.verb else None
        how = DO
        if clause.quantity == NO:
            how = CLEAR
        elif clause.quantity == ALL and clause.subject and clause.subject.states:
            state = clause.subject.states[0].holds.state
            return Part(CLEAR, 'found', x, words={'state': state})
        elif clause.quantity in _LIMITS and not which:
            how = _LIMITS[clause.quantity]
        return Part(how, act, x, p, words)

    def _wish_of(self, clause: Clause) -> Wish | None:
        assert clause.predicate is not None
        name = clause.predicate.name
        wishes = [one for one in self._robot.wishes if one.predicate == name]
        if clause.subject is not None and clause.others:
            classes = clause.others[0].classes
            fitting = [one for one in wishes if classes & {*one.places}]
            return next(iter(fitting or wishes), None)
        return next(iter(wishes), None)

    def _subject(self, clause: Clause, which: int) -> Phrase | None:
        assert clause.subject is not None
        found = self._noun(clause.subject.noun)
        if found is None:
            return None
        states = ' '.join(one.holds.state for one in clause.subject.states)
        count = 0 if clause.quantity == ALL else clause.count
        if which > 1:
            ordinals = self._texts['second']
            if which - 2 >= len(ordinals):
                return None
            states = f'{ordinals[which - 2]} {states}'.strip()
        return Phrase(
            found.noun,
            found.number,
            1 if which or clause.quantity == NO else count,
            found.is_only and not which,
            states,
        )

    def _noun(self, noun: Noun) -> Phrase | None:
        robot = self._robot
        if noun.name in robot.room_nouns:
            same = [one for one in robot.rooms if one.rpartition(' ')[0] == noun.name]
            word = robot.room_nouns[noun.name]
            if len(same) > 1 and noun.number:
                return Phrase(word, noun.number, proper=True)
            return Phrase(word, is_only=len(same) == 1)
        if noun.name in robot.library.kinds:
            kind = robot.kind_nouns.get(noun.name)
            return None if kind is None else Phrase(kind)
        same = [name for name, one in robot.things.items() if one.noun.name == noun.name]
        if not same:
            return None
        word = robot.things[same[0]].noun
        return Phrase(word, noun.number if len(same) > 1 else 0, is_only=len(same) == 1)

    def fact(self, fact: Fact, names: Mapping[str, Phrase]) -> str:
        """Return a fact as a subgoal; empty if there are no words for it.

        Args:
            fact: to be brought about.
            names: how things are called.
        """
        robot = self._robot
        x = names.get(fact[1])
        if x is None:
            return ''
        if fact[0] == HELD:
            return self._said('find' if x.count == 1 and not _is_told(x) else 'fetch', x)
        if fact[0] in (ON, IN):
            place = robot.things[fact[2]]
            p = names.get(fact[2]) or self.phrase(fact[2])
            if 'recipient' in place.tags:
                act = 'give'
            elif fact[0] == ON and 'grabbable' in place.tags:
                act = 'stack'
            else:
                act = 'on' if fact[0] == ON else 'inside'
            return self._plainly(Part(DO, act, x, p))
        if fact[0] == IS:
            for wish in robot.wishes:
                entry = robot.document['predicates'].get(wish.predicate, {})
                is_it = entry.get('holds', {}).get('state') == fact[2]
                if (
                    is_it
                    and wish.shape == 'state'
                    and robot.things[fact[1]].noun.name in wish.items
                ):
                    words = {'verb': wish.verb, 'state': wish.predicate} if wish.verb else None
                    return self._plainly(Part(DO, wish.request, x, None, words))
        return ''

    def look(self, thing: Phrase, place: str) -> str:
        """Return as a subgoal that a thing is looked for at a place and picked up."""
        key = 'look_on' if self._is_surface(place) else 'look_in'
        return self._filled(self._texts[key], thing, self.phrase(place))

    def sweep(self, clause: Clause, place: str) -> str:
        """Return as a subgoal that something is done with everything at a place."""
        text = self.clause(clause)
        key = 'sweep_on' if self._is_surface(place) else 'sweep_in'
        if not text or key not in self._texts:
            return ''
        return self._filled(self._texts[key], None, self.phrase(place), a=text)

    def _plainly(self, part: Part) -> str:
        """Return a part in short words that say what is to be done; empty if there are none."""
        texts = self._speaker.clauses(part) or ['']
        return min(texts, key=lambda text: (text.startswith(_ROUNDABOUT), len(text) // 5))

    def _said(self, key: str, x: Phrase) -> str:
        return self._filled(self._texts[key], x)

    # Nouns

    def phrase(self, name: str, is_told: bool = True) -> Phrase:
        """Return how a thing, place or room is called.

        Args:
            name: of it.
            is_told: it is known which one is meant; otherwise any of its class.
        """
        robot = self._robot
        if name in robot.rooms:
            class_name, _, which = name.rpartition(' ')
            found = self._noun(Noun(class_name, int(which), frozenset({class_name})))
            assert found is not None
            return found
        one = robot.things[name]
        same = [other for other in robot.things.values() if other.noun.name == one.noun.name]
        number = one.number if is_told and len(same) > 1 else 0
        return Phrase(one.noun, number, is_only=is_told and not number)

    def any_of(self, noun: Noun) -> Phrase | None:
        """Return how something that a noun means is called, whichever it is."""
        found = self._noun(noun)
        if found is None or found.number:
            return found
        return Phrase(found.noun)

    def _is_surface(self, name: str) -> bool:
        return name in self._robot.things and 'surfaces' in self._robot.things[name].tags

    # Sentences

    def thought(self, key: str, why: str = '', act: str = '') -> str:
        """Return a thought about a reason and a skill."""
        text = self._filled(self._texts['thoughts'][key], why=why, act=act)
        return text[:1].upper() + text[1:]

    def reason(
        self, key: str, thing: Phrase | None = None, place: str = '', count: int = 0, act: str = ''
    ) -> str:
        """Return why a goal is given up."""
        if key == 'nothing':
            key = 'nothing_on' if self._is_surface(place) else 'nothing_in'
        if key == 'few' and count < 2:
            key = 'one' if count else 'none'
        p = self.phrase(place) if place else None
        if key.startswith('nothing') and thing is not None and thing.number:
            key = f'{key}_told' if f'{key}_told' in self._texts['reasons'] else key
        numbers = requests(self._language)['numbers']
        number = numbers[count] if count < len(numbers) else str(count)
        text = self._filled(self._texts['reasons'][key], thing, p, n=number, act=act)
        return text[:1].upper() + text[1:]

    def where(self, name: str, relation: str) -> str:
        """Return where something is as an answer."""
        return self._filled(self._texts['where'][relation], None, self.phrase(name))

    def yes_or_no(self, is_so: bool, language: str) -> str:
        """Return yes or no in a language."""
        return str(requests(language)['yes' if is_so else 'no'][0])

    def _filled(
        self, template: str, x: Phrase | None = None, p: Phrase | None = None, **words: str
    ) -> str:
        slots = dict(words)
        for key, phrase in (('x', x), ('p', p)):
            if phrase is not None:
                slots |= {
                    f'{key}{case}': self._speaker.noun(phrase, case) for case in ('', 'n', 'd')
                }
        if x is not None:
            slots['x1'] = f'{_plain(x.noun)} {x.number or ""}'.strip()
            if '{xs}' in template:
                slots['xs'] = self._speaker.plural(x)
        return template.format(**slots)


def _is_told(phrase: Phrase) -> bool:
    return bool(phrase.number) or phrase.is_only


def _plain(noun: Word) -> str:
    return noun.written or noun.name
