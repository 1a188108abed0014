# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The world in which a task of the kitchen starts, with its disturbance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from reactree_ros.core.observation import SkillResult, SkillStatus
from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household.goal import GoalCheck
from reactree_ros.sim.household.truth import checked, moved_unasked, read_conditions
from reactree_ros.sim.physics.scene import TCP
from reactree_ros.sim.physics.simulation import SimulatedRobot, Simulation
from reactree_ros.sim.physics.tasks import KitchenTask, start_of
from reactree_ros.sim.physics.world import PhysicsWorld
from reactree_ros.skills.goal_conditions import Condition, ConditionError, ConditionTracker
from reactree_ros.skills.goal_conditions.language import NONE

_NEAR = 0.2
"""The hand is near a thing at this distance (m)."""
_PUSH = 0.8
"""Speed of a thing that is knocked over (m/s)."""
_PUSH_ROUND = 0.25
_TIP = 9.0
"""Rate at which it falls (rad/s)."""


class Knock:
    """Knocks a thing over, along its furniture, as soon as the hand comes near it; once.

    Args:
        name: of the thing.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._done = False

    def __call__(self, simulation: Simulation) -> None:
        """Look whether it is time; called before every step."""
        if self._done:
            return
        body = simulation.data.body(self._name)
        hand = simulation.data.site(TCP).xpos
        if float(np.linalg.norm(body.xpos - hand)) > _NEAR:
            return
        self._done = True
        description = simulation.description
        piece, _ = description.stands_on(description.on[self._name][0])
        left = np.array([-np.sin(piece.yaw), np.cos(piece.yaw), 0.0])
        # Towards the middle of the furniture, so that it stays there.
        side = -1.0 if (body.xpos[:2] - np.array(piece.at)) @ left[:2] > 0 else 1.0
        round_one = description.things[self._name].shape == 'sphere'
        along = side * left * (_PUSH_ROUND if round_one else _PUSH)
        spin = np.cross([0.0, 0.0, 1.0], side * left) * _TIP
        first = int(simulation.model.joint(self._name).dofadr[0])
        # A free joint turns in the frame of its body.
        turned = body.xmat.reshape(3, 3).T @ spin
        simulation.data.qvel[first : first + 6] = [*along, *turned]


def disturbance_of(task: KitchenTask) -> Callable[[Simulation], None] | None:
    """Return what disturbs a task, called before every step; None if nothing does."""
    return Knock(task.knock) if task.knock else None


class KitchenTaskWorld(PhysicsWorld):
    """A world in which a task starts, which follows in which order its conditions become true.

    Args:
        task: the task.
        seed: of where things stand, of the camera's errors and of all motions.
        robot: the robot in the world of ``start_of``; None makes both.

    Raises:
        ConfigurationError: the task's conditions do not fit its world.
    """

    def __init__(
        self, task: KitchenTask, seed: int = 0, robot: SimulatedRobot | None = None
    ) -> None:
        super().__init__(start_of(task, seed), task.error, seed, disturbance_of(task), robot)
        self._task = task
        goal = [one for one in self._read(task.conditions) if not one.asks]
        guards = self._read(task.guards)
        self._once, self._never = self._read(task.once), self._read(task.never)
        self._named = (*goal, *guards)
        self._goal, self._guards, self._passing = (
            ConditionTracker(conditions, self.library, complete=True)
            for conditions in (goal, guards, (*self._once, *self._never))
        )
        self._held: set[str] = set()
        self._note()

    def execute(
        self, skill: str, arguments: Sequence[str], stop: Callable[[], bool] = lambda: False
    ) -> SkillResult:
        """Carry out one skill; see ``PhysicsWorld``."""
        result = super().execute(skill, arguments, stop)
        if result.status is not SkillStatus.REFUSED:  # what failed, or was canceled, moved things
            self._note(settled=result.status is SkillStatus.SUCCEEDED)
        return result

    def judge(self) -> GoalCheck:
        """Return which conditions of the task hold; what went wrong besides is one that does not.

        The answer to a question is not among them; see ``household.judged``.
        """
        now = self.true_situation()
        found = checked(self._goal, now)
        wrong = [*checked(self._guards, now).unsatisfied]
        wrong += [f'{one.text} (at no time)' for one in self._once if one.text not in self._held]
        wrong += [f'not {one.text} (at some time)' for one in self._never if one.text in self._held]
        if self._task.strict:
            wrong += moved_unasked(self._first, now, self._named)
        return replace(found, unsatisfied=(*found.unsatisfied, *wrong))

    def _note(self, settled: bool = True) -> None:
        now = self.true_situation(settled)
        self._goal.update(now)
        self._guards.update(now)
        self._held.update(checked(self._passing, now).satisfied)

    def _read(self, lines: Sequence[str]) -> tuple[Condition, ...]:
        try:
            return read_conditions('; '.join(lines) or NONE, self._first, self.library)
        except ConditionError as error:
            raise ConfigurationError(f'the goal of task {self._task.id}: {error}') from error
