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
        """Return whether every skill that was started has ended.

        One whose stop the robot did not confirm in time has; ``execution.claims`` waits for it.
        """


@dataclass(eq=False)
class Robot:
    """One robot, and what it and the robots of its run have seen.

    Args:
        name: its name; empty if there is only one.
        skills: name of its skill library.
        executor: starts its skills.
        memory: its working memory, read-only.
        update: adds an observation to its working memory, and to those of the others.
        claim: lets the others know what its running skill is about; nothing when it has ended.
        lost: it has failed or left: it gets no subgoal in this run any more.
    """

    name: str
    skills: str
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

    def has_turn(self, robot: str) -> bool:
        """Return whether it is a robot's turn to observe, or its agent's to decide."""
        return True

    def took_turn(self, robot: str) -> None:
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
        self._tried: dict[int, frozenset[str]] = {}

    def take(self, child: int, path: tuple[str, ...], named: str = '') -> Robot | None:
        """Return a robot that is free and at rest for the child of a place; None if none is.

        Args:
            child: its place.
            path: goals from the root to it.
            named: the robot that it has to be, unless that one is lost; empty for any.
        """
        wanted = self._assignments.wanted(path)
        fit = self._fit(child, named)
        for robot in ([self._own] if self._own_is_here else []) + self._free:
            if robot in fit and wanted in (None, robot.name) and robot.executor.at_rest():
                self._remove(robot)
                self._lent[child] = robot
                self._assignments.chosen(path, robot.name)
                return robot
        return None

    def needs_own(self, child: int, named: str) -> bool:
        """Return whether a child that waits could do with the parent's robot."""
        return self._own in self._fit(child, named)

    def _fit(self, child: int, named: str) -> list[Robot]:
        """Return the robots that a child may get, whether they are free or not."""
        # with nobody left, whoever tries it says why it cannot be done
        left = [one for one in self._everyone if not one.lost] or list(self._everyone)
        tried = self._tried.get(child, frozenset())
        return (
            [one for one in left if one.name == named]
            or [one for one in left if one.skills not in tried]
            or left
        )

    @property
    def can_go_on(self) -> bool:
        """Whether a robot is left."""
        return not all(robot.lost for robot in self._everyone)

    def has_lost(self, child: int) -> bool:
        """Return whether the robot of a child, which it still has, has failed or left."""
        return child in self._lent and self._lent[child].lost

    def has_others(self, child: int) -> bool:
        """Return whether a child may get a robot with skills that it has not tried by now."""
        tried = self._tried_by(child)
        left = (one for one in self._everyone if not one.lost and one.skills not in tried)
        return self._lends and any(left)

    def pass_on(self, child: int, to: int, unfit: bool) -> None:
        """Let a child take the place of another, and not get the skills that were unfit there."""
        self._tried[to] = self._tried_by(child) if unfit else self._tried.get(child, frozenset())

    def _tried_by(self, child: int) -> frozenset[str]:
        return self._tried.get(child, frozenset()) | {self._lent[child].skills}

    def give_back(self, child: int) -> None:
        """Take a robot back from a child that has ended; one that has none changes nothing."""
        robot = self._lent.pop(child, None)
        if robot is self._own and not self._is_lending:
            self._own_is_here = True
        elif robot is not None:
            self._free.append(robot)

    def give_all_back(self) -> None:
        """Take all robots back, the parent's among them if nobody has it."""
        for child in list(self._lent):
            self.give_back(child)
        self._take_own()

    @property
    def is_own_away(self) -> bool:
        """Whether the parent's robot works for others."""
        return self._is_lending and self._own not in self._free

    def lend(self) -> None:
        """Let the parent's robot work for others: no child is left that waits for it."""
        if self._lends and self._own_is_here and len(self._everyone) > 1:
            self._own_is_here, self._is_lending = False, True
            self._free.append(self._own)

    def is_together(self) -> bool:
        """Return whether the parent can continue with its robot, or with another if it is lost."""
        self._take_own()
        alike = [one for one in self._everyone if not one.lost and one.skills == self._own.skills]
        if not self._own_is_here or not (self._own.lost and alike):
            return self._own_is_here
        for other in self._free:
            if other in alike and other.executor.at_rest():
                self._own.trade_places(other)
                return True
        return False

    def _take_own(self) -> None:
        if self._is_lending and self._own in self._free:
            self._free.remove(self._own)
            self._own_is_here, self._is_lending = True, False

    def _remove(self, robot: Robot) -> None:
        if robot in self._free:
            self._free.remove(robot)
        else:
            self._own_is_here = False
