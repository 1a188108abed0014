# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plans motions of arm and base: inverse kinematics, straight lines, free paths (OMPL)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import mujoco
import numpy as np
from ompl import base as ompl_base
from ompl import geometric as ompl_geometric
from ompl import util as ompl_util

from reactree_ros.sim.physics.geometry import Pose, Vector, between, difference
from reactree_ros.sim.physics.scene import ARM_JOINTS, BASE_JOINTS, FINGER_JOINTS, TCP

ELBOW_UP = np.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785])
"""A posture over a table, from which many are near (rad)."""
CLEARANCE = 0.006
"""Planned motions keep this far from what they must not touch (m)."""
MARGIN = 0.018
"""Fast motions through free space keep this far, if they can, except at their ends (m)."""
_ENDS = 0.3
"""So near to an end of a motion is at the end (rad)."""
_STEP = 0.06
"""Longest step between two checked configurations (rad)."""
_TRIES = 4000
"""States that the planner may look at before it gives up."""

ompl_util.setLogLevel(ompl_util.LogLevel.LOG_NONE)


class Planner:
    """Plans motions where the robot believes itself and all things to be.

    Args:
        model: the world.
        seed: of all that is drawn at random.
    """

    def __init__(self, model: mujoco.MjModel, seed: int = 0) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self._random = np.random.default_rng(seed)
        self._arm = [int(model.joint(name).qposadr[0]) for name in ARM_JOINTS]
        self._dofs = [int(model.joint(name).dofadr[0]) for name in ARM_JOINTS]
        self._base = [int(model.joint(name).qposadr[0]) for name in BASE_JOINTS]
        self._fingers = [int(model.joint(name).qposadr[0]) for name in FINGER_JOINTS]
        self._low = np.array([model.joint(name).range[0] for name in ARM_JOINTS]) + 0.02
        self._high = np.array([model.joint(name).range[1] for name in ARM_JOINTS]) - 0.02
        self._tcp = model.site(TCP).id
        self._robot = _robot_bodies(model)
        self._held: tuple[str, Pose] | None = None
        self._ignored: frozenset[int] = frozenset()
        self._carried = -1
        self._chassis = model.body('base').id

    # What it believes.

    def put(self, name: str, pose: Pose) -> None:
        """Put a thing somewhere."""
        address = int(self.model.joint(name).qposadr[0])
        self.data.qpos[address : address + 3] = pose.position
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, pose.rotation.ravel())
        self.data.qpos[address + 3 : address + 7] = quaternion

    def set_joint(self, name: str, value: float) -> None:
        """Put a drawer or a door somewhere."""
        self.data.qpos[int(self.model.joint(name).qposadr[0])] = value

    def set_base(self, base: Vector) -> None:
        """Put the robot somewhere: x, y (m) and yaw (rad)."""
        self.data.qpos[self._base] = base

    def set_fingers(self, width: float) -> None:
        """Open the hand so far (m)."""
        self.data.qpos[self._fingers] = width / 2

    def hold(self, name: str, grasp: Pose) -> None:
        """Let a thing move with the hand; ``grasp`` is its frame in the hand's. Empty: nothing."""
        self._held = (name, grasp) if name else None

    def carry(self, name: str) -> None:
        """Let this thing touch the base on which it stands; empty for none."""
        self._carried = self.model.body(name).id if name else -1

    def ignoring(self, bodies: Iterable[str]) -> None:
        """From now on the robot may touch these bodies."""
        self._ignored = frozenset(self.model.body(name).id for name in bodies)

    # Kinematics.

    def forward(self, arm: Vector) -> Pose:
        """Return the frame of the hand for joint angles of the arm."""
        self._set(arm)
        return self._hand()

    def _hand(self) -> Pose:
        return Pose(
            self.data.site_xmat[self._tcp].reshape(3, 3).copy(),
            self.data.site_xpos[self._tcp].copy(),
        )

    def _set(self, arm: Vector) -> None:
        self.data.qpos[self._arm] = arm
        mujoco.mj_kinematics(self.model, self.data)

    def inverse(self, target: Pose, start: Vector, *, tries: int) -> Vector | None:
        """Find joint angles that bring the hand to a frame, by damped least squares.

        The robot touches nothing there.

        Args:
            target: the frame.
            start: where the search begins.
            tries: how often it may begin again, from random angles.

        Returns:
            None if none were found.
        """
        arm = np.clip(start, self._low, self._high)
        for attempt in range(tries):
            if attempt:
                arm = self._guess(target, spread=0.15 * attempt)
            found = self._descend(target, arm)
            if found is not None and self.free(found):
                return found
        return None

    def _guess(self, target: Pose, spread: float) -> Vector:
        """Return joint angles near a posture with the elbow up that looks towards a frame."""
        x, y, yaw = self.data.qpos[self._base]
        there = target.position[:2] - (x, y)
        azimuth = math.atan2(there[1], there[0]) - yaw
        arm = ELBOW_UP.copy()
        arm[0] = math.remainder(azimuth, 2 * math.pi)
        arm += self._random.normal(scale=spread, size=arm.shape)
        # The hand may be turned by half a turn about its axis.
        arm[6] += self._random.choice((-math.pi / 2, 0.0, math.pi / 2))
        clipped: Vector = np.clip(arm, self._low, self._high)
        return clipped

    def _descend(self, target: Pose, arm: Vector) -> Vector | None:
        model, data = self.model, self.data
        jacobian = np.zeros((6, model.nv))
        for _ in range(50):
            self._set(arm)
            error = difference(target, self._hand())
            if np.linalg.norm(error[:3]) < 5e-4 and np.linalg.norm(error[3:]) < 5e-3:
                return arm
            mujoco.mj_comPos(model, data)
            mujoco.mj_jacSite(model, data, jacobian[:3], jacobian[3:], self._tcp)
            own = jacobian[:, self._dofs]
            damped = own @ own.T + 1e-4 * np.eye(6)
            step = own.T @ np.linalg.solve(damped, error)
            largest = np.abs(step).max()
            if largest > 0.4:
                step *= 0.4 / largest
            arm = np.clip(arm + step, self._low, self._high)
        return None

    def free(self, arm: Vector, clearance: float = CLEARANCE) -> bool:
        """Whether the robot touches nothing, with what it holds."""
        return not self.touched(arm, clearance)

    def touched(self, arm: Vector, clearance: float = CLEARANCE) -> tuple[str, str] | None:
        """Return the names of two bodies that are too near to each other; None if there are none.

        Args:
            arm: joint angles (rad).
            clearance: what is nearer is too near (m).
        """
        model, data = self.model, self.data
        self._set(arm)
        held = -1
        if self._held is not None:
            name, grasp = self._held
            self.put(name, self._hand() @ grasp)
            mujoco.mj_kinematics(model, data)
            held = model.body(name).id
        mujoco.mj_collision(model, data)
        for number in range(data.ncon):
            contact = data.contact[number]
            if contact.dist > clearance:
                continue
            first = int(model.geom_bodyid[contact.geom1])
            second = int(model.geom_bodyid[contact.geom2])
            ours = (first in self._robot) + (second in self._robot)
            carried = (first == held) + (second == held)
            if not ours and not carried or ours and carried:
                continue
            if first in self._ignored or second in self._ignored:
                continue
            if {first, second} == {self._chassis, self._carried}:
                continue
            return model.body(first).name, model.body(second).name
        return None

    # Paths.

    def line(self, start: Vector, target: Pose) -> Vector | None:
        """Return a path on which the hand moves along a straight line; None if there is none.

        What it touches is not looked at: the end of a line may touch on purpose.
        """
        begin = self.forward(start)
        turn = difference(target, begin)
        count = max(
            2,
            math.ceil(np.linalg.norm(turn[:3]) / 0.01),
            math.ceil(float(np.linalg.norm(turn[3:])) / 0.1),
        )
        path, arm = [start], start
        for number in range(1, count + 1):
            found = self._descend(between(begin, target, number / count), arm)
            if found is None or np.abs(found - arm).max() > 0.35:
                return None
            path.append(found)
            arm = found
        return np.array(path)

    def path(self, start: Vector, goal: Vector) -> Vector | None:
        """Return a path that touches nothing, by RRT-Connect; None if none was found."""
        if not self.free(goal):
            return None
        for clearance in (MARGIN, CLEARANCE):
            found = self._path(start, goal, clearance)
            if found is not None:
                return found
        return None

    def _path(self, start: Vector, goal: Vector, clearance: float) -> Vector | None:
        def free(arm: Vector) -> bool:
            at_end = min(np.abs(arm - start).max(), np.abs(arm - goal).max()) < _ENDS
            return self.free(arm, CLEARANCE if at_end else clearance)

        straight = _dense(np.array([start, goal]))
        if all(map(free, straight)):
            return straight
        found = _rrt_connect(start, goal, self._low, self._high, free, self._next_seed())
        if found is None:
            return None
        found = _dense(found)
        rounded = _rounded(found)
        return rounded if all(map(free, rounded)) else found

    def drive(
        self, start: Vector, goal: Vector, arm: Vector, floor: Callable[[float, float], bool]
    ) -> Vector | None:
        """Return a path of the base on which the robot touches nothing; None if none was found.

        Args:
            start: x, y (m) and yaw (rad).
            goal: the same; its yaw may be any number of turns away.
            arm: joint angles of the arm meanwhile.
            floor: whether there is floor at x, y (m).
        """
        goal = goal.copy()
        goal[2] = start[2] + math.remainder(goal[2] - start[2], 2 * math.pi)

        def free(base: Vector) -> bool:
            self.data.qpos[self._base] = base
            return (floor(*base[:2]) or lost) and self.free(arm)

        lost = not floor(*start[:2])
        if not free(goal):
            return None
        straight = _dense(np.array([start, goal]))
        if all(map(free, straight)):
            return straight
        reach = np.array([4.0, 4.0, math.pi])
        low, high = np.minimum(start, goal) - reach, np.maximum(start, goal) + reach
        found = _rrt_connect(start, goal, low, high, free, self._next_seed())
        return None if found is None else _dense(found)

    def _next_seed(self) -> int:
        return int(self._random.integers(1, 2**31 - 1))


def _rrt_connect(
    start: Vector,
    goal: Vector,
    low: Vector,
    high: Vector,
    free: Callable[[Vector], bool],
    seed: int,
) -> Vector | None:
    count = len(start)
    # OMPL objects to a second seed, but uses it: a plan depends on nothing before it.
    ompl_util.RNG.setSeed(seed)
    space = ompl_base.RealVectorStateSpace(count)
    bounds = ompl_base.RealVectorBounds(count)
    for number in range(count):
        bounds.setLow(number, float(min(low[number], start[number], goal[number])))
        bounds.setHigh(number, float(max(high[number], start[number], goal[number])))
    space.setBounds(bounds)
    setup = ompl_geometric.SimpleSetup(space)
    looked = 0

    def valid(state: ompl_base.State) -> bool:
        nonlocal looked
        looked += 1
        return free(np.array([state[number] for number in range(count)]))

    setup.setStateValidityChecker(valid)
    setup.getSpaceInformation().setStateValidityCheckingResolution(
        _STEP / float(np.linalg.norm(high - low))
    )
    ends = []
    for values in (start, goal):
        state = space.allocState()
        for number in range(count):
            state[number] = float(values[number])
        ends.append(state)
    setup.setStartAndGoalStates(*ends)
    setup.setPlanner(ompl_geometric.RRTConnect(setup.getSpaceInformation()))
    setup.solve(ompl_base.PlannerTerminationCondition(lambda: looked > _TRIES))
    if not setup.haveExactSolutionPath():
        return None
    solution = setup.getSolutionPath()
    simplifier = ompl_geometric.PathSimplifier(setup.getSpaceInformation())
    simplifier.reduceVertices(solution)
    simplifier.partialShortcutPath(solution)
    return np.array(
        [
            [solution.getState(n)[number] for number in range(count)]
            for n in range(solution.getStateCount())
        ]
    )


def _dense(path: Vector) -> Vector:
    """Return a path with points so close that what is between them need not be looked at."""
    parts = [path[:1]]
    for first, second in zip(path[:-1], path[1:], strict=True):
        count = max(1, math.ceil(float(np.abs(second - first).max()) / _STEP))
        parts.append(np.linspace(first, second, count + 1)[1:])
    return np.vstack(parts)


def _rounded(path: Vector) -> Vector:
    """Return a path without corners: each point is the mean of those around it."""
    for _ in range(3):
        middle = (path[:-2] + 2 * path[1:-1] + path[2:]) / 4
        path = np.vstack([path[:1], middle, path[-1:]])
    return path


def _robot_bodies(model: mujoco.MjModel) -> frozenset[int]:
    root = model.body('base').id
    return frozenset(n for n in range(model.nbody) if model.body_rootid[n] == root)
