# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The nine skills of the household robot: what each needs, and what it changes."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import NamedTuple

from reactree_ros.core.names import listing, numbered, parse_name
from reactree_ros.sim.household.effects import STOP_WHEN_OPENED, settle, settle_around
from reactree_ros.sim.household.graph import Graph


class Refusal(Exception):
    """A precondition does not hold; the text says which, and nothing was changed."""


class Done(NamedTuple):
    """What a skill did.

    Args:
        target: id of what the skill is about: where the robot went, what it handled.
        changed: ids of things that have other states now because a device acted on them.
        switched_off: opening the target switched it off.
    """

    target: int
    changed: tuple[int, ...] = ()
    switched_off: bool = False


@dataclass(frozen=True)
class Situation:
    """What a skill may use to judge its preconditions.

    Args:
        graph: the world; a skill changes it once all its preconditions hold.
        seen: ids of everything that the robot has seen so far.
    """

    graph: Graph
    seen: Set[int]

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
        if node_id in self.graph.in_hand():
            return node_id
        if place is not None and self.graph.is_closed(place) and self.graph.is_in(node_id, place):
            raise Refusal(f'{self.label(place)} is closed')
        if place is None or node_id not in self.graph.around(place)[0]:
            raise Refusal('it is out of reach from here')
        return node_id

    def held(self, name: str) -> int:
        """The id of an object that the robot holds; a Refusal otherwise."""
        parsed = parse_name(name)
        node_id = self.graph.scene.by_name.get(parsed) if parsed else None
        if node_id is None or node_id not in self.graph.held():
            raise Refusal('you do not hold it')
        return node_id

    def need(self, node_id: int, affordance: str, otherwise: str) -> None:
        """Refuse what an object is not made for."""
        if affordance not in self.graph.scene.nodes[node_id].affordances:
            raise Refusal(otherwise)

    def label(self, node_id: int) -> str:
        """An object's name as texts have it, e.g. ``fridge (1)``."""
        return listing([self.graph.scene.nodes[node_id].key])


def go_to(situation: Situation, name: str) -> Done:
    """Walk to a room, or to furniture of this room or seen before.

    Needs: a room of the house, or furniture that was seen and is not carried. Changes: where the
    robot is.
    """
    graph = situation.graph
    node_id = situation.find(name)
    if node_id in graph.scene.rooms:
        graph.walk(node_id, None)
        return Done(node_id)
    situation.need(node_id, 'furniture', 'go to the furniture where it lies')
    if node_id in graph.carried():
        raise Refusal('you carry it')
    if any(graph.is_held(one) for one in (node_id, *graph.ancestors(node_id))):
        raise Refusal('another robot carries it')
    room = graph.room_of(node_id)
    if room is None:
        raise Refusal('it is in no room')
    graph.walk(room, node_id)
    return Done(node_id)


def pick_up(situation: Situation, name: str) -> Done:
    """Take a grabbable object within reach, with what is in and on it.

    Needs: it is grabbable, in reach (or in what the other hand holds), not behind a closed door;
    a free hand. Changes: it is in the hand.
    """
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
    return Done(node_id)


def put_down(situation: Situation, name: str) -> Done:
    """Put a held object on the surface, or in the open container, that the robot stands at.

    Needs: it is held; the robot stands at furniture with a surface, or with an inside that is
    open. Changes: it is on the furniture, or inside if that has a door or no surface. A stove
    that is on, or a sink under a running faucet, acts on it at once.
    """
    graph = situation.graph
    node_id = situation.held(name)
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
    return Done(node_id, settle_around(graph, place))


def put_into(situation: Situation, name: str, vessel: str) -> Done:
    """Put a held object in or on a movable vessel: a bowl, a plate, a pan, a box.

    Needs: it is held; the vessel is movable and made to hold things, in reach or in the other
    hand, not closed, and neither the object itself nor in or on it. Changes: it is on a vessel
    with a surface, inside any other; what stands on a stove that is on gets hot at once.
    """
    graph = situation.graph
    node_id = situation.held(name)
    vessel_id = situation.reach(vessel)
    if vessel_id == node_id:
        raise Refusal('it cannot be put into itself')
    if 'grabbable' not in graph.scene.nodes[vessel_id].affordances:
        raise Refusal(f'{situation.label(vessel_id)} is not a vessel, put things down there')
    situation.need(vessel_id, 'recipient', f'nothing can be put into {situation.label(vessel_id)}')
    if vessel_id in graph.with_contents(node_id):
        raise Refusal(f'{situation.label(vessel_id)} is in or on it')
    if graph.is_closed(vessel_id):
        raise Refusal(f'{situation.label(vessel_id)} is closed')
    surface = 'surfaces' in graph.scene.nodes[vessel_id].affordances
    graph.put(node_id, 'ON' if surface else 'INSIDE', vessel_id)
    return Done(node_id, settle_around(graph, vessel_id))


def open_(situation: Situation, name: str) -> Done:
    """Open something closed within reach.

    Needs: it can be opened, is closed, in reach. Changes: it is open; a microwave oven, dishwasher
    or washing machine that was on is off.
    """
    graph = situation.graph
    node_id = situation.reach(name)
    situation.need(node_id, 'can_open', 'it cannot be opened')
    if graph.is_open(node_id):
        raise Refusal('it is open already')
    graph.set_state(node_id, 'OPEN', instead_of='CLOSED')
    stops = graph.is_on(node_id) and graph.scene.nodes[node_id].words in STOP_WHEN_OPENED
    if stops:
        graph.set_state(node_id, 'OFF', instead_of='ON')
    return Done(node_id, switched_off=stops)


def close(situation: Situation, name: str) -> Done:
    """Close something open within reach.

    Needs: it can be opened, is open, in reach. Changes: it is closed; what is in a fridge gets
    cold.
    """
    node_id = situation.reach(name)
    situation.need(node_id, 'can_open', 'it cannot be closed')
    if not situation.graph.is_open(node_id):
        raise Refusal('it is closed already')
    situation.graph.set_state(node_id, 'CLOSED', instead_of='OPEN')
    return Done(node_id, settle(situation.graph, node_id))


def turn_on(situation: Situation, name: str) -> Done:
    """Switch on something within reach; if it has a door, the door must be closed.

    Needs: it has a switch, is off, not open, plugged in, in reach. Changes: it is on, and does to
    what is in or on it, or in the sink below it, what ``effects`` says.
    """
    node_id = situation.reach(name)
    situation.need(node_id, 'has_switch', 'it has no switch')
    if situation.graph.is_on(node_id):
        raise Refusal('it is on already')
    if situation.graph.is_open(node_id):
        raise Refusal('it is open, close it first')
    if 'PLUGGED_OUT' in situation.graph.states(node_id):
        raise Refusal('it is not plugged in')
    situation.graph.set_state(node_id, 'ON', instead_of='OFF')
    return Done(node_id, settle(situation.graph, node_id))


def turn_off(situation: Situation, name: str) -> Done:
    """Switch off something within reach.

    Needs: it has a switch, is on, in reach. Changes: it is off; nothing cools down by that.
    """
    node_id = situation.reach(name)
    situation.need(node_id, 'has_switch', 'it has no switch')
    if not situation.graph.is_on(node_id):
        raise Refusal('it is off already')
    situation.graph.set_state(node_id, 'OFF', instead_of='ON')
    return Done(node_id)


def slice_(situation: Situation, name: str) -> Done:
    """Slice something within reach with a knife in the hand.

    Needs: it can be cut, is not sliced, in reach; a knife is held. Changes: it is sliced.
    """
    graph = situation.graph
    node_id = situation.reach(name)
    situation.need(node_id, 'cuttable', 'it cannot be sliced')
    if 'SLICED' in graph.states(node_id):
        raise Refusal('it is sliced already')
    if not any('cutter' in graph.scene.nodes[i].affordances for i in graph.held()):
        raise Refusal('you hold no knife')
    graph.set_state(node_id, 'SLICED')
    return Done(node_id)


class Rule(NamedTuple):
    """One skill of the world.

    Args:
        do: carries it out, given a situation and the names; raises a Refusal.
        phrase: how texts name it, with a place for each name.
        names: how many names of objects or rooms it takes.
    """

    do: Callable[..., Done]
    phrase: str
    names: int = 1


SKILLS: dict[str, Rule] = {
    'go_to': Rule(go_to, 'go to {}'),
    'pick_up': Rule(pick_up, 'pick up {}'),
    'put_down': Rule(put_down, 'put down {}'),
    'put_into': Rule(put_into, 'put {} into {}', 2),
    'open': Rule(open_, 'open {}'),
    'close': Rule(close, 'close {}'),
    'turn_on': Rule(turn_on, 'turn on {}'),
    'turn_off': Rule(turn_off, 'turn off {}'),
    'slice': Rule(slice_, 'slice {}'),
}
"""The skills by name."""
