# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A page for the browser that shows the simulation in 3D."""

from __future__ import annotations

import contextlib
import copy
import io
import socket
import threading

import mujoco
import numpy as np
import viser
from mjviser import ViserMujocoScene

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.physics.live import LiveSimulation

_PERIOD_SEC = 1 / 20
_PORTS, _HIGHEST_PORT = 20, 65535
_LEAST = 1e-3
"""What moved less (m or rad) is at rest."""
_ABOVE = np.array([-1.6, -2.4, 1.9])
"""From the middle of the furniture to the camera (m)."""


class _Server(viser.ViserServer):
    def request_share_url(self, verbose: bool = True) -> None:
        """Never open a tunnel through which others could watch, whoever clicks for it."""


class LivePage:
    """Serves the page; who opens it can turn, move and zoom.

    Nothing is computed while nobody watches, and nothing is sent while nothing moves.

    Args:
        live: the simulation.
        host: address that it listens on.
        port: the next free one from here is taken; 0 for any.

    Raises:
        ConfigurationError: nothing can listen there.
    """

    def __init__(self, live: LiveSimulation, host: str, port: int) -> None:
        self._live = live
        port = _free_port(host, port)
        # mjviser changes how its model looks
        self._model = copy.copy(live.model)
        self._data = mujoco.MjData(self._model)
        with contextlib.redirect_stdout(io.StringIO()):
            self._server = _Server(host, port, label='reactree_ros', verbose=False)
        self._scene = ViserMujocoScene(self._server, self._model, num_envs=1)
        self._scene.camera_tracking_enabled = False
        middle = np.mean([(*one.at, 0.0) for one in live.description.furniture.values()], axis=0)
        self._server.initial_camera.look_at = (*middle[:2], 0.5)
        self._server.initial_camera.position = tuple(middle + _ABOVE)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name='page', daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Where the page is."""
        return f'http://{self._server.get_host()}:{self._server.get_port()}/'

    def close(self) -> None:
        """Stop serving it."""
        self._closed.set()
        self._thread.join()
        self._server.stop()

    def _run(self) -> None:
        shown: np.ndarray | None = None
        while not self._closed.wait(_PERIOD_SEC):
            if not self._server.get_clients():
                continue
            positions = self._live.read(lambda: np.array(self._live.data.qpos))
            if shown is not None and np.abs(positions - shown).max() < _LEAST:
                continue
            self._data.qpos[:] = shown = positions
            mujoco.mj_kinematics(self._model, self._data)
            self._scene.update_from_mjdata(self._data)


def _free_port(host: str, port: int) -> int:
    """Return the next free port; viser itself would wait for ever if there is none."""
    for number in range(port, min(port + _PORTS, _HIGHEST_PORT) + 1):
        try:
            with socket.create_server((host, number)) as server:
                return int(server.getsockname()[1])
        except OSError as error:
            fault = error
    raise ConfigurationError(f'no page can be served at {host}:{port}: {fault}')
