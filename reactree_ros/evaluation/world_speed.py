# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How many actions a second the household world does, with its observation texts."""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

from reactree_ros.core.observation import Observation, SkillStatus
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.world import Scene, World, scene_from_dict


@dataclass(frozen=True)
class SkillSpeed:
    """What one skill costs.

    Args:
        skill: its name.
        actions: how often it was done.
        refused: how often of these it was refused.
        seconds: time of all its actions together.
    """

    skill: str
    actions: int
    refused: int
    seconds: float


@dataclass(frozen=True)
class WorldSpeed:
    """What a random walk through a world costs.

    Args:
        nodes: how many nodes the scene has.
        edges: how many edges it has.
        actions: how many actions were done.
        seconds: time of the actions alone, without choosing them.
        characters: length of all observation texts together.
        skills: the same by skill, in the order of names.
        world_seconds: time that it takes to make one more world of the scene.
    """

    nodes: int
    edges: int
    actions: int
    seconds: float
    characters: int
    skills: tuple[SkillSpeed, ...]
    world_seconds: float

    @property
    def per_second(self) -> float:
        """Actions a second."""
        return self.actions / self.seconds


def enlarged(scene: Scene, nodes: int, seed: int = 0) -> Scene:
    """Make a scene larger by more of its movable things, on and in its furniture.

    Args:
        scene: where to start.
        nodes: how many nodes the result has at least.
        seed: of the draw of things and places.

    Raises:
        ConfigurationError: it has no movable thing, or no furniture to put one on or into.
    """
    rng = random.Random(seed)
    data = copy.deepcopy(World(scene).graph())
    small = [n for n in scene.nodes.values() if 'GRABBABLE' in n.properties]
    uses = {'surfaces': 'ON', 'containers': 'INSIDE'}
    places = [i for i in scene.furniture if uses.keys() & scene.nodes[i].affordances]
    if not (small and places):
        raise ConfigurationError(f'{scene.source}: nothing in it can be put anywhere')
    graph = World(scene).state
    number = max(scene.nodes)
    while len(data['nodes']) < nodes:
        number += 1
        place = places[int(rng.random() * len(places))]
        thing = small[int(rng.random() * len(small))]
        relation = 'ON' if 'surfaces' in scene.nodes[place].affordances else 'INSIDE'
        data['nodes'].append({**thing.raw, 'id': number})
        data['edges'] += [
            {'from_id': number, 'relation_type': relation, 'to_id': place},
            {'from_id': number, 'relation_type': 'INSIDE', 'to_id': graph.room_of(place)},
            {'from_id': number, 'relation_type': 'CLOSE', 'to_id': place},
            {'from_id': place, 'relation_type': 'CLOSE', 'to_id': number},
        ]
    return scene_from_dict(data, f'{scene.source}, enlarged')


def measure(scene: Scene, actions: int, seed: int = 0) -> WorldSpeed:
    """Walk through a world at random and take the time of each action.

    Args:
        scene: the scene.
        actions: how many actions; one in ten is drawn without regard to what is possible.
        seed: of the walk.
    """
    rng = random.Random(seed)
    world = World(scene)
    seen = world.observe()
    counts: dict[str, list[float]] = {}
    characters = 0
    for _ in range(actions):
        skill, arguments = _draw(seen, rng)
        start = time.perf_counter()
        result = world.execute(skill, arguments)
        taken = time.perf_counter() - start
        seen = result.observation
        characters += len(seen.text)
        count = counts.setdefault(skill, [0, 0, 0.0])
        count[0] += 1
        count[1] += result.status is SkillStatus.REFUSED
        count[2] += taken
    start = time.perf_counter()
    worlds = [World(scene) for _ in range(100)]
    world_seconds = (time.perf_counter() - start) / len(worlds)
    return WorldSpeed(
        nodes=len(scene.nodes),
        edges=len(scene.edges),
        actions=actions,
        seconds=sum(count[2] for count in counts.values()),
        characters=characters,
        skills=tuple(
            SkillSpeed(skill, int(done), int(refused), seconds)
            for skill, (done, refused, seconds) in sorted(counts.items())
        ),
        world_seconds=world_seconds,
    )


def _draw(seen: Observation, rng: random.Random) -> tuple[str, tuple[str, ...]]:
    options = list(_options(seen))
    # What is done with things comes up as often as walking about.
    doing = [option for option in options if option[0] != 'go_to']
    if rng.random() < 0.1 and seen.objects:
        names = [item.name for item in seen.objects]
        return 'pick_up', (names[int(rng.random() * len(names))],)
    drawn = doing if doing and rng.random() < 0.5 else options
    return drawn[int(rng.random() * len(drawn))]


def _options(seen: Observation) -> Iterator[tuple[str, tuple[str, ...]]]:
    held = [item.name for item in seen.held]
    yield from (('go_to', (room,)) for room in seen.rooms)
    for item in seen.objects:
        can = item.affordances
        if 'furniture' in can and item.name != seen.place:
            yield 'go_to', (item.name,)
        if not item.near:
            continue
        if item.name == seen.place and 'closed' not in item.states:
            yield from (('put_down', (name,)) for name in held)
        if 'recipient' in can and not item.held:
            yield from (('put_into', (name, item.name)) for name in held)
        if 'grabbable' in can and not held:
            yield 'pick_up', (item.name,)
        if 'can_open' in can:
            yield 'close' if 'open' in item.states else 'open', (item.name,)
        if 'has_switch' in can and 'open' not in item.states:
            yield 'turn_off' if 'on' in item.states else 'turn_on', (item.name,)
        if 'cuttable' in can and 'sliced' not in item.states:
            if any('cutter' in other.affordances for other in seen.held):
                yield 'slice', (item.name,)
