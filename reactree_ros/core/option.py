# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Options are declared once, as the fields of frozen dataclasses.

A field made by ``option`` carries its default, unit, range and description; one made by ``group``
holds a further dataclass, whose options have names with dots (``memory.store``); one made by
``groups`` holds several that are known only at run time. ROS parameters, the shipped parameter
file, the documentation and the help of commands all come from ``parameters_of``.

    >>> @dataclass(frozen=True)
    ... class Arm:
    ...     speed: float = option(0.5, 'Speed of the arm.', unit='m/s', minimum=0.0, maximum=2.0)
    >>> @dataclass(frozen=True)
    ... class Robot:
    ...     name: str = option('', 'Name of the robot.')
    ...     arm: Arm = group(Arm)
    >>> [row.name for row in parameters_of(Robot)]
    ['name', 'arm.speed']
    >>> make(Robot, {'arm.speed': 1}).arm.speed
    1.0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from enum import Enum
from typing import Any, TypeVar

from reactree_ros.errors import ConfigurationError

Options = TypeVar('Options')
Value = bool | int | float | str | tuple[str, ...]
DAY = 86_400.0
"""Longest duration that an option allows, in seconds."""
LIST_MARK = '+'
"""Separates the items of a list that is written as a single word."""

_KINDS: dict[type, str] = {
    bool: 'true or false',
    int: 'an integer',
    float: 'a number',
    str: 'a string',
    tuple: 'a list of strings',
}
_WORDS = {'true': True, 'false': False}
_OPTION, _GROUP, _GROUPS = 'option', 'group', 'groups'


@dataclass(frozen=True)
class Parameter:
    """One option with its full name, as a ROS parameter or a row of the documentation.

    Args:
        name: full name, with dots between groups.
        default: its default; its type is the parameter's type.
        description: what it does.
        unit: unit of a number; empty if it has none.
        minimum: smallest number allowed; None for any number.
        maximum: greatest number allowed.
        choices: strings that are allowed; empty for any. Of a list: at least one of them, none
            twice.
        live: it can be changed while the node is active, for the next goal.
        kept_on_resume: an interrupted run is only resumed if it has the same value.
    """

    name: str
    default: Value
    description: str
    unit: str = ''
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    live: bool = False
    kept_on_resume: bool = False

    @property
    def type_name(self) -> str:
        """Its type, as in the documentation of ROS parameters."""
        names = {bool: 'bool', int: 'int', float: 'double', str: 'string', tuple: 'string[]'}
        return names[type(self.default)]

    @property
    def range(self) -> tuple[float, float] | None:
        """The smallest and the greatest number allowed; None if it has no range."""
        if self.minimum is None or self.maximum is None:
            return None
        return self.minimum, self.maximum

    @property
    def allowed(self) -> str:
        """What values are allowed, for a message."""
        if self.choices:
            one = 'a list of some' if isinstance(self.default, tuple) else 'one'
            return f'{one} of ' + ', '.join(choice or '""' for choice in self.choices)
        text = _KINDS[type(self.default)]
        if self.range is not None:
            text += f' from {self.minimum:.10g} to {self.maximum:.10g}'
        return f'{text} ({self.unit})' if self.unit else text

    def check(self, value: object) -> str:
        """Return what is wrong with a value; empty if it is allowed."""
        if isinstance(self.default, tuple):
            fits = self._is_list(value)
        else:
            kind = type(self.default)
            # an integer is a number too: ``-p tick_hz:=20`` arrives as one
            fits = type(value) is kind or (kind is float and type(value) is int)
            if fits and isinstance(value, (int, float)) and self.range is not None:
                fits = self.range[0] <= value <= self.range[1]
            if fits and self.choices:
                fits = value in self.choices
        return '' if fits else f'parameter {self.name} is {value!r}: it must be {self.allowed}'

    def _is_list(self, value: object) -> bool:
        if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
            return False
        allowed = not self.choices or set(value) <= {*self.choices}
        return allowed and bool(value) and len(set(value)) == len(value)

    def convert(self, value: Any) -> Value:
        """Return a value that was checked, of the type of the default."""
        converted: Value = type(self.default)(value)
        return converted

    def read(self, text: str) -> Value:
        """Read a value that is written as one word; a list has ``+`` between its items.

        Raises:
            ConfigurationError: if the value is not allowed.
        """
        kind = type(self.default)
        value: object = text
        if kind is tuple:
            value = tuple(filter(None, text.split(LIST_MARK)))
        elif kind is bool:
            value = _WORDS.get(text.lower(), text)
        elif kind is not str:
            with suppress(ValueError):
                value = kind(text)
        fault = self.check(value)
        if fault:
            raise ConfigurationError(fault)
        return self.convert(value)


def option(
    default: object,
    description: str,
    *,
    unit: str = '',
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    live: bool = False,
    kept_on_resume: bool = False,
) -> Any:
    """Declare an option: the default of a field.

    The default is a string, a boolean, a number, a member of an ``Enum``, or a tuple of strings
    or members; ``Parameter`` explains the others.
    """
    kind = _enum(default)
    if kind is not None:
        choices = tuple(member.value for member in kind)
    row = Parameter(
        '', _plain(default), description, unit, minimum, maximum, choices, live, kept_on_resume
    )
    return field(default=default, metadata={_OPTION: row})


def group(kind: type[Options]) -> Any:
    """Declare a group of options, with the defaults of its fields."""
    return field(default_factory=kind, metadata={_GROUP: kind})


def groups(kinds: Callable[[], Mapping[str, type]]) -> Any:
    """Declare groups that are known only at run time: a tuple of their names and values.

    Args:
        kinds: returns the dataclass of each group by its name.
    """
    return field(
        default_factory=lambda: tuple((name, kind()) for name, kind in kinds().items()),
        metadata={_GROUPS: kinds},
    )


def parameters_of(kind: type, prefix: str = '') -> tuple[Parameter, ...]:
    """Return all options of a dataclass and of its groups, in the order of declaration."""
    rows: list[Parameter] = []
    for one in fields(kind):
        name = prefix + one.name
        if _OPTION in one.metadata:
            rows.append(replace(one.metadata[_OPTION], name=name))
        for below, its_kind in _groups_of(one).items():
            rows += parameters_of(its_kind, f'{name}{below}.')
    return tuple(rows)


def summaries_of(kind: type, prefix: str = '') -> dict[str, str]:
    """Return the first lines of the docstrings of all groups, by their names with a dot behind."""
    summaries = {prefix: (kind.__doc__ or '').partition('\n')[0]}
    for one in fields(kind):
        for below, its_kind in _groups_of(one).items():
            summaries |= summaries_of(its_kind, f'{prefix}{one.name}{below}.')
    return summaries


def make(kind: type[Options], given: Mapping[str, object]) -> Options:
    """Return options with the given values, and the defaults of all others.

    Args:
        kind: the dataclass.
        given: values by the full names of the options. A static method ``completed`` of the
            dataclass may add values of options that are not given.

    Raises:
        ConfigurationError: if a name is unknown or a value not allowed; the message has all.
    """
    completed = getattr(kind, 'completed', dict)
    plain = {name: _plain(value) for name, value in completed(given).items()}
    faults = faults_of(parameters_of(kind), plain)
    if faults:
        raise ConfigurationError('; '.join(faults))
    return _made(kind, plain, '')


def values_of(options: object, prefix: str = '') -> dict[str, Value]:
    """Return the values of all options by their full names, ready for a file or a message."""
    values: dict[str, Value] = {}
    for one in fields(options):  # type: ignore[arg-type]  # of any of the dataclasses
        value, name = getattr(options, one.name), prefix + one.name
        if _OPTION in one.metadata:
            values[name] = _plain(value)
        elif _GROUP in one.metadata:
            values |= values_of(value, f'{name}.')
        elif _GROUPS in one.metadata:
            for below, its_options in value:
                values |= values_of(its_options, f'{name}.{below}.')
    return values


def faults_of(table: Sequence[Parameter], given: Mapping[str, object]) -> list[str]:
    """Return what is wrong with given values: unknown names, values that are not allowed."""
    rows = {row.name: row for row in table}
    faults = [unknown(name, [*rows]) for name in sorted(given) if name not in rows]
    faults += [row.check(given[name]) for name, row in rows.items() if name in given]
    return [fault for fault in faults if fault]


def unknown(name: str, names: Sequence[str]) -> str:
    """Return the message for an unknown parameter, with a hint."""
    close = get_close_matches(name, names, n=1)
    if not close:  # a wrong group, or none
        short = name.rpartition('.')[2]
        last = get_close_matches(short, [one.rpartition('.')[2] for one in names], n=1)
        close = [one for one in names if last and one.rpartition('.')[2] == last[0]]
    hint = f'did you mean {" or ".join(close)}?' if close else 'known are ' + ', '.join(names)
    return f'parameter {name} is unknown: {hint}'


def full_name(name: str, names: Iterable[str]) -> str:
    """Return the only full name that ends in a short one; the name itself if there is none."""
    found = [one for one in names if one == name or one.endswith(f'.{name}')]
    return found[0] if len(found) == 1 else name


def _made(kind: type[Options], given: Mapping[str, object], prefix: str) -> Options:
    values: dict[str, Any] = {}
    for one in fields(kind):  # type: ignore[arg-type]  # a dataclass
        name = prefix + one.name
        if _OPTION in one.metadata:
            value: Any = given.get(name, one.default)
            values[one.name] = _typed(one.metadata[_OPTION].convert(_plain(value)), one.default)
        elif _GROUP in one.metadata:
            values[one.name] = _made(one.metadata[_GROUP], given, f'{name}.')
        elif _GROUPS in one.metadata:
            values[one.name] = tuple(
                (below, _made(its_kind, given, f'{name}.{below}.'))
                for below, its_kind in one.metadata[_GROUPS]().items()
            )
    return kind(**values)


def _groups_of(one: Any) -> dict[str, type]:
    """Return the dataclasses of a field by what their options' names have after its own."""
    if _GROUP in one.metadata:
        return {'': one.metadata[_GROUP]}
    kinds: Mapping[str, type] = one.metadata.get(_GROUPS, dict)()
    return {f'.{name}': kind for name, kind in kinds.items()}


def _enum(default: object) -> type[Enum] | None:
    first = default[0] if isinstance(default, tuple) and default else default
    return type(first) if isinstance(first, Enum) else None


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(map(_plain, value))
    return value.value if isinstance(value, Enum) else value


def _typed(value: Any, default: object) -> Any:
    kind = _enum(default)
    if kind is None:
        return value
    return tuple(map(kind, value)) if isinstance(value, tuple) else kind(value)
