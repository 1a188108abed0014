# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated robot with a task, which it is judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.household.goal import GoalCheck
from reactree_ros.sim.household.truth import (
    check_conditions,
    checked,
    moved_unasked,
    read_conditions,
    situation_of,
)
from reactree_ros.sim.robots.office import OfficeBase
from reactree_ros.sim.robots.robot import Reply, Robot, Server
from reactree_ros.sim.robots.rover import Rover
from reactree_ros.sim.robots.tasks import RobotTask
from reactree_ros.sim.robots.warehouse import Picker
from reactree_ros.skills.goal_conditions import Condition, ConditionError, ConditionTracker
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import read_library

KINDS = {'office': OfficeBase, 'warehouse': Picker, 'rover': Rover}
"""The robots by their names."""


@cache
def robot_library(name: str) -> SkillLibrary:
    """Return the shipped skill library of a robot."""
    return read_library(share('behaviors', f'{KINDS[name].skills}.yaml'))


@dataclass(frozen=True)
class Attempt:
    """What a request comes to, before it has changed anything.

    Args:
        reply: what will be answered.
        after: the robot as it will be then.
    """

    reply: Reply
    after: Robot


class RobotWorld:
    """A robot in its surroundings, and whether the goal of its task holds.

    Args:
        name: of the robot.
        task: sets what is otherwise than usual, and the goal; None for neither.

    Raises:
        ConfigurationError: the task does not fit the robot.
    """

    def __init__(self, name: str, task: RobotTask | None = None) -> None:
        self.library = robot_library(name)
        self.robot: Robot = KINDS[name](self.library, task.setting if task else {})
        self.task = task
        self._start = self._situation()
        goal = self._read(task.conditions if task else ())
        guards = self._read(task.guards if task else ())
        self._named = (*goal, *guards)
        asked = [one for one in goal if not one.asks]
        self._goal = ConditionTracker(asked, self.library, complete=True)
        self._guards = ConditionTracker(guards, self.library, complete=True)
        self._note()

    def attempt(self, server: Server, request: Mapping[str, Any]) -> Attempt:
        """Return what a request comes to; nothing has changed yet."""
        after = deepcopy(self.robot)
        return Attempt(after.handle(server, request), after)

    def settle(self, attempt: Attempt) -> None:
        """Let what was attempted have happened."""
        self.robot = attempt.after
        self._note()

    def observe(self) -> Observation:
        """Return what the robot perceives now."""
        return self.robot.observe()

    def survey(self) -> Observation:
        """Return what it knows of everything, which is the same."""
        return self.robot.observe()

    def changes(self) -> list[str]:
        """Return a line for each thing that is elsewhere, or in another state, than at first."""
        return [
            f'{name}: {_where(one)}'
            for name, one in self.robot.objects.items()
            if _where(one) != _where(self._start.objects[name])
        ]

    def judge(self) -> GoalCheck:
        """Return which conditions of the task hold; what went wrong besides is one that does not.

        The answer to a question is not among them; see ``household.judged``.
        """
        now = self._situation()
        found = checked(self._goal, now)
        guards = checked(self._guards, now)
        moved = moved_unasked(self._start, now, self._named)
        wrong = (*guards.unsatisfied, *self.robot.faults, *moved)
        return replace(found, unsatisfied=(*found.unsatisfied, *wrong))

    def check(self, lines: Sequence[str]) -> GoalCheck | None:
        """Return whether conditions hold, or those of the task if there are none.

        Args:
            lines: in the language of conditions, or the instruction of the task.
        """
        if self.task is not None and (not lines or self.task.is_said_by(lines)):
            return self.judge()
        return check_conditions(lines, self._start, self._situation(), self.library)

    def _note(self) -> None:
        now = self._situation()
        self._goal.update(now)
        self._guards.update(now)

    def _situation(self) -> Situation:
        return situation_of(self.robot.truth(), self.library)

    def _read(self, lines: Sequence[str]) -> tuple[Condition, ...]:
        try:
            return read_conditions('; '.join(lines) or 'none', self._start, self.library)
        except ConditionError as error:
            assert self.task is not None
            raise ConfigurationError(f'the goal of task {self.task.id}: {error}') from error


def _where(item: ObservedObject) -> str:
    lies = 'held' if item.held else ' '.join(filter(None, [item.relation, item.receptacle]))
    return ', '.join(filter(None, [lies, *sorted(item.states)]))
