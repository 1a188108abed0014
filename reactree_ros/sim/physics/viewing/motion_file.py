# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How a simulation moved, in a file that outlives its process: for films."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.physics.description import Description, description_of
from reactree_ros.sim.physics.geometry import Vector
from reactree_ros.sim.physics.simulation import Simulation
from reactree_ros.sim.physics.tasks import KitchenTask, start_of
from reactree_ros.sim.tasks import task_of

SUFFIX = '.motion.jsonl'
_PERIOD_SEC = 0.1
_LEAST = 1e-4
"""A joint that moved less (m or rad) is at rest."""
_DIGITS = 4


class MotionRecorder:
    """Writes where all joints are, ten times a simulated second, while any of them moves.

    Args:
        folder: of the files, one for each start; it is made.
        about: which world it is: ``world``, ``task_set``, ``task`` and ``seed`` of the bridge.
        kept: how many files are kept; the oldest are deleted first.
        log: a ROS logger; if the file cannot be written, that is logged once.
    """

    def __init__(self, folder: Path, about: Mapping[str, Any], kept: int, log: Any) -> None:
        self._folder, self._about, self._kept, self._log = folder, dict(about), kept, log
        self._file: IO[str] | None = None
        self._broken = False
        self._next = float('-inf')
        self._last: Vector | None = None

    def sample(self, simulation: Simulation) -> None:
        """Write a row if it is time for one; called before every step."""
        if self._broken or simulation.time < self._next:
            return
        self._next = simulation.time + _PERIOD_SEC
        positions = np.array(simulation.data.qpos)
        if self._last is not None and np.abs(positions - self._last).max() < _LEAST:
            return
        self._last = positions
        row = [round(time.time(), 3), round(simulation.time, 3), *positions.round(_DIGITS)]
        try:
            if self._file is None:
                self._file = self._opened()
            self._file.write(json.dumps(row) + '\n')
        except OSError as error:
            self._broken = True
            self._log.warning(f'motions are no longer recorded: {error}')

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def _opened(self) -> IO[str]:
        self._folder.mkdir(parents=True, exist_ok=True)
        files = sorted(self._folder.glob(f'*{SUFFIX}'))
        for old in files[: max(0, len(files) + 1 - self._kept)]:
            old.unlink(missing_ok=True)
        stamp = time.strftime('%Y%m%d-%H%M%S', time.gmtime())
        path = self._folder / f'{stamp}-{time.time_ns() % 10**9:09d}{SUFFIX}'
        file = path.open('w', encoding='utf-8', buffering=1)
        file.write(json.dumps(self._about) + '\n')
        return file


@dataclass(frozen=True)
class Motion:
    """What a file holds.

    Args:
        about: which world it is, see ``MotionRecorder``.
        times: of the rows, seconds since 1970 (n).
        simulated: of the rows, seconds since the start of the simulation (n).
        positions: of all joints, as MuJoCo orders them (n x nq).
    """

    about: Mapping[str, Any]
    times: Vector
    simulated: Vector
    positions: Vector

    def description(self) -> Description:
        """Return the world as it was at the start.

        Raises:
            ConfigurationError: there is no such world or task.
        """
        if not self.about.get('task'):
            return description_of(str(self.about['world']))
        task = task_of(self.about['task_set'], self.about['task'])
        assert isinstance(task, KitchenTask)
        return start_of(task, self.about['seed'])

    def at(self, seconds: float) -> Vector:
        """Return the positions at some time, in seconds since 1970."""
        row = int(np.searchsorted(self.times, seconds, side='right')) - 1
        return np.asarray(self.positions[max(row, 0)])


def read_motion(path: Path) -> Motion:
    """Read a file, also one whose writer was killed.

    Raises:
        ConfigurationError: it cannot be read, or is of another kind.
    """
    try:
        first, *rows = path.read_text(encoding='utf-8').split('\n')[:-1]
        about = json.loads(first)
        about['world']
        table = np.array([json.loads(row) for row in rows], dtype=float)
        times, simulated, positions = table[:, 0], table[:, 1], table[:, 2:]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ConfigurationError(f'{path} is not a recorded motion: {error}') from error
    return Motion(about, times, simulated, positions)


def motion_during(folder: Path, began: float, ended: float) -> Motion:
    """Return the latest motion that was recorded while something else was.

    Args:
        folder: of the files.
        began: seconds since 1970.
        ended: seconds since 1970.

    Raises:
        ConfigurationError: there is no such motion.
    """
    for path in sorted(folder.glob(f'*{SUFFIX}'), reverse=True):
        try:
            motion = read_motion(path)
        except ConfigurationError:
            continue
        if motion.times[0] < ended and motion.times[-1] > began:
            return motion
    raise ConfigurationError(
        f'{folder} has no motion from the time of the run: nothing moved, or it was not recorded'
    )
