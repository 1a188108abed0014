# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is believed against what is so: random skills in the shipped homes, and somebody about.

The truth is read from the world's graph, which no robot sees.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.sim.household import World
from reactree_ros.sim.household.graph import Graph
from reactree_ros.sim.household.shipped import scene_names, shipped_scene
from reactree_ros.skills.library import SkillLibrary

STEPS = 120
_REFUSABLE = ('pick_up', 'put_down', 'open', 'close', 'turn_on', 'turn_off', 'slice')


class Life:
    """A world in which a robot does what comes to its mind, and somebody else moves things.

    Args:
        scene: name of a shipped scene.
        library: the robot's skills.
        draw: draws what happens.
    """

    def __init__(self, scene: str, library: SkillLibrary, draw: random.Random) -> None:
        self.world = World(shipped_scene(scene))
        self._library = library
        self._draw = draw
        graph = self.world.state
        nodes = graph.scene.nodes.values()
        self._things = [node.id for node in nodes if 'grabbable' in node.affordances]
        self._doors = [node.id for node in nodes if 'can_open' in node.affordances]
        self._places = [
            node.id
            for node in nodes
            if 'furniture' in node.affordances and {'surfaces', 'containers'} & node.affordances
        ]

    def act(self, situation: Situation) -> Observation:
        """Let the robot do something that is on offer, or now and then something that is not."""
        draw = self._draw
        if draw.random() < 0.15:
            skill, names = draw.choice(_REFUSABLE), sorted(situation.objects)
            return self.world.execute(skill, (draw.choice(names),)).observation
        if draw.random() < 0.05:
            return self.world.observe()
        offered = self._library.executable(situation)
        # The skill first: most of what is on offer is a way.
        verb = draw.choice(sorted({skill.name for skill in offered}))
        chosen = draw.choice([skill for skill in offered if skill.name == verb])
        return self.world.execute(chosen.name, chosen.arguments).observation

    def meddle(self) -> None:
        """Let somebody open or shut something, or put something elsewhere or into a vessel."""
        graph, draw = self.world.state, self._draw
        if draw.random() < 0.3:
            door = draw.choice(self._doors)
            shut = graph.is_closed(door)
            graph.set_state(
                door, 'OPEN' if shut else 'CLOSED', instead_of='CLOSED' if shut else 'OPEN'
            )
            return
        nodes = graph.scene.nodes
        vessels = [i for i in self._things if 'recipient' in nodes[i].affordances]
        target = draw.choice(draw.choice([self._places, vessels]))
        taken = {*graph.carried(), *graph.with_contents(target), *graph.ancestors(target)}
        thing = draw.choice([i for i in self._things if i not in taken])
        graph.take(thing)
        relation = 'ON' if 'surfaces' in nodes[target].affordances else 'INSIDE'
        graph.put(thing, relation, target)


def where(graph: Graph, node_id: int) -> tuple[str, str, str, bool, frozenset[str]]:
    """Where something is and how: room, support, relation, whether it is held, its states."""
    nodes, room = graph.scene.nodes, graph.room_of(node_id)
    supports = graph.supports(node_id)
    return (
        nodes[room].name if room is not None else '',
        nodes[supports[0].to_id].name if supports else '',
        supports[0].relation.lower() if supports else '',
        node_id in graph.held(),
        frozenset(state.lower() for state in graph.states(node_id)),
    )


def visible(graph: Graph) -> set[int]:
    """Ids of what the robot sees: its room's furniture, what is in reach, what it carries."""
    here = graph.room_of(graph.scene.character)
    place = graph.place()
    reach, neighbours = graph.around(place) if place is not None else ((), ())
    return {*reach, *neighbours, *graph.in_hand(), *graph.furniture_in(here)}


def in_plain_sight(graph: Graph, item: ObservedObject, ids: dict[str, int]) -> bool:
    """Whether the robot would see something where it is believed to be."""
    place = graph.place()
    reach = graph.around(place)[0] if place is not None else frozenset()
    support = ids.get(item.receptacle)
    if support is not None:
        shut = item.relation == 'inside' and graph.is_closed(support)
        return support in {*reach, *graph.in_hand()} and not shut
    here = graph.room_of(graph.scene.character)
    in_this_room = here is not None and graph.scene.nodes[here].name == item.room
    return item.held or ('furniture' in item.affordances and in_this_room)


@pytest.fixture
def memory(household: SkillLibrary) -> Iterator[WorkingMemory]:
    memory = WorkingMemory(household.objects, household.places, 'truth_test')
    yield memory
    memory.close()


@pytest.mark.parametrize('meddling', [0.0, 0.3], ids=['alone', 'with somebody'])
@pytest.mark.parametrize('scene', scene_names())
def test_what_is_in_view_is_believed_as_it_is_and_nothing_where_it_is_plainly_not(
    memory: WorkingMemory, household: SkillLibrary, scene: str, meddling: float
) -> None:
    draw = random.Random(f'{scene} {meddling}')
    life = Life(scene, household, draw)
    graph = life.world.state
    ids = {node.name: node.id for node in graph.scene.nodes.values()}
    observation = life.world.observe()
    refused = 0
    for step in range(STEPS):
        expected = memory.situation_after(observation)
        memory.update(observation)
        situation = memory.situation()
        now = f'step {step}: {observation.text}'
        assert expected.objects == situation.objects, now
        refused += observation.text.startswith('You cannot')
        for node_id in visible(graph):
            name = graph.scene.nodes[node_id].name
            item = situation.objects.get(name)
            assert item is not None, f'{name} is in view; {now}'
            believed = (item.room, item.receptacle, item.relation, item.held, item.states)
            assert believed == where(graph, node_id), f'{name}; {now}'
            sighted = memory.reader.recall(item.class_name)
            assert f'{name} ' in sighted, f'{sighted}; {now}'
        for item in situation.objects.values():
            if in_plain_sight(graph, item, ids):
                truth = where(graph, ids[item.name])
                assert truth[1:4] == (item.receptacle, item.relation, item.held), (
                    f'{item.name} is believed {item.relation} {item.receptacle}; {now}'
                )
            support = situation.objects.get(item.receptacle)
            assert support is None or support.room == item.room, f'{item.name}; {now}'
        assert (situation.room, situation.place) == (observation.room, observation.place)
        if draw.random() < meddling:
            life.meddle()
        observation = life.act(situation)
    assert 0 < refused < STEPS / 2  # both kinds of outcome were there
