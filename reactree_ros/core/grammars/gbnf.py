# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The grammar of one decision in GBNF, which llama.cpp reads, and vLLM, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reactree_ros.core.decision import Choices
from reactree_ros.core.plain_text import CONTROL, SPACE


def _character(code: int) -> str:
    # llguidance, too, can read GBNF, but it loses the leading zeros of the longer form.
    return rf'\x{code:02X}' if code < 0x100 else rf'\u{code:04X}'


def _set(ranges: Iterable[tuple[int, int]]) -> str:
    return ''.join(f'{_character(first)}-{_character(last)}' for first, last in ranges)


_ANY = f'[^{_set(CONTROL)}]'
_FIRST = f'[^{_set((*CONTROL, *SPACE))}]'
_MOST_COUNTED = 1000
"""llama.cpp may refuse longer repetitions; these only the parser limits."""
# Within quotes an escape counts for one character, as it does for the parser.
_QUOTED = rf'[^"\\{_set(CONTROL)}] | "\\" ["\\]'
_QUOTED_FIRST = rf'[^"\\{_set((*CONTROL, *SPACE))}] | "\\" ["\\]'


def decision_gbnf(choices: Choices) -> str:
    """Return a GBNF grammar of exactly the lines that ``lark.decision_grammar`` accepts.

    llama.cpp tries every candidate token on every alternative that is open. Phrases are therefore
    laid out as a tree of their common beginnings: a thousand skills begin with a few alternatives.

    Returns:
        GBNF source with the start rule ``root``.
    """
    rules = [rf'root ::= ({" | ".join(kind.lower() for kind in choices.kinds)}) "\n"']
    if choices.conditions is not None:
        rules += ['conditions ::= "Conditions: " condition-line', choices.conditions.gbnf]
        return '\n'.join(rules) + '\n'
    if choices.think:
        rules.append(_text('Think', choices.max_thought_chars))
    if 'Act' in choices.kinds:
        forms = [_tree(sorted(choices.acts))] if choices.acts else []
        if choices.explained:
            words = ' | '.join(f'"{word}: "' for word in choices.explained)
            rules.append(f'ending ::= ({words}) {_FIRST}{_repeat(_ANY, choices.max_thought_chars)}')
            forms.append('ending')
        rules.append(f'act ::= "Act: " ({" | ".join(forms)})')
    if choices.control_flows:
        flows = ' | '.join(f'"{flow.value}"' for flow in choices.control_flows)
        others = _repeat('(", " subgoal)', choices.max_subgoals)
        rules += [
            f'expand ::= "Expand: " ({flows}) " [" subgoal{others} "]"',
            rf'subgoal ::= "\"" first{_repeat("quoted", choices.max_subgoal_chars)} "\""',
            f'first ::= {_QUOTED_FIRST}',
            f'quoted ::= {_QUOTED}',
        ]
    if choices.ask:
        rules.append(_text('Ask', choices.max_question_chars))
    return '\n'.join(rules) + '\n'


def _text(kind: str, max_chars: int) -> str:
    return f'{kind.lower()} ::= "{kind}: " {_FIRST}{_repeat(_ANY, max_chars)}'


def _repeat(item: str, most: int) -> str:
    """Return what follows a first item where there may be ``most``; 0: without an end."""
    if most == 0 or most > _MOST_COUNTED:
        return f' {item}*'
    return f' {item}{{0,{most - 1}}}' if most > 1 else ''


def _tree(phrases: Sequence[str], start: int = 0) -> str:
    """Return what may follow the first ``start`` characters of sorted phrases that share them."""
    branches = []
    first = 0
    while first < len(phrases):
        if len(phrases[first]) == start:
            branches.append('""')
            first += 1
            continue
        end = first + 1
        while end < len(phrases) and phrases[end][start] == phrases[first][start]:
            end += 1
        # In a sorted list the first and the last phrase share what all of them share.
        low, high = phrases[first], phrases[end - 1]
        shared = start + 1
        while shared < min(len(low), len(high)) and low[shared] == high[shared]:
            shared += 1
        if end - first == 1:
            branches.append(_literal(low[start:]))
        else:
            rest = _tree(phrases[first:end], shared)
            branches.append(f'{_literal(low[start:shared])} ({rest})')
        first = end
    return ' | '.join(branches)


def _literal(text: str) -> str:
    escaped = text.replace('\\', '\\\\').replace('"', '\\"')
    return f'"{escaped}"'
