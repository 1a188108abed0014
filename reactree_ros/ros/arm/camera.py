# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of the head camera, rendered while somebody subscribes.

``head_camera/color/image_raw/compressed``   CompressedImage (JPEG), 2 Hz
``head_camera/color/camera_info``            CameraInfo of it, with the same stamps
"""

from __future__ import annotations

import io
import threading
import time

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, CompressedImage
from std_msgs.msg import Header

from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.arm.links import CAMERA_OPTICAL
from reactree_ros.ros.arm.messages import time_of
from reactree_ros.sim.physics.geometry import Vector
from reactree_ros.sim.physics.live import LiveSimulation
from reactree_ros.sim.physics.viewing.rendering import Renderer, focal_length, head_camera

_PERIOD_SEC = 0.5
_QUALITY = 85
_WIDTH, _HEIGHT = 640, 480


class CameraStream:
    """Publishes what the head camera sees.

    An OpenGL context belongs to one thread, so the stream has a thread of its own.

    Without GL or Pillow one warning is logged, and only ``camera_info`` is published.

    Args:
        node: which publishes.
        live: the simulation; it is not stopped while a picture is rendered.
    """

    def __init__(self, node: Node, live: LiveSimulation) -> None:
        self._live, self._log = live, node.get_logger()
        name = 'head_camera/color'
        self._pictures = node.create_publisher(CompressedImage, f'{name}/image_raw/compressed', 1)
        self._info = node.create_publisher(CameraInfo, f'{name}/camera_info', 1)
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._run, name='camera', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Publish nothing more."""
        self._leaving.set()
        self._thread.join()

    def _run(self) -> None:
        info = _info(focal_length(self._live.model, _HEIGHT))
        renderer: Renderer | None = None
        broken, live = False, self._live
        camera = head_camera(live.model)

        def look() -> tuple[float, Vector]:
            return live.time, live.data.qpos.copy()

        due = time.monotonic()
        while not self._leaving.wait(max(0.0, due - time.monotonic())):
            due = time.monotonic() + _PERIOD_SEC
            wanted = not broken and self._pictures.get_subscription_count() > 0
            if not wanted and not self._info.get_subscription_count():
                continue
            seconds, positions = live.read(look)
            header = Header(stamp=time_of(seconds), frame_id=CAMERA_OPTICAL)
            info.header = header
            self._info.publish(info)
            if not wanted:
                continue
            try:
                renderer = renderer or Renderer(live.model, (_WIDTH, _HEIGHT), fast=True)
                data = _jpeg(renderer.picture(positions, camera))
            except ConfigurationError as error:
                self._log.warning(str(error))
                broken = True
                continue
            self._pictures.publish(CompressedImage(header=header, format='jpeg', data=data))
        if renderer is not None:
            renderer.close()


def _jpeg(pixels: np.ndarray) -> bytes:
    """Return a picture as a JPEG file.

    Raises:
        ConfigurationError: Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ConfigurationError(
            f'no pictures of the camera: pip install pillow ({error})'
        ) from error
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, 'JPEG', quality=_QUALITY)
    return file.getvalue()


def _info(focal: float) -> CameraInfo:
    """Return the camera's parameters for a focal length (pixels); its lens does not distort."""
    x, y = _WIDTH / 2, _HEIGHT / 2
    return CameraInfo(
        width=_WIDTH,
        height=_HEIGHT,
        distortion_model='plumb_bob',
        d=[0.0] * 5,
        k=[focal, 0.0, x, 0.0, focal, y, 0.0, 0.0, 1.0],
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p=[focal, 0.0, x, 0.0, 0.0, focal, y, 0.0, 0.0, 0.0, 1.0, 0.0],
    )
