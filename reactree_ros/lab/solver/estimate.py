# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How many skills a goal needs at least: the estimate that guides the solver."""

from __future__ import annotations

import math
from collections import Counter

from reactree_ros.lab.solver.problem import HAND, MARKS, Problem, State, Want

_SLICED = MARKS['SLICED']


class Estimate:
    """Never more than the skills that are needed, so that the first plan found is a shortest.

    What several objects can share (a walk with two hands, the way into a room, the opening of a
    door) counts for each of them as a share.

    Args:
        problem: the goal and what can matter for it.
    """

    def __init__(self, problem: Problem) -> None:
        self._p = p = problem
        self._targets = {want: frozenset(problem.put_places(want)) for want in p.wants if want.puts}
        self._target_rooms = {
            want: frozenset(p.room_bits[p.house.room_of[i] or 0] for i in places)
            for want, places in self._targets.items()
        }
        vessels = {p.items[i].id for i in p.vessel_numbers}
        self._in_vessel = {want for want in p.wants if want.targets & vessels}
        self._device_places: dict[int, set[int]] = {}
        self._named = {node_id for want in p.wants for node_id in want.nodes}
        self._set_shares()
        self._groups = self._grouped()

    def __call__(self, state: State) -> int:
        """How many skills at least lead from a state to the goal."""
        p = self._p
        total = 0.0
        unmet: list[Want] = []
        for group in self._groups:
            most = 0.0
            for want in group:
                missing = p.missing(want, state)
                if missing:
                    unmet.append(want)
                    most = max(most, self._cost(want, missing, state))
            total += most
        if not unmet:
            return 0
        return math.ceil(total + self._entries(unmet, state) - 1e-6)

    # Each want for itself.

    def _cost(self, want: Want, missing: int, state: State) -> float:
        p = self._p
        if want.nodes:
            return missing
        costs = sorted(
            self._item_cost(want, item, state)
            for item in want.items
            if not p.counts(want, state, item)
        )
        return sum(costs[:missing])

    def _item_cost(self, want: Want, item: int, state: State) -> float:
        p = self._p
        lacks = want.marks & ~state.marks[item]
        cost = 1.0 if lacks & _SLICED else 0.0
        if want.loads:
            cost += min(self._load_cost(want, load, item, state) for load in want.loads)
        aboard = p.vessel_of(state, item) >= 0
        lacks &= ~_SLICED
        predicate = want.condition.predicate
        away = bool(lacks) and not self._inside_device(lacks, item, state)
        if aboard and want.puts:
            # It may be carried in its vessel, which then is put down at least.
            return cost + away
        if want.puts:
            targets = self._targets[want]
            if away or not p.lies(want, state, item):
                cost += self._fetch(item, state) + 1
                if state.spots[item] != HAND or state.at not in targets:
                    cost += self._target_share(want, item, state)
            if away and not targets & self._places_for(lacks):
                # Put in and taken out, or carried there and back in its vessel.
                cost += 1 if want in self._in_vessel else 2
        elif predicate in ('holds', 'lit'):
            cost += self._fetch(item, state) + 2 * away
        elif away:
            cost += (0 if aboard else self._fetch(item, state)) + 1
        return cost

    def _places_for(self, lacks: int) -> set[int]:
        """Where items must lie for devices to give them states."""
        p = self._p
        if lacks not in self._device_places:
            self._device_places[lacks] = {
                place for device in p.devices_for(lacks) for place in p.sinks.get(device, (device,))
            }
        return self._device_places[lacks]

    def _inside_device(self, lacks: int, item: int, state: State) -> bool:
        return bool(self._places_for(lacks) & self._p.within(state, item))

    def _load_cost(self, want: Want, load: int, vessel: int, state: State) -> float:
        lacks = want.load_marks & ~state.marks[load]
        cost = 1.0 if lacks & _SLICED else 0.0
        if self._p.vessel_of(state, load) != vessel:
            cost += 1 + (state.spots[load] != HAND)
        return cost

    def _fetch(self, item: int, state: State) -> float:
        """Walk to an item, open what hides it, pick it up."""
        p = self._p
        number = state.spots[item]
        if number == HAND:
            return 0
        spot = p.spots[number]
        if number != p.start.spots[item] or not spot.places:
            return 1
        doors = sum(
            self._door_share.get(door, 0.0) for door in spot.doors if not p.is_open(state, door)
        )
        ways = []
        for place in spot.places:
            way = 0.0
            if place != state.at:
                way = self._share / 2 if place in self._busy else self._share
                bit = p.room_bits[p.house.room_of[place] or 0]
                if not state.rooms & bit:
                    way += self._room_share.get(bit, 0.0)
            ways.append(way)
        return 1 + doors + min(ways)

    def _target_share(self, want: Want, item: int, state: State) -> float:
        targets = self._targets[want]
        if not targets:
            return 0
        number = state.spots[item]
        spot = self._p.spots[number] if number != HAND else None
        if spot is not None and (spot.vessel >= 0 or set(spot.places) & targets):
            return 0
        return self._share / 2 if targets & self._sources else self._share

    # What wants share.

    def _entries(self, unmet: list[Want], state: State) -> float:
        """Enter the rooms, and open the doors, of the places where things are to be put."""
        p = self._p
        rooms: set[int] = set()
        doors: set[frozenset[int]] = set()
        for want in unmet:
            targets = self._targets.get(want)
            if not targets:
                continue
            need = self._target_rooms[want]
            if len(need) == 1 and not need & {state.rooms & bit for bit in need}:
                rooms |= need
            closed = all(
                p.spots[p.put_numbers[place]].doors and not p.is_open(state, place)
                for place in targets
                if 'can_open' in p.scene.nodes[place].affordances
            )
            openable = all('can_open' in p.scene.nodes[i].affordances for i in targets)
            if openable and closed and not targets & self._named:
                if any(not p.lies(want, state, i) and not p.counts(want, state, i)
                       for i in want.items):  # fmt: skip
                    doors.add(targets)
        return len(rooms) + len(doors)

    # Building.

    def _set_shares(self) -> None:
        p = self._p
        wants = [want for want in p.wants if want.items]
        loaded = bool(self._in_vessel) or any(want.loads for want in wants)
        self._share = 1 / max(p.hands, len(p.items)) if loaded else 1 / p.hands
        start = [p.spots[number] for number in p.start.spots if number != HAND]
        self._sources = {place for spot in start for place in spot.places}
        targets = {place for places in self._targets.values() for place in places}
        self._busy = targets | self._places_for(~0)
        doors = Counter(door for spot in start for door in spot.doors)
        # Doors and rooms of the targets are counted with the targets.
        counted = self._busy | self._named
        self._door_share = {door: 1 / count for door, count in doors.items() if door not in counted}
        rooms = Counter(
            bit
            for spot in start
            for bit in {p.room_bits[p.house.room_of[place] or 0] for place in spot.places}
        )
        counted = {bit for bits in self._target_rooms.values() for bit in bits}
        self._room_share = {bit: 1 / count for bit, count in rooms.items() if bit not in counted}

    def _grouped(self) -> list[list[Want]]:
        """Wants that one object can meet together count only as the greatest of them."""
        groups: list[tuple[set[int], list[Want]]] = []
        for want in self._p.wants:
            items, wants = {*want.items, *want.loads}, [want]
            for group in [group for group in groups if group[0] & items]:
                groups.remove(group)
                items |= group[0]
                wants = [*wants[:-1], *group[1], want]
            groups.append((items, wants))
        return [wants for _, wants in groups]
