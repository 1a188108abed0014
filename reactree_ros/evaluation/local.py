# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a goal in this process, without ROS: the same tree, the world called directly."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from reactree_ros.behaviours.run import GoalRun
from reactree_ros.behaviours.services import RunServices
from reactree_ros.behaviours.skill import EndedSkill
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.observation import Observation, SkillResult
from reactree_ros.core.outcome import RunReport
from reactree_ros.core.situation import Situation
from reactree_ros.models.interface import Pending, Ready
from reactree_ros.pddl.world import PddlWorld
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.world import World
from reactree_ros.world.survey import survey

IDLE_SEC = 0.002


class ActedOn(Protocol):
    """A world of this process."""

    def execute(self, skill: str, arguments: Sequence[str]) -> SkillResult:
        """Do a skill, or say why not."""

    def observe(self) -> Observation:
        """Tell what is perceived now."""


W = TypeVar('W', bound=ActedOn)


class DirectExecutor(Generic[W]):
    """A robot that lives in a world of this process; every skill ends at once.

    Args:
        world: the world.
    """

    def __init__(self, world: W) -> None:
        self._world = world

    def start(self, skill: GroundedSkill, situation: Situation) -> EndedSkill:
        """Carry out a skill."""
        return EndedSkill(self._world.execute(skill.name, skill.arguments))

    def observe(self) -> Pending[Observation]:
        """Describe what is perceived now."""
        return Ready(self._world.observe())


class WorldExecutor(DirectExecutor[World]):
    """A robot in a household."""

    def survey(self) -> Pending[Observation]:
        """Tell what is in the whole house."""
        return Ready(survey(self._world))


class PddlExecutor(DirectExecutor[PddlWorld]):
    """What acts in a PDDL problem."""

    def survey(self) -> Pending[Observation]:
        """Tell what is perceived: that is all there is."""
        return self.observe()


def run_goal(
    goal: str,
    services: RunServices,
    limits: Limits,
    listen: Callable[[Event], None] = lambda event: None,
) -> RunReport:
    """Run a goal to its end.

    Args:
        goal: what a person wants.
        services: what the planner works with; its executor is a robot or a world.
        limits: limits of the run.
        listen: called with every event.
    """
    run = GoalRun(goal, services, limits, listen)
    try:
        while not run.finished:
            before = run.root.feedback_message
            run.tick()
            if run.root.feedback_message == before:
                time.sleep(IDLE_SEC)  # the model works in another process
        return run.report()
    finally:
        run.close()
