# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where things lie in a household, from where each can be reached, and behind which doors."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from reactree_ros.sim.household.graph import Graph


class Spot(NamedTuple):
    """Somewhere an object can lie.

    Args:
        places: ids of the furniture from which it is within reach, the nearest first.
        doors: ids of what must be open for that, the outermost first.
        on: ids of what it lies on.
        inside: ids of what it is inside, however deep.
        within: ids of all that it is in or on, however deep.
        vessel: number of the movable item that it lies in or on, which knows the rest; -1: none.
    """

    places: tuple[int, ...] = ()
    doors: tuple[int, ...] = ()
    on: frozenset[int] = frozenset()
    inside: frozenset[int] = frozenset()
    within: frozenset[int] = frozenset()
    vessel: int = -1


class House:
    """The furniture of a world, which is only read, as it stands while things are carried about.

    Attributes:
        furniture: ids of what the robot can go to.
        room_of: id of the room that a piece of furniture is in.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scene = graph.scene
        self.furniture = frozenset(graph.scene.furniture)
        self._rooms = frozenset(graph.scene.rooms)
        self.room_of = {place: graph.room_of(place) for place in graph.scene.furniture}

    def spot(self, node_id: int) -> Spot:
        """Where an object lies now."""
        graph = self.graph
        return Spot(
            places=self.places(node_id),
            doors=self._doors(node_id),
            on=frozenset(e.to_id for e in graph.supports(node_id) if e.relation == 'ON'),
            inside=self._inside(node_id),
            within=frozenset(graph.ancestors(node_id) - self._rooms),
        )

    def put_spot(self, place: int) -> Spot | None:
        """Where an object lies after it was put down at a place; None where nothing can be."""
        affordances = self.scene.nodes[place].affordances
        door = {'can_open', 'containers'} <= affordances
        if not affordances & {'surfaces', 'containers'}:
            return None
        inside = door or 'surfaces' not in affordances
        return Spot(
            places=(place,),
            doors=(*self._doors(place), place) if door else self._doors(place),
            on=frozenset() if inside else frozenset([place]),
            inside=self._inside(place) | ({place} if inside else set()),
            within=frozenset(self.graph.ancestors(place) - self._rooms) | {place},
        )

    def places(self, node_id: int) -> tuple[int, ...]:
        """The furniture from which a node is within reach once all doors are open."""
        if node_id in self.furniture:
            return (node_id,)
        found: dict[int, None] = {}
        beside: dict[int, None] = {}
        chain = [node_id]
        for current in chain:
            for edge in self.graph.supports(current):
                if edge.to_id in self.furniture:
                    found[edge.to_id] = None
                elif self.scene.nodes[edge.to_id].affordances and edge.to_id not in chain:
                    chain.append(edge.to_id)
            room = self.graph.room_of(current)
            for place in self.graph.close_to(current):
                if place in self.furniture and self.room_of[place] == room:
                    beside[place] = None
        return tuple(p for p in (found | beside) if self.room_of[p] is not None)

    @cached_property
    def puttable(self) -> dict[int, Spot]:
        """Where things can be put down: the spot by the id of the place."""
        reachable = (p for p in self.scene.furniture if self.room_of[p] is not None)
        spots = {place: self.put_spot(place) for place in reachable}
        return {place: spot for place, spot in spots.items() if spot is not None}

    def _doors(self, node_id: int) -> tuple[int, ...]:
        doors: dict[int, None] = {}
        for edge in self.graph.supports(node_id):
            for door in self._doors(edge.to_id):
                doors[door] = None
            closable = 'CAN_OPEN' in self.scene.nodes[edge.to_id].properties
            if edge.relation == 'INSIDE' and closable:
                doors[edge.to_id] = None
        return tuple(doors)

    def _inside(self, node_id: int) -> frozenset[int]:
        found: set[int] = set()
        for edge in self.graph.supports(node_id):
            if edge.relation == 'INSIDE':
                found.add(edge.to_id)
            found |= self._inside(edge.to_id)
        return frozenset(found)
