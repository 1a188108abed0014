# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names of planners to compare, and the planner parameters that they stand for.

A planner has the name of its strategy (``strategies/registry.py``), with hyphens. One whose nodes
can query working memory has two names: ``reactree`` without and ``reactree+wm`` with it.

Other parameters follow in brackets: ``reactree+wm[control_flows=sequence+fallback,
reject_recursion=false]``; the items of a list are joined by ``+``. The group of a name may be
omitted where no other parameter of the strategy has the same ending.
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
RECALL_OPTION = 'memory.recall'
MEMORY = '+wm'
"""How the names of planners with working memory end."""


def _planners() -> dict[str, dict[str, Value]]:
    found: dict[str, dict[str, Value]] = {}
    for name in strategy_names():
        base = name.replace('_', '-')
        found[base] = {'strategy': name, RECALL_OPTION: False}
        try:
            asks_memory = strategy(name).asks_memory
        except ConfigurationError:  # of another package; reported when it is run
            asks_memory = True
        if asks_memory:
            found[base + MEMORY] = {'strategy': name, RECALL_OPTION: True}
    return found


PLANNERS = _planners()
"""Planner parameters by the name of the planner."""

DEFAULT_SKILLS = 'household'
"""Skill library of planners whose settings name none."""
_BY_RUN = ('model.name', 'seed', *(row.name for row in parameters_of(Limits, 'limits.')))
_NAME = re.compile(r'([^\[\]]+)(?:\[([^\[\]]+)\])?')
_OUTSIDE_BRACKETS = re.compile(r',(?![^\[]*\])')


@dataclass(frozen=True)
class PlannerChoice:
    """A planner to be evaluated.

    Args:
        name: with its settings sorted by their shortest names, so that a planner has one name.
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
    base = (found[1].strip() if found else text).replace('_', '-')
    if found is None or base not in PLANNERS:
        raise ConfigurationError(
            f'there is no planner {text!r}: give one of {", ".join(PLANNERS)}, with settings in '
            'brackets if need be: reactree+wm[reject_recursion=false]'
        )
    rows = _rows(PLANNERS[base]['strategy'])
    settings: dict[str, Value] = {}
    for part in filter(None, map(str.strip, (found[2] or '').split(','))):
        given, equals, value = (piece.strip() for piece in part.partition('='))
        name = full_name(given, rows)
        try:
            if not equals:
                raise ConfigurationError(f'{part!r} lacks a value; write name=value')
            if name in settings:
                raise ConfigurationError(f'{given} is given twice')
            _check(base, name, rows)
            settings[name] = rows[name].read(value)
        except ConfigurationError as error:
            raise ConfigurationError(f'planner {text!r}: {error}') from error
    short = {_shortest(name, rows): value for name, value in settings.items()}
    shown = ','.join(f'{name}={_shown(short[name])}' for name in sorted(short))
    parameters = {'skills': DEFAULT_SKILLS, **PLANNERS[base], **settings}
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


def _check(base: str, name: str, rows: Mapping[str, Parameter]) -> None:
    """Refuse a setting that cannot be given with a planner."""
    fault = ''
    if name in PLANNERS[base]:
        fault = f'{name} is set by the name of the planner, one of {", ".join(PLANNERS)}'
    elif name in _BY_RUN:
        fault = f'{name} is the same for all planners; give it as an option or in the plan'
    elif name == 'memory.keep_between_goals':
        fault = f'{name} is for consecutive goals; here each run has a world of its own'
    elif name not in rows:
        fault = unknown(name, [*rows])
    if fault:
        raise ConfigurationError(fault)


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return LIST_MARK.join(value) if isinstance(value, tuple) else str(value)
