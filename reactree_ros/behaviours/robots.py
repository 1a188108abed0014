# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Several robots for one planner: each works for one agent node at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from reactree_ros.core.memory_reader import MemoryReader
from reactree_ros.core.observation import Observation
from reactree_ros.skills.executor import SkillExecutor


class RestingExecutor(SkillExecutor, Protocol):
    """A skill executor that knows whether the robot has come to rest."""

    def at_rest(self) -> bool:
        """Return whether every skill that was started has ended and the robot confirmed it."""


@dataclass(eq=False)
class Robot:
    """One robot, and what it and the robots of its run have seen.

    Args:
        name: its name; empty if there is only one.
        executor: starts its skills.
        memory: its working memory, read-only.
        update: adds an observation to its working memory, and to those of the others.
        claim: lets the others know what its running skill is about; nothing when it has ended.
        lost: it has failed or left: it gets no subgoal in this run any more.
    """

    name: str
    executor: RestingExecutor
    memory: MemoryReader
    update: Callable[[Observation], None]
    claim: Callable[[Sequence[str]], None]
    lost: bool = False

    def trade_places(self, other: Robot) -> None:
        """Let another robot work from now on for all that work with this one, and this for it."""
        own, others = dict(vars(self)), dict(vars(other))
        vars(self).update(others)
        vars(other).update(own)


class Assignments:
    """Which robot each agent node gets, and in which order robots observe and their agents decide.

    Any, unless a subclass prescribes or records it. Paths hold the goals from the root to the
    agent node.
    """

    def wanted(self, path: tuple[str, ...]) -> str | None:
        """Return the name of the robot that an agent node has to get; None for any."""
        return None

    def chosen(self, path: tuple[str, ...], robot: str) -> None:
        """Take note of the robot that an agent node gets."""

    def may_go_on(self, robot: str) -> bool:
        """Return whether it is a robot's turn to observe, or its agent's to decide."""
        return True

    def went_on(self, robot: str) -> None:
        """Take note that a robot has observed something, or its agent was asked to decide."""


class Team:
    """The robots of the children of one parallel: that of their parent, which waits, and others.

    Args:
        own: the parent's robot.
        free: robots that nobody works with; each is taken out while an agent node works with it.
        everyone: all robots of the run.
        assignments: which agent node gets which robot.
        lends: the parent's robot may work for others as long as no child needs it.
    """

    def __init__(
        self,
        own: Robot,
        free: list[Robot],
        everyone: Sequence[Robot],
        assignments: Assignments,
        lends: bool = True,
    ) -> None:
        self._own = own
        self._own_is_here = True
        self._free = free
        self._everyone = everyone
        self._assignments = assignments
        self._lends = lends
        self._is_lending = False
        self._lent: dict[int, Robot] = {}

    def take(self, child: int, path: tuple[str, ...]) -> Robot | None:
        """Return a robot that is free and at rest for the child of a place; None if none is."""
        wanted = self._assignments.wanted(path)
        for robot in ([self._own] if self._own_is_here else []) + self._free:
            # with nobody left, whoever tries it says why it cannot be done
            fit = not robot.lost or not self.can_go_on
            if fit and wanted in (None, robot.name) and robot.executor.at_rest():
                self._remove(robot)
                self._lent[child] = robot
                self._assignments.chosen(path, robot.name)
                return robot
        return None

    @property
    def can_go_on(self) -> bool:
        """Whether a robot is left."""
        return not all(robot.lost for robot in self._everyone)

    def has_lost(self, child: int) -> bool:
        """Return whether the robot of a child, which it still has, has failed or left."""
        return child in self._lent and self._lent[child].lost

    def give_back(self, child: int) -> None:
        """Take a robot back from a child that has ended; one that has none changes nothing."""
        robot = self._lent.pop(child, None)
        if robot is self._own and not self._is_lending:
            self._own_is_here = True
        elif robot is not None:
            self._free.append(robot)

    def give_all_back(self) -> None:
        """Take all robots back."""
        for child in list(self._lent):
            self.give_back(child)

    def lend(self) -> None:
        """Let the parent's robot work for others: no child is left that waits for one."""
        if self._lends and self._own_is_here and len(self._everyone) > 1:
            self._own_is_here, self._is_lending = False, True
            self._free.append(self._own)

    def is_together(self) -> bool:
        """Return whether the parent can continue with its robot, or with another if it is lost."""
        if self._is_lending and self._own in self._free:
            self._free.remove(self._own)
            self._own_is_here, self._is_lending = True, False
        if not self._own_is_here or not (self._own.lost and self.can_go_on):
            return self._own_is_here
        for other in self._free:
            if not other.lost and other.executor.at_rest():
                self._own.trade_places(other)
                return True
        return False

    def _remove(self, robot: Robot) -> None:
        if robot in self._free:
            self._free.remove(robot)
        else:
            self._own_is_here = False
