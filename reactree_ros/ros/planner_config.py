# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner node's parameters as one value: the planner's options and the node's own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from reactree_ros.behaviours.options import PlannerOptions
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.paths import data
from reactree_ros.ros.skill_run import Timeouts

_NAME = re.compile(r'[A-Za-z]\w*(/[A-Za-z]\w*)*')
USER_RUNS = 'user'
"""Stands for the folder of runs in the user's data folder."""
USER_JOURNAL = 'user'
"""Stands for a journal in the user's data folder."""
REPORT, RESUME = 'report', 'resume'
STOP, ATTACH = 'stop', 'attach'


@dataclass(frozen=True)
class PlannerConfig(PlannerOptions):
    """The planner's parameters; see ``planner_parameters.PARAMETERS``."""

    record: str
    forget_between_goals: bool
    autostart: bool
    diagnostics_sec: float
    runs: str
    runs_kept: int
    model_load_sec: float
    max_goal_chars: int
    goal_policy: str
    max_queued: int
    tidy_up: bool
    journal: str
    on_restart: str
    restart_goals: str
    tick_hz: float
    robots: str
    observe_service: str
    check_service: str
    operator_service: str
    operator_sec: float
    server_wait_sec: float
    goal_response_sec: float
    cancel_sec: float

    @property
    def runs_folder(self) -> Path | None:
        """Where every run is recorded; None if none is."""
        return runs_folder(self.runs)

    @property
    def robot_names(self) -> tuple[str, ...]:
        """Namespaces of the robots, the first one's first; empty for the planner's own."""
        return robot_names(self.robots)

    @property
    def timeouts(self) -> Timeouts:
        """How long the robot is waited for."""
        return Timeouts(self.server_wait_sec, self.goal_response_sec, self.cancel_sec)


def robot_names(given: str) -> tuple[str, ...]:
    """Return the namespaces that a parameter ``robots`` names.

    Raises:
        ConfigurationError: if one is no name, or is there twice.
    """
    names = tuple(one.strip().strip('/') for one in given.split(',')) if given.strip() else ()
    wrong = [name for name in names if not _NAME.fullmatch(name) or names.count(name) > 1]
    if wrong:
        raise ConfigurationError(
            f'parameter robots is {given!r}: {wrong[0]!r} is no namespace, or is there twice; it '
            'must be names with commas between them, such as robot1,robot2'
        )
    return names


def runs_folder(given: str) -> Path | None:
    """Return the folder that a parameter ``runs`` means; None for none."""
    if not given:
        return None
    return data('runs') if given == USER_RUNS else Path(given)
