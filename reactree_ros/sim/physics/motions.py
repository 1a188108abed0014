# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Motions of a simulated robot, step by step: what its controllers do.

Several may run at once, of different joints. Whoever steps the physics asks each of them before
and after every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from reactree_ros.sim.physics.geometry import Vector
from reactree_ros.sim.physics.robot import Ending, Gripped, Moved
from reactree_ros.sim.physics.trajectory import Trajectory

if TYPE_CHECKING:
    from reactree_ros.sim.physics.simulation import Simulation

Ended = TypeVar('Ended', Moved, Gripped)
_REST_SEC = 0.1
"""What is stopped is given so long to come to rest."""
_STALL_SEC = 0.25
_GRIP_SEC = 2.0
_FINGER_SPEED = 0.05
"""Of each (m/s)."""


class Motion(Protocol[Ended]):
    """A motion that is under way.

    Attributes:
        ended: how it ended; None as long as it has not.
    """

    ended: Ended | None

    def before_step(self) -> None:
        """Set the controls for the next step."""

    def after_step(self) -> None:
        """Look what the step has done."""

    def cancel(self) -> None:
        """Come to rest; it ends a moment later."""


@dataclass(frozen=True)
class Joints:
    """Where some joints stand in MuJoCo's arrays.

    Args:
        positions: in ``qpos``.
        speeds: in ``qvel``.
        servos: in ``ctrl``.
    """

    positions: list[int]
    speeds: list[int]
    servos: list[int]


@dataclass(frozen=True)
class Tolerance:
    """How far joints may be from where they should be, each the same or one by one (rad or m).

    Args:
        path: on the way; farther away, the motion is blocked.
        goal: at the end; nearer, it is reached.
        settle_sec: so long after its end the joints have to be there.
    """

    path: float | Vector
    goal: float | Vector
    settle_sec: float = 1.0


ARM_TOLERANCE = Tolerance(0.12, 0.02)
BASE_TOLERANCE = Tolerance(0.1, 0.02)


class Tracking:
    """Joints follow a trajectory.

    Args:
        simulation: the physics.
        trajectory: over time, from the next step on.
        joints: which.
        tolerance: how well they follow.

    Attributes:
        blocked_at_end: it was blocked at its end, not on its way.
    """

    def __init__(
        self, simulation: Simulation, trajectory: Trajectory, joints: Joints, tolerance: Tolerance
    ) -> None:
        self.ended: Moved | None = None
        self.blocked_at_end = False
        self.trajectory = trajectory
        self._simulation = simulation
        self._joints = joints
        self._tolerance = tolerance
        self._start = -1.0
        self._wanted = trajectory.positions[0]
        self._resting: tuple[Moved, float] | None = None
        gains = simulation.model.actuator_gainprm[joints.servos, 0]
        self._lead = -simulation.model.actuator_biasprm[joints.servos, 2] / gains

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return max(0.0, self._simulation.time - self._start) if self._start >= 0 else 0.0

    def state(self) -> tuple[Vector, Vector]:
        """Return where the joints should be, and where they are."""
        data = self._simulation.data
        return np.array(self._wanted), np.array(data.qpos[self._joints.positions])

    def before_step(self) -> None:
        """Set the servos to where the joints should be."""
        if self._resting is not None:
            return
        if self._start < 0:
            self._start = self._simulation.time
        self._wanted, speed = self.trajectory.at(self._simulation.time - self._start)
        # A servo with damping lags behind: its command is where to be a moment later.
        self._simulation.data.ctrl[self._joints.servos] = self._wanted + self._lead * speed

    def after_step(self) -> None:
        """End when the joints are there, or cannot be."""
        data, now = self._simulation.data, self._simulation.time - self._start
        if self._resting is not None:
            ending, until = self._resting
            if self._simulation.time >= until:
                self._hold()
                self.ended = ending
            return
        # The motion began a step ago.
        before = now - self._simulation.model.opt.timestep
        error = np.abs(data.qpos[self._joints.positions] - self._wanted)
        worst = float(error.max())
        if np.any(error > self._tolerance.path):
            self._rest(Moved(Ending.BLOCKED, worst))
        elif before >= self.trajectory.duration:
            still = float(np.abs(data.qvel[self._joints.speeds]).max()) < 0.05
            if np.all(error < self._tolerance.goal) and still:
                self.ended = Moved(Ending.REACHED, worst)
            elif before > self.trajectory.duration + self._tolerance.settle_sec:
                self.blocked_at_end = True
                self._rest(Moved(Ending.BLOCKED, worst))

    def cancel(self) -> None:
        """Hold the joints where they are."""
        if self._resting is None and self.ended is None:
            self._rest(Moved(Ending.CANCELED))

    def _rest(self, ending: Moved) -> None:
        self._resting = ending, self._simulation.time + _REST_SEC
        self._hold()

    def _hold(self) -> None:
        data = self._simulation.data
        data.ctrl[self._joints.servos] = data.qpos[self._joints.positions]


class Gripping:
    """The fingers move to a width, or until something keeps them from it.

    Args:
        simulation: the physics.
        width: between them (m).
        effort: largest force of each finger (N).
        servo: their actuator.
    """

    def __init__(self, simulation: Simulation, width: float, effort: float, servo: int) -> None:
        self.ended: Gripped | None = None
        self._simulation = simulation
        self._wanted = width
        self._effort = effort
        self._servo = servo
        self._start = self._since = -1.0
        self._before = self._target = 0.0
        self._resting_until: float | None = None

    def before_step(self) -> None:
        """Close or open slowly, so that the fingers do not bang into what is between them."""
        simulation, half = self._simulation, self._wanted / 2
        if self._resting_until is not None:
            return
        if self._start < 0:
            self._start = self._since = simulation.time
            self._before = simulation.width
            self._target = simulation.width / 2
            # The tendon pulls both fingers: each gets half of its force.
            simulation.model.actuator_forcerange[self._servo] = (
                -2 * self._effort,
                2 * self._effort,
            )
        step = _FINGER_SPEED * simulation.model.opt.timestep
        self._target = max(half, self._target - step) if self._target > half else half
        simulation.data.ctrl[self._servo] = self._target

    def after_step(self) -> None:
        """End when they are there, or no longer move."""
        simulation, width = self._simulation, self._simulation.width
        if self._resting_until is not None:
            if simulation.time >= self._resting_until:
                self.ended = Gripped(width, canceled=True)
            return
        if abs(width - self._before) > 2e-4:
            self._before, self._since = width, simulation.time
        there = abs(width - self._wanted) < 1e-3
        stalled = simulation.time - self._since > _STALL_SEC
        if there or stalled or simulation.time - self._start >= _GRIP_SEC:
            simulation.data.ctrl[self._servo] = self._wanted / 2
            self.ended = Gripped(width, abs(width - self._wanted) > 3e-3)

    def cancel(self) -> None:
        """Hold the fingers where they are."""
        if self._resting_until is None and self.ended is None:
            self._resting_until = self._simulation.time + _REST_SEC
            self._simulation.data.ctrl[self._servo] = self._simulation.width / 2
