# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated world as a robot: skills are carried out in this process and end at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from reactree_ros.core.futures import Future, ready
from reactree_ros.core.observation import Observation, SkillResult
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.conditions import Question, WorldCondition
from reactree_ros.skills.done_check import checked, missing_conditions
from reactree_ros.skills.executor import EndedSkill, SkillExecutor, SkillRun
from reactree_ros.skills.library import GroundedSkill


class SimulatedWorld(Protocol):
    """A world in this process, with one robot in it.

    ``execute`` and ``observe`` are enough; a subclass inherits the others. All of them are called
    within a tick, so each should return within milliseconds.
    """

    def execute(self, skill: str, arguments: Sequence[str]) -> SkillResult:
        """Carry out one skill, or refuse it.

        Args:
            skill: name of the skill in the skill library, e.g. ``pick_up``.
            arguments: names of objects or rooms, e.g. ``('apple 1',)``, in the library's order.

        Returns:
            How it ended and what the robot perceives afterwards. After REFUSED the world must be
            as it was, and the observation's text says why.
        """

    def observe(self) -> Observation:
        """Return what the robot perceives now."""

    def survey(self) -> Observation:
        """Return all rooms, places and movable objects; unless overridden, what is perceived."""
        return self.observe()

    def missing(self, conditions: Sequence[str]) -> Sequence[str] | None:
        """Return which conditions do not hold, one line each.

        Args:
            conditions: in the world's own notation.

        Returns:
            The lines that do not hold, empty if all do; None if they cannot be read, as here
            unless overridden.
        """
        return None


class WorldExecutor:
    """The robot of a simulated world (``SkillExecutor``).

    Args:
        world: the world.
    """

    def __init__(self, world: SimulatedWorld) -> None:
        self._world = world

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Carry out a skill; it has ended when this returns."""
        run = EndedSkill(self._world.execute(skill.name, skill.arguments))
        return checked(run, skill, Surroundings(skill.named, {}, situation), self)

    def check(self, question: Question) -> Future[str]:
        """Answer a condition of the world; for others there is nobody to ask."""
        if not isinstance(question.condition, WorldCondition):
            return ready(f'there is nobody to ask in this process ({question.text})')
        missing = self._world.missing(question.lines)
        if missing is None:
            unread = f'the world cannot read "{"; ".join(question.lines)}"'
            return ready('' if question.condition.if_known else unread)
        return ready(missing_conditions(missing))

    def observe(self) -> Future[Observation]:
        """Return what is perceived now."""
        return ready(self._world.observe())

    def survey(self) -> Future[Observation]:
        """Return what is known of the whole world."""
        return ready(self._world.survey())


def executor_of(robot: SkillExecutor | SimulatedWorld) -> SkillExecutor:
    """Return what carries out skills for a robot, or for a simulated world.

    Raises:
        ConfigurationError: if it is neither.
    """
    if hasattr(robot, 'execute') and hasattr(robot, 'observe'):
        return WorldExecutor(cast(SimulatedWorld, robot))
    if hasattr(robot, 'start'):
        return cast(SkillExecutor, robot)
    raise ConfigurationError(
        f'the robot is a {type(robot).__name__}: it must have the methods of a SkillExecutor '
        '(start, check, observe, survey) or those of a SimulatedWorld (execute, observe)'
    )
