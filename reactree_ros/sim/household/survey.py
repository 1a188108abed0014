# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The survey of a world for planners that plan before they act (paper, Appendix C)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reactree_ros.core.names import listing
from reactree_ros.core.observation import Observation, ObservedObject

if TYPE_CHECKING:
    from reactree_ros.sim.household.world import World


def survey(world: World) -> Observation:
    """Return all rooms, the furniture by room and the names of all movable objects.

    Where the movable objects are, and in which state, it does not say. Its text begins as the
    initial observation does and ends with the robot's own situation.
    """
    scene, graph = world.scene, world.state
    now = world.observe()
    first, _, situation = now.text.partition('. ')
    parts = [f'{first}.']
    things = []
    for room in scene.rooms:
        furniture = [scene.nodes[i] for i in graph.furniture_in(room)]
        if furniture:
            names = listing(node.key for node in furniture)
            parts.append(f'The {listing([scene.nodes[room].key])} has: {names}.')
        things += [
            ObservedObject(
                node.words,
                node.instance,
                room=scene.nodes[room].name,
                affordances=node.affordances,
            )
            for node in furniture
        ]
    movable = [
        node
        for node in scene.nodes.values()
        if 'grabbable' in node.affordances and node.id not in scene.furniture
    ]
    movable.sort(key=lambda node: node.key)
    if movable:
        parts.append(f'Somewhere in the house are: {listing(node.key for node in movable)}.')
    things += [
        ObservedObject(node.words, node.instance, affordances=node.affordances) for node in movable
    ]
    return Observation(
        text=' '.join([*parts, situation]).strip(),
        room=now.room,
        place=now.place,
        rooms=now.rooms,
        objects=tuple(things),
    )
