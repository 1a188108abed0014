# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The reader of scenes: an input is a JSON file, of this package or as VirtualHome writes them.

A scene that is accepted becomes a world: it can be observed, what is seen can be named, skills
succeed or say why not, and the world that they leave can be written and read again as it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from reactree_ros.core.names import parse_name
from reactree_ros.core.observation import Observation
from reactree_ros.core.plain_text import is_plain
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.household import World
from reactree_ros.sim.household.scene import load_scene, scene_from_dict

from .contract import Target, demand, scratch, told
from .mutations import mutate_bytes, mutate_values, to_json

_THINGS = 14
"""A cut scene has so many nodes of each of two rooms."""
_FEW = 4
_ON_ONE = ('open', 'pick_up', 'put_down', 'close', 'turn_on', 'turn_off', 'slice', 'go_to')
_RELATIONS = ('INSIDE', 'ON', 'CLOSE', 'HOLDS_RH', 'HOLDS_LH', 'FACING', 'BETWEEN', 'inside')
_STATES = ('OPEN', 'CLOSED', 'ON', 'OFF', 'CLEAN', 'DIRTY', 'SLICED', 'HOT', 'open')
_WORDS = (
    *(b'"nodes"', b'"edges"', b'"metadata"', b'"init_graph"', b'"hands": 2', b'"category"'),
    *(b'NaN', b'Infinity', b'-0', b'1e400', b'9' * 5000, b'[' * 3000, b'\\ud800', b'\\n', b'null'),
)


@cache
def seeds() -> list[bytes]:
    """Return two rooms of each shipped apartment, in both forms, and one apartment whole."""
    made = []
    for name in ('apartment_1', 'apartment_2'):
        data = json.loads(share('resource', 'scenes', f'{name}.json').read_text(encoding='utf-8'))
        cut = _cut(data)
        loose = {key: value for key, value in cut.items() if key != 'metadata'}
        made += [to_json(cut), to_json(loose), to_json({'init_graph': loose, 'task': 1})]
    return made


def mutate(random: Random, data: bytes, among: Sequence[bytes]) -> bytes:
    """Change edges and nodes, or any values, or bytes."""
    kind = random.randrange(4)
    if kind == 0:
        return mutate_bytes(random, data, among, _WORDS)
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        return mutate_bytes(random, data, among, _WORDS)
    graph = values.get('init_graph', values) if isinstance(values, dict) else {}
    if kind > 1 and isinstance(graph, dict):
        for _ in range(random.choice((1, 2, 4))):
            _rewire(random, graph)
        return to_json(values)
    return to_json(mutate_values(random, values))


def check(data: bytes) -> bool:
    """Hold an input against the contract; see the module."""
    path = scratch() / 'scene.json'
    path.write_bytes(data)
    try:
        scene = load_scene(path)
    except ConfigurationError as error:
        return told(error)
    world = World(scene)
    _look(world, world.observe())
    demand(bool(world.survey().rooms), 'the survey has no room')
    for room in scene.rooms[:_FEW]:
        World(scene, scene.nodes[room].name).observe()
    _act(world)
    world.changes()
    kept = World(scene_from_dict(json.loads(json.dumps(world.graph())), 'kept'))
    # what is worth a word depends on how most things were at first, so the texts may differ
    now, before = (replace(one.observe(), text='') for one in (kept, world))
    demand(now == before, f'written and read again:\n{now}\nbefore:\n{before}')
    return True


def _look(world: World, seen: Observation) -> None:
    demand(is_plain(seen.text), f'the text is not plain: {seen.text!r}')
    for item in seen.objects:
        demand(
            parse_name(item.name) == (item.class_name, item.instance)
            and (item.class_name, item.instance) in world.scene.by_name,
            f'{item.name!r} cannot be named',
        )
    for room in seen.rooms:
        demand(parse_name(room) in world.scene.by_name, f'the room {room!r} cannot be named')


def _act(world: World) -> None:
    """Do every skill to a few things of all that was seen."""
    seen = world.observe()
    names = [item.name for item in seen.objects if 'furniture' in item.affordances]
    for place in (*names[:_FEW], *seen.rooms[:2]):
        _look(world, world.execute('go_to', (place,)).observation)
        near = [item.name for item in world.observe().objects if item.near]
        for name in near[:_FEW]:
            for skill in _ON_ONE[:-1]:
                world.execute(skill, (name,))
        if len(near) > 1:
            world.execute('put_into', (near[0], near[-1]))


def _rewire(random: Random, graph: dict[str, Any]) -> None:
    """Change an edge or a node so that the form stays right."""
    edges, nodes = graph.get('edges'), graph.get('nodes')
    if not (isinstance(edges, list) and isinstance(nodes, list) and edges and nodes):
        return
    edge, node, other = random.choice(edges), random.choice(nodes), random.choice(nodes)
    if not all(isinstance(one, dict) for one in (edge, node, other)):
        return
    kind = random.randrange(6)
    if kind == 0:
        edge[random.choice(('from_id', 'to_id'))] = node.get('id')
    elif kind == 1:
        edge['relation_type'] = random.choice(_RELATIONS)
    elif kind == 2:
        ends = {'from_id': node.get('id'), 'to_id': other.get('id')}
        edges.append({**ends, 'relation_type': random.choice(_RELATIONS)})
    elif kind == 3:
        edges.remove(edge)
    elif kind == 4:
        key = random.choice(('class_name', 'category', 'properties', 'states'))
        node[key] = other.get(key)
    else:
        node['states'] = [random.choice(_STATES) for _ in range(random.randrange(4))]


def _cut(data: dict[str, Any]) -> dict[str, Any]:
    """Return a scene with some things of two of its rooms, the robot among them."""
    inside = {e['from_id']: e['to_id'] for e in data['edges'] if e['relation_type'] == 'INSIDE'}
    robot = next(n['id'] for n in data['nodes'] if n['class_name'].lower() == 'character')
    every = [n['id'] for n in data['nodes'] if n['category'] == 'Rooms']
    rooms = [inside[robot], *(room for room in every if room != inside[robot])][:2]
    kept = {robot, *rooms}
    for room in rooms:
        kept |= {i for i, where in list(inside.items())[::-1] if where == room and len(kept) < 99}
    kept = {*sorted(kept)[: 2 * _THINGS], robot, *rooms}
    while True:
        up = {
            e['to_id']
            for e in data['edges']
            if e['from_id'] in kept and e['relation_type'] in ('ON', 'INSIDE')
        }
        if up <= kept:
            break
        kept |= up
    nodes = [n for n in data['nodes'] if n['id'] in kept]
    edges = [e for e in data['edges'] if {e['from_id'], e['to_id']} <= kept]
    return {**data, 'metadata': data.get('metadata', {}), 'nodes': nodes, 'edges': edges}


TARGET = Target('scene', seeds, mutate, check)
