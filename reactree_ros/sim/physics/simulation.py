# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The physics and the robot's controllers: what a real robot's drivers would do.

Whoever calls ``advance`` owns the physics; nothing here starts a thread.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from reactree_ros.sim.physics.description import Description
from reactree_ros.sim.physics.geometry import Pose, Vector
from reactree_ros.sim.physics.robot import OPEN_WIDTH, READY, Ending, Gripped, Moved, Sight
from reactree_ros.sim.physics.scene import (
    ARM_JOINTS,
    BASE_JOINTS,
    FINGER_JOINTS,
    GRIPPER,
    build,
    openings_of,
    set_start,
)
from reactree_ros.sim.physics.seeing import Camera
from reactree_ros.sim.physics.trajectory import Trajectory

_SETTLE_SEC = 1.0
"""What is not where it should be so long after the end of a trajectory is blocked."""
_STALL_SEC = 0.25
_FINGER_SPEED = 0.05
"""Of each (m/s)."""


class Simulation:
    """A world in motion, with position controllers of arm, fingers and base.

    Args:
        description: the world.
        before: called with the simulation before every step, for disturbances.
    """

    def __init__(
        self, description: Description, before: Callable[[Simulation], None] | None = None
    ) -> None:
        self.description = description
        self.model = build(description)
        self.data = mujoco.MjData(self.model)
        self._before = before
        self._arm = [int(self.model.joint(name).qposadr[0]) for name in ARM_JOINTS]
        self._fingers = [int(self.model.joint(name).qposadr[0]) for name in FINGER_JOINTS]
        self._base = [int(self.model.joint(name).qposadr[0]) for name in BASE_JOINTS]
        self._base_dofs = [int(self.model.joint(name).dofadr[0]) for name in BASE_JOINTS]
        self._dofs = [int(self.model.joint(name).dofadr[0]) for name in ARM_JOINTS]
        self._arm_servos = [self.model.actuator(name).id for name in ARM_JOINTS]
        self._base_servos = [self.model.actuator(name).id for name in BASE_JOINTS]
        self._finger_bodies = [
            int(self.model.jnt_bodyid[self.model.joint(name).id]) for name in FINGER_JOINTS
        ]
        self._gripper = self.model.actuator(GRIPPER).id
        self.stop: Callable[[], bool] = lambda: False
        """Asked every few milliseconds; if it says so, the motion that runs comes to rest."""
        self.reset()

    def reset(self) -> None:
        """Put everything where it starts, and let it come to rest."""
        set_start(self.model, self.data, self.description)
        self.data.qpos[self._arm] = READY
        self.data.qpos[self._fingers] = OPEN_WIDTH / 2
        self.data.ctrl[self._arm_servos] = READY
        self.data.ctrl[self._gripper] = OPEN_WIDTH / 2
        self.data.ctrl[self._base_servos] = self.data.qpos[self._base]
        mujoco.mj_forward(self.model, self.data)
        self.advance(0.5)

    # What the robot measures.

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return float(self.data.time)

    @property
    def arm(self) -> Vector:
        """Joint angles of the arm (rad)."""
        return np.array(self.data.qpos[self._arm])

    @property
    def width(self) -> float:
        """Between the fingers (m)."""
        return float(self.data.qpos[self._fingers].sum())

    @property
    def base(self) -> Vector:
        """x, y (m) and yaw (rad) of the base."""
        return np.array(self.data.qpos[self._base])

    # The truth, which no robot measures.

    def poses(self) -> dict[str, Pose]:
        """Return where all things are."""
        found = {}
        for name in self.description.things:
            body = self.data.body(name)
            found[name] = Pose(body.xmat.reshape(3, 3).copy(), body.xpos.copy())
        return found

    def openings(self) -> dict[str, float]:
        """Return how far drawers and doors are open, by the names of their joints (m or rad)."""
        joints = openings_of(self.description)
        return {joint: float(self.data.joint(joint).qpos[0]) for joint in joints}

    def in_hand(self) -> str:
        """Return the name of the thing that both fingers touch; empty if there is none."""
        touched: dict[int, set[int]] = {finger: set() for finger in self._finger_bodies}
        for number in range(self.data.ncon):
            pair = self.model.geom_bodyid[self.data.contact[number].geom]
            for body, other in (pair, pair[::-1]):
                if body in touched:
                    touched[body].add(int(other))
        both = set.intersection(*touched.values())
        for name in self.description.things:
            if self.model.body(name).id in both:
                return name
        return ''

    # Motions.

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(seconds / self.model.opt.timestep)):
            self._step()

    def _step(self) -> None:
        if self._before is not None:
            self._before(self)
        mujoco.mj_step(self.model, self.data)

    def follow(
        self, trajectory: Trajectory, *, tolerance: float = 0.12, goal_tolerance: float = 0.02
    ) -> Moved:
        """Move the arm along a trajectory.

        Args:
            trajectory: joint angles of the arm over time.
            tolerance: farther than this from it (rad), the motion is blocked.
            goal_tolerance: nearer than this to its end (rad), it is reached.
        """
        return self._track(
            trajectory, self._arm, self._dofs, self._arm_servos, tolerance, goal_tolerance
        )

    def drive(self, trajectory: Trajectory, *, tolerance: float = 0.1) -> Moved:
        """Move the base along a trajectory of x, y and yaw."""
        return self._track(
            trajectory, self._base, self._base_dofs, self._base_servos, tolerance, 0.02
        )

    def _track(
        self,
        trajectory: Trajectory,
        joints: list[int],
        dofs: list[int],
        servos: list[int],
        tolerance: float,
        goal_tolerance: float,
    ) -> Moved:
        gains = self.model.actuator_gainprm[servos, 0]
        lead = -self.model.actuator_biasprm[servos, 2] / gains
        start = self.time
        while True:
            now = self.time - start
            wanted, speed = trajectory.at(now)
            # A servo with damping lags behind: its command is where to be a moment later.
            self.data.ctrl[servos] = wanted + lead * speed
            if self.stop():
                self._rest(joints, servos)
                return Moved(Ending.CANCELED)
            self._step()
            error = float(np.abs(self.data.qpos[joints] - wanted).max())
            if error > tolerance:
                self._rest(joints, servos)
                return Moved(Ending.BLOCKED, error)
            if now < trajectory.duration:
                continue
            still = float(np.abs(self.data.qvel[dofs]).max()) < 0.05
            if error < goal_tolerance and still:
                return Moved(Ending.REACHED, error)
            if now > trajectory.duration + _SETTLE_SEC:
                self._rest(joints, servos)
                return Moved(Ending.BLOCKED, error)

    def _rest(self, joints: list[int], servos: list[int]) -> None:
        """Hold what is moving where it is."""
        self.data.ctrl[servos] = self.data.qpos[joints]
        self.advance(0.1)
        self.data.ctrl[servos] = self.data.qpos[joints]

    def grip(self, width: float, effort: float = 20.0) -> Gripped:
        """Move the fingers.

        Args:
            width: between them (m).
            effort: largest force of each finger (N).
        """
        # The tendon pulls both fingers: each gets half of its force.
        self.model.actuator_forcerange[self._gripper] = (-2 * effort, 2 * effort)
        start, since = self.time, self.time
        before = self.width
        target = self.width / 2
        while self.time - start < 2.0:
            if self.stop():
                self.data.ctrl[self._gripper] = self.width / 2
                self.advance(0.1)
                return Gripped(self.width, canceled=True)
            # They close slowly, so that they do not bang into what is between them.
            step = _FINGER_SPEED * self.model.opt.timestep
            target = max(width / 2, target - step) if target > width / 2 else width / 2
            self.data.ctrl[self._gripper] = target
            self._step()
            now = self.width
            if abs(now - before) > 2e-4:
                before, since = now, self.time
            if abs(now - width) < 1e-3 or self.time - since > _STALL_SEC:
                break
        self.data.ctrl[self._gripper] = width / 2
        return Gripped(self.width, abs(self.width - width) > 3e-3)


class SimulatedRobot(Simulation):
    """A robot in a simulation, with its camera.

    Args:
        description: the world.
        error: of the positions that the camera reports (m).
        seed: of the errors.
        before: called before every step, for disturbances.
    """

    def __init__(
        self,
        description: Description,
        error: float = 0.0,
        seed: int = 0,
        before: Callable[[Simulation], None] | None = None,
    ) -> None:
        super().__init__(description, before)
        self._camera = Camera(self.model, description, error, seed)

    def look(self) -> Sight:
        """Look with the head camera."""
        mujoco.mj_forward(self.model, self.data)
        return self._camera.look(self.data)
