# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads environment graphs as VirtualHome writes them: mends what the format leaves loose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reactree_ros.sim.household.scene_check import HOUSE_PARTS, RELATIONS

_ROOMS = frozenset(
    {'bathroom', 'bedroom', 'diningroom', 'dining_room', 'entrancehall', 'entrance_hall',
     'homeoffice', 'home_office', 'kidsbedroom', 'kids_bedroom', 'kitchen', 'livingroom',
     'living_room'}
)  # fmt: skip
_EITHER_OR = (('OPEN', 'CLOSED'), ('ON', 'OFF'), ('CLEAN', 'DIRTY'))
_DIGITS = 18
# What has more is not an id; Python refuses to read whole numbers of thousands of digits.
_Edge = tuple[int, str, int]


def is_virtualhome(data: Any) -> bool:
    """Whether plain data is a graph as VirtualHome writes it, not a scene of this package.

    Scenes of this package, and graphs that a world wrote, have ``metadata`` and are taken at
    their word.
    """
    return (
        isinstance(data, Mapping)
        and 'metadata' not in data
        and all(isinstance(data.get(key), list) for key in ('nodes', 'edges'))
    )


def mend(data: Mapping[str, Any]) -> dict[str, Any]:
    """Mend a graph of VirtualHome or Watch-And-Help so that it is a valid scene.

    What is loose in such files: fields that are missing, states in lower case or against each
    other, relations of newer versions, edges to nobody, nodes named twice, several characters or
    none, objects in no room, in several rooms or in themselves, things held and also put down.
    Nothing else is changed: sound parts are kept with every field they have.

    Args:
        data: a graph with ``nodes`` and ``edges``; it is not changed.

    Returns:
        The scene as plain data, with ``metadata``.
    """
    mender = _Mender(data)
    mender.nodes()
    mender.edges()
    mender.character()
    mender.held()
    mender.places()
    hands = 2 if len(mender.in_hand) > 1 else 1
    nodes = list(mender.by_id.values())
    edges = [{'from_id': a, 'relation_type': r, 'to_id': b} for a, r, b in mender.kept]
    rest = {key: value for key, value in data.items() if key not in ('nodes', 'edges')}
    return {**rest, 'metadata': {'hands': hands}, 'nodes': nodes, 'edges': edges}


class _Mender:
    """One graph in the making; each step relies on the ones before."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.by_id: dict[int, dict[str, Any]] = {}
        self.kept: dict[_Edge, None] = {}
        self.robot = 0
        self.in_hand: list[int] = []
        self._data = data

    def nodes(self) -> None:
        for raw in self._data['nodes']:
            if isinstance(raw, Mapping) and _is_id(raw.get('id')):
                if raw.get('class_name') and isinstance(raw['class_name'], str):
                    self.by_id.setdefault(int(raw['id']), self._node(raw))

    def _node(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        name = raw['class_name']
        kind = 'Rooms' if name.lower() in _ROOMS else 'placable_objects'
        kind = 'Characters' if name.lower() == 'character' else kind
        node = {**raw, 'id': int(raw['id']), 'class_name': name}
        given = raw.get('category')
        node['category'] = given if given and isinstance(given, str) else kind
        for key in ('properties', 'states'):
            given = raw.get(key)
            node[key] = [str(word).upper() for word in given] if isinstance(given, list) else []
        for pair in _EITHER_OR:
            for late in [state for state in node['states'] if state in pair][1:]:
                if late in node['states'] and set(pair) <= set(node['states']):
                    node['states'].remove(late)
        return node

    def edges(self) -> None:
        self.kept = {edge: None for raw in self._data['edges'] if (edge := self._edge(raw))}

    def _edge(self, raw: Any) -> _Edge | None:
        if not isinstance(raw, Mapping):
            return None
        from_id, to_id = raw.get('from_id'), raw.get('to_id')
        if not (type(from_id) is int and type(to_id) is int):
            if not (_is_id(from_id) and _is_id(to_id)):
                return None
            from_id, to_id = int(str(from_id)), int(str(to_id))
        relation = str(raw.get('relation_type')).upper()
        if (
            not {from_id, to_id} <= self.by_id.keys()
            or from_id == to_id
            or relation not in RELATIONS
            or (relation in ('ON', 'INSIDE') and self._is_room(from_id))
            or (relation.startswith('HOLDS') and self._is_room(to_id))
        ):
            return None
        return from_id, relation, to_id

    def character(self) -> None:
        found = sorted(i for i, n in self.by_id.items() if n['class_name'].lower() == 'character')
        if not found:
            found = [max(self.by_id, default=0) + 1]
            self.by_id[found[0]] = {
                'id': found[0], 'class_name': 'character', 'category': 'Characters',
                'properties': [], 'states': [],
            }  # fmt: skip
        self.robot = found[0]
        for other in found[1:]:
            del self.by_id[other]
        self.kept = {e: None for e in self.kept if not {e[0], e[2]} & set(found[1:])}

    def held(self) -> None:
        holds = [edge for edge in self.kept if edge[1].startswith('HOLDS')]
        for edge in holds:
            hands = [e for e in self.kept if e[1].startswith('HOLDS') and e != edge]
            both = any(e[0] == self.robot and e[2] == edge[2] for e in hands)
            if edge[0] != self.robot or both or any(e[:2] == edge[:2] for e in hands):
                del self.kept[edge]
            else:
                self.in_hand.append(edge[2])
        for edge in [e for e in self.kept if e[0] in self.in_hand and e[1] in ('ON', 'INSIDE')]:
            del self.kept[edge]

    def places(self) -> None:
        """Give every object one place: no circles, one room, which its supports share."""
        direct: dict[int, int] = {}
        up: dict[int, list[int]] = {}
        for edge in [e for e in self.kept if e[1] in ('ON', 'INSIDE')]:
            node_id, relation, other = edge
            if relation == 'INSIDE' and self._is_room(other):
                if direct.setdefault(node_id, other) != other:
                    del self.kept[edge]
            elif node_id in _reachable(other, up):
                del self.kept[edge]
            else:
                up.setdefault(node_id, []).append(other)
        carried = {i for i in self.by_id if set(self.in_hand) & {i, *_reachable(i, up)}}
        for edge in [(i, 'INSIDE', room) for i, room in direct.items() if i in carried]:
            # What is carried is in no room of its own.
            del self.kept[edge]
        rooms: dict[int, int] = {}
        # From the supports up, so that each has its room when what it carries is looked at.
        for node_id in sorted(self.by_id, key=lambda i: len(_reachable(i, up))):
            if self._is_room(node_id) or node_id in carried:
                continue
            supports = [other for other in up.get(node_id, ()) if other in rooms]
            room = self._room(node_id, direct.get(node_id), supports, rooms)
            if room is None and self.by_id[node_id]['category'] in HOUSE_PARTS:
                continue
            if room is None:
                room = self._guess(node_id, rooms | direct)
                if room is None:
                    continue
                self.kept[(node_id, 'INSIDE', room)] = None
            rooms[node_id] = room
            for edge in [(node_id, r, i) for i in supports for r in ('ON', 'INSIDE')]:
                if edge in self.kept and rooms[edge[2]] != room:
                    del self.kept[edge]
        self._leave_out(rooms, carried)

    def _room(
        self, node_id: int, direct: int | None, supports: list[int], rooms: Mapping[int, int]
    ) -> int | None:
        """The room of the furniture that something is in or on; else its own, or the floor's."""
        firm = [i for i in supports if self.by_id[i]['category'] not in HOUSE_PARTS]
        if not firm:
            return next((rooms[i] for i in supports), None) if direct is None else direct
        room = rooms[firm[0]]
        if direct is not None and direct != room:
            del self.kept[(node_id, 'INSIDE', direct)]
            self.kept[(node_id, 'INSIDE', room)] = None
        return room

    def _guess(self, node_id: int, rooms: Mapping[int, int]) -> int | None:
        """The room of most things close by; for the robot, of all rooms the first."""
        ends = [e for e in self.kept if e[1] == 'CLOSE' and node_id in (e[0], e[2])]
        near = [rooms.get(e[2] if e[0] == node_id else e[0]) for e in ends]
        found = [room for room in near if room is not None]
        every = sorted(i for i in self.by_id if self._is_room(i))
        if found:
            return max(every, key=found.count)
        return every[0] if every and node_id == self.robot else None

    def _leave_out(self, rooms: Mapping[int, int], carried: Iterable[int]) -> None:
        kept = {*rooms, *carried}
        lost = {
            i
            for i, node in self.by_id.items()
            if i not in kept and not self._is_room(i) and node['category'] not in HOUSE_PARTS
        }
        for node_id in lost:
            del self.by_id[node_id]
        self.kept = {e: None for e in self.kept if not {e[0], e[2]} & lost}

    def _is_room(self, node_id: int) -> bool:
        return bool(self.by_id[node_id]['category'] == 'Rooms')


def _is_id(value: Any) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, str) and value.isdecimal() and len(value) <= _DIGITS
    )


def _reachable(start: int, up: Mapping[int, Iterable[int]]) -> set[int]:
    found = {start}
    to_visit = [start]
    while to_visit:
        for other in up.get(to_visit.pop(), ()):
            if other not in found:
                found.add(other)
                to_visit.append(other)
    return found
