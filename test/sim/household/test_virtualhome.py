# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Graphs of VirtualHome: all that a package ships load; each loose end is mended and told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household import World, load_scene, scene_from_dict
from reactree_ros.sim.household.scene import scene_from_virtualhome

from ...thorough import thorough


def loose(flat: Callable[..., Any]) -> Any:
    """The flat as VirtualHome would write it: without metadata."""
    data = flat()
    del data['metadata']
    data['nodes'].append({**data['nodes'][9], 'id': 99})
    data['edges'].append(edge(99, 'INSIDE', 2))
    return data


def edge(from_id: Any, relation: str, to_id: Any) -> dict[str, Any]:
    return {'from_id': from_id, 'relation_type': relation, 'to_id': to_id}


def test_all_scenes_of_virtualhome_load() -> None:
    """518 of them, with at most a few lines of repair, each with a robot in a room."""
    engine = pytest.importorskip(
        'virtualhome_eval', reason='requirements/virtualhome.txt is not installed'
    )
    files = sorted((Path(engine.__file__).parent / 'dataset').rglob('*_graph/*/*.json'))

    assert len(files) == 518
    for path in files[:: thorough(1, 8)]:
        scene = load_scene(path)
        assert len(scene.nodes) >= 280
        assert len(scene.repairs) <= 20
        assert World(scene).observe().room


def test_a_written_graph_of_a_virtualhome_scene_loads_as_the_same_world(flat: Any) -> None:
    """Also in the middle of a task, and without another repair."""
    data = loose(flat)
    data['edges'] += [edge(10, 'ON', 30), edge(31, 'INSIDE', 2)]
    world = World(scene_from_virtualhome(data), 'kitchen 1')
    for skill, name in (('go_to', 'kitchen table 1'), ('pick_up', 'apple 1')):
        world.execute(skill, (name,))

    again = World(scene_from_dict(world.graph()))

    assert again.graph() == world.graph()
    assert again.observe() == world.observe()


def _with(**changes: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        data['nodes'][4].update(changes)

    return change


def _edges(*edges: tuple[Any, str, Any]) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        data['edges'] += [edge(*one) for one in edges]

    return change


def _second_character(data: Any) -> None:
    data['nodes'].append({'id': 90, 'class_name': 'character', 'category': 'Characters'})
    data['edges'] += [edge(90, 'INSIDE', 1), edge(90, 'HOLDS_RH', 30)]


def _no_character(data: Any) -> None:
    data['nodes'] = [node for node in data['nodes'] if node['id'] != 3]


def _on_the_sofa(data: Any) -> None:
    data['edges'] = [e for e in data['edges'] if (e['from_id'], e['to_id']) != (30, 10)]
    data['edges'].append(edge(30, 'ON', 20))


def _nowhere(data: Any) -> None:
    data['edges'] = [e for e in data['edges'] if e['from_id'] != 31 and e['to_id'] != 31]


def _only_close(data: Any) -> None:
    _nowhere(data)
    data['edges'].append(edge(31, 'CLOSE', 20))


def _twice(data: Any) -> None:
    data['nodes'].append({**data['nodes'][4]})


REPAIRS = [
    # what is loose, what is told
    (_with(states=['closed']), None),
    (_with(states=None, properties=None), None),
    (_with(properties='CAN_OPEN'), 'fridge (id 11): without its properties, which are not a list'),
    (_with(states=3), 'fridge (id 11): without its states, which are not a list'),
    (_with(bounding_box={'center': [0, 0, 0], 'size': [1, 1, 1]}), None),
    (_with(states=['OPEN', 'CLOSED']), 'fridge (id 11): no longer CLOSED, it is the opposite'),
    (_with(category=None), 'fridge (id 11): its category is placable_objects'),
    (_with(id='11'), None),
    (_twice, 'left out, id 11 is there already'),
    (_with(class_name=''), 'nodes[4] (id 11): left out, it has no class'),
    (_edges((11, 'CLOSE', 77)), 'edges: left out 1, to or from nodes that are not there'),
    (_edges((11, 'CLOSE', 11)), 'edges: left out 1, from a node to itself'),
    (_edges((11, 'SITTING', 10)), 'edges: left out 1, of the relation SITTING'),
    (_edges((11, 'CLOSE', None)), 'edges: left out 1, which have no two ends'),
    (_edges((1, 'INSIDE', 2)), 'edges: left out 1, which put a room into something'),
    (_edges((3, 'HOLDS_RH', 1)), 'edges: left out 1, which put a room into a hand'),
    (_edges(('30', 'close', 10)), None),
    (_edges(('²', 'CLOSE', 10)), 'edges: left out 1, which have no two ends'),
    (_second_character, 'character (id 90): left out, one character is the robot'),
    (_no_character, 'nodes: a character is added, id 100'),
    (_edges((10, 'ON', 30)), 'kitchentable (id 10): no longer on apple (id 30), which is in or on'),
    (_edges((30, 'INSIDE', 2)), 'apple (id 30): no longer inside livingroom (id 2), it is in kit'),
    (_edges((30, 'ON', 20)), 'apple (id 30): no longer on sofa (id 20), which is in another room'),
    (_on_the_sofa, 'apple (id 30): no longer inside kitchen (id 1), it is where sofa (id 20) is'),
    (_edges((30, 'ON', 99)), 'apple (id 30): no longer on floor (id 99), which is in another room'),
    (_edges((3, 'HOLDS_RH', 30)), 'apple (id 30): no longer on kitchentable (id 10), it is held'),
    (_edges((11, 'HOLDS_RH', 30)), 'fridge (id 11): no longer holds rh apple (id 30), only the'),
    (_only_close, 'juice (id 31): it was in no room, now in livingroom (id 2)'),
    (_nowhere, 'juice (id 31): left out, it is in no room'),
]


@pytest.mark.parametrize(('change', 'told'), REPAIRS)
def test_a_loose_end_is_mended_and_told(
    flat: Any, tmp_path: Path, change: Callable[[Any], None], told: str | None
) -> None:
    """From a file; what is a matter of spelling only is not told."""
    data = loose(flat)
    change(data)
    path = tmp_path / 'scene.json'
    path.write_text(json.dumps(data), encoding='utf-8')

    scene = load_scene(path)

    lines = [line for line in scene.repairs if told is not None and told in line]
    assert lines if told is not None else scene.repairs == ()
    assert World(scene).observe().rooms == ('kitchen 1', 'living room 1')


def test_two_held_things_mean_two_hands(flat: Any) -> None:
    """The format does not say how many hands there are; one is the default."""
    data = loose(flat)
    assert scene_from_virtualhome(data).hands == 1

    data['edges'] += [edge(3, 'HOLDS_RH', 30), edge(3, 'HOLDS_LH', 32)]

    world = World(scene_from_virtualhome(data))
    assert [item.name for item in world.observe().held] == ['apple 1', 'cutlery knife 1']


def test_the_graph_may_be_part_of_a_larger_file(flat: Any, tmp_path: Path) -> None:
    """As in files with an initial and a final graph."""
    path = tmp_path / 'file.json'
    path.write_text(json.dumps({'init_graph': loose(flat), 'final_graph': {}}), encoding='utf-8')

    assert len(load_scene(path).nodes) == len(loose(flat)['nodes'])


def test_what_cannot_be_mended_is_refused(flat: Any) -> None:
    """A house without rooms is not a house."""
    data = loose(flat)
    data['nodes'] = data['nodes'][2:]

    with pytest.raises(ConfigurationError, match='there is no room'):
        scene_from_virtualhome(data)
