# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Graphs of VirtualHome: all that a package ships load; each loose end is mended."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household import World, load_scene, scene_from_dict
from reactree_ros.sim.household.scene import Scene, scene_from_virtualhome

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
    """518 of them, each with a robot in a room."""
    engine = pytest.importorskip(
        'virtualhome_eval', reason='requirements/virtualhome.txt is not installed'
    )
    files = sorted((Path(engine.__file__).parent / 'dataset').rglob('*_graph/*/*.json'))

    assert len(files) == 518
    for path in files[:: thorough(1, 8)]:
        scene = load_scene(path)
        assert len(scene.nodes) >= 280
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


FRIDGE = '11 Appliances CAN_OPEN CLOSED CONTAINERS'
REPAIRS = [
    # what is loose; what the scene has no longer, and what it has, by the ids of the nodes
    (_with(states=['closed']), '', ''),
    (_with(states=None, properties=None), FRIDGE, '11 Appliances'),
    (_with(properties='CAN_OPEN'), FRIDGE, '11 Appliances CLOSED'),
    (_with(states=3), FRIDGE, '11 Appliances CAN_OPEN CONTAINERS'),
    (_with(bounding_box={'center': [0, 0, 0], 'size': [1, 1, 1]}), '', ''),
    (_with(states=['OPEN', 'CLOSED']), FRIDGE, '11 Appliances CAN_OPEN CONTAINERS OPEN'),
    (_with(category=None), FRIDGE, '11 CAN_OPEN CLOSED CONTAINERS placable_objects'),
    (_with(id='11'), '', ''),
    (_twice, '', ''),
    (_with(class_name=''), f'{FRIDGE}; 11 INSIDE 1; 31 CLOSE 11; 31 INSIDE 11', ''),
    (_edges((11, 'CLOSE', 77)), '', ''),
    (_edges((11, 'CLOSE', 11)), '', ''),
    (_edges((11, 'SITTING', 10)), '', ''),
    (_edges((11, 'CLOSE', None)), '', ''),
    (_edges((1, 'INSIDE', 2)), '', ''),
    (_edges((3, 'HOLDS_RH', 1)), '', ''),
    (_edges(('30', 'close', 10)), '', ''),
    (_edges(('²', 'CLOSE', 10)), '', ''),
    (_second_character, '', ''),
    (_no_character, '3 Characters; 3 INSIDE 2', '100 Characters; 100 INSIDE 1'),
    (_edges((10, 'ON', 30)), '', ''),
    (_edges((30, 'INSIDE', 2)), '', ''),
    (_edges((30, 'ON', 20)), '', ''),
    (_on_the_sofa, '30 CLOSE 10; 30 ON 10; 30 INSIDE 1', '30 ON 20; 30 INSIDE 2'),
    (_edges((30, 'ON', 99)), '', ''),
    (_edges((3, 'HOLDS_RH', 30)), '30 ON 10; 30 INSIDE 1', '3 HOLDS_RH 30'),
    (_edges((11, 'HOLDS_RH', 30)), '', ''),
    (_only_close, '31 CLOSE 11; 31 INSIDE 11; 31 INSIDE 1', '31 CLOSE 20; 31 INSIDE 2'),
    (_nowhere, '31 Drinks GRABBABLE; 31 CLOSE 11; 31 INSIDE 11; 31 INSIDE 1', ''),
]


def _facts(scene: Scene) -> set[str]:
    nodes = {
        f'{i} {" ".join(sorted([node.category, *node.properties, *node.states]))}'
        for i, node in scene.nodes.items()
    }
    return nodes | {f'{from_id} {relation} {to_id}' for from_id, relation, to_id in scene.edges}


@pytest.mark.parametrize(('change', 'gone', 'new'), REPAIRS)
def test_a_loose_end_is_mended(
    flat: Any, tmp_path: Path, change: Callable[[Any], None], gone: str, new: str
) -> None:
    data = loose(flat)
    before = _facts(scene_from_virtualhome(data))
    change(data)
    path = tmp_path / 'scene.json'
    path.write_text(json.dumps(data), encoding='utf-8')

    scene = load_scene(path)

    after = _facts(scene)
    assert before - after == {*filter(None, gone.split('; '))}
    assert after - before == {*filter(None, new.split('; '))}
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
