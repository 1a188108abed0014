# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Node parameters: the options of one dataclass, checked and loaded once, at the node's start.

Values and names that are not allowed raise, all of them in one message, before the node has made
anything else. After that parameters are read-only, or, of a managed node, can be changed where it
is safe.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from reactree_ros.core.option import Parameter, Value, make, parameters_of, values_of
from reactree_ros.errors import ConfigurationError

Config = TypeVar('Config')

FOREIGN = ('use_sim_time', 'start_type_description_service', 'setup_timeout')
FOREIGN_PREFIXES = ('qos_overrides.', 'default_snapshot_')
"""Parameters that rclpy and py_trees_ros declare on the nodes that they serve."""

_LIVE = 'at any time, for the next goal'
_UNCONFIGURED = 'in the lifecycle state unconfigured'


def load(node: Node, config: type[Config], read_only: bool = True) -> Config:
    """Declare a node's parameters and return their values.

    Args:
        node: a node made with ``automatically_declare_parameters_from_overrides=True``; that is
            rclpy's only public way to see overrides of names that nobody declares.
        config: dataclass with the node's parameters (``core.option``).
        read_only: whether they can never be changed.

    Raises:
        ConfigurationError: if a value or a name is not allowed; the message has all of them.
    """
    given = _given(node)
    loaded = make(config, given)
    values = values_of(loaded)
    for row in parameters_of(config):
        if row.name in given:
            node.undeclare_parameter(row.name)
        value = values[row.name]
        written = list(value) if isinstance(value, tuple) else value
        descriptor = _descriptor(row, read_only)
        node.declare_parameter(row.name, written, descriptor, ignore_override=True)
    return loaded


class LoadedParameters(Generic[Config]):
    """The parameters of a managed node, which can be changed where it is safe.

    Args:
        configured: whether the node is configured; then only those that are ``live`` change.
        changed: is given the new values after each change.

    Raises:
        ConfigurationError: if a value or a name is not allowed.
    """

    def __init__(
        self,
        node: Node,
        config: type[Config],
        configured: Callable[[], bool],
        changed: Callable[[Config], None],
    ) -> None:
        self._node = node
        self._rows = {row.name: row for row in parameters_of(config)}
        self._type = config
        self._given = {*_given(node)}
        self._is_settling = False
        self._configured = configured
        self._changed = changed
        self.config = load(node, config, read_only=False)
        """Their present values."""
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(self._take)

    def _check(self, parameters: list[Any]) -> SetParametersResult:
        new = {one.name: one.value for one in parameters if one.name in self._rows}
        faults = [self._rows[name].check(value) for name, value in new.items()]
        if self._configured():
            fixed = (name for name in new if not self._rows[name].live)
            faults += [f'parameter {name} can be changed {_UNCONFIGURED} only' for name in fixed]
        reason = '; '.join(filter(None, faults))
        if not (reason or self._is_settling):
            try:
                make(self._type, self._values() | new)
            except ConfigurationError as error:
                reason = str(error)
        return SetParametersResult(successful=not reason, reason=reason)

    def _take(self, parameters: list[Any]) -> None:
        if self._is_settling:
            return
        self._given |= {one.name for one in parameters if one.name in self._rows}
        self.config = make(self._type, self._values())
        self._settle(values_of(self.config))
        self._changed(self.config)

    def _values(self) -> dict[str, Any]:
        """Return the values that somebody has set."""
        return {name: self._node.get_parameter(name).value for name in self._given}

    def _settle(self, values: dict[str, Value]) -> None:
        """Show what parameters that nobody has set become by those that were set now."""
        written = {one: list(v) if isinstance(v, tuple) else v for one, v in values.items()}
        others = [
            RosParameter(name, value=value)
            for name, value in written.items()
            if self._node.get_parameter(name).value != value
        ]
        self._is_settling = True
        self._node.set_parameters(others)
        self._is_settling = False


def _given(node: Node) -> dict[str, Any]:
    """Return the values with which a node was started."""
    return {
        name: item.value
        for name, item in node.get_parameters_by_prefix('').items()
        if name not in FOREIGN and not name.startswith(FOREIGN_PREFIXES)
    }


def _descriptor(row: Parameter, read_only: bool) -> ParameterDescriptor:
    """Return the ROS descriptor of a parameter, with range and description."""
    when = '' if read_only else f'; can be changed {_LIVE if row.live else _UNCONFIGURED}'
    unit = f' [{row.unit}]' if row.unit else ''
    descriptor = ParameterDescriptor(
        name=row.name,
        description=row.description + unit,
        additional_constraints=row.allowed + when,
        read_only=read_only,
    )
    if row.range is not None:
        low, high = row.range
        if isinstance(row.default, float):
            descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
        else:
            whole = IntegerRange(from_value=int(low), to_value=int(high), step=1)
            descriptor.integer_range = [whole]
    return descriptor
