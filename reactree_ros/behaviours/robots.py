# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Several robots for one planner: each works for one agent at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from reactree_ros.core.memory_reader import MemoryReader
from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.skills.executor import SkillExecutor


class RestingExecutor(SkillExecutor, Protocol):
    """A skill executor that knows whether the robot has come to rest."""

    def at_rest(self) -> bool:
        """Return whether every skill that was started has ended and the robot confirmed it."""


@dataclass(frozen=True)
class Robot:
    """One robot, and what it has seen.

    Args:
        name: its name; empty if there is only one.
        executor: starts its skills.
        memory: its working memory, read-only.
        perceived: takes an observation into its working memory.
        heard: takes in what another robot has seen.
    """

    name: str
    executor: RestingExecutor
    memory: MemoryReader
    perceived: Callable[[Observation], None]
    heard: Callable[[Iterable[ObservedObject]], None]


class Assignments(Protocol):
    """Prescribes, or records, which robot each agent node works with."""

    def wanted(self, path: tuple[str, ...]) -> str | None:
        """Return the robot that an agent has to work with, by name; None leaves it open.

        Args:
            path: goals from the root to the agent.
        """

    def chosen(self, path: tuple[str, ...], robot: str) -> None:
        """Take note of the robot that an agent node works with.

        Args:
            path: goals from the root to the agent.
            robot: name of the robot.
        """


class AnyRobot:
    """Leaves it open which robot an agent node works with."""

    def wanted(self, path: tuple[str, ...]) -> str | None:
        """Return None."""

    def chosen(self, path: tuple[str, ...], robot: str) -> None:
        """Do nothing."""


class RobotPool:
    """The robots that are free, besides the one that the root agent node works with.

    Args:
        robots: all of them; each is taken out while an agent node works with it.
        assignments: prescribes which agent node works with which robot; None leaves it open.
    """

    def __init__(
        self, robots: Sequence[Robot] = (), assignments: Assignments | None = None
    ) -> None:
        self._free = list(robots)
        self.assignments = assignments or AnyRobot()

    def take(self, wanted: str | None = None) -> Robot | None:
        """Return a robot that is free and at rest, and take it out; None if there is none."""
        for robot in self._free:
            if wanted in (None, robot.name) and robot.executor.at_rest():
                self._free.remove(robot)
                return robot
        return None

    def give_back(self, robot: Robot) -> None:
        """Put a robot back."""
        self._free.append(robot)


class Team:
    """Who works for the children of one parallel: the robot of their parent, who waits, and others.

    When all children have ended, the others tell the parent's robot what they have seen meanwhile;
    not before, so that what an agent knows does not depend on how fast another robot is.

    Args:
        own: the parent's robot.
        pool: the others.
    """

    def __init__(self, own: Robot, pool: RobotPool) -> None:
        self._own: Robot | None = own
        self._pool = pool
        self._lent: dict[int, Robot] = {}
        self._first = own
        self._before: dict[int, Mapping[str, ObservedObject]] = {}
        self._news: dict[int, list[ObservedObject]] = {}

    def take(self, child: int, path: tuple[str, ...]) -> Robot | None:
        """Return a robot for a child; None if all are at work.

        Args:
            child: its place among its siblings.
            path: goals from the root to it.
        """
        assignments = self._pool.assignments
        wanted = assignments.wanted(path)
        robot = None
        if (
            self._own is not None
            and wanted in (None, self._first.name)
            and self._own.executor.at_rest()
        ):
            robot, self._own = self._own, None
        robot = robot or self._pool.take(wanted)
        if robot is not None:
            self._lent[child] = robot
            self._before[child] = robot.memory.situation().objects
            assignments.chosen(path, robot.name)
        return robot

    def give_back(self, child: int) -> None:
        """Take a robot back from a child that has ended; one that has none changes nothing."""
        robot = self._lent.pop(child, None)
        if robot is None:
            return
        if robot is self._first:
            self._own = robot
            return
        before, now = self._before[child], robot.memory.situation().objects
        self._news[child] = [item for name, item in now.items() if before.get(name) != item]
        self._pool.give_back(robot)

    def share(self) -> None:
        """Have the parent's robot hear what the others have seen."""
        for _, seen in sorted(self._news.items()):
            self._first.heard(seen)
        self._news.clear()

    def give_all_back(self) -> None:
        """Take all robots back."""
        for child in list(self._lent):
            self.give_back(child)
