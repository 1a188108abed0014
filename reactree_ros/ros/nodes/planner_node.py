# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner as a lifecycle node: configure loads the model, activate takes goals."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from rclpy.exceptions import NameValidationException
from rclpy.node import Node

from reactree_ros.errors import ReactreeError
from reactree_ros.ros.goals.planner import Planner
from reactree_ros.ros.nodes.diagnostics import ERROR, OK, Diagnostics, Health
from reactree_ros.ros.nodes.managed_node import ManagedNode
from reactree_ros.ros.nodes.node_main import SEND_SEC, STOP_SEC, run_node
from reactree_ros.ros.nodes.parameters import LoadedParameters
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.nodes.tree_host import TreeHost, log_unwatched, make_tree_host

Make = Callable[[Node, PlannerConfig, TreeHost], Planner]
_LOOK_SEC = 0.05


class ManagedPlanner:
    """A planner whose node is managed (``managed_node.Managed``, ``node_main.Server``).

    ==============  ===========================================================
    unconfigured    parameters can be changed; there is no model
    inactive        the model is loaded; no goals are taken
    active          goals are taken; parameters that are safe can be changed
    ==============  ===========================================================

    With the parameter ``autostart`` it goes to active by itself.

    Args:
        node: its node.
        make: makes the planner.

    Raises:
        ConfigurationError: a parameter is wrong.
    """

    threads = Planner.THREADS + 2  # a transition that waits, and one that is asked for meanwhile

    def __init__(self, node: ManagedNode, make: Make = Planner) -> None:
        self.node = node
        node.managed = self
        self._log = node.get_logger()
        self._make = make
        # before the host: py_trees_ros declares parameters, and that tells of a change
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
        """End the model and let go of everything."""
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
        """Let go of everything."""
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
    sys.exit(run_node('reactree_planner', ManagedPlanner, ManagedNode))


if __name__ == '__main__':
    main()
