# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A lifecycle node whose transitions are somebody else's (ROS 2 design, "Managed nodes")."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Protocol

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNodeMixin, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node


class Managed(Protocol):
    """Does what the transitions of a lifecycle node stand for; each says whether it succeeded."""

    def configure(self) -> bool:
        """Make everything ready."""

    def activate(self) -> bool:
        """Begin to serve."""

    def deactivate(self) -> bool:
        """Stop serving, with nothing left under way."""

    def clean_up(self) -> bool:
        """Let go of everything that configure made."""


class ManagedNode(LifecycleNodeMixin, Node):
    """The node; its services answer while a transition takes its time.

    Args:
        name: of the node.
    """

    def __init__(self, name: str) -> None:
        self.managed: Managed | None = None
        Node.__init__(self, name, automatically_declare_parameters_from_overrides=True)
        LifecycleNodeMixin.__init__(self, callback_group=ReentrantCallbackGroup())

    @property
    def state(self) -> str:
        """Name of its lifecycle state, such as ``active``."""
        return str(self._state_machine.current_state[1])

    def _LifecycleNodeMixin__change_state(  # noqa: N802 - rclpy's own name
        self, transition_id: int
    ) -> TransitionCallbackReturn:
        # In Jazzy's rclpy a transition that is not possible raises, and nobody is answered;
        # Kilted's answers as this does.
        change = super()._LifecycleNodeMixin__change_state
        try:
            return change(transition_id)
        except rclpy_implementation.RCLError as error:
            self.get_logger().error(f'no such transition from {self.state}: {error}')
            return TransitionCallbackReturn.ERROR

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Configure."""
        return self._result(lambda managed: managed.configure())

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Activate."""
        return self._result(lambda managed: managed.activate())

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Deactivate."""
        return self._result(lambda managed: managed.deactivate())

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Clean up."""
        return self._result(lambda managed: managed.clean_up())

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Deactivate and clean up."""
        return self._result(lambda managed: managed.deactivate() and managed.clean_up())

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Clean up after a fault of our own; the node can then be configured again."""
        return self._result(lambda managed: managed.clean_up())

    def _result(self, do: Callable[[Managed], bool]) -> TransitionCallbackReturn:
        if self.managed is None:
            return TransitionCallbackReturn.FAILURE
        try:
            succeeded = do(self.managed)
        except Exception:  # rclpy would take it for an error of the transition and not say which
            self.get_logger().error(traceback.format_exc())
            return TransitionCallbackReturn.ERROR
        return TransitionCallbackReturn.SUCCESS if succeeded else TransitionCallbackReturn.FAILURE
