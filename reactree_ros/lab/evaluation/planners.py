# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names of planners to compare, and the planner parameters that they stand for.

A planner has the name of its strategy (``strategies/registry.py``), with hyphens. Those whose
nodes may ask working memory have two: ``reactree`` does without, ``reactree+wm`` asks it.

Further parameters follow in brackets: ``reactree+wm[control_flows=sequence+fallback,
check_decisions=false]``; the items of a list are joined by ``+``. A name may leave its group away
where no other parameter of the strategy ends like it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reactree_ros.core.budget import Limits
from reactree_ros.core.option import LIST_MARK, Parameter, Value, full_name, parameters_of, unknown
from reactree_ros.errors import ConfigurationError
from reactree_ros.planner.options import PlannerOptions
from reactree_ros.strategies.registry import strategy, strategy_names

ALL = 'all'
WORKING = 'memory.working'
MEMORY = '+wm'
"""How the names of planners end that ask working memory."""


def _planners() -> dict[str, dict[str, Value]]:
    found: dict[str, dict[str, Value]] = {}
    for name in strategy_names():
        base = name.replace('_', '-')
        found[base] = {'strategy': name, WORKING: False}
        if _asks_memory(name):
            found[base + MEMORY] = {'strategy': name, WORKING: True}
    return found


def _asks_memory(name: str) -> bool:
    try:
        return strategy(name).asks_memory
    except ConfigurationError:  # of another package; said once somebody wants to run it
        return True


PLANNERS = _planners()
"""Planner parameters by the name of the planner."""

_BY_RUN = ('model.name', 'seed', *(row.name for row in parameters_of(Limits, 'limits.')))
_NAME = re.compile(r'([^\[\]]+)(?:\[([^\[\]]+)\])?')
_OUTSIDE_BRACKETS = re.compile(r',(?![^\[]*\])')


@dataclass(frozen=True)
class PlannerChoice:
    """A planner to be evaluated.

    Args:
        name: with its settings sorted by their shortest names, so that the same planner has one
            name.
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
    rows = _rows(PLANNERS[base]['strategy'])
    settings: dict[str, Value] = {}
    for part in (found[2] or '').split(','):
        if not part.strip():
            continue
        given, equals, value = (piece.strip() for piece in part.partition('='))
        name = full_name(given, rows)
        fault = (
            _fault(base, name, rows)
            if equals
            else f'{part.strip()!r} lacks a value; write name=value'
        )
        if name in settings:
            fault = f'{given} is given twice'
        if fault:
            raise ConfigurationError(f'planner {text!r}: {fault}')
        try:
            settings[name] = rows[name].read(value)
        except ConfigurationError as error:
            raise ConfigurationError(f'planner {text!r}: {error}') from error
    short = {_shortest(name, rows): value for name, value in settings.items()}
    shown = ','.join(f'{name}={_shown(short[name])}' for name in sorted(short))
    parameters = {**PLANNERS[base], **settings}
    return PlannerChoice(f'{base}[{shown}]' if shown else base, parameters)


def _rows(strategy_name: Value) -> dict[str, Parameter]:
    """Return the parameters that matter for a strategy, by their names."""
    own = f'strategies.{strategy_name}.'
    rows = {row.name: row for row in parameters_of(PlannerOptions)}
    return {
        name: row
        for name, row in rows.items()
        if not name.startswith('strategies.') or name.startswith(own)
    }


def _shortest(name: str, rows: Iterable[str]) -> str:
    """Return the name without its group where it stays the only one."""
    short = name.rpartition('.')[2]
    return short if full_name(short, rows) == name else name


def _fault(base: str, name: str, rows: Mapping[str, Parameter]) -> str:
    """Return why a setting cannot be given with a planner; empty if it can."""
    if name in PLANNERS[base]:
        return f'{name} is said by the name of the planner, which is one of {", ".join(PLANNERS)}'
    if name in _BY_RUN:
        return f'{name} is the same for all planners of a run; give it as an option or in the plan'
    if name == 'memory.keep_working':
        return f'{name} is for goals one after the other; here each run has a world of its own'
    return '' if name in rows else unknown(name, [*rows])


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return LIST_MARK.join(value) if isinstance(value, tuple) else str(value)
