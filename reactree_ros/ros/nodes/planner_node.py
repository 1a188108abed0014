# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner as a lifecycle node: configure loads the model, activate takes goals."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.exceptions import NameValidationException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNodeMixin, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node

from reactree_ros.errors import ReactreeError
from reactree_ros.ros.goals.planner import Planner
from reactree_ros.ros.nodes.diagnostics import ERROR, OK, Diagnostics, Health
from reactree_ros.ros.nodes.node_main import SEND_SEC, STOP_SEC, Server, run_node
from reactree_ros.ros.nodes.parameters import LoadedParameters
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.nodes.tree_host import TreeHost, log_unwatched, make_tree_host

Make = Callable[[Node, PlannerConfig, TreeHost], Planner]
_LOOK_SEC = 0.05


class PlannerNode(LifecycleNodeMixin, Node):
    """A lifecycle node whose transitions a ``ManagedPlanner`` carries out.

    Its services answer while a transition takes its time.
    """

    def __init__(self, name: str) -> None:
        self.managed: ManagedPlanner | None = None
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
        return self._run(lambda managed: managed.configure())

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Activate."""
        return self._run(lambda managed: managed.activate())

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Deactivate."""
        return self._run(lambda managed: managed.deactivate())

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Clean up, also after an error of our own; the node can then be configured again."""
        return self._run(lambda managed: managed.clean_up())

    on_error = on_cleanup

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Deactivate and clean up."""
        return self._run(lambda managed: managed.deactivate() and managed.clean_up())

    def _run(self, transition: Callable[[ManagedPlanner], bool]) -> TransitionCallbackReturn:
        if self.managed is None:
            return TransitionCallbackReturn.FAILURE
        try:
            succeeded = transition(self.managed)
        except Exception:  # rclpy would take it for an error of the transition and not say which
            self.get_logger().error(traceback.format_exc())
            return TransitionCallbackReturn.ERROR
        return TransitionCallbackReturn.SUCCESS if succeeded else TransitionCallbackReturn.FAILURE


class ManagedPlanner(Server):
    """A planner between the transitions of its lifecycle node; each returns whether it succeeded.

    ==============  ===========================================================
    unconfigured    parameters can be changed; there is no model
    inactive        the model is loaded; no goals are taken
    active          goals are taken; parameters that are safe can be changed
    ==============  ===========================================================

    With the parameter ``autostart`` it goes to active by itself.

    Raises:
        ConfigurationError: a parameter is wrong.
    """

    threads = Planner.THREADS + 2  # a transition that waits, and one that is asked for meanwhile

    def __init__(self, node: PlannerNode, make: Make = Planner) -> None:
        self.node = node
        node.managed = self
        self._log = node.get_logger()
        self._make = make
        # before the host: py_trees_ros declares parameters, and that counts as a change
        self._planner: Planner | None = None
        self._parameters = LoadedParameters(
            node, PlannerConfig, lambda: node.state != 'unconfigured', self._changed
        )
        self._host = make_tree_host(node)
        self._diagnostics = Diagnostics(
            node, self._parameters.config.diagnostics_period_sec, self._health
        )
        self._leaving = False
        self._is_beginning = self._was_configured = False
        self._fault = ''

    def begin(self) -> str:
        """Go to active if that is wanted; return why it did not work, else an empty text."""
        if not self._parameters.config.autostart:
            self._log.info('waiting to be configured and activated (autostart is off)')
            return ''
        self._is_beginning = True
        self.node.trigger_configure()
        if self.node.state == 'inactive' and not self._leaving:
            self.node.trigger_activate()
        self._is_beginning = False
        if self.node.state != 'active' and not self._fault and not self._leaving:
            return 'it could not be activated; the log says why'
        return self._fault

    @property
    def broken(self) -> str:
        """Why the planner cannot go on; empty if it can."""
        return self._planner.broken if self._planner is not None else ''

    def configure(self) -> bool:
        """Read the skills, open the memory and load the model."""
        self._fault = ''
        try:
            planner = self._make(self.node, self._parameters.config, self._host)
        except (ReactreeError, NameValidationException) as error:
            return self._not_configured(str(error))
        self._planner = planner
        if not self._was_configured:
            self._was_configured = True
            log_unwatched(self._log)
        while not planner.loaded.wait(_LOOK_SEC):
            if self._leaving or planner.broken:
                fault = planner.broken
                self.clean_up()
                return self._not_configured(fault or 'the planner leaves')
        return True

    def activate(self) -> bool:
        """Take goals."""
        assert self._planner is not None
        self._planner.accept()
        return True

    def deactivate(self) -> bool:
        """Cancel all goals, wait until the robot has stopped, and withdraw the action."""
        planner = self._planner
        if planner is None:
            return True
        if not planner.rest('the planner is not active').wait(STOP_SEC):
            self._log.error(f'the robot has not stopped for {STOP_SEC:g} s')
        time.sleep(SEND_SEC)  # the results of the goals that were cut short are still on their way
        planner.end_service()
        self._log.info('the planner takes no more goals')
        return True

    def clean_up(self) -> bool:
        """End the model and release everything else."""
        planner, self._planner = self._planner, None
        if planner is not None:
            planner.close()
            self._log.info('the model has ended')
        return True

    def leave(self) -> threading.Event:
        """Cancel all goals; the event is set when the robot has stopped and learning is done."""
        self._leaving = True
        if self._planner is None:
            done = threading.Event()
            done.set()
            return done
        return self._planner.rest('the planner is leaving')

    def close(self) -> None:
        """Release everything."""
        self.clean_up()
        self._diagnostics.destroy()
        self._host.shutdown()

    def _health(self) -> Health:
        planner = self._planner
        if planner is None:
            state = self.node.state
            return Health(ERROR if self._fault else OK, self._fault or state, {'state': state})
        health = planner.health
        return replace(health, values={'state': self.node.state, **health.values})

    def _not_configured(self, fault: str) -> bool:
        self._fault = ' '.join(fault.split())
        if not self._leaving and not self._is_beginning:
            self._log.error(f'not configured: {self._fault}')
        return False

    def _changed(self, config: PlannerConfig) -> None:
        if self._planner is not None:
            self._planner.config = config


def main() -> None:
    """Run the planner as a process."""
    sys.exit(run_node('reactree_planner', ManagedPlanner, PlannerNode))


if __name__ == '__main__':
    main()
