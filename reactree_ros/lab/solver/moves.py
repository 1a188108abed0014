# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a solver can do next: short runs of skills that end with one change that the goal needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from reactree_ros.lab.solver.problem import HAND, MARKS, Problem, State, Want
from reactree_ros.sim.household.effects import (
    COFFEE_MAKERS,
    COOLERS,
    CUPS,
    FAUCETS,
    HEATERS,
    STOP_WHEN_OPENED,
    WASHERS,
    is_food,
)

Step = tuple[str, tuple[int, ...]]
"""A skill, and the ids of what it is about."""

_SLICED, _HOT, _COLD = MARKS['SLICED'], MARKS['HOT'], MARKS['COLD']
_COOKED, _CLEAN, _DIRTY = MARKS['COOKED'], MARKS['CLEAN'], MARKS['DIRTY']


class Move(NamedTuple):
    """Skills carried out one after the other, and the state after them."""

    steps: tuple[Step, ...]
    state: State


class Moves:
    """The moves of a problem: nothing is touched that the goal does not need.

    The rules are those of ``sim.household.skills`` and ``sim.household.effects``, on the
    reduced state.

    Args:
        problem: the goal and what can matter for it.
    """

    def __init__(self, problem: Problem) -> None:
        self._p = problem
        self._targets = {want: problem.put_places(want) for want in problem.wants}

    def after(self, state: State) -> Iterator[Move]:
        """All moves that may bring the goal nearer."""
        unmet = [want for want in self._p.wants if self._p.missing(want, state)]
        held = [i for i, spot in enumerate(state.spots) if spot == HAND]
        lacks = self._lacks(state, unmet)
        if len(held) < self._p.hands:
            for item in self._to_take(state, unmet, lacks):
                yield from self._take(state, item)
        for item in held:
            for place in self._destinations(state, unmet, lacks, item, held):
                yield from self._put(state, item, place)
            for vessel in self._vessels(unmet, item):
                yield from self._put_into(state, item, vessel)
        if any(item in self._p.cutters for item in held):
            for item, marks in lacks.items():
                if marks & _SLICED and state.spots[item] != HAND:
                    yield from self._slice(state, item)
        yield from self._switch(state, unmet, lacks)

    # What to do.

    def _lacks(self, state: State, unmet: list[Want]) -> dict[int, int]:
        """Bits of the states that items still need for some unmet want."""
        lacks: dict[int, int] = {}
        for want in unmet:
            for items, marks in ((want.items, want.marks), (want.loads, want.load_marks)):
                for item in items:
                    missing = marks & ~state.marks[item]
                    if missing:
                        lacks[item] = lacks.get(item, 0) | missing
        # A vessel can be carried to a device for the sake of what is in it.
        for item, marks in tuple(lacks.items()):
            vessel = self._p.vessel_of(state, item)
            if vessel >= 0 and marks & ~_SLICED:
                lacks[vessel] = lacks.get(vessel, 0) | marks & ~_SLICED
        return lacks

    def _to_take(self, state: State, unmet: list[Want], lacks: dict[int, int]) -> list[int]:
        p = self._p
        found: dict[int, None] = {}
        for want in unmet:
            predicate = want.condition.predicate
            carried = want.puts or predicate in ('holds', 'lit')
            for item in want.items:
                if not p.counts(want, state, item) and (carried or lacks.get(item, 0) & ~_SLICED):
                    found[item] = None
            found |= dict.fromkeys(want.loads)
        for item, marks in lacks.items():
            if marks & ~_SLICED and item in p.vessel_numbers:
                found[item] = None
        if any(marks & _SLICED for marks in lacks.values()):
            found |= dict.fromkeys(p.cutters)
        return [item for item in found if state.spots[item] != HAND]

    def _destinations(
        self,
        state: State,
        unmet: list[Want],
        lacks: dict[int, int],
        item: int,
        held: list[int],
    ) -> dict[int, None]:
        """The furniture at which it may help to put an item down."""
        p = self._p
        found: dict[int, None] = {}
        wanted = False
        for want in unmet:
            if item in want.items:
                found |= dict.fromkeys(self._targets[want])
            wanted |= item in want.items or item in want.loads
        for device in p.devices_for(lacks.get(item, 0)):
            places = p.sinks.get(device, (device,))
            found |= dict.fromkeys(place for place in places if place in p.put_numbers)
        affordances = p.items[item].affordances
        spare = len(held) == p.hands and affordances & {'cutter', 'recipient'}
        if lacks.get(item, 0) & _SLICED or not wanted or spare:
            found |= dict.fromkeys(self._anywhere(state, unmet))
        return found

    def _anywhere(self, state: State, unmet: list[Want]) -> Iterator[int]:
        """Where the robot is, and where it will have to go anyway."""
        p = self._p
        if state.at in p.put_numbers:
            yield state.at
            if p.is_open(state, state.at):
                return
        for want in unmet:
            for item in (*want.items, *want.loads):
                if state.spots[item] != HAND:
                    places = p.reach(state, item)[0] or ()
                    yield from (place for place in places if place in p.put_numbers)
            yield from self._targets[want]

    def _vessels(self, unmet: list[Want], item: int) -> dict[int, None]:
        p = self._p
        found: dict[int, None] = {}
        for want in unmet:
            if item in want.loads:
                found |= dict.fromkeys(want.items)
            if item in want.items:
                found |= dict.fromkeys(i for i in p.vessel_numbers if p.items[i].id in want.targets)
        return {i: None for i in found if i in p.vessel_numbers and i != item}

    # Doing it.

    def _go(self, state: State, place: int) -> tuple[list[Step], int]:
        """The walk to a place, through its room if its furniture was not seen yet."""
        if state.at == place:
            return [], state.rooms
        room = self._p.house.room_of[place]
        assert room is not None
        bit = self._p.room_bits[room]
        if state.rooms & bit:
            return [('go_to', (place,))], state.rooms
        return [('go_to', (room,)), ('go_to', (place,))], state.rooms | bit

    def _open(
        self, state: State, place: int, doors: Iterable[int], steps: list[Step]
    ) -> tuple[int, int] | None:
        """Open doors while standing at a place; None if one of them cannot be reached there."""
        p = self._p
        opened, on = state.opened, state.on
        for door in doors:
            bit = p.bit(door)
            if opened & bit:
                continue
            if place not in p.house.places(door):
                item = p.number.get(door, -1)
                reach = p.reach(state, item)[0] if item >= 0 else ()
                if reach is not None and place not in reach:
                    return None
            steps.append(('open', (door,)))
            opened |= bit
            if p.scene.nodes[door].words in STOP_WHEN_OPENED:
                on &= ~bit
        return opened, on

    def _stand(
        self, state: State, places: tuple[int, ...] | None, doors: Iterable[int]
    ) -> Iterator[tuple[list[Step], State]]:
        """Stand at each of some places (None: stay where the robot is) with all doors open."""
        for place in (state.at,) if places is None else places:
            steps, rooms = self._go(state, place) if places is not None else ([], state.rooms)
            open_ = self._open(state, place, doors, steps)
            if open_ is not None:
                yield steps, State(place, rooms, state.spots, state.marks, *open_)

    def _take(self, state: State, item: int) -> Iterator[Move]:
        node_id = self._p.items[item].id
        for steps, here in self._stand(state, *self._p.reach(state, item)):
            # Standing at a chair and taking it away is standing at nothing.
            at = -1 if here.at == node_id else here.at
            after = here._replace(at=at, spots=_with(state.spots, item, HAND))
            yield Move((*steps, ('pick_up', (node_id,))), after)

    def _put(self, state: State, item: int, place: int) -> Iterator[Move]:
        number = self._p.put_numbers[place]
        for steps, here in self._stand(state, (place,), self._p.spots[number].doors):
            after = here._replace(spots=_with(state.spots, item, number))
            step = ('put_down', (self._p.items[item].id,))
            yield Move((*steps, step), self._settle_around(after, item))

    def _put_into(self, state: State, item: int, vessel: int) -> Iterator[Move]:
        p = self._p
        if p.items[item].id in p.within(state, vessel):
            return
        places, doors = p.reach(state, vessel)
        if 'can_open' in p.items[vessel].affordances:
            doors = (*doors, p.items[vessel].id)
        for steps, here in self._stand(state, places, doors):
            after = here._replace(spots=_with(state.spots, item, p.vessel_numbers[vessel]))
            step = ('put_into', (p.items[item].id, p.items[vessel].id))
            yield Move((*steps, step), self._settle_around(after, item))

    def _slice(self, state: State, item: int) -> Iterator[Move]:
        for steps, here in self._stand(state, *self._p.reach(state, item)):
            after = here._replace(marks=_with(state.marks, item, state.marks[item] | _SLICED))
            yield Move((*steps, ('slice', (self._p.items[item].id,))), after)

    def _switch(self, state: State, unmet: list[Want], lacks: dict[int, int]) -> Iterator[Move]:
        """Open, close and switch what the goal names, and the devices that items lie in."""
        p = self._p
        wanted: dict[int, None] = {}
        for mark, devices in p.devices.items():
            lacking = [item for item, marks in lacks.items() if marks & mark]
            for device in devices:
                places = {device, *p.sinks.get(device, ())}
                if any(places & p.within(state, item) for item in lacking):
                    wanted[device] = None
                elif lacking and device in p.sinks and not p.is_on(state, device):
                    # Water that runs already washes what is put into the sink.
                    wanted[device] = None
        for device in wanted:
            if p.is_open(state, device):
                yield from self._change(state, device, 'close')
            elif p.scene.nodes[device].words in COOLERS:
                yield from self._change(state, device, 'open')
            elif p.is_on(state, device):
                yield from self._change(state, device, 'turn_off')
            elif 'has_switch' in p.scene.nodes[device].affordances:
                yield from self._change(state, device, 'turn_on')
        lit = [want for want in unmet if want.condition.predicate == 'lit']
        if lit:
            yield from self._go_to_light(state)
        for want in unmet:
            for node_id in want.nodes:
                yield from self._name_device(state, node_id, want.condition.predicate)

    def _go_to_light(self, state: State) -> Iterator[Move]:
        p = self._p
        for place, lamps in p.lamps_near.items():
            if state.at != place and any(p.is_on(state, lamp) for lamp in lamps):
                steps, rooms = self._go(state, place)
                yield Move(tuple(steps), state._replace(at=place, rooms=rooms))
        for lamp in p.lamps:
            if not p.is_on(state, lamp):
                yield from self._change(state, lamp, 'turn_on')

    def _name_device(self, state: State, node_id: int, predicate: str) -> Iterator[Move]:
        p = self._p
        is_open = p.is_open(state, node_id)
        if predicate in ('open', 'closed'):
            skill, met = ('open', is_open) if predicate == 'open' else ('close', not is_open)
        elif predicate == 'turnOn':
            skill, met = 'close' if is_open else 'turn_on', p.is_on(state, node_id)
        else:
            skill, met = 'turn_off', not p.is_on(state, node_id)
        if not met:
            yield from self._change(state, node_id, skill)

    def _change(self, state: State, node_id: int, skill: str) -> Iterator[Move]:
        p = self._p
        bit = p.bit(node_id)
        item = p.number.get(node_id, -1)
        if item >= 0:
            places, doors = p.reach(state, item)
        else:
            places, doors = p.house.places(node_id), p.house.spot(node_id).doors
        for steps, here in self._stand(state, places, doors):
            opened, on = here.opened, here.on
            if skill in ('open', 'close'):
                opened = opened | bit if skill == 'open' else opened & ~bit
            stops = skill == 'open' and p.scene.nodes[node_id].words in STOP_WHEN_OPENED
            if skill == 'turn_on':
                on |= bit
            elif skill == 'turn_off' or stops:
                on &= ~bit
            after = here._replace(opened=opened, on=on)
            if skill in ('close', 'turn_on'):
                after = self._settle(after, [node_id])
            yield Move((*steps, (skill, (node_id,))), after)

    # What devices do.

    def _settle_around(self, state: State, item: int) -> State:
        p = self._p
        devices = sorted(p.within(state, item))
        devices += [faucet for faucet, sinks in p.sinks.items() if set(sinks) & set(devices)]
        return self._settle(state, devices)

    def _settle(self, state: State, devices: list[int]) -> State:
        p = self._p
        marks = list(state.marks)
        for device in devices:
            kind = p.scene.nodes[device].words
            is_open = p.is_open(state, device)
            running = p.is_on(state, device) and not is_open
            if kind in COOLERS:
                running = not is_open and 'CAN_OPEN' in p.scene.nodes[device].properties
            if not running:
                continue
            places = set(p.sinks.get(device, ())) if kind in FAUCETS else {device}
            for item, node in enumerate(p.items):
                if not places & p.within(state, item):
                    continue
                if kind in COOLERS:
                    marks[item] = marks[item] & ~_HOT | _COLD
                elif kind in HEATERS or (kind in COFFEE_MAKERS and node.words in CUPS):
                    marks[item] = marks[item] & ~_COLD | _HOT
                    if kind in HEATERS and is_food(node):
                        marks[item] |= _COOKED
                elif kind in WASHERS or kind in FAUCETS:
                    marks[item] = marks[item] & ~_DIRTY | _CLEAN
        return state._replace(marks=tuple(marks))


def _with(values: tuple[int, ...], at: int, value: int) -> tuple[int, ...]:
    return (*values[:at], value, *values[at + 1 :])
