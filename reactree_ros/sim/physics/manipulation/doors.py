# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pulling drawers and doors open, and pushing them shut."""

from __future__ import annotations

import itertools
import math

import mujoco
import numpy as np

from reactree_ros.core.names import numbered
from reactree_ros.sim.physics.geometry import Pose, Vector, tool
from reactree_ros.sim.physics.manipulation.body import Body, Canceled, Failed
from reactree_ros.sim.physics.places import CLOSED, OPEN, Place
from reactree_ros.sim.physics.robot import OPEN_WIDTH
from reactree_ros.sim.physics.scene import handle_of

_BEFORE = 0.09
"""The hand comes to a handle along a straight line of this length (m)."""
_AROUND = 0.035
"""Between the fingers on both sides of a handle (m)."""
_BAR = 0.006
"""Fingers that are nearer to each other than this have missed it (m)."""
_PARTS = 6
"""After each of so many parts of a pull the hand feels whether it still holds the handle."""
_EFFORT = 60.0
"""Of a finger at a handle (N)."""
_PITCH = math.radians(35)
"""Between the hand and straight down at a front: straight in, the wrist would bend too far."""
_SLOPES = (0.6, 0.3, 1.0)
"""Of the hand at the handle of a door."""


class Doors:
    """What the hand does with drawers and doors.

    Args:
        body: the robot.
    """

    def __init__(self, body: Body) -> None:
        self._body = body

    def pull(self, place: Place, joint: str) -> None:
        """Pull one drawer or door open at its handle.

        Raises:
            Failed: the handle cannot be reached, was missed, or something blocks it.
        """
        body, belief = self._body, self._body.belief
        now = belief.openings.get(joint, 0.0)
        values = now + np.linspace(0, 0.95 if place.is_drawer else 0.85, 24) * (place.range - now)
        ways = [
            self._at_handle(place, joint, values, slope, flip)
            for slope in (_SLOPES[:1] if place.is_drawer else _SLOPES)
            for flip in (1, -1)
        ]
        for base, frames in itertools.product(body.here_or(place.stands({})), ways):
            body.imagine(base)
            before = frames[0].advanced(-_BEFORE)
            into = body.approach((before, frames[0]), (joint,), _AROUND)
            if into is None:
                continue
            path = body.through(into[-1], frames[1:], (joint,))
            if path is None:
                continue
            body.stand(base, place.name)
            body.grip(_AROUND)
            body.move(into[0])
            body.along(into)
            if body.grip(0.0, _EFFORT).width < _BAR:
                body.back_off(frames[0])
                body.home()
                raise Failed(f'the gripper missed the handle of {numbered(place.name)}')
            try:
                held = self._drag(path)
            except Canceled:
                self._believe(joint, body.hand(), frames, values)
                raise
            body.grip(_AROUND)
            self._believe(joint, held, frames, values)
            self._leave()
            if belief.openings[joint] < OPEN * place.range:
                raise Failed(self._only(place, joint, 'opens only'))
            return
        raise Failed('its handle is out of reach from here')

    def push(self, place: Place, joint: str) -> None:
        """Push one drawer or door shut with the closed hand, beside its handle.

        Raises:
            Failed: its front cannot be reached, or something blocks it.
        """
        body, belief = self._body, self._body.belief
        values = belief.openings[joint] * np.linspace(1, -0.02, 16)
        frames = self._at_front(place, joint, values)
        for base in body.here_or(place.stands({})):
            body.imagine(base)
            into = body.approach((frames[0].advanced(-_BEFORE), frames[0]), (joint,), 0.0)
            if into is None:
                continue
            path = body.through(into[-1], frames[1:], (*place.joints, place.piece.name))
            if path is None:
                continue
            body.stand(base, place.name)
            body.grip(0.0)
            body.move(into[0])
            body.along(into, until_touch=_BEFORE)
            try:
                body.along(path, until_touch=math.inf)
            finally:
                self._believe(joint, body.hand(), frames, np.maximum(values, 0))
            self._leave()
            if belief.openings[joint] > CLOSED * place.range:
                raise Failed(self._only(place, joint, 'is still open by'))
            return
        raise Failed('its front is out of reach from here')

    def _drag(self, path: Vector) -> Pose:
        """Move the hand along a path; return where it last held the handle."""
        body = self._body
        held = body.hand()
        for part in np.array_split(path, _PARTS):
            body.along(part, until_touch=math.inf)
            if body.robot.width < _BAR:
                break
            held = body.hand()
        return held

    def _believe(self, joint: str, hand: Pose, frames: list[Pose], values: Vector) -> None:
        """Believe a joint to be where the hand was, as long as the camera does not see it."""
        distances = [float(np.linalg.norm(frame.position - hand.position)) for frame in frames]
        self._body.belief.openings[joint] = float(values[int(np.argmin(distances))])

    def _leave(self) -> None:
        """Come back, and look."""
        body = self._body
        body.back_off(body.hand())
        body.home()
        body.grip(OPEN_WIDTH)
        body.look()

    def _only(self, place: Place, joint: str, verb: str) -> str:
        value = self._body.belief.openings[joint]
        far = f'{100 * value:.0f} cm' if place.is_drawer else f'{math.degrees(value):.0f} degrees'
        return f'{numbered(place.name)} {verb} {far}: something blocks it'

    def _at_handle(
        self, place: Place, joint: str, values: Vector, slope: float, flip: int
    ) -> list[Pose]:
        """Return where the hand is at a handle for values of the joint.

        Args:
            place: what opens.
            joint: of it.
            values: m or rad.
            slope: of the hand, at a door.
            flip: 1, or -1 for the hand turned by half a turn about its axis.
        """
        frames = []
        for handle, front in self._handles(joint, values):
            if place.is_drawer:
                approach = -place.out * math.sin(_PITCH) - (0, 0, math.cos(_PITCH))
                frames.append(tool(handle, approach, (0, 0, flip)))
            else:
                # The hand turns half as far as the door.
                inwards = -place.out - front[:, 0]
                approach = inwards / np.linalg.norm(inwards) - (0, 0, slope)
                frames.append(tool(handle, approach, np.cross((0, 0, flip), approach)))
        return frames

    def _at_front(self, place: Place, joint: str, values: Vector) -> list[Pose]:
        """Return where the fingertips are on a front for values of the joint.

        A drawer is pushed beside its handle, a door above it; below zero they push on.
        """
        frames = []
        aside = (0.12, 0.0) if place.is_drawer else (0.0, 0.13)
        for value, (handle, front) in zip(values, self._handles(joint, values), strict=True):
            out, along = front[:, 0], front[:, 1]
            ahead = -0.038 + min(0.0, value)
            at = handle + ahead * out + aside[0] * along + (0, 0, aside[1])
            frames.append(tool(at, -out * math.sin(_PITCH) - (0, 0, math.cos(_PITCH)), along))
        return frames

    def _handles(self, joint: str, values: Vector) -> list[tuple[Vector, Vector]]:
        """Return where a handle is, and the axes of its front, for values of the joint."""
        plan, found = self._body.plan, []
        for value in values:
            plan.set_joint(joint, max(0.0, value))
            mujoco.mj_kinematics(plan.model, plan.data)
            site, front = plan.data.site(handle_of(joint)), plan.data.body(joint)
            found.append((site.xpos.copy(), front.xmat.reshape(3, 3).copy()))
        return found
