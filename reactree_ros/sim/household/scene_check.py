# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a scene: every fault is found at once and named with its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reactree_ros.core.plain_text import is_plain

RELATIONS = ('INSIDE', 'ON', 'CLOSE', 'HOLDS_RH', 'HOLDS_LH', 'FACING', 'BETWEEN')
"""The relation types of VirtualHome's environment graphs."""

HOUSE_PARTS = frozenset({'Rooms', 'Floor', 'Floors', 'Walls', 'Ceiling', 'Doors', 'Windows'})
"""Categories of what a house is made of: never listed, never handled, in no room if need be."""

_FIELDS: dict[str, type] = {
    'id': int,
    'class_name': str,
    'category': str,
    'properties': list,
    'states': list,
}
_NAMES = {int: 'a whole number', str: 'a text', list: 'a list of texts'}
_HIGHEST = 200
"""So many things may be below one, one on or in the other."""
_CONTRADICTIONS = (('OPEN', 'CLOSED'), ('ON', 'OFF'))


def scene_problems(data: Any) -> list[str]:
    """Find all faults of a scene given as plain data.

    Faults of single nodes and edges come first; faults of the graph as a whole (who is in which
    room) are looked for only when every part is sound.

    Returns:
        One line for each fault, e.g. ``edges[4].to_id: there is no node 77``; empty if none.
    """
    if not isinstance(data, dict):
        return [f'top level: expected an object with nodes and edges, not {_kind(data)}']
    problems = list(_metadata_problems(data.get('metadata', {})))
    for key in ('nodes', 'edges'):
        if key not in data:
            problems.append(f'{key}: missing')
        elif not isinstance(data[key], list):
            problems.append(f'{key}: expected a list, not {_kind(data[key])}')
    if problems:
        return problems
    problems += _node_problems(data['nodes'])
    places = {
        raw['id']: f'nodes[{index}]'
        for index, raw in enumerate(data['nodes'])
        if isinstance(raw, dict) and _is(raw.get('id'), int)
    }
    problems += _edge_problems(data['edges'], places)
    return problems or list(_graph_problems(data, places))


def _metadata_problems(metadata: Any) -> Iterator[str]:
    if not isinstance(metadata, dict):
        yield f'metadata: expected an object, not {_kind(metadata)}'
    elif metadata.get('hands', 1) not in (1, 2) or isinstance(metadata.get('hands'), bool):
        yield f'metadata.hands: {metadata["hands"]!r} is not 1 or 2'


def _node_problems(nodes: list[Any]) -> Iterator[str]:
    first: dict[int, int] = {}
    for index, raw in enumerate(nodes):
        place = f'nodes[{index}]'
        if not isinstance(raw, dict):
            yield f'{place}: expected an object, not {_kind(raw)}'
            continue
        for name, kind in _FIELDS.items():
            if name not in raw:
                yield f'{place}.{name}: missing'
            elif not _is(raw[name], kind) or raw[name] == '':
                yield f'{place}.{name}: {raw[name]!r} is not {_NAMES[kind]}'
        for word in _words_of(raw):
            if not word.replace('_', ' ').strip() or not is_plain(word):
                yield f'{place}: {word!r} is empty, or has a line break or control character'
        if _is(raw.get('id'), int):
            if raw['id'] in first:
                yield f'{place}.id: {raw["id"]} is already the id of nodes[{first[raw["id"]]}]'
            first.setdefault(raw['id'], index)
        if _is(raw.get('states'), list):
            for one, other in _CONTRADICTIONS:
                if one in raw['states'] and other in raw['states']:
                    yield f'{place}.states: {one} and {other} exclude each other'


def _edge_problems(edges: list[Any], places: dict[int, str]) -> Iterator[str]:
    for index, raw in enumerate(edges):
        place = f'edges[{index}]'
        if not isinstance(raw, dict):
            yield f'{place}: expected an object, not {_kind(raw)}'
            continue
        for name in ('from_id', 'to_id'):
            if name not in raw:
                yield f'{place}.{name}: missing'
            elif not _is(raw[name], int):
                yield f'{place}.{name}: {raw[name]!r} is not a whole number'
            elif raw[name] not in places:
                yield f'{place}.{name}: there is no node {raw[name]}'
        if 'relation_type' not in raw:
            yield f'{place}.relation_type: missing'
        elif raw['relation_type'] not in RELATIONS:
            allowed = ', '.join(RELATIONS)
            yield f'{place}.relation_type: {raw["relation_type"]!r} is not one of {allowed}'
        if raw.get('from_id') is not None and raw.get('from_id') == raw.get('to_id'):
            yield f'{place}: node {raw["from_id"]} is related to itself'


def _graph_problems(data: dict[str, Any], places: dict[int, str]) -> Iterator[str]:
    nodes = {raw['id']: raw for raw in data['nodes']}
    rooms = {i for i, raw in nodes.items() if raw['category'] == 'Rooms'}
    characters = [i for i, raw in nodes.items() if raw['class_name'].lower() == 'character']
    if not rooms:
        yield 'nodes: there is no room (a node with category "Rooms")'
    if len(characters) != 1:
        yield f'nodes: there must be one node of class "character", not {len(characters)}'
    if rooms & {*characters}:
        yield 'nodes: the character is a room (category "Rooms")'
    parents: dict[int, set[int]] = {i: set() for i in nodes}
    holders: dict[int, list[int]] = {i: [] for i in nodes}
    for index, edge in enumerate(data['edges']):
        from_id, relation, to_id = edge['from_id'], edge['relation_type'], edge['to_id']
        if relation in ('INSIDE', 'ON'):
            parents[from_id].add(to_id)
        elif relation.startswith('HOLDS'):
            holders[to_id].append(from_id)
            if from_id not in characters:
                yield f'edges[{index}].from_id: only the character can hold something'
    held = [i for i in nodes if holders[i]]
    hands = data.get('metadata', {}).get('hands', 1)
    if len(held) > hands:
        yield f'edges: the character holds {len(held)} objects with {hands} hand(s)'
    for i, raw in nodes.items():
        label = f'{places[i]} ({raw["class_name"]}, id {i})'
        ancestors = _ancestors(i, parents)
        if i in ancestors:
            yield f'{label}: it is in or on itself'
        elif len(ancestors) > _HIGHEST:
            yield f'{label}: it is on or in {len(ancestors)} things; at most {_HIGHEST} may be'
        elif i in rooms and (parents[i] or holders[i]):
            yield f'{label}: a room is in or on something, or held'
        elif i in held and parents[i]:
            yield f'{label}: it is held and also in or on something'
        elif i not in held and ancestors & set(held):
            if parents[i] & rooms:
                yield f'{label}: it is on or in something held, and also in a room'
        elif ancestors & {*characters} and any(
            other not in rooms and not {other, *_ancestors(other, parents)} & {*characters}
            for other in parents[i]
        ):
            yield f'{label}: it is on or in the character, and also elsewhere'
        elif i not in held and raw['category'] not in HOUSE_PARTS:
            found = ancestors & rooms
            if len(found) != 1:
                several = ', '.join(f'id {room}' for room in sorted(found))
                yield f'{label}: it is in ' + (f'several rooms: {several}' if found else 'no room')


def _ancestors(node_id: int, parents: dict[int, set[int]]) -> set[int]:
    found: set[int] = set()
    open_ids = list(parents[node_id])
    while open_ids:
        current = open_ids.pop()
        if current not in found:
            found.add(current)
            open_ids += parents[current]
    return found


def _words_of(raw: dict[str, Any]) -> list[str]:
    """Return the texts of a node that observations show: its class and its states."""
    name: Any = raw.get('class_name')
    states: Any = raw.get('states')
    texts = [name] if name and _is(name, str) else []  # an empty one has its own error
    return [*texts, *states] if _is(states, list) else texts


def _is(value: Any, kind: type) -> bool:
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind is list:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, kind)


def _kind(value: Any) -> str:
    names = {dict: 'an object', list: 'a list', str: 'a text', type(None): 'nothing'}
    return names.get(type(value), f'{value!r}')
