# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A dialogue at the terminal that ends in one decision, out of many that are possible."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from reactree_ros.core.decision import ACT_LINE, CONDITIONS_LINE, ENDINGS, RECALL
from reactree_ros.core.operator import OPEN

_MOST_SHOWN = 15
_EXPAND = 'Expand: '
_DECIDE = 'Decide:'
_HELP = 'a number or a word above; or part of a name, to list what has it; * lists all'


class Choosing:
    """Takes lines until they make one of the options.

    Skills have numbers, which stay the same; a text that is not an option lists those that have all
    its words. Options to be completed are chosen by their first word: ``think``, ``sequence``.
    What follows the word completes them; without it there is a further question. Nothing is
    chosen by a part of its name: the robot would move.

    Args:
        question: what is asked, lines.
        options: decision lines, those to be completed with ``OPEN`` at the end.

    ``says`` has what is to be shown before the next line.
    """

    def __init__(self, question: str, options: Sequence[str]) -> None:
        self._closed = {_shown(one): one for one in options if not one.endswith(OPEN)}
        self._open = {_word(one): one.removesuffix(OPEN) for one in options if one.endswith(OPEN)}
        acts = [one for one in self._closed if self._closed[one].startswith(ACT_LINE)]
        self._numbered = sorted((one for one in acts if one not in ENDINGS), key=_rarity(acts))
        self._opened = ''
        self._subgoals: list[str] = []
        self.says = f'{question}\n{self._menu()}'

    def take(self, line: str) -> str:
        """Take a typed line; return the decision line, empty if it is not finished."""
        line = ' '.join(line.split())
        if self._opened:
            return self._complete(line)
        if not line:
            self.says = self._menu()
            return ''
        if line.isdecimal() and 1 <= int(line) <= len(self._numbered):
            return self._closed[self._numbered[int(line) - 1]]
        known = {one.casefold(): one for one in (*self._closed, *self._closed.values())}
        if (found := known.get(line.casefold())) is not None:
            return self._closed.get(found, found)
        full = next(
            (o for o in self._open.values() if line.casefold().startswith(o.casefold())), ''
        )
        word, _, rest = line.partition(' ')
        if full:
            word, rest = _word(full), line[len(full) :]
        word = word.rstrip(':').casefold()
        if word in self._open:
            self._opened = self._open[word]
            self._subgoals = []
            if rest:
                return self._complete(rest)
            self.says = self._asks()
            return ''
        if set(self._open) == {'conditions'}:
            return self._open['conditions'] + line
        self.says = self._listed(line)
        return ''

    def _complete(self, text: str) -> str:
        """Take what completes an option; nothing at all goes back to the choice."""
        begin = self._opened
        if begin.startswith(_EXPAND):
            if text.startswith('['):
                self._opened = ''
                return f'{begin}{text}'
            parts = [part.strip() for part in text.split(';') if part.strip()]
            self._subgoals += parts
            if len(parts) != 1 and self._subgoals:
                self._opened = ''
                return begin + json.dumps(self._subgoals, ensure_ascii=False)
            self.says = self._asks() if parts else self._menu()
            self._opened = begin if parts else ''
            return ''
        self._opened = ''
        self.says = self._menu()
        return f'{begin}{text}' if text else ''

    def _asks(self) -> str:
        if self._opened.startswith(_EXPAND):
            end = 'Enter alone: that is all' if self._subgoals else 'Enter alone: back'
            return f'Subgoal {len(self._subgoals) + 1} ({end}):'
        return f'{self._opened.removeprefix(ACT_LINE).rstrip()} (Enter alone: back)'

    def _menu(self) -> str:
        acts = [one for one in self._numbered if not one.startswith(RECALL)]
        lines = self._lines(acts[:_MOST_SHOWN])
        left = len(acts) - _MOST_SHOWN
        if left > 0:
            lines.append(f'     … and {left} more')
        plain = [one for one in self._closed if one not in self._numbered]
        recalls = ['recall …'] if len(acts) < len(self._numbered) else []
        words = [f'{word} {OPEN}' for word in self._open if word not in plain]
        lines.append('  or ' + ' | '.join([*plain, *words, *recalls]))
        if self._numbered:
            lines.append(f'({_HELP})')
        return '\n'.join([*lines, _DECIDE])

    def _listed(self, text: str) -> str:
        words = text.casefold().split()
        fits = [one for one in self._numbered if all(word in one.casefold() for word in words)]
        if text == '*':
            fits = [one for one in self._numbered if not one.startswith(RECALL)]
        if not fits:
            return f'Nothing that is possible now has "{text}" in it.\n{_DECIDE}'
        return '\n'.join([*self._lines(fits), _DECIDE])

    def _lines(self, names: Iterable[str]) -> list[str]:
        return [f'{self._numbered.index(one) + 1:4d} {one}' for one in names]


def _shown(option: str) -> str:
    """Return what a person reads and types for an option."""
    return option.removeprefix(ACT_LINE).removeprefix(CONDITIONS_LINE)


def _rarity(acts: Sequence[str]) -> Callable[[str], tuple[bool, int]]:
    """Return a key by which skills of few objects come first: there are many places to go to."""
    counts = Counter(one.partition(' ')[0] for one in acts)
    return lambda one: (one.startswith(RECALL), counts[one.partition(' ')[0]])


def _word(option: str) -> str:
    """Return the word by which an option to be completed is chosen.

    >>> [_word(one) for one in ('Think: …', 'Expand: sequence …', 'Act: failure: …')]
    ['think', 'sequence', 'failure']
    """
    text = option.removeprefix(ACT_LINE).removeprefix(_EXPAND)
    return text.partition(' ')[0].rstrip(':').casefold()
