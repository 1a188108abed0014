# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads everyday instructions as goal conditions, or not at all: it never guesses.

It lets the world confirm goals that people type. The planner does not use it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reactree_ros.sim.household.scene import Scene
from reactree_ros.sim.household.words import PLURALS

_NUMBERS = {
    'one': 1, 'two': 2, 'three': 3, 'four': 4, 'five': 5,
    'six': 6, 'seven': 7, 'eight': 8, 'nine': 9, 'ten': 10,
}  # fmt: skip
_ARTICLES = ('a', 'an', 'the', 'my', 'our')
ALIASES = {
    'refrigerator': 'fridge',
    'television': 'tv',
    'microwave': 'microwave oven',
    'fork': 'cutlery fork',
    'knife': 'cutlery knife',
    'couch': 'sofa',
    'phone': 'cell phone',
    'banana': 'bananas',
    'remote': 'remote control',
}
"""Everyday names of classes, and the class each stands for."""

_POLITE = ('please', 'kindly', 'now', 'thanks', 'thank you', 'can you', 'could you', 'would you',
           'will you', 'i want you to', 'i would like you to', 'for me', 'hey', 'hello',
           'robot')  # fmt: skip
_PUT = ('put', 'place', 'set', 'lay', 'move', 'bring', 'carry', 'store', 'take', 'leave', 'return')
_TAKE = ('pick up', 'grab', 'fetch', 'get', 'hold', 'take')
_IN = ('in', 'into', 'inside', 'inside of')
_ON = ('on', 'onto', 'on top of')
_TO = ('to', 'over to')
_AND = (', and then', 'and then', ', then', 'and also', ', and', 'then', 'and', ',')
_SWITCH = {
    'turn on': 'turnOn', 'switch on': 'turnOn', 'start': 'turnOn', 'run': 'turnOn',
    'turn off': 'turnOff', 'switch off': 'turnOff', 'stop': 'turnOff',
    'open': 'open', 'close': 'closed', 'shut': 'closed',
}  # fmt: skip
_OPPOSITES = {'turnOn': 'turnOff', 'turnOff': 'turnOn', 'open': 'closed', 'closed': 'open'}
_NEEDS = {'turnOn': 'has_switch', 'turnOff': 'has_switch', 'open': 'can_open', 'closed': 'can_open'}
_SLICE = ('slice', 'cut', 'chop')
_SURE = ('make sure that there is', 'make sure there is', 'make sure that there are',
         'make sure there are', 'make sure that', 'make sure')  # fmt: skip


_NOTATION = re.compile(r'(\w+_[\w.+]+)\s*(?::\s*(\d+))?')


class _Unread(Exception):
    """The sentence has something that the reader does not know."""


def conditions_from_lines(lines: Sequence[str], scene: Scene) -> dict[str, int] | None:
    """Read goal conditions, each in the notation of the task files or in plain language.

    Args:
        lines: one condition each.
        scene: the scene that they are about.

    Returns:
        The conditions in WAH form, whose names are not checked; None if a line cannot be read.
    """
    found: dict[str, int] = {}
    for line in lines:
        notation = _NOTATION.fullmatch(line.strip())
        if notation:
            found[notation[1]] = int(notation[2] or 1)
            continue
        read = conditions_from_text(line, scene)
        if read is None:
            return None
        found.update(read)
    return found


def conditions_from_text(text: str, scene: Scene) -> dict[str, int] | None:
    """Read an instruction such as "put two apples in the fridge" as goal conditions.

    Args:
        text: one instruction in English.
        scene: the household that the instruction is about, for its words.

    Returns:
        Conditions in WAH form, e.g. ``{'inside_apple_fridge': 2}``; None unless every word of
        the instruction was understood.
    """
    try:
        return _Reader(text, scene).read()
    except _Unread:
        return None


class _Reader:
    """A recursive-descent reader over the tokens of one instruction."""

    def __init__(self, text: str, scene: Scene) -> None:
        plain = text.lower().strip().rstrip('.!?').strip()
        plain = re.sub(r'[.;!]\s', ', ', plain + ' ').strip()
        self._tokens = re.findall(r'[^\s,]+|,', plain)
        self._scene = scene
        self._at = 0
        self._goal: dict[str, int] = {}
        self._item = ''
        self._target = ''
        self._taken = ''
        self._singulars, self._plurals = _forms(scene)
        self._longest = max(map(len, (*self._singulars, *self._plurals)), default=0)

    def read(self) -> dict[str, int]:
        self._skip_polite()
        self._one_of((',',))
        self._clause()
        self._skip_polite()
        while self._at < len(self._tokens):
            if not self._one_of(_AND):
                raise _Unread
            self._skip_polite()
            self._clause()
            self._skip_polite()
        if self._taken:
            self._want('holds', self._taken, '', 1)
        return self._goal

    # Clauses.

    def _clause(self) -> None:
        start = self._at
        for clause in (self._switch, self._split_switch, self._slice, self._put, self._take):
            self._at = start
            before = dict(self._goal), self._item, self._target, self._taken
            try:
                clause()
            except _Unread:
                self._goal, self._item, self._target, self._taken = before
            else:
                return
        raise _Unread

    def _switch(self) -> None:
        verb = self._must(_SWITCH)
        self._switched(_SWITCH[verb], self._thing())

    def _split_switch(self) -> None:
        """Read "turn the tv on"."""
        verb = self._must(('turn', 'switch'))
        noun = self._thing()
        self._switched(_SWITCH[f'{verb} {self._must(("on", "off"))}'], noun)

    def _switched(self, predicate: str, noun: str) -> None:
        self._allow(noun, _NEEDS[predicate])
        self._target = noun
        self._want(predicate, noun, '', 1)

    def _thing(self) -> str:
        """One definite thing, or "it" for the place or appliance named last."""
        if self._one_of(('it',)):
            if not self._target:
                raise _Unread
            return self._target
        self._one_of(_ARTICLES)
        return self._noun(plural=False)

    def _slice(self) -> None:
        self._must(_SLICE)
        for noun, count in self._items():
            self._allow(noun, 'cuttable')
            self._want('sliced', noun, '', count)

    def _put(self) -> None:
        # "…, the pudding on the table" shares the verb of the clause before it.
        sure = self._one_of(_SURE)
        if not sure and not self._one_of(_PUT) and not self._goal:
            raise _Unread
        it = self._tokens[self._at : self._at + 1] == ['it']
        items = self._items()
        if sure:
            self._one_of(('is', 'are'))
        preposition = self._must((*_IN, *_ON, *_TO))
        self._one_of(_ARTICLES)
        target = self._noun(plural=False)
        relation = self._relation(preposition, target)
        self._target = target
        for noun, count in items:
            self._allow(noun, 'grabbable')
            # "Slice the apple and put it in the fridge": that apple, not another one.
            sliced = it and self._goal.pop(f'sliced_{self._class_name(noun)}', 0)
            self._want(relation, noun, target, count, 'sliced.' if sliced else '')

    def _take(self) -> None:
        self._must(_TAKE)
        items = self._items()
        if len(items) != 1 or items[0][1] != 1 or self._taken:
            raise _Unread
        self._allow(items[0][0], 'grabbable')
        self._taken = items[0][0]

    def _relation(self, preposition: str, target: str) -> str:
        kinds = {
            'inside' if self._is_container(node.affordances) else 'on'
            for node in self._scene.of_words(target)
            if node.affordances & {'surfaces', 'containers'}
        }
        if len(kinds) != 1:
            raise _Unread
        relation = kinds.pop()
        if preposition not in {'inside': (*_IN, *_TO), 'on': (*_ON, *_TO)}[relation]:
            raise _Unread
        return relation

    @staticmethod
    def _is_container(affordances: frozenset[str]) -> bool:
        return 'containers' in affordances and (
            'can_open' in affordances or 'surfaces' not in affordances
        )

    # Parts of a clause.

    def _items(self) -> list[tuple[str, int]]:
        if self._one_of(('it',)):
            if not self._item:
                raise _Unread
            # What was picked up only to be put somewhere is not to be held in the end.
            if self._taken == self._item:
                self._taken = ''
            return [(self._item, 1)]
        items = [self._counted()]
        while True:
            start = self._at
            if not self._one_of((', and', 'and', ',')):
                break
            try:
                items.append(self._counted())
            except _Unread:
                self._at = start
                break
        self._item = items[0][0] if len(items) == 1 and items[0][1] == 1 else ''
        return items

    def _counted(self) -> tuple[str, int]:
        count = 1
        start = self._at
        self._one_of(_ARTICLES)
        token = self._tokens[self._at] if self._at < len(self._tokens) else ''
        if token in _NUMBERS or re.fullmatch(r'[1-9]\d?', token):
            count = _NUMBERS.get(token) or int(token)
            self._at += 1
        try:
            return self._noun(plural=count > 1), count
        except _Unread:
            self._at = start
            raise

    def _noun(self, *, plural: bool) -> str:
        for length in range(self._longest, 0, -1):
            form = tuple(self._tokens[self._at : self._at + length])
            noun = (self._plurals if plural else self._singulars).get(form)
            if noun is not None:
                self._at += length
                return noun
        raise _Unread

    def _one_of(self, phrases: tuple[str, ...] | dict[str, str]) -> str:
        for phrase in sorted(phrases, key=len, reverse=True):
            tokens = phrase.replace(',', ' , ').split()
            if self._tokens[self._at : self._at + len(tokens)] == tokens:
                self._at += len(tokens)
                return phrase
        return ''

    def _must(self, phrases: tuple[str, ...] | dict[str, str]) -> str:
        found = self._one_of(phrases)
        if not found:
            raise _Unread
        return found

    def _skip_polite(self) -> None:
        while True:
            start = self._at
            self._one_of((',',))
            if not self._one_of(_POLITE):
                self._at = start
                return

    def _allow(self, noun: str, affordance: str) -> None:
        if not any(affordance in node.affordances for node in self._scene.of_words(noun)):
            raise _Unread

    def _want(self, predicate: str, noun: str, target: str, count: int, states: str = '') -> None:
        parts = [predicate, states + self._class_name(noun)]
        key = '_'.join([*parts, self._class_name(target)] if target else parts)
        if key in self._goal and target:
            raise _Unread
        # Of "open the fridge … and close it" only the last can hold in the end.
        self._goal.pop(f'{_OPPOSITES.get(predicate, "")}_{self._class_name(noun)}', None)
        self._goal[key] = count

    def _class_name(self, noun: str) -> str:
        return self._scene.of_words(noun)[0].class_name


_Nouns = dict[tuple[str, ...], str]


def _forms(scene: Scene) -> tuple[_Nouns, _Nouns]:
    """Singulars and plurals of every class of the scene, with their other everyday names."""
    nouns = {n.words for n in scene.nodes.values() if n.affordances}
    names = {alias: noun for alias, noun in ALIASES.items() if noun in nouns}
    names |= {noun: noun for noun in sorted(nouns)}
    plurals: _Nouns = {}
    for name, noun in names.items():
        head, _, last = name.rpartition(' ')
        plural = PLURALS.get(last) or last + ('es' if last.endswith(('s', 'sh', 'ch')) else 's')
        plurals[tuple(f'{head} {plural}'.split())] = noun
    return {tuple(name.split()): noun for name, noun in names.items()}, plurals
