# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The grammar of one decision, in llguidance's variant of the Lark language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from reactree_ros.core.decision import Choices
from reactree_ros.core.plain_text import CONTROL, SPACE

_SPECIAL = re.compile(r'[\\^$.|?*+()\[\]{}/&~#-]')


def _set(ranges: Iterable[tuple[int, int]]) -> str:
    return ''.join(rf'\u{{{first:x}}}-\u{{{last:x}}}' for first, last in ranges)


_ANY = f'[^{_set(CONTROL)}]'
_FIRST = f'[^{_set((*CONTROL, *SPACE))}]'
# Within quotes an escape counts for one character, as it does for the parser.
_QUOTED = rf'([^"\\{_set(CONTROL)}]|\\["\\])'
_QUOTED_FIRST = rf'([^"\\{_set((*CONTROL, *SPACE))}]|\\["\\])'

SLICES = [rf'[^"\\{_set(CONTROL)}]{count}' for count in ('{1,10}', '{1,30}', '+')]
"""Regular expressions of tokens that are allowed all at once almost everywhere in free text.

Give them to ``llguidance.LLTokenizer`` as ``slices``: the masks of free text are then found about
six times as fast. Its own slices allow some control characters, so they never fit.
"""


def decision_grammar(choices: Choices) -> str:
    """Return a grammar that accepts exactly the decision lines that ``choices`` allows.

    Each line ends with a line break, so that a model which stops at the grammar's end has
    written one decision and nothing else. ``parse_decision`` reads every string of the language.

    Returns:
        Lark source with the start rule ``start``.
    """
    rules = [f'start: {" | ".join(kind.lower() for kind in choices.kinds)}']
    if choices.conditions is not None:
        rules += [
            'conditions: CONDITIONS',
            r'CONDITIONS: "Conditions: " CONDITION_LINE "\n"',
            choices.conditions.lark,
        ]
        return '\n'.join(rules) + '\n'
    if choices.think:
        rules += ['think: THINK', _text('THINK', 'Think', choices.max_thought_chars)]
    if 'Act' in choices.kinds:
        endings = [f'Act: {word}' for word in choices.explained]
        forms = [*(['ACT'] if choices.acts else []), *(['ENDING'] if endings else [])]
        rules.append(f'act: {" | ".join(forms)}')
        if choices.acts:
            rules.append(rf'ACT: "Act: " ({_phrases(choices.acts)}) "\n"')
        if endings:
            rules.append(_text('ENDING', f'({"|".join(endings)})', choices.max_thought_chars))
    if choices.control_flows:
        flows = ' | '.join(f'"{flow.value} "' for flow in choices.control_flows)
        others = _more('(", " SUBGOAL)', choices.max_subgoals)
        rules += [
            rf'expand: "Expand: " ({flows}) "[" SUBGOAL{others} "]\n"',
            rf'SUBGOAL: /"{_QUOTED_FIRST}{_more(_QUOTED, choices.max_subgoal_chars)}"/',
        ]
    if choices.ask:
        rules += ['ask: ASK', _text('ASK', 'Ask', choices.max_question_chars)]
    return '\n'.join(rules) + '\n'


def _text(terminal: str, kind: str, max_chars: int) -> str:
    return rf'{terminal}: /{kind}: {_FIRST}{_more(_ANY, max_chars)}\n/'


def _more(item: str, most: int) -> str:
    """Return what follows a first item where there may be ``most``; 0: without an end."""
    if most == 0:
        return f'{item}*'
    # llguidance takes a repetition of 0 to 0 times for one without an end.
    return f'{item}{{0,{most - 1}}}' if most > 1 else ''


def _phrases(phrases: Iterable[str]) -> str:
    """Return the alternatives of a terminal, those that differ in their last word together.

    Reading the grammar is most of the work of a decision with many skills. One terminal is read
    faster than a rule of many, a literal faster than an expression, ``"go to " /1|2|3/`` faster
    than three literals.
    """
    endings: dict[str, list[str]] = {}
    for phrase in phrases:
        head, space, last = phrase.rpartition(' ')
        endings.setdefault(head + space, []).append(last)
    alternatives = []
    for head, words in endings.items():
        if len(words) == 1:
            alternatives.append(json.dumps(head + words[0], ensure_ascii=False))
        else:
            # No word has a line break, which makes it a separator that is never escaped.
            ending = _SPECIAL.sub(r'\\\g<0>', '\n'.join(words)).replace('\n', '|')
            literal = f'{json.dumps(head, ensure_ascii=False)} ' if head else ''
            alternatives.append(f'{literal}/{ending}/')
    return ' | '.join(alternatives)
