# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Steps that are joined by AND and OR, nested by brackets (ADaPT, Appendix B).

Only capitals join: "find salt and pepper" is one step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyparsing as pp

from reactree_ros.core.decision import ControlFlow
from reactree_ros.errors import DecisionError

_JOINS = {'AND': ControlFlow.SEQUENCE, 'OR': ControlFlow.FALLBACK}
_JOINED = re.compile(rf'\b({"|".join(_JOINS)})\b')
_OPERATOR = pp.one_of(list(_JOINS), as_keyword=True)
_STEP = pp.OneOrMore(~_OPERATOR + pp.Regex(r'[^\s()]+'))
_LOGIC: Any = pp.infix_notation(  # type: ignore[no-untyped-call]
    _STEP.set_parse_action(' '.join),
    [(pp.Keyword(join), 2, pp.OpAssoc.LEFT) for join in _JOINS],
)
_NUMBER = re.compile(r'\s*\((\d+)\)')
"""Of a thing as observations write it: "fridge (1)"."""
_MOST_CHARS = 2000


@dataclass(frozen=True)
class Steps:
    """Steps under one control flow.

    Args:
        control_flow: ``SEQUENCE`` for AND, ``FALLBACK`` for OR.
        parts: in order; each a step, or steps under another control flow.
    """

    control_flow: ControlFlow
    parts: tuple[Steps | str, ...]

    @property
    def own(self) -> tuple[str, ...]:
        """The parts that are a step."""
        return tuple(part for part in self.parts if isinstance(part, str))

    def levels(self) -> Iterator[Steps]:
        """Return these steps and all that are nested in them, the outer ones first."""
        yield self
        for part in self.parts:
            if isinstance(part, Steps):
                yield from part.levels()


def read_steps(text: str) -> Steps | str:
    """Read steps that may be joined; AND binds closer than OR.

    >>> read_steps('find a mug')
    'find a mug'
    >>> read_steps('find a mug on the desk OR find a mug in the sink').control_flow.value
    'fallback'

    Raises:
        DecisionError: if a bracket or a step is missing.
    """
    if not _JOINED.search(text):
        return text.strip()
    if len(text) > _MOST_CHARS:
        raise DecisionError(f'steps that are joined may have {_MOST_CHARS} characters')
    try:
        (found,) = _LOGIC.parse_string(_NUMBER.sub(r' \1', text), parse_all=True).as_list()
    except (pp.ParseException, RecursionError) as error:
        raise DecisionError(
            f'"{text}" cannot be read: join steps by AND or OR, with a bracket for each bracket'
        ) from error
    return _steps(found)


def _steps(found: Any) -> Steps | str:
    if isinstance(found, str):
        return found
    joins = {*found[1::2]}
    assert len(joins) == 1, 'one level has one operator'
    return Steps(_JOINS[joins.pop()], tuple(_steps(part) for part in found[::2]))
