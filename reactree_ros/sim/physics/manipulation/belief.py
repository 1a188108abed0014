# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot takes for true: where things were when it last saw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reactree_ros.sim.physics.description import Thing
from reactree_ros.sim.physics.geometry import Pose, Vector, on_floor, standing
from reactree_ros.sim.physics.places import CLOSED, OPEN, Place
from reactree_ros.sim.physics.relations import furniture_below
from reactree_ros.sim.physics.robot import Sight


@dataclass
class Belief:
    """Where things are and how far doors are open, as far as the robot knows. It may be wrong.

    Args:
        places: of the world, by name.
        things: where things were when they were last seen; not what is held.
        openings: how far drawers and doors were open then, by the names of their joints (m or rad).
        held: what is in the hand; empty if nothing is.
        grasp: the frame of what is held, in the hand's.
        width: between the fingers that hold it (m).
        form: what is held as the upright thing that it was when it was taken (``as_it_lies``), and
            the frame of what is held in that one's.
        deck: what stands on the robot's own deck, and its frame in that of the base.
    """

    places: Mapping[str, Place]
    things: dict[str, Pose] = field(default_factory=dict)
    openings: dict[str, float] = field(default_factory=dict)
    held: str = ''
    grasp: Pose = standing((0, 0, 0))
    width: float = 0.0
    form: tuple[Thing, Pose] | None = None
    deck: tuple[str, Pose] | None = None

    def update(self, sight: Sight) -> None:
        """Believe what is seen."""
        self.openings.update(sight.openings)
        self.things.update({n: pose for n, pose in sight.things.items() if n != self.held})

    def move_deck(self, base: Vector) -> None:
        """Believe that what stands on the deck is where the robot has carried it."""
        if self.deck is not None:
            name, frame = self.deck
            self.things[name] = on_floor(base) @ frame

    def where(self, name: str) -> str:
        """Return the name of the place where a thing is; empty if it is in none, or unknown."""
        pose = self.things.get(name)
        below = furniture_below(pose, self.openings, self.places) if pose is not None else None
        return below[0] if below is not None else ''

    def is_open(self, place: Place) -> bool:
        """Whether a place is open; what has no door is."""
        return place.open_share(self.openings) >= OPEN

    def is_closed(self, place: Place) -> bool:
        """Whether a place is closed; between open and closed it is neither."""
        return place.open_share(self.openings) <= CLOSED
