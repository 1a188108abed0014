# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The changing graph of one world: what is where, and in which state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reactree_ros.world.scene import Edge, Scene


class Graph:
    """The graph of a scene, changed by skills and by nothing else.

    Args:
        scene: the start; it is shared, not changed.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._states = {node_id: node.states for node_id, node in scene.nodes.items()}
        self._edges = dict.fromkeys(scene.edges)
        self._touching = dict(scene.touching)
        self._rooms = frozenset(scene.rooms)
        self._furniture = frozenset(scene.furniture)

    # What is where.

    def states(self, node_id: int) -> tuple[str, ...]:
        """The states of a node in VirtualHome's words."""
        return self._states[node_id]

    def is_open(self, node_id: int) -> bool:
        """Whether a node is open; what cannot be opened is not."""
        return 'OPEN' in self._states[node_id]

    def is_closed(self, node_id: int) -> bool:
        """Whether a node can be opened and is not open."""
        return 'CAN_OPEN' in self.scene.nodes[node_id].properties and not self.is_open(node_id)

    def is_on(self, node_id: int) -> bool:
        """Whether a node is switched on."""
        return 'ON' in self._states[node_id]

    def supports(self, node_id: int) -> list[Edge]:
        """The ON and INSIDE edges to what a node lies on or in, innermost first, no rooms."""
        edges = [
            edge
            for edge in self._touching[node_id]
            if edge.from_id == node_id
            and edge.relation in ('ON', 'INSIDE')
            and edge.to_id not in self._rooms
        ]
        if len(edges) > 1:
            # VirtualHome also says that the content of a bowl in a fridge is in the fridge.
            edges.sort(key=lambda edge: -len(self.ancestors(edge.to_id)))
        return edges

    def contents(self, node_id: int) -> list[Edge]:
        """The ON and INSIDE edges from what lies on or in a node."""
        return [
            edge
            for edge in self._touching[node_id]
            if edge.to_id == node_id and edge.relation in ('ON', 'INSIDE')
        ]

    def with_contents(self, node_id: int) -> list[int]:
        """The id of a node, and of everything in and on it, however deep."""
        found = [node_id]
        for current in found:
            inner = (edge.from_id for edge in self.contents(current))
            found += [node_id for node_id in inner if node_id not in found]
        return found

    def ancestors(self, node_id: int) -> set[int]:
        """The ids of everything that a node is in or on, however deep, rooms included."""
        found: set[int] = set()
        for edge in self._touching[node_id]:
            if edge.from_id == node_id and edge.relation in ('ON', 'INSIDE'):
                found |= {edge.to_id} | self.ancestors(edge.to_id)
        return found

    def is_in(self, node_id: int, container: int) -> bool:
        """Whether a node is inside a container, or lies on or in something inside it."""
        return any(
            (edge.to_id == container and edge.relation == 'INSIDE')
            or self.is_in(edge.to_id, container)
            for edge in self.supports(node_id)
        )

    def is_hidden(self, node_id: int) -> bool:
        """Whether a closed container stands between a node and every eye."""
        return any(
            (edge.relation == 'INSIDE' and self.is_closed(edge.to_id)) or self.is_hidden(edge.to_id)
            for edge in self.supports(node_id)
        )

    def room_of(self, node_id: int) -> int | None:
        """The id of the room that a node is in; None for a part of the house in no room."""
        if node_id in self.held():
            return self.room_of(self.scene.character)
        for edge in self._touching[node_id]:
            if edge.from_id == node_id and edge.relation == 'INSIDE' and edge.to_id in self._rooms:
                return edge.to_id
        rooms = (self.room_of(edge.to_id) for edge in self.supports(node_id))
        return next((room for room in rooms if room is not None), None)

    def held(self) -> list[int]:
        """The ids of what the robot holds, right hand first."""
        edges = [e for e in self._touching[self.scene.character] if e.relation.startswith('HOLDS')]
        return [edge.to_id for edge in sorted(edges, key=lambda edge: edge.relation == 'HOLDS_LH')]

    def carried(self) -> list[int]:
        """The ids of what the robot holds and of everything in and on it."""
        return [i for node_id in self.held() for i in self.with_contents(node_id)]

    def in_hand(self) -> list[int]:
        """The ids of what the robot holds and of what can be seen in and on it."""
        return [node_id for node_id in self.carried() if not self.is_hidden(node_id)]

    def place(self) -> int | None:
        """The furniture that the robot stands at; None in the middle of a room."""
        close = self.close_to(self.scene.character)
        places = [node_id for node_id in close if node_id in self._furniture]
        # Near several pieces of furniture, as in files of VirtualHome, is at none of them.
        return places[0] if len(places) == 1 else None

    def close_to(self, node_id: int) -> list[int]:
        """The ids of what is CLOSE to a node, in whichever direction the edge is drawn."""
        ends = (
            edge.to_id if edge.from_id == node_id else edge.from_id
            for edge in self._touching[node_id]
            if edge.relation == 'CLOSE'
        )
        return list(dict.fromkeys(ends))

    def furniture_in(self, room: int | None) -> list[int]:
        """The visible furniture of a room, in the order of names."""
        return [
            i for i in self.scene.furniture if self.room_of(i) == room and not self.is_hidden(i)
        ]

    def around(self, place: int) -> tuple[set[int], set[int]]:
        """Look around a piece of furniture from where a robot stands at it.

        Visible is what lies on or in the place and what is CLOSE to it, except in closed
        containers (paper, Appendix B.2). Other furniture is seen but takes a walk to reach.

        Returns:
            Ids of what can be reached, the place included; ids of the neighbouring furniture.
        """
        room = self.room_of(place)
        reach, neighbours, to_visit = {place}, set[int](), [place]
        skip = {self.scene.character, *self._rooms, *self.carried()}
        while to_visit:
            current = to_visit.pop()
            found = [edge.from_id for edge in self.contents(current)]
            if current == place:
                found += [i for i in self.close_to(place) if self.room_of(i) == room]
                found += [edge.to_id for edge in self.supports(place)]
            for node_id in found:
                if node_id in skip or node_id in reach or self.is_hidden(node_id):
                    continue
                if node_id in self._furniture:
                    neighbours.add(node_id)
                elif self.scene.nodes[node_id].affordances:
                    reach.add(node_id)
                    to_visit.append(node_id)
        return reach, neighbours

    # What skills change.

    def set_state(self, node_id: int, new: str, *, instead_of: str = '') -> None:
        """Give a node a state, in the place of the opposite one if it has it."""
        states = [new if state == instead_of else state for state in self._states[node_id]]
        self._states[node_id] = tuple(dict.fromkeys([*states, new]))

    def walk(self, room: int, place: int | None) -> None:
        """Move the robot into a room, and there to a piece of furniture or to the middle."""
        character = self.scene.character
        self._remove(e for e in self._touching[character] if not e.relation.startswith('HOLDS'))
        self._add(Edge(character, 'INSIDE', room))
        if place is not None:
            self._add(Edge(character, 'CLOSE', place))
            self._add(Edge(place, 'CLOSE', character))

    def take(self, node_id: int) -> None:
        """Put a node, and what lies on or in it, into a free hand."""
        moved = self.with_contents(node_id)
        for moved_id in moved:
            self._remove(
                edge
                for edge in self._touching[moved_id]
                if edge.from_id not in moved or edge.to_id not in moved
            )
        character = self.scene.character
        right = any(edge.relation == 'HOLDS_RH' for edge in self._touching[character])
        self._add(Edge(character, 'HOLDS_LH' if right else 'HOLDS_RH', node_id))

    def put(self, node_id: int, relation: str, place: int) -> None:
        """Put what the robot holds, and what lies on or in it, on or in furniture or a vessel."""
        # What is carried is in no room of its own, as VirtualHome has it.
        room = None if place in self.carried() else self.room_of(place)
        self._remove(e for e in self._touching[node_id] if e.relation.startswith('HOLDS'))
        self._add(Edge(node_id, relation, place))
        for moved_id in self.with_contents(node_id):
            if room is not None:
                self._add(Edge(moved_id, 'INSIDE', room))
            self._add(Edge(moved_id, 'CLOSE', place))
            self._add(Edge(place, 'CLOSE', moved_id))

    def to_dict(self) -> dict[str, Any]:
        """Write the graph in VirtualHome's format, with everything that the scene's file had."""
        nodes = [
            {**node.raw, 'states': list(self._states[node_id])}
            for node_id, node in self.scene.nodes.items()
        ]
        edges = [
            {'from_id': edge.from_id, 'relation_type': edge.relation, 'to_id': edge.to_id}
            for edge in self._edges
        ]
        return {**self.scene.raw, 'nodes': nodes, 'edges': edges}

    def _add(self, edge: Edge) -> None:
        if edge not in self._edges:
            self._edges[edge] = None
            for node_id in (edge.from_id, edge.to_id):
                self._touching[node_id] = (*self._touching[node_id], edge)

    def _remove(self, edges: Iterable[Edge]) -> None:
        for edge in tuple(edges):
            del self._edges[edge]
            for node_id in (edge.from_id, edge.to_id):
                self._touching[node_id] = tuple(e for e in self._touching[node_id] if e != edge)
