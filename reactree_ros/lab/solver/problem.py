# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A goal in a household, reduced to what can matter for it: items, spots, devices, wants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reactree_ros.lab.solver.house import House, Spot
from reactree_ros.sim.household.effects import (
    COFFEE_MAKERS,
    COOLERS,
    FAUCETS,
    HEATERS,
    WASHERS,
    sinks_of,
)
from reactree_ros.sim.household.goal import STATES, Condition, Kind, is_lamp
from reactree_ros.sim.household.scene import Node
from reactree_ros.sim.household.world import World

HAND = -1
"""The spot of an item that is held."""

MARKS = {state.upper(): 1 << bit for bit, state in enumerate(STATES)}
"""The bit of each state of an item."""


class State(NamedTuple):
    """A world as far as it matters for the goal.

    Args:
        at: id of the furniture that the robot stands at; -1 in the middle of a room.
        rooms: bits of the rooms whose furniture the robot has seen.
        spots: for each item the number of its spot, or HAND.
        marks: for each item the bits of its states.
        opened: bits of the doors that are open.
        on: bits of the devices that are on.
    """

    at: int
    rooms: int
    spots: tuple[int, ...]
    marks: tuple[int, ...]
    opened: int
    on: int


@dataclass(frozen=True, eq=False)
class Want:
    """One condition of the goal, in terms of the problem.

    Args:
        condition: the condition.
        marks: bits of the states that an item must have.
        items: numbers of the items that can count.
        loads: numbers of the items of which one must lie in or on an item that counts.
        load_marks: bits of the states that such a load must have.
        targets: ids of what the items are to be on or inside.
        nodes: ids of the devices or doors that can count, for a state of those.
        base: how many objects that are not among the items count already.
    """

    condition: Condition
    marks: int = 0
    items: tuple[int, ...] = ()
    loads: tuple[int, ...] = ()
    load_marks: int = 0
    targets: frozenset[int] = frozenset()
    nodes: tuple[int, ...] = ()
    base: int = 0

    @property
    def puts(self) -> bool:
        """Whether items are to be put somewhere."""
        return bool(self.targets)


class Problem:
    """What can matter for a goal in a world.

    Of objects of one class that lie alike, only as many are looked at as the goal needs.

    Args:
        world: the world; it is only read.
        conditions: what must hold.
    """

    def __init__(self, world: World, conditions: Sequence[Condition]) -> None:
        self.graph = world.state
        self.scene = world.scene
        self.hands = world.scene.hands
        self.house = House(world.state)
        self.conditions = tuple(conditions)
        self._kinds = [kind for c in conditions for kind in (c.kind, c.kind.load) if kind]
        lacking = self._lacking()
        self.items = self._items(lacking)
        self.number = {node.id: i for i, node in enumerate(self.items)}
        self.cutters = [i for i, node in enumerate(self.items) if 'cutter' in node.affordances]
        self.spots: list[Spot] = []
        self._spot_numbers: dict[Spot, int] = {}
        self.wants = tuple(self._want(condition) for condition in conditions)
        self._set_devices(lacking)
        rooms = self.scene.rooms
        self.room_bits = {room: 1 << bit for bit, room in enumerate(rooms)}
        self._fixtures = {n.id for n in self.items if n.id in self.house.furniture}
        self.put_numbers = {
            place: self._numbered(spot)
            for place, spot in self.house.puttable.items()
            if place not in self._fixtures
        }
        self.vessel_numbers = {
            i: self._numbered(Spot(vessel=i))
            for i, node in enumerate(self.items)
            if 'recipient' in node.affordances and node.id not in self._fixtures
        }
        self.lamps_near = {place: self._lamps_near(place) for place in self.scene.furniture}
        self.start = self._start()

    def bit(self, node_id: int) -> int:
        """The bit of a door or device."""
        return self._bits.setdefault(node_id, 1 << len(self._bits))

    def is_open(self, state: State, node_id: int) -> bool:
        """Whether a door is open."""
        return bool(state.opened & self.bit(node_id))

    def is_on(self, state: State, node_id: int) -> bool:
        """Whether a device is on."""
        return bool(state.on & self.bit(node_id))

    def lit(self, state: State) -> bool:
        """Whether a lamp that is on stands where the robot is."""
        return any(self.is_on(state, lamp) for lamp in self.lamps_near.get(state.at, ()))

    def within(self, state: State, item: int) -> frozenset[int]:
        """The ids of all that an item is in or on."""
        found: frozenset[int] = frozenset()
        while state.spots[item] != HAND:
            spot = self.spots[state.spots[item]]
            if spot.vessel < 0:
                return found | spot.within
            item = spot.vessel
            found |= {self.items[item].id}
        return found

    def reach(self, state: State, item: int) -> tuple[tuple[int, ...] | None, tuple[int, ...]]:
        """From where an item is within reach (None: it is in a vessel in hand); what must open."""
        doors: tuple[int, ...] = ()
        if self.items[item].id in self._fixtures and state.spots[item] != self.start.spots[item]:
            # Furniture that stands on furniture, as a chair on a bed, is left there.
            return (), ()
        while state.spots[item] != HAND:
            spot = self.spots[state.spots[item]]
            if spot.vessel < 0:
                return spot.places, spot.doors + doors
            item = spot.vessel
            if 'can_open' in self.items[item].affordances:
                doors = (self.items[item].id, *doors)
        return None, doors

    def counts(self, want: Want, state: State, item: int) -> bool:
        """Whether an item meets a want."""
        if want.marks & ~state.marks[item]:
            return False
        if want.loads and not any(
            self.vessel_of(state, load) == item and not want.load_marks & ~state.marks[load]
            for load in want.loads
        ):
            return False
        match want.condition.predicate:
            case 'inside' | 'on':
                return self.lies(want, state, item)
            case 'holds' | 'lit' as predicate:
                held = state.spots[item] == HAND
                return held and (predicate == 'holds' or self.lit(state))
            case _:
                return True

    def vessel_of(self, state: State, item: int) -> int:
        """The number of the item in or on which another lies; -1 if it lies in or on none."""
        number = state.spots[item]
        return -1 if number == HAND else self.spots[number].vessel

    def missing(self, want: Want, state: State) -> int:
        """How many more objects must meet a want."""
        predicate = want.condition.predicate
        if want.nodes:
            if predicate in ('turnOn', 'turnOff'):
                met = sum(self.is_on(state, n) == (predicate == 'turnOn') for n in want.nodes)
            else:
                met = sum(self.is_open(state, n) == (predicate == 'open') for n in want.nodes)
        else:
            met = want.base + sum(self.counts(want, state, item) for item in want.items)
        return max(0, want.condition.count - met)

    def lies(self, want: Want, state: State, item: int) -> bool:
        """Whether an item is on or inside what a want says."""
        number = state.spots[item]
        if number == HAND:
            return False
        spot = self.spots[number]
        if spot.vessel >= 0 and self.items[spot.vessel].id in want.targets:
            return True
        if want.condition.predicate == 'on':
            return bool(spot.on & want.targets)
        while spot.vessel >= 0:
            number = state.spots[spot.vessel]
            if number == HAND:
                return False
            spot = self.spots[number]
        return bool(spot.inside & want.targets)

    def put_places(self, want: Want) -> tuple[int, ...]:
        """The furniture at which an item put down lies as a want says."""
        inside = want.condition.predicate == 'inside'
        return tuple(
            place
            for place, number in self.put_numbers.items()
            if (self.spots[number].inside if inside else self.spots[number].on) & want.targets
        )

    # Building.

    def _lacking(self) -> int:
        """Bits of the states that some object must be given."""
        asked = [state for kind in self._kinds for state in kind.states]
        asked += [c.predicate for c in self.conditions if c.predicate in STATES]
        return sum({MARKS[state.upper()] for state in asked})

    def _items(self, lacking: int) -> tuple[Node, ...]:
        """The movable objects that can matter, in the order of names."""
        need: dict[str, int] = {}
        for condition in self.conditions:
            load = condition.kind.load
            for name in filter(None, (condition.subject, load.words if load else '')):
                need[name] = need.get(name, 0) + condition.count
            if condition.target:
                need[condition.target] = need.get(condition.target, 0) + condition.count
        subjects = {kind.words for kind in self._kinds}
        if lacking & MARKS['SLICED']:
            for node in self.scene.nodes.values():
                if 'cutter' in node.affordances:
                    need.setdefault(node.words, 1)
        held = set(self.graph.held())
        alike: dict[object, int] = {}
        found: list[Node] = []
        for node_id in self.scene.by_name.values():
            node = self.scene.nodes[node_id]
            fixture = node_id in self.house.furniture and node.words not in subjects
            if node.words not in need or 'grabbable' not in node.affordances or fixture:
                if node_id in held:
                    found.append(node)
                continue
            contents = tuple(sorted(e.from_id for e in self.graph.contents(node_id)))
            states = tuple(sorted(self.graph.states(node_id)))
            like = (node.words, self.house.spot(node_id), states, contents, node_id in held)
            alike[like] = alike.get(like, 0) + 1
            if alike[like] <= need[node.words]:
                found.append(node)
        return tuple(found)

    def _want(self, condition: Condition) -> Want:
        kind = condition.kind
        predicate = condition.predicate
        subjects = self.scene.of_words(kind.words)
        if predicate in ('turnOn', 'turnOff', 'open', 'closed'):
            need = 'has_switch' if predicate.startswith('turn') else 'can_open'
            nodes = tuple(n.id for n in subjects if need in n.affordances)
            return Want(condition, nodes=nodes)
        load = kind.load
        targets = self.scene.of_words(condition.target) if condition.target else []
        marks = _marks(kind) | (MARKS[predicate.upper()] if predicate in STATES else 0)
        rest = [n for n in subjects if n.id not in self.number]
        return Want(
            condition,
            marks=marks,
            items=self._numbers(kind.words),
            loads=self._numbers(load.words) if load else (),
            load_marks=_marks(load) if load else 0,
            targets=frozenset(n.id for n in targets),
            base=sum(condition.holds(self.graph, node) for node in rest),
        )

    def _numbers(self, class_words: str) -> tuple[int, ...]:
        return tuple(i for i, node in enumerate(self.items) if node.words == class_words)

    def _set_devices(self, lacking: int) -> None:
        """Choose the devices that can give items the states they lack."""
        self._bits: dict[int, int] = {}
        names: dict[int, frozenset[str]] = {
            MARKS['HOT']: HEATERS | COFFEE_MAKERS,
            MARKS['COOKED']: HEATERS,
            MARKS['COLD']: COOLERS,
            MARKS['CLEAN']: FAUCETS | WASHERS,
        }
        places = [n for n in self.scene.nodes.values() if n.id in self.house.furniture]
        self.devices: dict[int, tuple[int, ...]] = {
            mark: tuple(n.id for n in places if lacking & mark and n.words in names[mark])
            for mark in names
        }
        clean = self.devices[MARKS['CLEAN']]
        self.sinks = {
            node_id: tuple(sinks_of(self.graph, node_id))
            for node_id in clean
            if self.scene.nodes[node_id].words in FAUCETS
        }
        lit = any(c.predicate == 'lit' for c in self.conditions)
        self.lamps = tuple(
            n.id
            for n in self.scene.nodes.values()
            if lit and is_lamp(n) and self.house.places(n.id)
        )

    def devices_for(self, marks: int) -> Iterator[int]:
        """The ids of the devices that give an item some states."""
        return (i for mark, devices in self.devices.items() if marks & mark for i in devices)

    def _lamps_near(self, place: int) -> tuple[int, ...]:
        if not self.lamps or self.house.room_of[place] is None:
            return ()
        reach, neighbours = self.graph.around(place)
        return tuple(lamp for lamp in self.lamps if lamp in reach or lamp in neighbours)

    def _numbered(self, spot: Spot) -> int:
        if spot not in self._spot_numbers:
            self._spot_numbers[spot] = len(self.spots)
            self.spots.append(spot)
        return self._spot_numbers[spot]

    def _start(self) -> State:
        graph = self.graph
        held = set(graph.held())
        spots = []
        for node in self.items:
            supports = graph.supports(node.id)
            vessel = self.number.get(supports[0].to_id, -1) if supports else -1
            if node.id in held:
                spots.append(HAND)
            elif vessel >= 0:
                spots.append(self._numbered(Spot(vessel=vessel)))
            else:
                spots.append(self._numbered(self.house.spot(node.id)))
        room = graph.room_of(self.scene.character)
        place = graph.place()
        ids: Iterable[int] = self.scene.nodes
        return State(
            at=-1 if place is None else place,
            rooms=self.room_bits.get(room, 0) if room is not None else 0,
            spots=tuple(spots),
            marks=tuple(_bits(graph.states(node.id)) for node in self.items),
            opened=sum(self.bit(i) for i in ids if graph.is_open(i)),
            on=sum(self.bit(i) for i in ids if graph.is_on(i)),
        )


def _bits(states: Iterable[str]) -> int:
    return sum(MARKS[state] for state in set(states) if state in MARKS)


def _marks(kind: Kind) -> int:
    return _bits(state.upper() for state in kind.states)
