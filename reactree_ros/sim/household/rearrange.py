# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A scene with some things lying elsewhere or in another state, as each task has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reactree_ros.core.names import parse_name
from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household.scene import Scene, scene_from_dict

RELATIONS = ('on', 'inside')
"""How a thing lies at its place."""

HELD = 'held'
"""The relation of a thing that is in the robot's hand at the start; its place has no name."""

OPPOSITES = {
    'OPEN': 'CLOSED', 'CLOSED': 'OPEN', 'ON': 'OFF', 'OFF': 'ON',
    'HOT': 'COLD', 'COLD': 'HOT', 'CLEAN': 'DIRTY', 'DIRTY': 'CLEAN',
}  # fmt: skip
"""States of which an object has one at most."""


def rearranged(
    scene: Scene, moved: Iterable[tuple[str, str, str]], states: Iterable[tuple[str, str]] = ()
) -> Scene:
    """Return a scene with things lying elsewhere; what lies in or on them comes along.

    Args:
        scene: the scene as it is; it is not changed.
        moved: name of a movable thing, one of RELATIONS, name of the furniture; or name of a
            movable thing, HELD and nothing.
        states: name of an object, a state that it is in, as ``('fridge 1', 'open')``.

    Raises:
        ConfigurationError: a name or a relation that there is not.
    """
    moves, changes = list(moved), list(states)
    if not moves and not changes:
        return scene
    edges = {(e.from_id, e.relation, e.to_id): None for e in scene.edges}
    for index, (thing_name, relation, target_name) in enumerate(moves):
        at = f'moved[{index}]'
        thing = _find(scene, thing_name, 'grabbable', at)
        if relation == HELD:
            load = _with_load(thing, edges)
            for edge in [e for e in edges if (e[0] in load) != (e[2] in load)]:
                del edges[edge]
            held = [e for e in edges if e[1].startswith('HOLDS')]
            if len(held) >= scene.hands:
                raise ConfigurationError(f'{at}: no hand is free for {thing_name!r}')
            edges[scene.character, 'HOLDS_LH' if held else 'HOLDS_RH', thing] = None
            continue
        target = _find(scene, target_name, 'furniture', at)
        if relation not in RELATIONS:
            allowed = ' or '.join(RELATIONS)
            raise ConfigurationError(f'{at}: the relation {relation!r} is not {allowed}')
        rooms = [room for room in scene.rooms if (target, 'INSIDE', room) in edges]
        load = _with_load(thing, edges)
        for edge in [e for e in edges if (e[0] in load) != (e[2] in load)]:
            del edges[edge]
        edges[thing, relation.upper(), target] = None
        for node_id in sorted(load):
            edges |= {(node_id, 'INSIDE', room): None for room in rooms}
            edges[node_id, 'CLOSE', target] = None
            edges[target, 'CLOSE', node_id] = None
    graph = {
        **scene.raw,
        'nodes': _nodes(scene, changes),
        'edges': [{'from_id': a, 'relation_type': kind, 'to_id': b} for a, kind, b in edges],
    }
    return scene_from_dict(graph, f'{scene.source}, rearranged')


def _nodes(scene: Scene, changes: Iterable[tuple[str, str]]) -> list[Mapping[str, Any]]:
    """The nodes of a scene, some of them in another state."""
    states = {node.id: list(node.raw['states']) for node in scene.nodes.values()}
    for index, (name, state) in enumerate(changes):
        node_id = scene.by_name.get(parse_name(name) or ('', 0))
        if node_id is None:
            raise ConfigurationError(f'states[{index}]: the scene has no {name!r}')
        new = state.upper()
        states[node_id] = [one for one in states[node_id] if one not in (OPPOSITES.get(new), new)]
        states[node_id].append(new)
    return [{**node.raw, 'states': states[node.id]} for node in scene.nodes.values()]


def _find(scene: Scene, name: str, affordance: str, place: str) -> int:
    node_id = scene.by_name.get(parse_name(name) or ('', 0))
    if node_id is None or affordance not in scene.nodes[node_id].affordances:
        kind = 'movable thing' if affordance == 'grabbable' else 'furniture'
        raise ConfigurationError(f'{place}: the scene has no {kind} {name!r}')
    return node_id


def _with_load(thing: int, edges: Iterable[tuple[int, str, int]]) -> frozenset[int]:
    found = {thing}
    inner = [(a, b) for a, kind, b in edges if kind in ('ON', 'INSIDE')]
    while grown := {a for a, b in inner if b in found} - found:
        found |= grown
    return frozenset(found)
