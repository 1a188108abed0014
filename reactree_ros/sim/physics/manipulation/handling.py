# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Taking things and putting them somewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reactree_ros.core.names import numbered
from reactree_ros.sim.physics.description import Thing
from reactree_ros.sim.physics.geometry import Pose, Vector, on_floor, standing
from reactree_ros.sim.physics.manipulation.body import EMPTY, Body, Failed
from reactree_ros.sim.physics.manipulation.grasps import LEVEL, TILTS, Grasp, as_it_lies, grasps
from reactree_ros.sim.physics.places import Region
from reactree_ros.sim.physics.robot import OPEN_WIDTH
from reactree_ros.sim.physics.scene import ARM_HEIGHT, DECK

_BEFORE = 0.09
"""The hand comes to a thing along a straight line of this length (m)."""
_TOUCH = 0.03
"""Put down is what meets resistance this far above where it was to stand (m)."""
_SPOTS = 60
"""So many spots are tried from one place."""
_APART = 0.015
"""Between a thing that is put down and the next (m)."""


@dataclass(frozen=True)
class Way:
    """A way of the hand to something and away from it.

    Args:
        into: joint angles along straight lines, n x 7.
        out: the same, from there.
    """

    into: Vector
    out: Vector


class Handling:
    """What the hand does with things.

    Args:
        body: the robot.
    """

    def __init__(self, body: Body) -> None:
        self._body = body

    def take(self, name: str, stands: Iterable[Vector], tilts: Sequence[float] = TILTS) -> None:
        """Take a thing that is believed to be somewhere.

        Args:
            name: of the thing.
            stands: where the robot may drive for it.
            tilts: of the hand (rad).

        Raises:
            Failed: it cannot be reached, the hand closed on nothing, or it slipped away.
        """
        body, thing = self._body, self._body.description.things[name]
        for base in body.here_or(stands):
            body.imagine(base)
            pose = body.belief.things[name]
            form, frame = as_it_lies(thing, pose)
            for grasp in grasps(form, frame, pose.position[:2] - base[:2], tilts):
                if not body.within_reach(grasp.hand.position, base):
                    break
                way = self._way_to_take(thing, pose, grasp.hand)
                if way is not None:
                    body.stand(base, body.belief.where(name) or name)
                    self._grasp(thing, grasp, way)
                    return
        raise Failed('it is out of reach from here')

    def put(self, region: Region, stands: Sequence[Vector], name: str, on: str = '') -> None:
        """Put what is held on a free spot.

        Args:
            region: where the spot may be.
            stands: where the robot may drive for it.
            name: what the region belongs to.
            on: the thing on or in which it is; empty for furniture.

        Raises:
            Failed: there is no spot within reach, or something was in the way.
        """
        belief = self._body.belief
        held = belief.held
        found = self._way_to_put(region, stands, on)
        if found is None and region.headroom < math.inf:
            # From above the hand does not fit in: it takes the thing from the side.
            self.put_on_deck()
            self.take(held, (), LEVEL)
            found = self._way_to_put(region, stands, on)
        if found is None:
            raise Failed(f'there is no free spot within reach on or in {numbered(name)}')
        base, way, spot = found
        self._body.stand(base, name)
        self._release(way, spot)

    def put_on_deck(self) -> None:
        """Put what is held on the robot's own deck.

        Raises:
            Failed: the hand cannot reach it like that.
        """
        body = self._body
        deck = Region(body.frame() @ standing((*DECK, ARM_HEIGHT - 0.005)), (0.0, 0.0))
        found = self._way_to_put(deck, (), '')
        if found is None:
            raise Failed('what you hold cannot be set down on the deck meanwhile')
        _, way, spot = found
        self._release(way, spot, on_deck=True)

    # Taking.

    def _way_to_take(self, thing: Thing, pose: Pose, hand: Pose) -> Way | None:
        """Return a way to a thing and away with it; None if there is none."""
        body, plan = self._body, self._body.plan
        frames = (hand.advanced(-_BEFORE), hand)
        into = body.approach(frames, (thing.name,), OPEN_WIDTH)
        if into is None:
            return None
        plan.hold(thing.name, hand.inverse() @ pose)
        for leaving in _ways_out(hand):
            out = body.through(into[-1], leaving, (), begin=4)
            if out is not None:
                break
        plan.hold('', hand)
        plan.put(thing.name, pose)
        return None if out is None else Way(into, out)

    def _grasp(self, thing: Thing, grasp: Grasp, way: Way) -> None:
        body, belief = self._body, self._body.belief
        body.grip(OPEN_WIDTH)
        body.move(way.into[0])
        try:
            body.along(way.into)
        except Failed:
            self._leave(grasp)
            raise
        width = body.grip(0.0).width
        if width < min(EMPTY, 0.8 * grasp.width):
            if belief.deck is not None and belief.deck[0] == thing.name:
                belief.deck = None
                del belief.things[thing.name]
            self._leave(grasp)
            raise Failed(f'the gripper closed to {100 * width:.1f} cm and holds nothing')
        body.look()
        pose = belief.things.pop(thing.name)
        form, frame = as_it_lies(thing, pose)
        belief.grasp = body.hand().inverse() @ pose
        belief.form = form, frame.inverse() @ pose
        belief.held, belief.width = thing.name, width
        if belief.deck is not None and belief.deck[0] == thing.name:
            belief.deck = None
        body.along(way.out)
        body.home()
        if not body.holds():
            belief.held = ''
            body.look()
            raise Failed(f'{numbered(thing.name)} slipped out of the gripper')
        body.look()

    def _leave(self, grasp: Grasp) -> None:
        """Come back without the thing, and look where it is."""
        self._body.grip(OPEN_WIDTH)
        self._body.back_off(grasp.hand)
        self._body.home()
        self._body.look()

    # Putting.

    def _way_to_put(
        self, region: Region, stands: Sequence[Vector], on: str
    ) -> tuple[Vector, Way, Pose] | None:
        """Return where to stand, the way and the spot; None if there is none."""
        body, belief = self._body, self._body.belief
        form, offset = belief.form or (body.description.things[belief.held], standing((0, 0, 0)))
        level = -(offset @ belief.grasp.inverse()).rotation[2, 2] < 0.75
        if region.headroom < math.inf and not level:
            return None
        for base in body.here_or(stands):
            body.imagine(base)
            tries = 0
            for place in self._spots(region, form, base, on):
                spot = place @ offset
                hand = spot @ belief.grasp.inverse()
                if not body.within_reach(hand.position, base):
                    continue
                tries += 1
                if tries > _SPOTS:
                    break
                way = self._way_to_spot(hand, (on,) if on else ())
                if way is not None:
                    return base, way, spot
        return None

    def _way_to_spot(self, hand: Pose, may_touch: tuple[str, ...]) -> Way | None:
        """Return a way to where what is held is released, and back without it."""
        body, plan, belief = self._body, self._body.plan, self._body.belief
        for leaving in _ways_out(hand):
            plan.hold(belief.held, belief.grasp)
            into = body.approach([*reversed(leaving), hand], may_touch)
            if into is None:
                continue
            plan.hold('', hand)
            plan.put(belief.held, hand @ belief.grasp)
            out = body.through(
                into[-1], [hand.advanced(-_BEFORE)], (belief.held, *may_touch), begin=1
            )
            body.imagine_without(belief.held)
            if out is not None:
                return Way(into, out)
        plan.hold(belief.held, belief.grasp)
        return None

    def _release(self, way: Way, spot: Pose, *, on_deck: bool = False) -> None:
        """Put what is held there, and come back."""
        body, belief = self._body, self._body.belief
        body.move(way.into[0])
        # What slips away from here on is where it was to go.
        if not body.holds():
            raise Failed(f'{numbered(belief.held)} slipped out of the gripper')
        body.along(way.into, until_touch=_TOUCH)
        try:
            body.grip(OPEN_WIDTH)
        finally:
            if not body.holds():
                belief.things[belief.held] = spot
                if on_deck:
                    belief.deck = belief.held, body.frame().inverse() @ spot
                belief.held = ''
        body.along(way.out, until_touch=math.inf)
        body.home()
        body.look()
        if belief.held:
            raise Failed(f'{numbered(belief.held)} is still in the gripper')

    def _spots(self, region: Region, thing: Thing, base: Vector, on: str) -> Iterator[Pose]:
        """Yield where a thing may stand in a region, what is before the robot first."""
        frame = region.frame
        up = thing.size[0] if thing.shape == 'sphere' else 0.0
        others = [
            (self._body.description.things[name], pose.position)
            for name, pose in self._body.belief.things.items()
            if name not in (thing.name, on)
        ]
        ahead = frame.inverse() @ on_floor(base)
        spots = []
        for x, y in _grid(region, thing):
            at = frame.position + frame.rotation @ np.array([x, y, up + 0.004])
            room = min(
                (
                    float(np.linalg.norm(at[:2] - position[:2])) - other.radius - thing.radius
                    for other, position in others
                    if _beside(other, position[2], thing, at[2])
                ),
                default=1.0,
            )
            if room > _APART or (region.round and room > 0):
                far = math.hypot(x, y - ahead.position[1]) - min(room, 0.1)
                spots.append((-math.hypot(x, y) if region.round else far, at))
        for _, at in sorted(spots, key=lambda pair: pair[0]):
            for turn in np.linspace(0, 2 * math.pi, 8, endpoint=False):
                yield standing(at, base[2] + turn)


def _beside(other: Thing, height: float, thing: Thing, at: float) -> bool:
    """Whether two things, whose frames are at some heights, are not one above the other."""
    bottom, low = (
        z - one.size[0] if one.shape == 'sphere' else z for one, z in ((other, height), (thing, at))
    )
    return bottom < low + thing.height and bottom + other.height > low + 0.01


def _ways_out(hand: Pose) -> Iterator[list[Pose]]:
    """Yield how the hand may leave with what it holds: up, or up a little and back."""
    up = hand.moved((0, 0, 0.025))
    if -hand.rotation[2, 2] > 0.75:
        yield [hand.moved((0, 0, 0.13))]
        yield [hand.moved((0, 0, 0.07))]
    else:
        ahead = hand.rotation[:, 2] * (1, 1, 0)
        ahead /= np.linalg.norm(ahead)
        yield [up, up.moved(-0.26 * ahead)]
        yield [up, up.moved(-0.16 * ahead)]
    yield [up, up.advanced(-0.14)]
    yield [up, up.advanced(-0.08)]


def _grid(region: Region, thing: Thing) -> Iterator[tuple[float, float]]:
    """Yield points of a region at which a thing stands on it as a whole, some centimetres apart."""
    depth, width = (max(0.0, half - thing.radius) for half in region.half)
    for x in np.linspace(-depth, depth, 1 + 2 * round(depth / 0.04)):
        for y in np.linspace(-width, width, 1 + 2 * round(width / 0.05)):
            if not region.round or math.hypot(x, y) <= depth + 0.001:
                yield float(x), float(y)
