# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Node parameters: each is one row of a table, checked and loaded once, at the node's start.

A node loads its table into one frozen dataclass whose fields have the rows' names. Every
parameter is read-only after the start. Values and names that are not allowed raise, all of them
in one message, before the node has made anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    ParameterType,
)
from rclpy.node import Node

from reactree_ros.exceptions import ConfigurationError

Value = bool | int | float | str
Config = TypeVar('Config')

FOREIGN = ('use_sim_time', 'start_type_description_service', 'setup_timeout')
FOREIGN_PREFIXES = ('qos_overrides.', 'default_snapshot_')
"""Parameters that rclpy and py_trees_ros declare on the nodes that they serve."""

_KINDS: dict[type, tuple[int, str]] = {
    bool: (ParameterType.PARAMETER_BOOL, 'true or false'),
    int: (ParameterType.PARAMETER_INTEGER, 'a whole number'),
    float: (ParameterType.PARAMETER_DOUBLE, 'a number'),
    str: (ParameterType.PARAMETER_STRING, 'a text'),
}


@dataclass(frozen=True)
class Parameter:
    """One row of a node's table.

    Args:
        name: name of the parameter and of the config's field.
        default: its value if none is given; its type is the parameter's type.
        description: what it does, for a person.
        unit: unit of a number; empty if it has none.
        lowest: smallest number allowed.
        highest: greatest number allowed.
        choices: texts that are allowed; empty if any is.
    """

    name: str
    default: Value
    description: str
    unit: str = ''
    lowest: float = 0.0
    highest: float = 0.0
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What values are allowed, for a message."""
        if self.choices:
            return 'one of ' + ', '.join(self.choices)
        text = _KINDS[type(self.default)][1]
        if self._has_range:
            text += f' from {self.lowest:g} to {self.highest:g}'
        return f'{text} ({self.unit})' if self.unit else text

    @property
    def _has_range(self) -> bool:
        return type(self.default) in (int, float)

    def check(self, value: object) -> str:
        """Return what is wrong with a value; empty if it is allowed."""
        kind = type(self.default)
        # a whole number is a number too: ``-p tick_hz:=20`` arrives as an integer
        fits = type(value) is kind or (kind is float and type(value) is int)
        if fits and isinstance(value, (int, float)) and self._has_range:
            fits = self.lowest <= value <= self.highest
        if fits and self.choices:
            fits = value in self.choices
        return '' if fits else f'parameter {self.name} is {value!r}: it must be {self.allowed}'

    def descriptor(self) -> ParameterDescriptor:
        """Return the ROS descriptor, with type, range and description."""
        unit = f' [{self.unit}]' if self.unit else ''
        descriptor = ParameterDescriptor(
            name=self.name,
            type=_KINDS[type(self.default)][0],
            description=self.description + unit,
            additional_constraints=self.allowed,
            read_only=True,
        )
        if isinstance(self.default, float):
            bounds = FloatingPointRange(from_value=float(self.lowest), to_value=float(self.highest))
            descriptor.floating_point_range = [bounds]
        elif self._has_range:
            whole = IntegerRange(from_value=int(self.lowest), to_value=int(self.highest), step=1)
            descriptor.integer_range = [whole]
        return descriptor


def load(node: Node, table: tuple[Parameter, ...], config: type[Config]) -> Config:
    """Declare a node's parameters and return their values.

    Args:
        node: a node made with ``automatically_declare_parameters_from_overrides=True``; that is
            rclpy's only public way to see overrides of names that nobody declares.
        table: the node's parameters.
        config: frozen dataclass with one field for each row.

    Raises:
        ConfigurationError: if a value or a name is not allowed; the message has all of them.
    """
    given = {name: item.value for name, item in node.get_parameters_by_prefix('').items()}
    names = [row.name for row in table]
    faults = [_unknown(name, names) for name in sorted(given) if not _known(name, names)]
    faults += [row.check(given[row.name]) for row in table if row.name in given]
    faults = [fault for fault in faults if fault]
    if faults:
        raise ConfigurationError('; '.join(faults))
    values: dict[str, Value] = {}
    for row in table:
        if row.name in given:
            node.undeclare_parameter(row.name)
        value = given.get(row.name, row.default)
        value = float(value) if isinstance(row.default, float) else value
        values[row.name] = value
        node.declare_parameter(row.name, value, row.descriptor(), ignore_override=True)
    return config(**values)


def _known(name: str, names: list[str]) -> bool:
    return name in names or name in FOREIGN or name.startswith(FOREIGN_PREFIXES)


def _unknown(name: str, names: list[str]) -> str:
    close = get_close_matches(name, names, n=1)
    hint = f'did you mean {close[0]}?' if close else 'known are ' + ', '.join(names)
    return f'parameter {name} is not known: {hint}'
