# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Several robots for one planner: each works for one agent node at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
        update: adds an observation to its working memory.
        merge: adds objects that another robot has seen.
    """

    name: str
    executor: RestingExecutor
    memory: MemoryReader
    update: Callable[[Observation], None]
    merge: Callable[[Iterable[ObservedObject]], None]


class Assignments:
    """Which robot each agent node gets: any, unless a subclass prescribes or records it.

    Paths hold the goals from the root to the agent node.
    """

    def wanted(self, path: tuple[str, ...]) -> str | None:
        """Return the name of the robot that an agent node has to get; None for any."""
        return None

    def chosen(self, path: tuple[str, ...], robot: str) -> None:
        """Take note of the robot that an agent node gets."""


class Team:
    """The robots of the children of one parallel: that of their parent, which waits, and others.

    When all children have ended, the parent's robot learns what the others have seen meanwhile;
    not before, so that what an agent knows does not depend on how fast another robot is.

    Args:
        own: the parent's robot.
        free: the others; each is taken out while an agent node works with it.
        assignments: which agent node gets which robot.
    """

    def __init__(self, own: Robot, free: list[Robot], assignments: Assignments) -> None:
        self._own = own
        self._own_is_free = True
        self._free = free
        self._assignments = assignments
        self._lent: dict[int, Robot] = {}
        self._before: dict[int, Mapping[str, ObservedObject]] = {}
        self._news: dict[int, list[ObservedObject]] = {}

    def take(self, child: int, path: tuple[str, ...]) -> Robot | None:
        """Return a robot that is free and at rest for the child of a place; None if none is."""
        wanted = self._assignments.wanted(path)
        for robot in ([self._own] if self._own_is_free else []) + self._free:
            if wanted in (None, robot.name) and robot.executor.at_rest():
                if robot is self._own:
                    self._own_is_free = False
                else:
                    self._free.remove(robot)
                self._lent[child] = robot
                self._before[child] = robot.memory.situation().objects
                self._assignments.chosen(path, robot.name)
                return robot
        return None

    def give_back(self, child: int) -> None:
        """Take a robot back from a child that has ended; one that has none changes nothing."""
        robot = self._lent.pop(child, None)
        if robot is self._own:
            self._own_is_free = True
        elif robot is not None:
            before, now = self._before[child], robot.memory.situation().objects
            self._news[child] = [item for name, item in now.items() if before.get(name) != item]
            self._free.append(robot)

    def share(self) -> None:
        """Add what the others have seen to the memory of the parent's robot."""
        for _, seen in sorted(self._news.items()):
            self._own.merge(seen)
        self._news.clear()

    def give_all_back(self) -> None:
        """Take all robots back."""
        for child in list(self._lent):
            self.give_back(child)
