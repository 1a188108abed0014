# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The changing graph of one world: what is where, and in which state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from reactree_ros.sim.household.scene import Edge, Scene, Surroundings, surroundings


class Graph:
    """The graph of a scene, changed by skills and by nothing else.

    It keeps only what differs from its scene, so that a world costs next to nothing. Several robots
    may be in it; what is asked and done is asked and done by the one that it was turned to last.

    Args:
        scene: the start; it is shared, not changed.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.version = 0
        """Grows with every change, for what others keep about the world."""
        self.character = scene.character
        """The id of the robot that asks and acts."""
        self._characters = [scene.character]
        self._states: dict[int, tuple[str, ...]] = {}
        self._added: dict[Edge, None] = {}
        self._removed: set[Edge] = set()
        # Per node, once it has changed: its edges, and what follows from them.
        self._touching: dict[int, dict[Edge, None]] = {}
        self._near: dict[int, Surroundings] = {}
        self._rooms: dict[int, int | None] = {}
        self._held: tuple[int, ...] | None = None
        self._carried: tuple[int, tuple[int, ...]] | None = None
        self._place: tuple[int, int | None] | None = None
        self._furniture: dict[int | None, tuple[int, ...]] | None = None
        self._around: tuple[int, int, tuple[frozenset[int], frozenset[int]]] | None = None

    def add_robot(self) -> int:
        """Add a robot, where the scene's own was at the start; return its id."""
        start = self.scene.near[self.scene.character].room
        new = max(*self.scene.nodes, *self._characters) + 1
        self._characters.append(new)
        self._touching[new] = {}
        if start is not None:
            self._add(Edge(new, 'INSIDE', start))
        return new

    def turn_to(self, character: int) -> None:
        """Let a robot ask and act from now on."""
        if character != self.character:
            self.character = character
            self._held = self._carried = self._place = self._around = None

    # What is where.

    def states(self, node_id: int) -> tuple[str, ...]:
        """The states of a node in VirtualHome's words."""
        changed = self._states.get(node_id)
        return self.scene.nodes[node_id].states if changed is None else changed

    def is_open(self, node_id: int) -> bool:
        """Whether a node is open; what cannot be opened is not."""
        return 'OPEN' in self.states(node_id)

    def is_closed(self, node_id: int) -> bool:
        """Whether a node can be opened and is not open."""
        return 'CAN_OPEN' in self.scene.nodes[node_id].properties and not self.is_open(node_id)

    def is_on(self, node_id: int) -> bool:
        """Whether a node is switched on."""
        return 'ON' in self.states(node_id)

    def supports(self, node_id: int) -> tuple[Edge, ...]:
        """The ON and INSIDE edges to what a node lies on or in, innermost first, no rooms."""
        edges = self._look(node_id).supports
        if len(edges) > 1:
            # VirtualHome also says that the content of a bowl in a fridge is in the fridge.
            return tuple(sorted(edges, key=lambda edge: -len(self.ancestors(edge.to_id))))
        return edges

    def contents(self, node_id: int) -> tuple[Edge, ...]:
        """The ON and INSIDE edges from what lies on or in a node."""
        return self._look(node_id).contents

    def with_contents(self, node_id: int) -> list[int]:
        """The id of a node, and of everything in and on it, however deep."""
        found = [node_id]
        for current in found:
            for edge in self._look(current).contents:
                if edge.from_id not in found:
                    found.append(edge.from_id)
        return found

    def ancestors(self, node_id: int) -> set[int]:
        """The ids of everything that a node is in or on, however deep, no rooms."""
        found: set[int] = set()
        to_visit = [node_id]
        while to_visit:
            for edge in self._look(to_visit.pop()).supports:
                if edge.to_id not in found:
                    found.add(edge.to_id)
                    to_visit.append(edge.to_id)
        return found

    def is_in(self, node_id: int, container: int) -> bool:
        """Whether a node is inside a container, or lies on or in something inside it."""
        return any(
            edge.to_id == container and edge.relation == 'INSIDE'
            for edge in self._supports_above(node_id)
        )

    def is_hidden(self, node_id: int) -> bool:
        """Whether a closed container stands between a node and every eye."""
        supports = self._look(node_id).supports
        # nearly everything is on or in one thing at most, and this is asked all the time
        while len(supports) == 1:
            edge = supports[0]
            if edge.relation == 'INSIDE' and self.is_closed(edge.to_id):
                return True
            node_id = edge.to_id
            supports = self._look(node_id).supports
        return bool(supports) and any(
            edge.relation == 'INSIDE' and self.is_closed(edge.to_id)
            for edge in self._supports_above(node_id)
        )

    def _supports_above(self, node_id: int) -> Iterator[Edge]:
        """Yield the edges to what a node is on or in, to what that is on or in, and so on."""
        to_visit = [node_id]
        seen = {node_id}
        while to_visit:
            for edge in self._look(to_visit.pop()).supports:
                yield edge
                if edge.to_id not in seen:
                    seen.add(edge.to_id)
                    to_visit.append(edge.to_id)

    def room_of(self, node_id: int) -> int | None:
        """The id of the room that a node is in; None for a part of the house in no room."""
        if node_id in self._rooms:
            return self._rooms[node_id]
        near = self._look(node_id)
        room = near.room
        if room is None and near.holder is not None:
            return self.room_of(near.holder)
        if room is None:
            rooms = (self.room_of(edge.to_id) for edge in self.supports(node_id))
            room = next((room for room in rooms if room is not None), None)
        if node_id not in self._characters and node_id not in self._carried_by_all():
            self._rooms[node_id] = room
        return room

    def held(self) -> tuple[int, ...]:
        """The ids of what the robot holds, right hand first."""
        if self._held is None:
            edges = [
                edge for edge in self._edges_of(self.character) if edge.relation.startswith('HOLDS')
            ]
            edges.sort(key=lambda edge: edge.relation == 'HOLDS_LH')
            self._held = tuple(edge.to_id for edge in edges)
        return self._held

    def is_held(self, node_id: int) -> bool:
        """Whether a robot holds a node."""
        return self._look(node_id).holder is not None

    def carried(self) -> tuple[int, ...]:
        """The ids of what the robot holds and of everything in and on it."""
        if self._carried is None or self._carried[0] != self.version:
            found = tuple(i for node_id in self.held() for i in self.with_contents(node_id))
            self._carried = (self.version, found)
        return self._carried[1]

    def _carried_by_all(self) -> set[int]:
        others = (
            node_id
            for character in self._characters
            if character != self.character
            for edge in self._edges_of(character)
            if edge.relation.startswith('HOLDS')
            for node_id in self.with_contents(edge.to_id)
        )
        return {*self.carried(), *others}

    def in_hand(self) -> list[int]:
        """The ids of what the robot holds and of what can be seen in and on it."""
        return [node_id for node_id in self.carried() if not self.is_hidden(node_id)]

    def place(self) -> int | None:
        """The furniture that the robot stands at; None in the middle of a room."""
        if self._place is None or self._place[0] != self.version:
            nodes = self.scene.nodes
            close = self.close_to(self.character)
            places = [node_id for node_id in close if 'furniture' in nodes[node_id].affordances]
            # Near several pieces of furniture, as in files of VirtualHome, is at none of them.
            self._place = (self.version, places[0] if len(places) == 1 else None)
        return self._place[1]

    def close_to(self, node_id: int) -> tuple[int, ...]:
        """The ids of what is CLOSE to a node, in whichever direction the edge is drawn."""
        return self._look(node_id).close

    def furniture_in(self, room: int | None) -> list[int]:
        """The visible furniture of a room, in the order of names; none that is carried."""
        if self._furniture is None:
            by_room: dict[int | None, list[int]] = {}
            for node_id in self.scene.furniture:
                by_room.setdefault(self.room_of(node_id), []).append(node_id)
            self._furniture = {room: tuple(ids) for room, ids in by_room.items()}
        carried = self._carried_by_all()
        found = self._furniture.get(room, ())
        return [i for i in found if i not in carried and not self.is_hidden(i)]

    def around(self, place: int) -> tuple[frozenset[int], frozenset[int]]:
        """Look around a piece of furniture from where a robot stands at it.

        Visible is what lies on or in the place and what is CLOSE to it, except in closed
        containers (paper, Appendix B.2). Other furniture is seen but takes a walk to reach.

        Returns:
            Ids of what can be reached, the place included; ids of the neighbouring furniture.
        """
        if self._around is None or self._around[:2] != (self.version, place):
            self._around = (self.version, place, self._look_around(place))
        return self._around[2]

    def _look_around(self, place: int) -> tuple[frozenset[int], frozenset[int]]:
        nodes = self.scene.nodes
        room = self.room_of(place)
        reach, neighbours, to_visit = {place}, set[int](), [place]
        skip = {*self._characters, *self.scene.rooms, *self._carried_by_all()}
        while to_visit:
            current = to_visit.pop()
            found = [edge.from_id for edge in self.contents(current)]
            if current == place:
                found += [i for i in self.close_to(place) if self.room_of(i) == room]
                found += [edge.to_id for edge in self.supports(place)]
            for node_id in found:
                if node_id in skip or node_id in reach or self.is_hidden(node_id):
                    continue
                affordances = nodes[node_id].affordances
                if 'furniture' in affordances:
                    neighbours.add(node_id)
                elif affordances:
                    reach.add(node_id)
                    to_visit.append(node_id)
        return frozenset(reach), frozenset(neighbours)

    # What skills change.

    def set_state(self, node_id: int, new: str, *, instead_of: str = '') -> None:
        """Give a node a state, in the place of the opposite one if it has it."""
        states = [new if state == instead_of else state for state in self.states(node_id)]
        self._states[node_id] = tuple(dict.fromkeys([*states, new]))
        self.version += 1

    def walk(self, room: int, place: int | None) -> None:
        """Move the robot into a room, and there to a piece of furniture or to the middle."""
        character = self.character
        # What it holds and what it wears goes along.
        self._remove(
            edge
            for edge in self._edges_of(character)
            if not edge.relation.startswith('HOLDS')
            and (edge.from_id == character or edge.relation not in ('ON', 'INSIDE'))
        )
        worn = self.with_contents(character)[1:]
        self._remove(
            edge
            for node_id in worn
            for edge in self._edges_of(node_id)
            if edge.from_id == node_id and edge.to_id in self.scene.rooms
        )
        self._add(Edge(character, 'INSIDE', room))
        self._move(worn)
        if place is not None:
            self._add(Edge(character, 'CLOSE', place))
            self._add(Edge(place, 'CLOSE', character))

    def take(self, node_id: int) -> None:
        """Put a node, and what lies on or in it, into a free hand."""
        moved = self.with_contents(node_id)
        self._move(moved)
        for moved_id in moved:
            self._remove(
                edge
                for edge in self._edges_of(moved_id)
                if edge.from_id not in moved or edge.to_id not in moved
            )
        character = self.character
        right = any(edge.relation == 'HOLDS_RH' for edge in self._edges_of(character))
        self._add(Edge(character, 'HOLDS_LH' if right else 'HOLDS_RH', node_id))

    def put(self, node_id: int, relation: str, place: int) -> None:
        """Put what the robot holds, and what lies on or in it, on or in furniture or a vessel."""
        # What is carried is in no room of its own, as VirtualHome has it.
        room = None if place in self.carried() else self.room_of(place)
        moved = self.with_contents(node_id)
        self._remove(e for e in self._edges_of(node_id) if e.relation.startswith('HOLDS'))
        self._add(Edge(node_id, relation, place))
        for moved_id in moved:
            if room is not None:
                self._add(Edge(moved_id, 'INSIDE', room))
            self._add(Edge(moved_id, 'CLOSE', place))
            self._add(Edge(place, 'CLOSE', moved_id))
        self._move(moved)

    def to_dict(self) -> dict[str, Any]:
        """Write the graph in VirtualHome's format, with everything that the scene's file had."""
        nodes = [
            {**node.raw, 'states': list(self.states(node_id))}
            for node_id, node in self.scene.nodes.items()
        ]
        kept = (edge for edge in self.scene.edges if edge not in self._removed)
        robot = self.scene.nodes[self.scene.character].raw
        nodes += [{**robot, 'id': character} for character in self._characters[1:]]
        edges = [
            {'from_id': edge.from_id, 'relation_type': edge.relation, 'to_id': edge.to_id}
            for edge in (*kept, *self._added)
        ]
        return {**self.scene.raw, 'nodes': nodes, 'edges': edges}

    def _look(self, node_id: int) -> Surroundings:
        near = self._near.get(node_id)
        if near is None:
            changed = self._touching.get(node_id)
            if changed is None:
                near = self.scene.near[node_id]
            else:
                near = surroundings(node_id, changed, self.scene.rooms)
            self._near[node_id] = near
        return near

    def _edges_of(self, node_id: int) -> Iterable[Edge]:
        changed = self._touching.get(node_id)
        return self.scene.touching[node_id] if changed is None else changed

    def _move(self, moved: Iterable[int]) -> None:
        """Forget in which rooms some nodes are."""
        for node_id in moved:
            self._rooms.pop(node_id, None)
            if 'furniture' in self.scene.nodes[node_id].affordances:
                self._furniture = None

    def _add(self, edge: Edge) -> None:
        if edge in self._removed:
            self._removed.discard(edge)
        elif edge in self._added or edge in self.scene.touching.get(edge.from_id, ()):
            return
        else:
            self._added[edge] = None
        for node_id in (edge.from_id, edge.to_id):
            self._change(node_id)[edge] = None

    def _remove(self, edges: Iterable[Edge]) -> None:
        for edge in tuple(edges):
            if edge in self._added:
                del self._added[edge]
            else:
                self._removed.add(edge)
            for node_id in (edge.from_id, edge.to_id):
                self._change(node_id).pop(edge)

    def _change(self, node_id: int) -> dict[Edge, None]:
        """The edges of a node, to be changed: a copy of the scene's the first time."""
        self.version += 1
        self._near.pop(node_id, None)
        if node_id == self.character:
            self._held = None
        edges = self._touching.get(node_id)
        if edges is None:
            edges = self._touching[node_id] = dict.fromkeys(self.scene.touching[node_id])
        return edges
