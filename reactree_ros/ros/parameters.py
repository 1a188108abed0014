# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Node parameters: each is one row of a table, checked and loaded once, at the node's start.

A node loads its table into one frozen dataclass whose fields have the rows' names. Every
parameter is read-only after the start. Values and names that are not allowed raise, all of them
in one message, before the node has made anything else.
"""

from __future__ import annotations

from typing import TypeVar

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    ParameterType,
)
from rclpy.node import Node

from reactree_ros.core.parameter import Parameter, Value, faults_of
from reactree_ros.exceptions import ConfigurationError

__all__ = ['Parameter', 'descriptor_of', 'load']

Config = TypeVar('Config')

FOREIGN = ('use_sim_time', 'start_type_description_service', 'setup_timeout')
FOREIGN_PREFIXES = ('qos_overrides.', 'default_snapshot_')
"""Parameters that rclpy and py_trees_ros declare on the nodes that they serve."""

_TYPES: dict[type, int] = {
    bool: ParameterType.PARAMETER_BOOL,
    int: ParameterType.PARAMETER_INTEGER,
    float: ParameterType.PARAMETER_DOUBLE,
    str: ParameterType.PARAMETER_STRING,
    tuple: ParameterType.PARAMETER_STRING_ARRAY,
}


def descriptor_of(row: Parameter) -> ParameterDescriptor:
    """Return the ROS descriptor of a parameter, with type, range and description."""
    unit = f' [{row.unit}]' if row.unit else ''
    descriptor = ParameterDescriptor(
        name=row.name,
        type=_TYPES[type(row.default)],
        description=row.description + unit,
        additional_constraints=row.allowed,
        read_only=True,
    )
    if isinstance(row.default, float):
        bounds = FloatingPointRange(from_value=float(row.lowest), to_value=float(row.highest))
        descriptor.floating_point_range = [bounds]
    elif row.has_range:
        whole = IntegerRange(from_value=int(row.lowest), to_value=int(row.highest), step=1)
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
    given = {
        name: item.value
        for name, item in node.get_parameters_by_prefix('').items()
        if name not in FOREIGN and not name.startswith(FOREIGN_PREFIXES)
    }
    faults = faults_of(table, given)
    if faults:
        raise ConfigurationError('; '.join(faults))
    values: dict[str, Value] = {}
    for row in table:
        if row.name in given:
            node.undeclare_parameter(row.name)
        value = row.convert(given.get(row.name, row.default))
        values[row.name] = value
        written = list(value) if isinstance(value, tuple) else value
        node.declare_parameter(row.name, written, descriptor_of(row), ignore_override=True)
    return config(**values)
