# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A scene: a household as a graph of objects, in VirtualHome's environment-graph format."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household.scene_check import HOUSE_PARTS, scene_problems
from reactree_ros.sim.household.virtualhome import is_virtualhome, mend
from reactree_ros.sim.household.words import words

CHARACTER = 'character'

_FIXTURES = frozenset({'Furniture', 'Appliances'})
_USES = frozenset({'SURFACES', 'CONTAINERS', 'CAN_OPEN', 'HAS_SWITCH', 'SITTABLE', 'LIEABLE'})
_AFFORDANCES = frozenset(
    {'GRABBABLE', 'CAN_OPEN', 'HAS_SWITCH', 'SURFACES', 'CONTAINERS', 'CUTTABLE', 'RECIPIENT'}
)
_CUTTERS = frozenset({'knife', 'cutlery knife', 'kitchen knife'})


class Edge(NamedTuple):
    """One relation between two nodes, e.g. 12 INSIDE 3."""

    from_id: int
    relation: str
    to_id: int


class Surroundings(NamedTuple):
    """What the edges of one node say.

    Args:
        supports: ON and INSIDE edges to what it is on or in, rooms excepted.
        contents: ON and INSIDE edges from what is on or in it.
        close: ids of what is CLOSE to it, in whichever direction the edge is drawn.
        room: id of the room that an edge says it is in.
        holder: id of who holds it.
    """

    supports: tuple[Edge, ...]
    contents: tuple[Edge, ...]
    close: tuple[int, ...]
    room: int | None
    holder: int | None


def surroundings(node_id: int, edges: Iterable[Edge], rooms: Collection[int]) -> Surroundings:
    """Read the edges of a node.

    Args:
        node_id: the node.
        edges: all edges that it is part of.
        rooms: ids of the rooms.
    """
    supports: list[Edge] = []
    contents: list[Edge] = []
    close: dict[int, None] = {}
    room: int | None = None
    holder: int | None = None
    for edge in edges:
        from_id, relation, to_id = edge
        if relation == 'CLOSE':
            close[to_id if from_id == node_id else from_id] = None
        elif relation in ('ON', 'INSIDE'):
            if to_id == node_id:
                contents.append(edge)
            elif to_id not in rooms:
                supports.append(edge)
            elif relation == 'INSIDE' and room is None:
                room = to_id
        elif to_id == node_id and relation.startswith('HOLDS'):
            holder = from_id
    return Surroundings(tuple(supports), tuple(contents), tuple(close), room, holder)


@dataclass(frozen=True)
class Node:
    """One object, room or character as its scene describes it.

    Args:
        id: unique in its scene.
        class_name: VirtualHome's class name, e.g. ``kitchentable``.
        words: the class name as the model reads it, e.g. ``kitchen table``.
        instance: number among the nodes of the same words, in id order, from 1.
        category: VirtualHome's category, e.g. ``Furniture``.
        properties: VirtualHome's properties, e.g. ``CAN_OPEN``.
        states: VirtualHome's states at the start, e.g. ``CLOSED``.
        affordances: what can be done with it, in the words of ``ObservedObject``.
        raw: the node as the file has it.
    """

    id: int
    class_name: str
    words: str
    instance: int
    category: str
    properties: frozenset[str]
    states: tuple[str, ...]
    affordances: frozenset[str]
    raw: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Class and instance, e.g. ``kitchen table 1``."""
        return f'{self.words} {self.instance}'

    @property
    def key(self) -> tuple[str, int]:
        """Class and instance to sort and to list by."""
        return self.words, self.instance


@dataclass(frozen=True)
class Scene:
    """A checked scene, never changed: any number of worlds share one.

    Args:
        source: where it comes from, for messages.
        nodes: all nodes by id, in the order of the file.
        edges: all edges, in the order of the file, each once.
        touching: the edges that each node is part of, by id.
        near: what follows from them at the start, by id.
        by_name: ids by (class in words, instance), the character excepted.
        rooms: ids of the rooms in the order of their names.
        furniture: ids of the places that a robot can go to, in the order of their names.
        character: id of the robot's node.
        hands: how many things the robot can hold at once.
        tidy: nearly all movable things are CLEAN, so that it is not mentioned.
        raw: the file's other keys, e.g. ``metadata``.
    """

    source: str
    nodes: Mapping[int, Node]
    edges: tuple[Edge, ...]
    touching: Mapping[int, Mapping[Edge, None]]
    near: Mapping[int, Surroundings]
    by_name: Mapping[tuple[str, int], int]
    rooms: tuple[int, ...]
    furniture: tuple[int, ...]
    character: int
    hands: int
    tidy: bool
    raw: Mapping[str, Any]

    def of_words(self, class_words: str) -> tuple[Node, ...]:
        """All objects and rooms of a class, by its words, in instance order."""
        return self._by_words.get(class_words, ())

    @cached_property
    def ranks(self) -> Mapping[int, int]:
        """The place of each node in the order of names, by id."""
        ordered = sorted(self.nodes.values(), key=lambda node: node.key)
        return {node.id: rank for rank, node in enumerate(ordered)}

    @cached_property
    def _by_words(self) -> dict[str, tuple[Node, ...]]:
        found: dict[str, list[Node]] = {}
        for node in sorted(self.nodes.values(), key=lambda node: node.instance):
            found.setdefault(node.words, []).append(node)
        return {name: tuple(nodes) for name, nodes in found.items()}


def load_scene(path: str | Path) -> Scene:
    """Load a scene from a JSON file.

    A graph as VirtualHome writes it, alone or as the ``init_graph`` of a larger file, is mended
    where it is loose.

    Raises:
        ConfigurationError: the file cannot be read or is not a valid scene; the message lists every
            fault with its place.
    """
    try:
        text = Path(path).read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'scene {path} cannot be read: {error}') from error
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:  # a whole number of too many digits, too
        raise ConfigurationError(f'scene {path} is not JSON: {error}') from error
    if isinstance(data, dict) and 'nodes' not in data and 'init_graph' in data:
        data = data['init_graph']
    if is_virtualhome(data):
        return scene_from_virtualhome(data, source=str(path))
    return scene_from_dict(data, source=str(path))


def scene_from_virtualhome(data: Mapping[str, Any], source: str = 'scene') -> Scene:
    """Mend a graph of VirtualHome given as plain data, and make it ready for use.

    Args:
        data: as VirtualHome or Watch-And-Help write it.
        source: named in messages.

    Raises:
        ConfigurationError: it cannot be mended, e.g. because it has no room.
    """
    return scene_from_dict(mend(data), source)


def scene_from_dict(data: Any, source: str = 'scene') -> Scene:
    """Check a scene given as plain data and make it ready for use.

    Args:
        data: an environment graph with ``nodes`` and ``edges``; ``metadata.hands`` (1 or 2,
            default 1) says how many things the robot can hold.
        source: named in messages.

    Raises:
        ConfigurationError: it is not a valid scene; the message lists every fault with its place.
    """
    problems = scene_problems(data)
    if problems:
        lines = '\n'.join(f'  - {problem}' for problem in problems)
        raise ConfigurationError(f'{source} is not a valid scene:\n{lines}')
    nodes = _nodes(data['nodes'])
    edges = tuple(
        dict.fromkeys(Edge(e['from_id'], e['relation_type'], e['to_id']) for e in data['edges'])
    )
    touching: dict[int, dict[Edge, None]] = {node_id: {} for node_id in nodes}
    for edge in edges:
        touching[edge.from_id][edge] = None
        touching[edge.to_id][edge] = None
    things = sorted((n for n in nodes.values() if n.words != CHARACTER), key=lambda n: n.key)
    rooms = tuple(node.id for node in things if node.category == 'Rooms')
    movable = [node for node in things if 'GRABBABLE' in node.properties]
    return Scene(
        source=source,
        nodes=nodes,
        edges=edges,
        touching=touching,
        near={i: surroundings(i, around, rooms) for i, around in touching.items()},
        by_name={node.key: node.id for node in things},
        rooms=rooms,
        furniture=tuple(node.id for node in things if 'furniture' in node.affordances),
        character=next(node.id for node in nodes.values() if node.words == CHARACTER),
        hands=data.get('metadata', {}).get('hands', 1),
        tidy=sum('CLEAN' in node.states for node in movable) > len(movable) / 2,
        raw={key: value for key, value in data.items() if key not in ('nodes', 'edges')},
    )


def _nodes(raw_nodes: list[dict[str, Any]]) -> dict[int, Node]:
    instances: dict[int, int] = {}
    counts: dict[str, int] = {}
    for raw in sorted(raw_nodes, key=lambda raw: int(raw['id'])):
        name = words(raw['class_name'])
        counts[name] = counts.get(name, 0) + 1
        instances[raw['id']] = counts[name]
    return {raw['id']: _node(raw, instances[raw['id']]) for raw in raw_nodes}


def _node(raw: dict[str, Any], instance: int) -> Node:
    name = words(raw['class_name'])
    properties = frozenset(raw['properties'])
    return Node(
        id=raw['id'],
        class_name=raw['class_name'],
        words=name,
        instance=instance,
        category=raw['category'],
        properties=properties,
        states=tuple(raw['states']),
        affordances=_affordances(name, raw['category'], properties),
        raw=raw,
    )


def _affordances(name: str, category: str, properties: frozenset[str]) -> frozenset[str]:
    if category in HOUSE_PARTS or name == CHARACTER:
        return frozenset()
    affordances = {p.lower() for p in properties & _AFFORDANCES}
    if name in _CUTTERS:
        affordances.add('cutter')
    # A movable container is a vessel even where its file forgets to say so.
    if {'GRABBABLE', 'CONTAINERS'} <= properties:
        affordances.add('recipient')
    usable = 'GRABBABLE' not in properties and bool(properties & _USES)
    if category in _FIXTURES or usable:
        affordances.add('furniture')
    return frozenset(affordances)
