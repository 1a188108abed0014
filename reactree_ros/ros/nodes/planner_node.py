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
from reactree_ros.ros.goals.goal_server import GoalServer
from reactree_ros.ros.nodes.diagnostics import ERROR, OK, Diagnostics, Health
from reactree_ros.ros.nodes.node_main import SEND_SEC, STOP_SEC, run_node
from reactree_ros.ros.nodes.parameters import LoadedParameters
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.nodes.tree_host import log_unwatched, make_tree_host

_GIVE_UP_SEC = STOP_SEC - 0.5  # a goal that has no result by then gets one
_LOOK_SEC = 0.05


def _transition(
    do: Callable[[PlannerNode], bool],
) -> Callable[[PlannerNode, LifecycleState], TransitionCallbackReturn]:
    """Return the callback of a transition, of what returns whether it succeeded."""

    def callback(node: PlannerNode, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            succeeded = do(node)
        except Exception:  # rclpy would take it for an error of the transition and not say which
            node.get_logger().error(traceback.format_exc())
            return TransitionCallbackReturn.ERROR
        return TransitionCallbackReturn.SUCCESS if succeeded else TransitionCallbackReturn.FAILURE

    return callback


class PlannerNode(LifecycleNodeMixin, Node):
    """The planner as a lifecycle node (``node_main.Server``).

    ==============  ===========================================================
    unconfigured    parameters can be changed; there is no model
    inactive        the model is loaded; no goals are taken
    active          goals are taken; parameters that are safe can be changed
    ==============  ===========================================================

    With the parameter ``autostart`` it goes to active by itself. Its services answer while a
    transition takes its time.
    """

    planner_type: type[GoalServer] = GoalServer
    threads = GoalServer.THREADS + 2  # a transition that waits, and one that is asked for meanwhile

    def __init__(self, name: str) -> None:
        Node.__init__(self, name, automatically_declare_parameters_from_overrides=True)
        LifecycleNodeMixin.__init__(self, callback_group=ReentrantCallbackGroup())
        self.node = self
        self._log = self.get_logger()
        self._planner: GoalServer | None = None
        self._diagnostics: Diagnostics | None = None
        self._leaving = self._is_starting = self._was_configured = False
        self._fault = ''

    def load(self) -> PlannerNode:
        """Load the parameters, and make what does not depend on the lifecycle state.

        Raises:
            ConfigurationError: a parameter is wrong.
        """
        # before the host: py_trees_ros declares parameters, and that counts as a change
        self._options = LoadedParameters(
            self, PlannerConfig, lambda: self.state != 'unconfigured', self._changed
        )
        self._host = make_tree_host(self)
        period_sec = self._options.config.diagnostics_period_sec
        self._diagnostics = Diagnostics(self, period_sec, self._health)
        return self

    @property
    def state(self) -> str:
        """Name of its lifecycle state, such as ``active``."""
        return str(self._state_machine.current_state[1])

    @property
    def broken(self) -> str:
        """Why the planner cannot go on; empty if it can."""
        planner = self._planner
        return planner.broken if planner is not None else ''

    def begin(self) -> str:
        """Go to active if that is wanted; return why it did not work, else an empty text."""
        if not self._options.config.autostart:
            self._log.info('waiting to be configured and activated (autostart is off)')
            return ''
        self._is_starting = True
        self.trigger_configure()
        if self.state == 'inactive' and not self._leaving:
            self.trigger_activate()
        self._is_starting = False
        if self.state != 'active' and not self._fault and not self._leaving:
            return 'it could not be activated; the log says why'
        return self._fault

    def configure(self) -> bool:
        """Read the skills, open the memory and load the model."""
        self._fault = ''
        try:
            planner = self.planner_type(self, self._options.config, self._host)
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
        if not planner.drain('the planner is not active', _GIVE_UP_SEC).wait(STOP_SEC):
            self._log.error(
                f'the robot did not confirm within {STOP_SEC:g} s that it stopped: check it'
            )
        time.sleep(SEND_SEC)  # the results of the goals that were cut short are still on their way
        planner.end_service()
        self._log.info('deactivated: goals are rejected')
        return True

    def clean_up(self) -> bool:
        """End the model and release everything else."""
        planner, self._planner = self._planner, None
        if planner is not None:
            planner.close()
            self._log.info('the model is unloaded')
        return True

    on_configure = _transition(configure)
    on_activate = _transition(activate)
    on_deactivate = _transition(deactivate)
    on_cleanup = on_error = _transition(clean_up)
    on_shutdown = _transition(lambda node: node.deactivate() and node.clean_up())

    def _LifecycleNodeMixin__change_state(  # noqa: N802 - rclpy's own name
        self, transition_id: int
    ) -> TransitionCallbackReturn:
        # In Jazzy's rclpy a transition that is not possible raises, and nobody is answered;
        # Kilted's answers as this does.
        change = super()._LifecycleNodeMixin__change_state
        try:
            return change(transition_id)
        except rclpy_implementation.RCLError as error:
            self._log.error(f'no such transition from {self.state}: {error}')
            return TransitionCallbackReturn.ERROR

    def leave(self) -> threading.Event:
        """Cancel all goals; the event is set when the robot has stopped and learning is done."""
        self._leaving = True
        if self._planner is None:
            done = threading.Event()
            done.set()
            return done
        return self._planner.drain('the planner is shutting down', _GIVE_UP_SEC)

    def close(self) -> None:
        """Release everything."""
        self.clean_up()
        if self._diagnostics is not None:
            self._diagnostics.destroy()
        self._host.shutdown()

    def _health(self) -> Health:
        planner = self._planner
        if planner is None:
            level = ERROR if self._fault else OK
            return Health(level, self._fault or self.state, {'state': self.state})
        health = planner.health
        return replace(health, values={'state': self.state, **health.values})

    def _not_configured(self, fault: str) -> bool:
        self._fault = ' '.join(fault.split())
        if not self._leaving and not self._is_starting:
            self._log.error(f'not configured: {self._fault}')
        return False

    def _changed(self, config: PlannerConfig) -> None:
        if self._diagnostics is not None:
            self._diagnostics.set_period(config.diagnostics_period_sec)
        if self._planner is not None:
            self._planner.config = config


def main() -> None:
    """Run the planner as a process."""
    sys.exit(run_node('reactree_planner', PlannerNode.load, PlannerNode))
