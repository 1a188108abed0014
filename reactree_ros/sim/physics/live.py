# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A simulation in a thread of its own, in which several motions run at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from reactree_ros.sim.physics.description import Description
from reactree_ros.sim.physics.geometry import Pose, Vector
from reactree_ros.sim.physics.motions import Ended, Motion
from reactree_ros.sim.physics.robot import Sight
from reactree_ros.sim.physics.simulation import SimulatedRobot, Simulation

T = TypeVar('T')
_BATCH = 4
"""So many steps are made before others may look."""
_WAIT_SEC = 0.005
_AHEAD_SEC = 0.005
_PAUSE_SEC = 0.25
"""After so long without a step, the clocks are compared from then on."""


@dataclass
class _Pause:
    """A motion of nothing, for some time.

    Args:
        simulation: the physics.
        seconds: how long.
    """

    simulation: Simulation
    seconds: float
    ended: Any = None

    def before_step(self) -> None:
        """Do nothing."""

    def after_step(self) -> None:
        """Count the time."""
        self.seconds -= self.simulation.model.opt.timestep
        if self.seconds < self.simulation.model.opt.timestep / 2:
            self.ended = True

    def cancel(self) -> None:
        """End."""
        self.seconds = 0.0


class Pace:
    """Holds simulated time back, so that it does not run faster than a multiple of real time.

    Args:
        factor: simulated seconds in a second, at most.
    """

    def __init__(self, factor: float) -> None:
        self._factor = factor
        self._real = self._simulated = self._last = float('-inf')

    def wait(self, simulated: float) -> None:
        """Wait until it is time to go on.

        Args:
            simulated: how much time has passed in the simulation (s).
        """
        now = time.monotonic()
        if now - self._last > _PAUSE_SEC:
            self._real, self._simulated = now, simulated
        ahead = (simulated - self._simulated) / self._factor - (now - self._real)
        if ahead > _AHEAD_SEC:
            time.sleep(ahead)
            now = time.monotonic()
        self._last = now


class LiveSimulation(SimulatedRobot):
    """A robot in a simulation that one thread steps; others start motions and look.

    Args:
        description: the world.
        error: of the positions that the camera reports (m).
        seed: of the errors.
        before: called before every step, for disturbances.
        pace: simulated seconds in a second, at most, whether something moves or not. 0: time passes
            only while something moves, as fast as it goes; what happens then depends on nothing
            but the motions.
    """

    def __init__(
        self,
        description: Description,
        error: float = 0.0,
        seed: int = 0,
        before: Callable[[Simulation], None] | None = None,
        pace: float = 0.0,
    ) -> None:
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._motions: list[Motion[Any]] = []
        self._closed = False
        self.fault: BaseException | None = None
        """What ended the thread; None while it is well."""
        self._thread: threading.Thread | None = None
        super().__init__(description, error, seed, before)
        self._pace = Pace(pace) if pace else None
        self._thread = threading.Thread(target=self._run, name='physics', daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Cancel all motions, wait until they are at rest, and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def start(self, motion: Motion[Any]) -> None:
        """Let a motion begin; it is under way until its ``ended`` is set.

        Raises:
            RuntimeError: the simulation is closed, or has ended.
        """
        with self._changed:
            self.check()
            if self._closed:
                raise RuntimeError('the simulation is closed')
            self._motions.append(motion)
            self._changed.notify_all()

    def read(self, look: Callable[[], T]) -> T:
        """Return what a function sees between two steps."""
        with self._lock:
            return look()

    def carry_out(self, motion: Motion[Ended]) -> Ended:
        """Wait until a motion has ended; ``stop`` may cancel it."""
        if self._thread is None:
            return super().carry_out(motion)
        self.start(motion)
        with self._changed:
            while motion.ended is None:
                self.check()
                if self.stop():
                    motion.cancel()
                self._changed.wait(_WAIT_SEC)
        return motion.ended

    def advance(self, seconds: float) -> None:
        """Wait until simulated time has passed."""
        if self._thread is None:
            super().advance(seconds)
            return
        pause: Any = _Pause(self, seconds)
        self.start(pause)
        with self._changed:
            while not pause.ended:
                self.check()
                self._changed.wait(_WAIT_SEC)

    def check(self) -> None:
        """Return only if the thread is well.

        Raises:
            RuntimeError: it has ended by a fault; a motion that is under way will not end.
        """
        if self.fault is not None:
            raise RuntimeError('the simulation has ended') from self.fault

    def _run(self) -> None:
        try:
            self._step_until_closed()
        except BaseException as error:
            with self._changed:
                self.fault = error
                self._changed.notify_all()
            raise

    def _step_until_closed(self) -> None:
        while True:
            with self._changed:
                if self._closed:
                    if not self._motions:
                        return
                    for motion in self._motions:
                        motion.cancel()
                elif not self._motions and self._pace is None:
                    self._changed.wait()
                    continue
                for _ in range(_BATCH):
                    self._step_all()
            if self._pace is not None:
                self._pace.wait(self.time)
            else:
                time.sleep(0)

    def _step_all(self) -> None:
        if not self._motions and self._pace is None:
            return
        for motion in self._motions:
            motion.before_step()
        self.step()
        for motion in self._motions:
            motion.after_step()
        if any(motion.ended is not None for motion in self._motions):
            self._motions = [motion for motion in self._motions if motion.ended is None]
            self._changed.notify_all()

    # Looks, between two steps.

    @property
    def time(self) -> float:
        """Seconds since the start."""
        with self._lock:
            return super().time

    @property
    def arm(self) -> Vector:
        """Joint angles of the arm (rad)."""
        with self._lock:
            return super().arm

    @property
    def width(self) -> float:
        """Between the fingers (m)."""
        with self._lock:
            return super().width

    @property
    def base(self) -> Vector:
        """x, y (m) and yaw (rad) of the base."""
        with self._lock:
            return super().base

    def poses(self) -> dict[str, Pose]:
        """Return where all things are."""
        with self._lock:
            return super().poses()

    def openings(self) -> dict[str, float]:
        """Return how far drawers and doors are open (m or rad)."""
        with self._lock:
            return super().openings()

    def in_hand(self) -> str:
        """Return the name of the thing that both fingers touch; empty if there is none."""
        with self._lock:
            return super().in_hand()

    def look(self) -> Sight:
        """Look with the head camera."""
        with self._lock:
            return super().look()
