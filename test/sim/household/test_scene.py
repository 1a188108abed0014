# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Bad scenes: every fault is named with its place, all at once. Good ones: names and numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.errors import ConfigurationError, WorldError
from reactree_ros.sim.household import (
    World,
    load_scene,
    scene_from_dict,
    scene_names,
    shipped_scene,
)


def _set(path: str, value: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        *parents, last = [int(p) if p.isdigit() else p for p in path.split('.')]
        for key in parents:
            data = data[key]
        data[last] = value

    return change


def _delete(path: str) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        *parents, last = [int(p) if p.isdigit() else p for p in path.split('.')]
        for key in parents:
            data = data[key]
        del data[last]

    return change


def _add_edges(*edges: tuple[int, str, int]) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        data['edges'] += [
            {'from_id': a, 'relation_type': relation, 'to_id': b} for a, relation, b in edges
        ]

    return change


def _without_rooms(data: Any) -> None:
    for node in data['nodes'][:2]:
        node['category'] = 'Decor'


FAULTS = [
    # fault, message
    (_delete('nodes'), 'nodes: missing'),
    (_set('edges', {}), 'edges: expected a list, not an object'),
    (_set('metadata', []), 'metadata: expected an object, not a list'),
    (_set('metadata.hands', 3), 'metadata.hands: 3 is not 1 or 2'),
    (_set('nodes.4', 'fridge'), 'nodes[4]: expected an object, not a text'),
    (_delete('nodes.4.class_name'), 'nodes[4].class_name: missing'),
    (_set('nodes.4.id', '11'), "nodes[4].id: '11' is not a whole number"),
    (_set('nodes.4.id', True), 'nodes[4].id: True is not a whole number'),
    (_set('nodes.4.class_name', ''), "nodes[4].class_name: '' is not a text"),
    (_set('nodes.4.properties', 'CAN_OPEN'), "nodes[4].properties: 'CAN_OPEN' is not a list"),
    (_set('nodes.4.states', [1]), 'nodes[4].states: [1] is not a list of texts'),
    (_set('nodes.4.states', ['OPEN', 'CLOSED']), 'nodes[4].states: OPEN and CLOSED exclude'),
    (_set('nodes.5.states', ['ON', 'OFF']), 'nodes[5].states: ON and OFF exclude each other'),
    (_set('nodes.4.id', 10), 'nodes[4].id: 10 is already the id of nodes[3]'),
    (_set('edges.0', None), 'edges[0]: expected an object, not nothing'),
    (_set('edges.0.to_id', 77), 'edges[0].to_id: there is no node 77'),
    (_set('edges.0.from_id', 78), 'edges[0].from_id: there is no node 78'),
    (_set('edges.0.from_id', [3]), 'edges[0].from_id: [3] is not a whole number'),
    (_delete('edges.0.to_id'), 'edges[0].to_id: missing'),
    (_delete('edges.0.relation_type'), 'edges[0].relation_type: missing'),
    (_set('edges.0.relation_type', 'UNDER'), "edges[0].relation_type: 'UNDER' is not one of"),
    (_add_edges((11, 'CLOSE', 11)), ']: node 11 is related to itself'),
    (_without_rooms, 'nodes: there is no room'),
    (_set('nodes.2.class_name', 'cat'), 'nodes: there must be one node of class "character"'),
    (_set('nodes.4.class_name', 'character'), 'must be one node of class "character", not 2'),
    (_set('edges.0.relation_type', 'CLOSE'), 'nodes[2] (character, id 3): it is in no room'),
    (_set('edges.2.relation_type', 'CLOSE'), 'nodes[4] (fridge, id 11): it is in no room'),
    (_add_edges((11, 'INSIDE', 2)), 'nodes[4] (fridge, id 11): it is in several rooms: id 1, id 2'),
    (_add_edges((10, 'ON', 30)), 'nodes[3] (kitchentable, id 10): it is in or on itself'),
    (_add_edges((11, 'HOLDS_RH', 30)), 'from_id: only the character can hold something'),
    (_add_edges((3, 'HOLDS_RH', 30)), 'nodes[13] (apple, id 30): it is held and also in or on'),
    (
        _add_edges((3, 'HOLDS_RH', 30), (3, 'HOLDS_LH', 33)),
        'edges: the character holds 2 objects with 1 hand(s)',
    ),
]


@pytest.mark.parametrize(('fault', 'message'), FAULTS)
def test_a_fault_is_named_with_its_place(
    flat: Callable[[], Any], fault: Callable[[Any], None], message: str
) -> None:
    """One fault each, in an otherwise good scene."""
    data = flat()
    fault(data)

    with pytest.raises(ConfigurationError) as error:
        scene_from_dict(data, source='flat.json')

    assert str(error.value).startswith('flat.json is not a valid scene:\n')
    assert message in str(error.value)


def test_all_faults_are_named_at_once(flat: Callable[[], Any]) -> None:
    """Of nodes and edges alike, one line each."""
    data = flat()
    for fault in (
        _set('nodes.4.id', 10), _delete('nodes.5.states'), _set('edges.0.to_id', 77),
    ):  # fmt: skip
        fault(data)

    with pytest.raises(ConfigurationError) as error:
        scene_from_dict(data)

    text = str(error.value)
    for message in (
        'nodes[4].id: 10 is already', 'nodes[5].states: missing', 'edges[0].to_id: there is no',
    ):  # fmt: skip
        assert message in text


@pytest.mark.parametrize('data', [None, [], 'x', 3])
def test_something_that_is_no_object_is_no_scene(data: Any) -> None:
    """JSON, but not a graph."""
    with pytest.raises(ConfigurationError, match='top level: expected an object'):
        scene_from_dict(data)


@pytest.mark.parametrize(
    ('content', 'message'),
    [(b'{"nodes": [', 'is not JSON'), (b'', 'is not JSON'), (b'\xff\xfe', 'cannot be read')],
)
def test_a_file_that_is_not_json_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    """The message has the path."""
    path = tmp_path / 'broken.json'
    path.write_bytes(content)

    with pytest.raises(ConfigurationError, match=message) as error:
        load_scene(path)

    assert str(path) in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The message has the path."""
    with pytest.raises(ConfigurationError, match=r'nowhere\.json cannot be read'):
        load_scene(tmp_path / 'nowhere.json')


def test_instances_are_numbered_in_id_order_whatever_the_order_of_the_file(
    flat: Callable[[], Any],
) -> None:
    """From 1 in each class; class names become words."""
    data = flat()
    data['nodes'].reverse()

    names = {node.id: node.name for node in scene_from_dict(data).nodes.values()}

    assert (names[13], names[14]) == ('chair 1', 'chair 2')
    assert (names[10], names[2]) == ('kitchen table 1', 'living room 1')
    assert names[37] == 'candy bar 1'


def test_a_start_room_that_is_not_there_is_named(flat: Callable[[], Any]) -> None:
    """With the rooms that there are."""
    with pytest.raises(WorldError, match="'attic 1'; the rooms are kitchen 1, living room 1"):
        World(scene_from_dict(flat()), 'attic 1')


def test_a_start_room_moves_the_robot_and_is_no_change(flat: Callable[[], Any]) -> None:
    """The robot stands in its middle."""
    world = World(scene_from_dict(flat()), 'kitchen 1')

    assert (world.observe().room, world.observe().place) == ('kitchen 1', '')
    assert world.changes() == []


@pytest.mark.parametrize('name', ['apartment_1', 'apartment_2'])
def test_a_shipped_apartment_starts_closed_and_off_and_keeps_lists_short(name: str) -> None:
    """At least 100 objects; no furniture carries more than six; the file is its own export."""
    scene = shipped_scene(name)
    world = World(scene)

    assert len(scene.nodes) - len(scene.rooms) - 1 >= 100
    assert not any({'OPEN', 'ON'} & set(node.states) for node in scene.nodes.values())
    assert max(len(world.state.contents(place)) for place in scene.furniture) <= 6
    assert json.loads(Path(scene.source).read_text(encoding='utf-8')) == world.graph()


def test_the_shipped_apartments_are_two_and_have_four_and_five_rooms() -> None:
    """As the README says."""
    made_by_hand = [name for name in scene_names() if name.startswith('apartment')]
    rooms = {name: len(shipped_scene(name).rooms) for name in made_by_hand}

    assert rooms == {'apartment_1': 4, 'apartment_2': 5}


def test_an_unknown_scene_is_answered_with_those_there_are() -> None:
    """So that a mistyped name is mended at once."""
    with pytest.raises(ConfigurationError, match="'apartment_9', only apartment_1, apartment_2"):
        shipped_scene('apartment_9')
