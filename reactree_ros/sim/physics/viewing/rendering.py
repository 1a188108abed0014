# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of the simulation, drawn by OpenGL without a display; nothing else here needs it."""

from __future__ import annotations

import copy
import importlib
import math
import os
from types import TracebackType
from typing import Any

import mujoco
import numpy as np

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.physics.geometry import Vector
from reactree_ros.sim.physics.scene import CAMERA

_SAMPLES = 4
_AMBIENT = 0.3


class Renderer:
    """Draws pictures, on the thread that makes it; a context manager.

    EGL is used, or OSMesa if ``MUJOCO_GL`` says so.

    Args:
        model: of the simulation.
        size: width and height of the pictures (pixels).
        fast: without smooth edges.

    Raises:
        ConfigurationError: OpenGL is not there.
    """

    def __init__(self, model: mujoco.MjModel, size: tuple[int, int], *, fast: bool = False) -> None:
        self._model = copy.copy(model)
        self._data = mujoco.MjData(self._model)
        self._model.vis.quality.offsamples = 0 if fast else _SAMPLES
        self._model.vis.headlight.ambient[:] = _AMBIENT
        width, height = size
        self._model.vis.global_.offwidth, self._model.vis.global_.offheight = size
        library = 'osmesa' if os.environ.get('MUJOCO_GL', '').lower() == 'osmesa' else 'egl'
        try:
            self._gl: Any = importlib.import_module(f'mujoco.{library}').GLContext(width, height)
            self._gl.make_current()
            self._context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100)
        # Missing packages, libraries and devices raise what has no common base.
        except Exception as error:
            raise ConfigurationError(
                f'no pictures: OpenGL does not work ({error}); pip install PyOpenGL, '
                'apt-get install libegl1 libgl1-mesa-dri'
            ) from error
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._scene = mujoco.MjvScene(self._model, maxgeom=10_000)
        self._options = mujoco.MjvOption()
        self._view = mujoco.MjrRect(0, 0, width, height)
        self._pixels = np.zeros((height, width, 3), np.uint8)

    def __enter__(self) -> Renderer:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release OpenGL."""
        self.close()

    def close(self) -> None:
        """Release OpenGL."""
        self._context.free()
        self._gl.free()

    def picture(self, positions: Vector, camera: mujoco.MjvCamera) -> np.ndarray:
        """Draw one picture.

        Args:
            positions: of all joints, as MuJoCo orders them (nq).
            camera: from where.

        Returns:
            Red, green and blue (height x width x 3, uint8).
        """
        self._data.qpos[:] = positions
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)
        mujoco.mjv_updateScene(
            self._model,
            self._data,
            self._options,
            None,
            camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        mujoco.mjr_render(self._view, self._scene, self._context)
        mujoco.mjr_readPixels(self._pixels, None, self._view, self._context)
        return np.flipud(self._pixels).copy()


def head_camera(model: mujoco.MjModel) -> mujoco.MjvCamera:
    """Return the robot's own camera."""
    camera = mujoco.MjvCamera()
    camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
    camera.fixedcamid = model.camera(CAMERA).id
    return camera


def focal_length(model: mujoco.MjModel, height: int) -> float:
    """Return the focal length of the robot's camera for pictures of some height (pixels)."""
    return float(height / 2 / math.tan(math.radians(model.camera(CAMERA).fovy[0]) / 2))
