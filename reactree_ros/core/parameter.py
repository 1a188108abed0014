# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One row of a table of parameters: name, default and what is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from reactree_ros.exceptions import ConfigurationError

Value = bool | int | float | str | tuple[str, ...]

_KINDS: dict[type, str] = {
    bool: 'true or false',
    int: 'a whole number',
    float: 'a number',
    str: 'a text',
    tuple: 'a list of texts',
}
_WORDS = {'true': True, 'false': False}
LIST_MARK = '+'
"""Stands between the texts of a list where one is written as a single word."""


@dataclass(frozen=True)
class Parameter:
    """One row of a table.

    Args:
        name: name of the parameter and of the field that it fills.
        default: its value if none is given; its type is the parameter's type.
        description: what it does, for a person.
        unit: unit of a number; empty if it has none.
        lowest: smallest number allowed.
        highest: greatest number allowed.
        choices: texts that are allowed; empty if any is. Of a list: at least one of them, none
            twice.
        live: it can be changed while the node runs, for what begins afterwards.
    """

    name: str
    default: Value
    description: str
    unit: str = ''
    lowest: float = 0.0
    highest: float = 0.0
    choices: tuple[str, ...] = ()
    live: bool = False

    @property
    def allowed(self) -> str:
        """What values are allowed, for a message."""
        if self.choices:
            one = 'a list of some' if isinstance(self.default, tuple) else 'one'
            return f'{one} of ' + ', '.join(self.choices)
        text = _KINDS[type(self.default)]
        if self.has_range:
            text += f' from {self.lowest:g} to {self.highest:g}'
        return f'{text} ({self.unit})' if self.unit else text

    @property
    def has_range(self) -> bool:
        """Whether it is a number."""
        return type(self.default) in (int, float)

    def check(self, value: object) -> str:
        """Return what is wrong with a value; empty if it is allowed."""
        if isinstance(self.default, tuple):
            fits = self._is_list(value)
        else:
            kind = type(self.default)
            # a whole number is a number too: ``-p tick_hz:=20`` arrives as an integer
            fits = type(value) is kind or (kind is float and type(value) is int)
            if fits and isinstance(value, (int, float)) and self.has_range:
                fits = self.lowest <= value <= self.highest
            if fits and self.choices:
                fits = value in self.choices
        return '' if fits else f'parameter {self.name} is {value!r}: it must be {self.allowed}'

    def _is_list(self, value: object) -> bool:
        if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
            return False
        allowed = not self.choices or (bool(value) and set(value) <= {*self.choices})
        return allowed and len(set(value)) == len(value)

    def convert(self, value: Value | Sequence[str]) -> Value:
        """Return a value that was checked, of the type of the default."""
        if isinstance(self.default, float):
            assert isinstance(value, (int, float))
            return float(value)
        if isinstance(value, (bool, int, float, str)):
            return value
        return tuple(value)

    def read(self, text: str) -> Value:
        """Read a value that is written as one word; a list has ``+`` between its texts.

        Raises:
            ConfigurationError: if the value is not allowed.
        """
        value: Value | None = None
        if isinstance(self.default, tuple):
            value = tuple(filter(None, text.split(LIST_MARK)))
        elif isinstance(self.default, bool):
            value = _WORDS.get(text.lower())
        elif isinstance(self.default, str):
            value = text
        else:
            try:
                value = type(self.default)(text)
            except ValueError:
                value = None
        fault = self.check(text if value is None else value)
        if fault or value is None:
            raise ConfigurationError(fault)
        return self.convert(value)


def faults_of(table: Sequence[Parameter], given: Mapping[str, object]) -> list[str]:
    """Return what is wrong with given values: names that are not known, values not allowed."""
    rows = {row.name: row for row in table}
    faults = [unknown(name, [*rows]) for name in sorted(given) if name not in rows]
    faults += [row.check(given[name]) for name, row in rows.items() if name in given]
    return [fault for fault in faults if fault]


def unknown(name: str, names: Sequence[str]) -> str:
    """Return what to say of a parameter that is not known, with a hint."""
    close = get_close_matches(name, names, n=1)
    hint = f'did you mean {close[0]}?' if close else 'known are ' + ', '.join(names)
    return f'parameter {name} is not known: {hint}'
