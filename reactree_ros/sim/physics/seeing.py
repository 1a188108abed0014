# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the head camera sees, by rays from it to points on things; no GL is needed."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from reactree_ros.sim.physics.description import Description, Thing
from reactree_ros.sim.physics.geometry import Pose, Vector
from reactree_ros.sim.physics.robot import Sight
from reactree_ros.sim.physics.scene import CAMERA, openings_of

RANGE = 3.0
"""The camera recognises nothing farther away (m)."""
_ASPECT = 4 / 3
_POINTS = 24
_NEEDED = 3
"""So many of the points on a thing must be seen."""


class Camera:
    """The head camera, with a detector that knows every thing but not exactly where it is.

    Args:
        model: the world.
        description: what is in it.
        error: standard deviation of the positions that it reports, in x and y (m).
        seed: of the errors.
    """

    def __init__(
        self, model: mujoco.MjModel, description: Description, error: float = 0.0, seed: int = 0
    ) -> None:
        self._model = model
        self._description = description
        self._error = error
        self._random = np.random.default_rng((seed, 1))
        self._camera = model.camera(CAMERA).id
        self._tangent = math.tan(math.radians(model.cam_fovy[self._camera]) / 2)
        points = np.random.default_rng(0)
        self._points = {
            name: _points_on(thing, points) for name, thing in description.things.items()
        }
        self._openings = openings_of(description)

    def look(self, data: mujoco.MjData) -> Sight:
        """Look at the world as it is."""
        things = {}
        for name in self._description.things:
            body = data.body(name)
            frame = Pose(body.xmat.reshape(3, 3).copy(), body.xpos.copy())
            points = frame.position + self._points[name] @ frame.rotation.T
            number = self._model.body(name).id
            if self._hits(data, points, number) >= _NEEDED:
                shift = self._random.normal(scale=self._error, size=2) if self._error else (0, 0)
                things[name] = frame.moved((*shift, 0.0))
        openings = {}
        for joint in self._openings:
            front = data.body(joint).xpos, data.body(joint).xmat.reshape(3, 3)
            number = self._model.body(joint).id
            inertial = data.body(joint).xipos
            around = [inertial + front[1] @ np.array(step) for step in _AROUND]
            if self._hits(data, np.array(around), number) >= 1:
                openings[joint] = float(data.joint(joint).qpos[0])
        return Sight(things, openings)

    def _hits(self, data: mujoco.MjData, points: Vector, body: int) -> int:
        """Return how many points of a body nothing hides."""
        eye = data.cam_xpos[self._camera]
        axes = data.cam_xmat[self._camera].reshape(3, 3)
        hit = np.zeros(1, dtype=np.int32)
        count = 0
        for point in points:
            ray = point - eye
            right, up, back = ray @ axes
            distance = float(np.linalg.norm(ray))
            if back >= 0 or distance > RANGE:
                continue
            if abs(up / back) > self._tangent or abs(right / back) > self._tangent * _ASPECT:
                continue
            mujoco.mj_ray(self._model, data, eye, ray / distance, None, 1, -1, hit)
            if hit[0] >= 0 and self._model.geom_bodyid[hit[0]] == body:
                count += 1
        return count


_AROUND = [(x, y, z) for x in (0.0,) for y in (-0.1, 0.0, 0.1) for z in (-0.05, 0.05)]


def _points_on(thing: Thing, random: np.random.Generator) -> Vector:
    """Return points all over a thing, in its frame (m)."""
    unit = random.uniform(-1, 1, size=(_POINTS, 3))
    size = thing.size
    if thing.shape == 'sphere':
        directions = random.normal(size=(_POINTS, 3))
        return np.array(0.9 * size[0] * directions / np.linalg.norm(directions, axis=1)[:, None])
    if thing.shape in ('box', 'tray'):
        half = np.array([size[0] / 2, size[1] / 2, size[2] / 2])
    else:
        turn = random.uniform(0, 2 * math.pi, size=_POINTS)
        unit[:, 0], unit[:, 1] = np.cos(turn), np.sin(turn)
        half = np.array([0.95 * size[0], 0.95 * size[0], size[1] / 2])
    return np.array(unit * half * 0.95 + (0, 0, half[2]))
