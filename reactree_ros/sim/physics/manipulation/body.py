# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Motions of the robot through a world that it knows in part: all that skills are made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from reactree_ros.core.names import numbered
from reactree_ros.sim.physics.description import Description
from reactree_ros.sim.physics.geometry import Pose, Vector, difference, on_floor, standing
from reactree_ros.sim.physics.manipulation.belief import Belief
from reactree_ros.sim.physics.manipulation.planning import MARGIN, Planner
from reactree_ros.sim.physics.places import places_of
from reactree_ros.sim.physics.robot import OPEN_WIDTH, READY, Ending, Gripped, Moved, Robot
from reactree_ros.sim.physics.rooms import ways
from reactree_ros.sim.physics.scene import ARM_HEIGHT, build
from reactree_ros.sim.physics.trajectory import MAX_SPEED, timed

_SLOW = 0.35
"""Where the hand may touch something, at this share of the arm's speed."""
_DRIVE_SPEED = np.array([0.8, 0.8, 1.3])
_DRIVE_ACCELERATION = np.array([0.8, 0.8, 1.5])
_SLIP = 0.003
"""Fingers that have come so much nearer to each other have lost what was between them (m)."""
_OPENED = 0.001
"""Fingers that have gone so far from each other have released it (m)."""
EMPTY = 0.006
"""Fingers that are nearer to each other hold nothing, unless a rim (m)."""
_FALLEN = 0.1
"""What is seen this far from its place on the deck is no longer there (m)."""
_RELEASE = 0.025
"""So much farther the fingers open to release a handle (m)."""
_REACH = 0.86
"""From the arm's shoulder to the hand (m)."""
_BACK = (0.09, 0.05, 0.03)
_HOME = 0.02
"""An arm this near to READY is there (rad)."""
_RETREATS = (0.4, 0.25, 0.12)
"""How far the robot drives back to have room for its arm (m)."""


class Refused(Exception):
    """A precondition does not hold; nothing was tried."""


class Failed(Exception):
    """It was tried and did not work; the text says why."""


class Canceled(Exception):
    """It was canceled; the robot is at rest."""


class Body:
    """A robot that knows a world in part.

    Args:
        robot: what moves.
        description: the world's furniture, and the things that it can recognise.
        seed: of all motions.
    """

    def __init__(self, robot: Robot, description: Description, seed: int = 0) -> None:
        self.robot = robot
        self.description = description
        model = build(description)
        model.geom_margin[:] = MARGIN / 2
        self.plan = Planner(model, seed)
        self.belief = Belief(places_of(description))
        self._nowhere = standing((0, 0, -5))
        self.look()

    def look(self) -> None:
        """Look, and believe what is seen."""
        sight, belief = self.robot.look(), self.belief
        belief.update(sight)
        if belief.deck is not None and belief.deck[0] in sight.things:
            name, frame = belief.deck
            there = (self.frame() @ frame).position - sight.things[name].position
            if float(np.linalg.norm(there)) > _FALLEN:
                belief.deck = None

    def holds(self) -> bool:
        """Whether the fingers are where they were when they took what is held."""
        return -_SLIP < self.robot.width - self.belief.width < _OPENED

    def frame(self) -> Pose:
        """Return the frame of the base."""
        return on_floor(self.robot.base)

    def hand(self) -> Pose:
        """Return the frame of the hand."""
        self.plan.set_base(self.robot.base)
        return self.plan.forward(self.robot.arm)

    # Planning.

    def imagine(self, base: Vector) -> None:
        """Plan from now on with everything where it is believed to be, the robot at ``base``."""
        plan, belief = self.plan, self.belief
        belief.move_deck(base)
        for name in self.description.things:
            plan.put(name, belief.things.get(name, self._nowhere))
        for place in belief.places.values():
            for joint in place.joints:
                plan.set_joint(joint, belief.openings.get(joint, 0.0))
        plan.carry(belief.deck[0] if belief.deck is not None else '')
        plan.set_base(base)
        plan.set_fingers(self.robot.width)
        plan.hold(belief.held, belief.grasp)
        plan.ignoring(())

    def imagine_without(self, name: str) -> None:
        """Plan from now on as if a thing were not there."""
        self.plan.put(name, self._nowhere)

    def here_or(self, stands: Iterable[Vector]) -> Iterator[Vector]:
        """Yield where the robot stands, and where else it may."""
        yield self.robot.base
        yield from stands

    def within_reach(self, position: Vector, base: Vector) -> bool:
        """Whether the hand could be there, if nothing were in its way."""
        shoulder = np.array([base[0], base[1], ARM_HEIGHT + 0.333])
        return float(np.linalg.norm(position - shoulder)) < _REACH

    def approach(
        self, frames: Sequence[Pose], may_touch: Iterable[str], width: float | None = None
    ) -> Vector | None:
        """Return a path of the arm along straight lines; None if there is none.

        Args:
            frames: of the hand; at the first of them the robot must touch nothing.
            may_touch: bodies that it may touch on the way; at the end it may touch any.
            width: between the fingers (m); None for what it is.
        """
        if width is not None:
            self.plan.set_fingers(width)
        self.plan.ignoring(())
        start = self.plan.inverse(frames[0], READY, tries=6)
        if start is None:
            return None
        return self.through(start, frames[1:], may_touch, end=2)

    def through(
        self,
        start: Vector,
        frames: Sequence[Pose],
        may_touch: Iterable[str],
        *,
        begin: int = 0,
        end: int = 0,
    ) -> Vector | None:
        """Return a path on which the hand goes straight from frame to frame; None if there is none.

        Args:
            start: joint angles of the arm at its start.
            frames: of the hand, after that.
            may_touch: bodies that it may touch.
            begin: at so many points at its start it may touch anything.
            end: at so many points at its end it may touch anything.
        """
        path, arm = [start], start
        for frame in frames:
            line = self.plan.line(arm, frame)
            if line is None:
                return None
            path.extend(line[1:])
            arm = line[-1]
        self.plan.ignoring(may_touch)
        free = all(map(self.plan.free, path[begin : len(path) - end]))
        self.plan.ignoring(())
        return np.array(path) if free else None

    # Moving.

    def stand(self, base: Vector, name: str) -> None:
        """Drive to where the robot stands for what it does next, unless it stands there."""
        if np.abs(base - self.robot.base).max() > 0.03:
            self.drive([base], name)

    def drive(self, stands: Iterable[Vector], name: str) -> None:
        """Drive to the first of some places that can be reached.

        Args:
            stands: x, y and yaw of the base.
            name: what is there.
        """
        self.home()
        start = self.robot.base
        for base in stands:
            self.imagine(start)
            path = self._way(start, base)
            if path is None:
                continue
            moved = self.robot.drive(timed(path, _DRIVE_SPEED, _DRIVE_ACCELERATION))
            if self._reached(moved):
                return
            left = float(np.linalg.norm(self.robot.base[:2] - path[-1][:2]))
            raise Failed(f'something blocks the way {100 * left:.0f} cm before {numbered(name)}')
        raise Failed(f'there is no free way to {numbered(name)}')

    def _way(self, start: Vector, goal: Vector) -> Vector | None:
        """Return a path of the base, through doorways if need be; None if none was found."""
        description = self.description
        rooms = (description.room_at(float(x), float(y)) for x, y, _ in (start, goal))
        for stands in ways(description.rooms, description.walls, *rooms):
            legs: list[Vector] = []
            # What is before the goal is most often in the way, so the last leg is planned first.
            for first, last in reversed([*pairwise([start, *stands, goal])]):
                leg = self.plan.drive(first, last, self.robot.arm, self._is_floor)
                if leg is None:
                    break
                legs.insert(0, leg)
            else:
                path = np.vstack(legs)
                path[:, 2] = np.unwrap(path[:, 2])
                return path
        return None

    def recover(self, *, release: bool = True) -> None:
        """Bring the arm home after a skill was cut short, or another client moved it.

        Args:
            release: open the hand, if it has something; else only if that is a handle or a front.

        Raises:
            Failed: there is no way home.
        """
        if np.abs(self.robot.arm - READY).max() < _HOME:
            return
        self.imagine(self.robot.base)
        touched = set(self.plan.touched(self.robot.arm) or ())
        loose = not self.belief.held and EMPTY < self.robot.width < OPEN_WIDTH - _RELEASE
        loose &= release or bool(touched) and not touched & set(self.description.things)
        if loose:
            self.grip(self.robot.width + _RELEASE)
        if loose or touched:
            self._retreat()
        self.home()
        self.look()

    def _retreat(self) -> None:
        """Take the hand out of what it touches: back the way it points, or up."""
        arm, hand = self.robot.arm, self.hand()
        frames = [hand.advanced(-far) for far in _BACK] + [hand.moved((0, 0, far)) for far in _BACK]
        paths = [
            path for path in (self.plan.line(arm, frame) for frame in frames) if path is not None
        ]
        free = [path for path in paths if self.plan.free(path[-1])]
        for path in (*free, *paths)[:1]:
            self.along(path, until_touch=math.inf)

    def _is_floor(self, x: float, y: float) -> bool:
        return bool(self.description.room_at(x, y))

    def home(self) -> None:
        """Bring the arm to where it hides nothing from the camera; drive back first if need be."""
        arm = self.robot.arm
        if np.abs(arm - READY).max() < _HOME:
            return
        self.imagine(self.robot.base)
        # What the hand touches now, it leaves.
        touched = set(self.plan.touched(arm) or ()) & set(self.description.things)
        for name in touched:
            self.imagine_without(name)
        path = self.plan.path(arm, READY)
        if path is None:
            self._drive_back()
        self.move(READY, path)

    def _drive_back(self) -> None:
        """Drive straight back, with the arm as it is, as far as the way is free."""
        base = self.robot.base
        ahead = np.array([math.cos(base[2]), math.sin(base[2]), 0.0])
        for distance in _RETREATS:
            path = self.plan.drive(base, base - distance * ahead, self.robot.arm, self._is_floor)
            if path is not None:
                self._reached(self.robot.drive(timed(path, _DRIVE_SPEED, _DRIVE_ACCELERATION)))
                return

    def move(self, goal: Vector, path: Vector | None = None) -> None:
        """Move the arm to joint angles without touching anything.

        Args:
            goal: joint angles (rad).
            path: a free path there; None if it has to be found.
        """
        self.imagine(self.robot.base)
        start = self.robot.arm
        if path is None:
            path = self.plan.path(start, goal)
        if path is None:
            touching = self.plan.touched(start) or self.plan.touched(goal)
            why = f': {" and ".join(touching)} would touch' if touching else ''
            raise Failed(f'the arm finds no free way{why}')
        if not self._reached(self.robot.follow(timed(path))):
            raise Failed('something blocks the arm')

    def along(self, path: Vector, *, until_touch: float = 0.0) -> None:
        """Move the arm slowly along a path that begins where it is.

        Args:
            path: joint angles, n x 7.
            until_touch: what blocks the hand this near to the end of the path (m) is what it was
                to touch.
        """
        whole = np.vstack([self.robot.arm, path])
        if self._reached(self.robot.follow(timed(whole, MAX_SPEED * _SLOW))):
            return
        self.plan.set_base(self.robot.base)
        left = difference(self.plan.forward(path[-1]), self.hand())[:3]
        if float(np.linalg.norm(left)) > until_touch:
            raise Failed('something blocks the hand')

    def back_off(self, frame: Pose) -> None:
        """Take the hand back from what it touched at a frame, as far as the arm can."""
        self.plan.set_base(self.robot.base)
        for distance in _BACK:
            path = self.plan.line(self.robot.arm, frame.advanced(-distance))
            if path is not None:
                self.along(path, until_touch=math.inf)
                return

    def grip(self, width: float, effort: float = 20.0) -> Gripped:
        """Move the fingers."""
        gripped = self.robot.grip(width, effort)
        if gripped.canceled:
            raise Canceled
        return gripped

    @staticmethod
    def _reached(moved: Moved) -> bool:
        if moved.ending is Ending.CANCELED:
            raise Canceled
        return moved.ending is Ending.REACHED
