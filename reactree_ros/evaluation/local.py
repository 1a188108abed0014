# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a goal in this process, without ROS: the same tree, the world called directly."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from reactree_ros.behaviours.checking import checked, told_missing
from reactree_ros.behaviours.run import GoalRun
from reactree_ros.behaviours.services import RunServices
from reactree_ros.behaviours.skill import EndedSkill, SkillRun
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.observation import Observation, SkillResult
from reactree_ros.core.outcome import RunReport
from reactree_ros.core.situation import Situation
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.models.interface import Pending, Ready
from reactree_ros.pddl.world import PddlWorld
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.conditions import Question, WorldCondition
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.world import World, check, conditions_from_lines
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

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Carry out a skill."""
        run = EndedSkill(self._world.execute(skill.name, skill.arguments))
        return checked(run, skill, Surroundings(skill.named, {}, situation), self)

    def check(self, question: Question) -> Pending[str]:
        """Answer a condition of the world; for others there is nobody to ask."""
        if not isinstance(question.condition, WorldCondition):
            return Ready(f'there is nobody to ask in this process ({question.text})')
        missing = self._missing(question.lines)
        if missing is None:
            unread = f'the world cannot read "{"; ".join(question.lines)}"'
            return Ready('' if question.condition.if_known else unread)
        return Ready(told_missing(missing))

    def survey(self) -> Pending[Observation]:
        """Tell what is known of the whole world."""
        return self.observe()

    def _missing(self, lines: Sequence[str]) -> Sequence[str] | None:
        """Return which conditions do not hold; None if they cannot be read."""
        raise NotImplementedError

    def observe(self) -> Pending[Observation]:
        """Describe what is perceived now."""
        return Ready(self._world.observe())


class WorldExecutor(DirectExecutor[World]):
    """A robot in a household."""

    def survey(self) -> Pending[Observation]:
        """Tell what is in the whole house."""
        return Ready(survey(self._world))

    def _missing(self, lines: Sequence[str]) -> Sequence[str] | None:
        raw = conditions_from_lines(lines, self._world.scene)
        if not raw:
            return None
        try:
            return check(self._world, raw).unsatisfied
        except ConfigurationError:
            return None


class PddlExecutor(DirectExecutor[PddlWorld]):
    """What acts in a PDDL problem."""

    def _missing(self, lines: Sequence[str]) -> Sequence[str] | None:
        asked = [' '.join(line.split()) for line in lines]
        known = asked == [self._world.problem.instruction]
        return self._world.check().unsatisfied if known else None


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
