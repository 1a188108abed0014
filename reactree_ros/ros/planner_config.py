# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner node's parameters as one value: the planner's options and the node's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reactree_ros.behaviours.options import PlannerOptions
from reactree_ros.paths import data
from reactree_ros.ros.skill_run import Timeouts

USER_RUNS = 'user'
"""Stands for the folder of runs in the user's data folder."""


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
    tick_hz: float
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
    def timeouts(self) -> Timeouts:
        """How long the robot is waited for."""
        return Timeouts(self.server_wait_sec, self.goal_response_sec, self.cancel_sec)


def runs_folder(given: str) -> Path | None:
    """Return the folder that a parameter ``runs`` means; None for none."""
    if not given:
        return None
    return data('runs') if given == USER_RUNS else Path(given)
