# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The physics and the robot's controllers: what a real robot's drivers would do.

Whoever calls ``advance`` owns the physics; nothing here starts a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from reactree_ros.sim.physics.description import Description
from reactree_ros.sim.physics.geometry import Pose, Vector
from reactree_ros.sim.physics.motions import (
    ARM_TOLERANCE,
    BASE_TOLERANCE,
    Ended,
    Gripping,
    Joints,
    Motion,
    Tolerance,
    Tracking,
)
from reactree_ros.sim.physics.robot import OPEN_WIDTH, READY, Gripped, Moved, Sight
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


@dataclass(frozen=True)
class JointReading:
    """What is measured at joints.

    Args:
        time: of the simulation (s).
        positions: rad or m.
        speeds: rad/s or m/s.
        efforts: Nm or N.
    """

    time: float
    positions: Vector
    speeds: Vector
    efforts: Vector


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
        self._finger_dofs = [int(self.model.joint(name).dofadr[0]) for name in FINGER_JOINTS]
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

    def limits(self, joints: Sequence[str]) -> Vector:
        """Return the lowest and the highest position of joints, n x 2 (rad or m)."""
        found = [self.model.joint(name) for name in joints]
        return np.array(
            [one.range if self.model.jnt_limited[one.id] else (-np.inf, np.inf) for one in found]
        )

    def base_speed(self) -> Vector:
        """Speed of the base along x and y (m/s) and around z (rad/s)."""
        return np.array(self.data.qvel[self._base_dofs])

    def joint_state(self) -> JointReading:
        """Return what is measured at the joints of the arm, then of fingers and base."""
        joints = [*self._arm, *self._fingers, *self._base]
        dofs = [*self._dofs, *self._finger_dofs, *self._base_dofs]
        force = self.finger_force()
        arm, base = (self.data.actuator_force[one] for one in (self._arm_servos, self._base_servos))
        return JointReading(
            self.time,
            np.array(self.data.qpos[joints]),
            np.array(self.data.qvel[dofs]),
            np.array([*arm, force, force, *base]),
        )

    def finger_force(self) -> float:
        """Return the force of each finger (N)."""
        return abs(float(self.data.actuator_force[self._gripper])) / 2

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
            self.step()

    def step(self) -> None:
        """Let one time step pass."""
        if self._before is not None:
            self._before(self)
        mujoco.mj_step(self.model, self.data)

    def follow(self, trajectory: Trajectory) -> Moved:
        """Move the arm along a trajectory of joint angles (rad)."""
        return self.carry_out(self.following(trajectory))

    def drive(self, trajectory: Trajectory) -> Moved:
        """Move the base along a trajectory of x, y (m) and yaw (rad)."""
        return self.carry_out(self.driving(trajectory))

    def grip(self, width: float, effort: float = 20.0) -> Gripped:
        """Move the fingers; see ``Robot``."""
        return self.carry_out(self.gripping(width, effort))

    def following(self, trajectory: Trajectory, tolerance: Tolerance = ARM_TOLERANCE) -> Tracking:
        """Return a motion of the arm along a trajectory."""
        joints = Joints(self._arm, self._dofs, self._arm_servos)
        return Tracking(self, trajectory, joints, tolerance)

    def driving(self, trajectory: Trajectory, tolerance: Tolerance = BASE_TOLERANCE) -> Tracking:
        """Return a motion of the base along a trajectory."""
        joints = Joints(self._base, self._base_dofs, self._base_servos)
        return Tracking(self, trajectory, joints, tolerance)

    def gripping(self, width: float, effort: float = 20.0) -> Gripping:
        """Return a motion of the fingers to a width (m) with a force of each (N)."""
        return Gripping(self, width, effort, self._gripper)

    def carry_out(self, motion: Motion[Ended]) -> Ended:
        """Let time pass until a motion has ended; ``stop`` may cancel it."""
        while motion.ended is None:
            if self.stop():
                motion.cancel()
            motion.before_step()
            self.step()
            motion.after_step()
        return motion.ended


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
