# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Control-flow nodes as py_trees composites (paper, Algorithm 2).

==================  ==============================  ==========================================
control flow        composite                       ends
==================  ==============================  ==========================================
sequence            ``Sequence(memory=True)``       at the first failure
fallback            ``Selector(memory=True)``       at the first success
parallel            ``VotingParallel``              when every child has ended, by a vote
==================  ==============================  ==========================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, runtime_checkable

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from reactree_ros.behaviours.robots import Robot, Team
from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.vote import VotePolicy, vote

_ENDED = (Status.SUCCESS, Status.FAILURE)


@runtime_checkable
class Worker(Protocol):
    """A child that works with a robot."""

    path: tuple[str, ...]
    robot_named: str
    """The robot that it has to be; empty for any."""

    @property
    def gave_up(self) -> bool:
        """Whether it ended because its agent said that the goal cannot be reached."""

    def assign_robot(self, robot: Robot) -> None:
        """Use this robot; called before the first tick."""


class VotingParallel(py_trees.composites.Parallel):
    """Runs every child to its end, as many at a time as there are robots, then lets them vote.

    It is a Parallel to viewers and displays, but not to the tick: py_trees' own stops all
    siblings at the first failure and ticks all of them at the same time. Here each has a robot
    for itself, and waits until one is free. A child that fails because its robot has failed or
    left has no vote: another one takes its place once, with another robot. So it is with a child
    whose agent gave up, as long as there are robots with other skills, unless it named its robot.

    =======  ===================================================================
    RUNNING  a child is running, or the parent's robot, which was lent, works for others
    SUCCESS  every child has ended and the vote says so
    FAILURE  every child has ended and the vote says otherwise
    =======  ===================================================================

    Args:
        name: name of the node.
        vote_policy: the rule of the vote.
        children: at least one.
        team: who works for the children; None runs them one after another.
        again: makes the child of a place once more, for another robot; None for never.
    """

    def __init__(
        self,
        name: str,
        vote_policy: VotePolicy,
        children: Sequence[Behaviour] | None = None,
        team: Team | None = None,
        again: Callable[[int], Behaviour] | None = None,
    ) -> None:
        super().__init__(
            name=name,
            policy=py_trees.common.ParallelPolicy.SuccessOnAll(synchronise=False),
            children=list(children) if children is not None else None,
        )
        self.vote_policy = vote_policy
        self._team = team
        self._again = again
        self._origins = list(range(len(self.children)))
        self._replaced: set[int] = set()
        self._lost: set[int] = set()

    def tick(self) -> Iterator[Behaviour]:
        """Tick every running child, and start as many more as there are robots."""
        if self.status != Status.RUNNING:
            self.current_child = None
            self.initialise()
        running = False
        for place, child in enumerate(self.children):
            if child.status in _ENDED:
                continue
            if child.status != Status.RUNNING and not self._may_start(place, child, running):
                continue
            self.current_child = child
            yield from child.tick()
            running = running or child.status == Status.RUNNING
            if child.status in _ENDED and self._team is not None:
                self._give_to_another(place, child, self._team)
                self._team.give_back(place)
        if self._team is not None and not self._waits_for_own(self._team):
            self._team.lend()
        ended = all(child.status in _ENDED for child in self.children)
        if not ended or not (self._team is None or self._team.is_together()):
            self.status = Status.RUNNING
            yield self
            return
        results = [
            child.status == Status.SUCCESS
            for place, child in enumerate(self.children)
            if place not in self._replaced
        ]
        succeeded = vote(results, self.vote_policy)
        self.feedback_message = f'{sum(results)} of {len(results)} succeeded'
        self.stop(Status.SUCCESS if succeeded else Status.FAILURE)
        yield self

    @property
    def is_robot_away(self) -> bool:
        """Whether the robot of the agent above works for others."""
        return self._team is not None and self._team.is_own_away

    def stop(self, new_status: Status = Status.INVALID) -> None:
        """Stop what is under way, and take the robots back."""
        super().stop(new_status)
        if self._team is not None:
            self._team.give_all_back()

    def _give_to_another(self, place: int, child: Behaviour, team: Team) -> None:
        if child.status != Status.FAILURE or self._again is None or not isinstance(child, Worker):
            return
        origin = self._origins[place]
        lost = team.has_lost(place) and team.can_go_on and origin not in self._lost
        unfit = child.gave_up and not child.robot_named and team.has_others(place)
        if lost:
            self._lost.add(origin)
        if lost or unfit:
            team.pass_on(place, len(self.children), unfit)
            self._replaced.add(place)
            self._origins.append(origin)
            self.add_child(self._again(origin))

    def _waits_for_own(self, team: Team) -> bool:
        """Return whether a child that has not started may still get the parent's robot."""
        waiting = [place for place, one in enumerate(self.children) if one.status == Status.INVALID]
        return any(team.needs_own(place, self._named(place)) for place in waiting)

    def _named(self, place: int) -> str:
        child = self.children[place]
        return child.robot_named if isinstance(child, Worker) else ''

    def _may_start(self, place: int, child: Behaviour, running: bool) -> bool:
        """Find a robot for a child that has not started; return whether there is one."""
        if self._team is None or not isinstance(child, Worker):
            return not running
        robot = self._team.take(place, child.path, child.robot_named)
        if robot is not None:
            child.assign_robot(robot)
        return robot is not None


def build_control_flow(
    control_flow: ControlFlow,
    children: Sequence[Behaviour],
    vote_policy: VotePolicy,
    team: Team | None = None,
    again: Callable[[int], Behaviour] | None = None,
) -> py_trees.composites.Composite:
    """Return the composite of a control flow over agent nodes; see ``VotingParallel``."""
    name = f'{control_flow.value} of {len(children)}'
    if control_flow is ControlFlow.SEQUENCE:
        return py_trees.composites.Sequence(name=name, memory=True, children=list(children))
    if control_flow is ControlFlow.FALLBACK:
        return py_trees.composites.Selector(name=name, memory=True, children=list(children))
    return VotingParallel(name, vote_policy, children, team, again)
