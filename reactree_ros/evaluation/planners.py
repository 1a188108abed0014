# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names of planners to compare, and the planner parameters that they stand for.

A planner has the name of its strategy (``behaviours/strategies.py``), with hyphens. Those whose
nodes may ask working memory have two: ``reactree`` does without, ``reactree+wm`` asks it.

Further parameters follow in brackets: ``reactree+wm[control_flows=sequence+fallback,
check_decisions=false]``; the items of a list are joined by ``+``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from reactree_ros.behaviours.options import OPTIONS
from reactree_ros.behaviours.strategies import STRATEGIES, strategy, strategy_names
from reactree_ros.core.parameter import LIST_MARK, Value, unknown
from reactree_ros.exceptions import ConfigurationError

ALL = 'all'
MEMORY = '+wm'
"""How the names of planners end that ask working memory."""


def _planners() -> dict[str, dict[str, Value]]:
    found: dict[str, dict[str, Value]] = {}
    for name in strategy_names():
        base = name.replace('_', '-')
        found[base] = {'strategy': name, 'working_memory': False}
        if name not in STRATEGIES or STRATEGIES[name].asks_memory:
            found[base + MEMORY] = {'strategy': name, 'working_memory': True}
    return found


PLANNERS = _planners()
"""Planner parameters by the name of the planner."""

_BY_RUN = (
    'model', 'seed', 'max_decisions', 'max_depth', 'max_seconds', 'max_tokens',
    'subtree_decisions', 'subtree_seconds', 'subtree_tokens',
)  # fmt: skip
_ROWS = {row.name: row for row in OPTIONS}
_NAME = re.compile(r'([^\[\]]+)(?:\[([^\[\]]+)\])?')
_OUTSIDE_BRACKETS = re.compile(r',(?![^\[]*\])')


@dataclass(frozen=True)
class PlannerChoice:
    """A planner to be evaluated.

    Args:
        name: with its settings sorted by name, so that the same planner has one name.
        parameters: planner parameters that differ from their defaults, by name.
    """

    name: str
    parameters: dict[str, Value]


def split_planners(text: str) -> tuple[str, ...]:
    """Split a list of planners at the commas outside brackets."""
    return tuple(part.strip() for part in _OUTSIDE_BRACKETS.split(text) if part.strip())


def planners_of(strategies: Iterable[str]) -> tuple[str, ...]:
    """Return one planner for each strategy, with working memory where there is such a one.

    Args:
        strategies: their names; ``all`` stands for all.

    Raises:
        ConfigurationError: if there is no such strategy.
    """
    found: dict[str, None] = {}
    for name in strategies:
        for one in strategy_names() if name == ALL else (name.replace('-', '_'),):
            strategy(one)
            base = one.replace('_', '-')
            found[base + MEMORY if base + MEMORY in PLANNERS else base] = None
    return tuple(found)


def read_planner(text: str) -> PlannerChoice:
    """Read the name of a planner with its settings.

    Raises:
        ConfigurationError: if there is no such planner, or a setting is wrong.
    """
    found = _NAME.fullmatch(text.strip())
    base = found[1].strip() if found else text
    if found is None or base not in PLANNERS:
        raise ConfigurationError(
            f'there is no planner {text!r}: give one of {", ".join(PLANNERS)}, with settings in '
            'brackets if need be: reactree+wm[check_decisions=false]'
        )
    settings: dict[str, Value] = {}
    for part in (found[2] or '').split(','):
        if not part.strip():
            continue
        name, equals, value = (piece.strip() for piece in part.partition('='))
        fault = _fault(base, name) if equals else f'{name!r} is no setting; write name=value'
        if name in settings:
            fault = f'{name} is given twice'
        if fault:
            raise ConfigurationError(f'planner {text!r}: {fault}')
        try:
            settings[name] = _ROWS[name].read(value)
        except ConfigurationError as error:
            raise ConfigurationError(f'planner {text!r}: {error}') from error
    shown = ','.join(f'{name}={_shown(settings[name])}' for name in sorted(settings))
    parameters = {**PLANNERS[base], **settings}
    return PlannerChoice(f'{base}[{shown}]' if shown else base, parameters)


def _fault(base: str, name: str) -> str:
    """Return why a setting cannot be given with a planner; empty if it can."""
    if name in PLANNERS[base]:
        return f'{name} is said by the name of the planner, which is one of {", ".join(PLANNERS)}'
    if name in _BY_RUN:
        return f'{name} is the same for all planners of a run; give it as an option or in the plan'
    if name == 'keep_working_memory':
        return f'{name} is for goals one after the other; here each run has a world of its own'
    return '' if name in _ROWS else unknown(name, [*_ROWS])


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return LIST_MARK.join(value) if isinstance(value, tuple) else str(value)
