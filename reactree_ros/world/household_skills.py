# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The eight skills of the household robot: what each needs, and what it changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reactree_ros.world.graph import Graph
from reactree_ros.world.words import listing, numbered, parse_name


class Refusal(Exception):
    """A precondition does not hold; the text says which, and nothing was changed."""


@dataclass(frozen=True)
class Situation:
    """What a skill may use to judge its preconditions.

    Args:
        graph: the world; a skill changes it once all its preconditions hold.
        seen: ids of everything that the robot has seen so far.
    """

    graph: Graph
    seen: frozenset[int]

    def find(self, name: str) -> int:
        """The id of a room, or of an object that was seen; a Refusal otherwise."""
        scene = self.graph.scene
        parsed = parse_name(name)
        node_id = scene.by_name.get(parsed) if parsed else None
        if node_id is None or not (node_id in scene.rooms or node_id in self.seen):
            raise Refusal(f'there is no {numbered(name)} in sight')
        return node_id

    def reach(self, name: str) -> int:
        """The id of an object that can be reached or is held; a Refusal otherwise."""
        node_id = self.find(name)
        place = self.graph.place()
        if node_id in self.graph.held():
            return node_id
        if place is not None and self.graph.is_closed(place) and self.graph.is_in(node_id, place):
            raise Refusal(f'{self.label(place)} is closed')
        if place is None or node_id not in self.graph.around(place)[0]:
            raise Refusal('it is out of reach from here')
        return node_id

    def need(self, node_id: int, affordance: str, otherwise: str) -> None:
        """Refuse what an object is not made for."""
        if affordance not in self.graph.scene.nodes[node_id].affordances:
            raise Refusal(otherwise)

    def label(self, node_id: int) -> str:
        """An object's name as texts have it, e.g. ``fridge (1)``."""
        return listing([self.graph.scene.nodes[node_id].key])


def go_to(situation: Situation, name: str) -> int:
    """Walk to a room, or to furniture of this room or seen before."""
    graph = situation.graph
    node_id = situation.find(name)
    if node_id in graph.scene.rooms:
        graph.walk(node_id, None)
        return node_id
    situation.need(node_id, 'furniture', 'go to the furniture where it lies')
    room = graph.room_of(node_id)
    if room is None:
        raise Refusal('it is in no room')
    graph.walk(room, node_id)
    return node_id


def pick_up(situation: Situation, name: str) -> int:
    """Take a grabbable object within reach into a free hand."""
    graph = situation.graph
    node_id = situation.reach(name)
    held = graph.held()
    if node_id in held:
        raise Refusal('you hold it already')
    situation.need(node_id, 'grabbable', 'it cannot be picked up')
    if len(held) >= graph.scene.hands:
        hold = listing(graph.scene.nodes[i].key for i in held)
        raise Refusal(f'no hand is free, you hold {hold}')
    graph.take(node_id)
    return node_id


def put_down(situation: Situation, name: str) -> int:
    """Put a held object on the surface, or in the open container, that the robot stands at."""
    graph = situation.graph
    parsed = parse_name(name)
    node_id = graph.scene.by_name.get(parsed) if parsed else None
    if node_id not in graph.held():
        raise Refusal('you do not hold it')
    assert node_id is not None
    place = graph.place()
    if place is None:
        raise Refusal('you do not stand at any furniture, go to some first')
    affordances = graph.scene.nodes[place].affordances
    door = {'can_open', 'containers'} <= affordances
    if door and graph.is_closed(place):
        raise Refusal(f'{situation.label(place)} is closed')
    if 'surfaces' not in affordances and 'containers' not in affordances:
        raise Refusal(f'nothing can be put on or in {situation.label(place)}')
    graph.put(node_id, 'INSIDE' if door or 'surfaces' not in affordances else 'ON', place)
    return node_id


def open_(situation: Situation, name: str) -> int:
    """Open something closed within reach."""
    node_id = situation.reach(name)
    situation.need(node_id, 'can_open', 'it cannot be opened')
    if situation.graph.is_open(node_id):
        raise Refusal('it is open already')
    situation.graph.set_state(node_id, 'OPEN', instead_of='CLOSED')
    return node_id


def close(situation: Situation, name: str) -> int:
    """Close something open within reach."""
    node_id = situation.reach(name)
    situation.need(node_id, 'can_open', 'it cannot be closed')
    if not situation.graph.is_open(node_id):
        raise Refusal('it is closed already')
    situation.graph.set_state(node_id, 'CLOSED', instead_of='OPEN')
    return node_id


def turn_on(situation: Situation, name: str) -> int:
    """Switch on something within reach; if it has a door, the door must be closed."""
    node_id = situation.reach(name)
    situation.need(node_id, 'has_switch', 'it has no switch')
    if situation.graph.is_on(node_id):
        raise Refusal('it is on already')
    if situation.graph.is_open(node_id):
        raise Refusal('it is open, close it first')
    situation.graph.set_state(node_id, 'ON', instead_of='OFF')
    return node_id


def turn_off(situation: Situation, name: str) -> int:
    """Switch off something within reach."""
    node_id = situation.reach(name)
    situation.need(node_id, 'has_switch', 'it has no switch')
    if not situation.graph.is_on(node_id):
        raise Refusal('it is off already')
    situation.graph.set_state(node_id, 'OFF', instead_of='ON')
    return node_id


def slice_(situation: Situation, name: str) -> int:
    """Slice something within reach with a knife in the hand."""
    graph = situation.graph
    node_id = situation.reach(name)
    situation.need(node_id, 'cuttable', 'it cannot be sliced')
    if 'SLICED' in graph.states(node_id):
        raise Refusal('it is sliced already')
    if not any('cutter' in graph.scene.nodes[i].affordances for i in graph.held()):
        raise Refusal('you hold no knife')
    graph.set_state(node_id, 'SLICED')
    return node_id


SKILLS: dict[str, Callable[[Situation, str], int]] = {
    'go_to': go_to,
    'pick_up': pick_up,
    'put_down': put_down,
    'open': open_,
    'close': close,
    'turn_on': turn_on,
    'turn_off': turn_off,
    'slice': slice_,
}
"""The skills by name: each takes an object's name and returns its id, or raises a Refusal."""
