# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Homes drawn from seeds, as scenes in VirtualHome's environment-graph format."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from reactree_ros.lab.generator.catalogue import FURNITURE, ROOMS, THINGS
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.household.scene import Node, Scene


@dataclass(frozen=True)
class FloorPlan:
    """What a home is to be like.

    Args:
        rooms: kinds of rooms, besides a bathroom, a bedroom, a kitchen and a living room.
        hands: how many things the robot can hold there.
        unseen: no training task happens there.
    """

    rooms: tuple[str, ...] = ()
    hands: int = 1
    unseen: bool = False


FLOOR_PLANS: Mapping[str, FloorPlan] = {
    'home_1': FloorPlan(),
    'home_2': FloorPlan(('homeoffice',)),
    'home_3': FloorPlan(('bedroom',), hands=2),
    'home_4': FloorPlan(('diningroom',)),
    'home_5': FloorPlan(),
    'home_6': FloorPlan(('bedroom',)),
    'home_7': FloorPlan(('homeoffice',), unseen=True),
    'home_8': FloorPlan(unseen=True),
    'home_9': FloorPlan(('diningroom',), hands=2, unseen=True),
    'home_10': FloorPlan(('bedroom',), unseen=True),
}
"""The generated homes by name."""


def make_home(name: str) -> dict[str, Any]:
    """Draw one home.

    Args:
        name: one of FLOOR_PLANS.

    Returns:
        An environment graph: rooms, the character, furniture by room, then things by class.
    """
    plan = FLOOR_PLANS[name]
    draw = Draw(name)
    graph = _GraphWriter()
    rooms = sorted(('bathroom', 'bedroom', 'kitchen', 'livingroom', *plan.rooms))
    room_ids = [(graph.node(room, 'Rooms'), room) for room in rooms]
    graph.edge(graph.node('character', 'Characters'), 'INSIDE', room_ids[0][0])
    places: dict[int, str] = {}
    room_of: dict[int, int] = {}
    for room_id, room in room_ids:
        here = _furnish(graph, draw, room)
        for place in here:
            graph.edge(place, 'INSIDE', room_id)
            room_of[place] = room_id
        _stand(graph, here)
        places |= here
    arrangement = Arrangement(places)
    for class_name, thing in THINGS.items():
        for _ in range(draw.whole(*thing.count)):
            node_id = graph.node(class_name, thing.category, ('GRABBABLE', *thing.properties))
            if not arrangement.lay(draw, node_id, class_name):
                graph.nodes.pop()
                continue
            place = arrangement.where[node_id]
            graph.edge(node_id, FURNITURE[places[place]].relation, place)
            graph.edge(node_id, 'INSIDE', room_of[place])
            graph.close(node_id, place)
    return {'metadata': {'hands': plan.hands}, 'nodes': graph.nodes, 'edges': graph.edges}


class Arrangement:
    """The things of a home on and in its furniture.

    Args:
        places: class names of the furniture by id.
        where: id of the furniture by id of the thing that lies there.
    """

    def __init__(self, places: Mapping[int, str], where: Mapping[int, int] | None = None) -> None:
        self.where = dict(where or {})
        self._places = places

    @classmethod
    def of(cls, scene: Scene) -> Arrangement:
        """How the things of a scene lie."""
        places = {i: scene.nodes[i].class_name for i in scene.furniture}
        lying = (edge for edge in scene.edges if edge.relation in ('ON', 'INSIDE'))
        where = {
            edge.from_id: edge.to_id
            for edge in lying
            if edge.to_id in places and edge.from_id not in places
        }
        return cls(places, where)

    def moved(self, scene: Scene) -> tuple[tuple[str, str, str], ...]:
        """What lies elsewhere than in the scene that it came from: name, how, name of place."""
        nodes, before = scene.nodes, Arrangement.of(scene).where
        moves = [(nodes[i], nodes[at]) for i, at in sorted(self.where.items()) if at != before[i]]
        return tuple((thing.name, _relation(place), place.name) for thing, place in moves)

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


class _GraphWriter:
    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.edges: list[dict[str, Any]] = []

    def node(
        self,
        class_name: str,
        category: str,
        properties: tuple[str, ...] = (),
        states: tuple[str, ...] = (),
    ) -> int:
        node_id = len(self.nodes) + 1
        self.nodes.append(
            {
                'id': node_id,
                'class_name': class_name,
                'category': category,
                'properties': list(properties),
                'states': list(states),
            }
        )
        return node_id

    def edge(self, from_id: int, relation: str, to_id: int) -> None:
        self.edges.append({'from_id': from_id, 'relation_type': relation, 'to_id': to_id})

    def close(self, one: int, other: int) -> None:
        self.edge(one, 'CLOSE', other)
        self.edge(other, 'CLOSE', one)


def _furnish(graph: _GraphWriter, draw: Draw, room: str) -> dict[int, str]:
    here: dict[int, str] = {}
    for class_name, (fewest, most) in ROOMS[room].items():
        kind = FURNITURE[class_name]
        for _ in range(draw.whole(fewest, most)):
            here[graph.node(class_name, kind.category, kind.properties, kind.states)] = class_name
    return here


def _stand(graph: _GraphWriter, here: Mapping[int, str]) -> None:
    """Stand furniture on or close to other furniture of the room."""
    for place, class_name in here.items():
        kind = FURNITURE[class_name]
        for wanted, is_on in ((kind.on, True), (kind.close, False)):
            found = [i for name in wanted for i, other in here.items() if other == name]
            if found:
                if is_on:
                    graph.edge(place, 'ON', found[0])
                graph.close(place, found[0])


def _relation(place: Node) -> str:
    door = {'can_open', 'containers'} <= place.affordances
    return 'inside' if door or 'surfaces' not in place.affordances else 'on'
