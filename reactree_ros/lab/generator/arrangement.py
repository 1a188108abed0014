# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which thing lies where in one home, without overfilling its furniture."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from reactree_ros.lab.generator.catalogue import FURNITURE, THINGS
from reactree_ros.lab.generator.draw import Draw


class Arrangement:
    """The things of a home on and in its furniture.

    Args:
        places: class names of the furniture by id.
        where: id of the furniture by id of the thing that lies there.
    """

    def __init__(self, places: Mapping[int, str], where: Mapping[int, int] | None = None) -> None:
        self.where = dict(where or {})
        self._places = places

    def free(self, place: int) -> int:
        """How many more things there is room for on or in a piece of furniture."""
        lying = sum(other == place for other in self.where.values())
        return FURNITURE[self._places[place]].room_for - lying

    def lay(
        self, draw: Draw, thing: int, class_name: str, avoid: Collection[str] = frozenset()
    ) -> bool:
        """Lay a thing where its kind is found, or leave it if there is no room anywhere.

        Args:
            draw: chooses the place.
            thing: id of the thing.
            class_name: its kind.
            avoid: classes of furniture where it must not lie.

        Returns:
            Whether it was laid.
        """
        before = self.where.pop(thing, None)
        weights: dict[int, float] = {}
        for name, weight in THINGS[class_name].places.items():
            alike = [i for i, other in self._places.items() if other == name]
            open_places = [i for i in alike if name not in avoid and self.free(i) > 0]
            weights |= {i: weight / len(alike) for i in open_places}
        if weights:
            self.where[thing] = draw.weighted(weights)
        elif before is not None:
            self.where[thing] = before
        return bool(weights)
