# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of the head camera, rendered without a screen; the only module here that needs GL."""

from __future__ import annotations

import importlib
import math
import os
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.physics.geometry import Vector
from reactree_ros.sim.physics.scene import CAMERA

WIDTH, HEIGHT = 640, 480


class CameraRenderer:
    """Renders what the head camera sees; all calls must come from the thread that made it.

    EGL is used, or OSMesa if ``MUJOCO_GL`` says so. Nothing of a simulation is changed.

    Args:
        model: the world.

    Raises:
        ConfigurationError: there is no GL; it says what to install.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self._data = mujoco.MjData(model)
        library = 'osmesa' if os.environ.get('MUJOCO_GL', '').lower() == 'osmesa' else 'egl'
        try:
            self._gl: Any = importlib.import_module(f'mujoco.{library}').GLContext(WIDTH, HEIGHT)
            self._gl.make_current()
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        # Missing packages, libraries and devices raise what has no common base.
        except Exception as error:
            raise ConfigurationError(
                f'no pictures of the camera: GL does not work ({error}); pip install PyOpenGL, '
                'apt-get install libegl1 libgl1-mesa-dri'
            ) from error
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._scene = mujoco.MjvScene(model, maxgeom=2000)
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            self._scene.flags[flag] = False
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = model.camera(CAMERA).id
        self._option, self._rect = mujoco.MjvOption(), mujoco.MjrRect(0, 0, WIDTH, HEIGHT)

    def render(self, positions: Vector) -> NDArray[np.uint8]:
        """Return a picture, HEIGHT x WIDTH x 3 (red, green, blue).

        Args:
            positions: ``qpos`` of the model.
        """
        model, data = self._model, self._data
        data.qpos[:] = positions
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        mujoco.mjv_updateScene(
            model,
            data,
            self._option,
            None,
            self._camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        mujoco.mjr_render(self._rect, self._scene, self._context)
        pixels = np.empty((HEIGHT, WIDTH, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(pixels, None, self._rect, self._context)
        return pixels[::-1]

    def close(self) -> None:
        """Free what GL holds."""
        self._context.free()
        self._gl.free()


def focal_length(model: mujoco.MjModel) -> float:
    """Return the focal length of the camera's pictures (pixels)."""
    return float(HEIGHT / 2 / math.tan(math.radians(model.camera(CAMERA).fovy[0]) / 2))
