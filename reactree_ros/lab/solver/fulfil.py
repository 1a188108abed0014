# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Fulfils conditions under full knowledge of the world: a plan, not the shortest one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reactree_ros.core.observation import ObservedObject, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import WorldError
from reactree_ros.lab.solver.house import House
from reactree_ros.sim.household.effects import (
    COFFEE_MAKERS,
    COOLERS,
    CUPS,
    FAUCETS,
    HEATERS,
    WASHERS,
    is_food,
    sinks_of,
)
from reactree_ros.sim.household.truth import household_library, true_situation
from reactree_ros.sim.household.world import World
from reactree_ros.skills.goal_conditions import ConditionTracker
from reactree_ros.skills.goal_conditions.language import (
    ALL,
    AT_MOST,
    EXACTLY,
    HOW_MANY,
    NO,
    WHERE,
    Clause,
    Condition,
    Noun,
    Subject,
    conditions_text,
)

Plan = tuple[tuple[str, tuple[str, ...]], ...]
"""Skills with the names of what they are about, in order."""

_DOORS = {'open': 'open', 'closed': 'close', 'on': 'turn_on', 'off': 'turn_off'}
_OPPOSITE = {'open': 'closed', 'closed': 'open', 'on': 'off', 'off': 'on'}
_USUAL = ('microwave oven', 'fridge', 'faucet')
_PASSES = 4


def fulfil(world: World, conditions: Sequence[Condition]) -> Plan:
    """Find and carry out skills after which conditions hold, stage by stage.

    Questions are answered by going where the answer is seen.

    Args:
        world: the world as the goal begins; it is changed.
        conditions: of the goal.

    Returns:
        The skills with their arguments; empty if the conditions hold already.

    Raises:
        WorldError: no way was found.
    """
    return _Doer(world, conditions).run()


class _Doer:
    def __init__(self, world: World, conditions: Sequence[Condition]) -> None:
        self.world = world
        self.graph = world.state
        self.scene = world.scene
        self.house = House(self.graph)
        self.conditions = conditions
        self.tracker = ConditionTracker(conditions, household_library(), complete=True)
        self.steps: list[tuple[str, tuple[str, ...]]] = []
        self.entered = {self.graph.room_of(self.scene.character)}
        self.kept: dict[str, int] = {}
        self.stage = 0
        self._known: tuple[int, Situation] | None = None
        self.first_rooms: dict[str, str] = {}
        self.tracker.update(self.situation)
        self.first_rooms = {name: item.room for name, item in self.situation.objects.items()}

    @property
    def situation(self) -> Situation:
        """All that is true now."""
        if self._known is None or self._known[0] != self.graph.version:
            self._known = (self.graph.version, true_situation(self.world))
        return self._known[1]

    def run(self) -> Plan:
        for stage in range(max((one.stage for one in self.conditions), default=0) + 1):
            self.stage = stage
            mine = [one for one in self.conditions if one.stage == stage]
            for _ in range(_PASSES):
                left = [one for one in mine if not one.asks and not self._holds(one)]
                if not left:
                    break
                self._keep()
                for condition in sorted(left, key=_order):
                    if not self._holds(condition):
                        self._fulfil(condition)
            for condition in mine:
                if condition.asks:
                    self._look_for(condition)
        states = self.tracker.states(self.situation, answer='-')
        wrong = [state for state in states if not state.met]
        if wrong:
            text = '; '.join(f'{state.text} ({state.detail})' for state in wrong)
            raise WorldError(f'{conditions_text(self.conditions)}: not so in the end: {text}')
        return tuple(self.steps)

    # Conditions.

    def _holds(self, condition: Condition) -> bool:
        return any(self._clause_holds(clause) for clause in condition.clauses)

    def _clause_holds(self, clause: Clause) -> bool:
        if clause.subject is None:
            return clause.is_true_of_robot(self.situation) != (clause.quantity == NO)
        true, false = self._split(clause)
        return clause.is_met_by(len(true), len(true) + len(false))

    def _split(self, clause: Clause) -> tuple[list[ObservedObject], list[ObservedObject]]:
        """The things of a clause of which it is true, and those that could be made so.

        For "all" and the like only what is as the subject says counts; for a number of things,
        what can be made so counts as well.
        """
        assert clause.subject is not None
        true: list[ObservedObject] = []
        false: list[ObservedObject] = []
        for item in self.situation.objects.values():
            if not clause.subject.noun.fits(item):
                continue
            fits = self._in_room(item, clause.subject) and self._as_described(item, clause.subject)
            if fits and clause.is_true_of(item, self.situation):
                true.append(item)
            elif fits or clause.quantity in ('', EXACTLY):
                false.append(item)
        # Those of which something else is wanted, too, are kept rather than others.
        true.sort(key=lambda item: item.name not in self.kept)
        return true, false

    def _in_room(self, item: ObservedObject, subject: Subject) -> bool:
        rooms = item.room, self.first_rooms.get(item.name, '')
        return subject.room is None or any(map(subject.room.fits_room, rooms))

    def _as_described(self, item: ObservedObject, subject: Subject) -> bool:
        load = subject.load
        return all(one.holds.state in item.states for one in subject.states) and (
            load is None
            or any(
                thing.receptacle == item.name
                and load.noun.fits(thing)
                and self._as_described(thing, load)
                for thing in self.situation.objects.values()
            )
        )

    def _keep(self) -> None:
        """Note which things lie as wanted already, and by which stage, to leave them there."""
        self.kept = {}
        for condition in self.conditions:
            for clause in condition.clauses:
                if condition.asks or not _places_things(clause):
                    continue
                true, _ = self._split(clause)
                most = len(true) if clause.quantity == ALL else clause.count
                if clause.quantity in ('', ALL):
                    self.kept |= {item.name: condition.stage for item in true[:most]}

    def _fulfil(self, condition: Condition) -> None:
        faults = []
        for clause in condition.clauses:
            try:
                return self._fulfil_clause(clause)
            except WorldError as error:
                faults.append(error)
        raise faults[-1]

    def _fulfil_clause(self, clause: Clause) -> None:
        if clause.subject is None:
            self._be(clause)
            return
        true, false = self._split(clause)
        if clause.quantity in (NO, AT_MOST, EXACTLY):
            most = 0 if clause.quantity == NO else clause.count
            for item in true[most:]:
                self._undo(clause, item)
        if clause.quantity == ALL:
            for item in self._nearest(false):
                self._make(clause, item)
        elif clause.quantity in ('', EXACTLY):
            missing = clause.count - len(true)
            for item in self._candidates(clause, false):
                if missing <= 0:
                    return
                try:
                    self._make(clause, item)
                except WorldError:
                    continue
                if _places_things(clause):
                    self.kept[item.name] = self.stage
                missing -= 1
            if missing > 0:
                raise WorldError(f'{clause.text}: too few')

    def _candidates(
        self, clause: Clause, items: Sequence[ObservedObject]
    ) -> Iterator[ObservedObject]:
        """Things of which a clause may be made true, those first of which nothing else is said."""
        unwanted = [
            one.subject.noun
            for condition in self.conditions
            for one in condition.clauses
            if one.quantity == NO and one.subject and one.others == clause.others != ()
        ]
        rest = [item for item in items if not any(noun.fits(item) for noun in unwanted)]
        if _places_things(clause):
            yield from self._nearest([item for item in rest if item.name not in self.kept])
            rest = [one for one in rest if self.kept.get(one.name, self.stage) != self.stage]
        yield from self._nearest(rest)

    def _nearest(self, items: Sequence[ObservedObject]) -> Iterator[ObservedObject]:
        left = list(items)
        while left:
            here, place = self.situation.room, self.situation.place
            held = {one.name for one in self.situation.held}
            left.sort(
                key=lambda one: (
                    one.name not in held,
                    one.receptacle != place,
                    one.room != here,
                    one.room,
                )
            )
            yield left.pop(0)

    def _be(self, clause: Clause) -> None:
        """Bring the robot somewhere, or empty its hands."""
        assert clause.predicate is not None
        holds = clause.predicate.holds
        if holds.hands:
            while self.graph.held():
                self._lay_aside(self.graph.held()[0])
            return
        meant = clause.others[0]
        if holds.robot == 'in':
            fitting = self._rooms(meant, clause.quantity != NO)
            self._enter(self._first(fitting))
        else:
            fitting = self._places(meant)
            if clause.quantity == NO:
                fitting = [i for i in self.scene.furniture if i not in fitting]
            self._go(self._first(fitting))

    def _make(self, clause: Clause, item: ObservedObject) -> None:
        """Make a clause true of a thing."""
        assert clause.predicate is not None and clause.subject is not None
        node_id = self._id(item)
        holds = clause.predicate.holds
        self._describe(node_id, clause.subject)
        if holds.state in _DOORS:
            self._switch(node_id, holds.state)
        elif holds.state:
            self._treat(node_id, holds.state)
        elif holds.held:
            self._fetch(node_id)
            if holds.at:
                self._go(self._first(self._places(clause.others[0])))
        elif holds.relation:
            self._put(node_id, clause, holds.relation)
        elif holds.room:
            self._put_at(node_id, self._spare(self._rooms(clause.others[0])))
        now = self.situation.objects[item.name]
        true = clause.is_true_of(now, self.situation)
        if not (true and self._as_described(now, clause.subject)):
            raise WorldError(f'{clause.text}: not so of {item.name}')

    def _describe(self, node_id: int, subject: Subject) -> None:
        """Give a thing the states that the subject names, and its load."""
        name = self.scene.nodes[node_id].name
        states = [one.holds.state for one in subject.states]
        for state in sorted(states, key=lambda one: one != 'sliced'):
            if state not in self.situation.objects[name].states:
                self._treat(node_id, state)
        load = subject.load
        if load is None or self._as_described(self.situation.objects[name], subject):
            return
        fitting = [one for one in self.situation.objects.values() if load.noun.fits(one)]
        for thing in self._nearest(fitting):
            self._describe(self._id(thing), load)
            self._put_into(self._id(thing), node_id)
            return
        raise WorldError(f'there is no {load.text}')

    def _undo(self, clause: Clause, item: ObservedObject) -> None:
        """Make a clause untrue of a thing."""
        assert clause.predicate is not None
        node_id = self._id(item)
        holds = clause.predicate.holds
        if holds.state in _DOORS:
            self._switch(node_id, _OPPOSITE[holds.state])
        elif holds.state:
            raise WorldError(f'{clause.text}: cannot be undone')
        elif holds.held:
            self._lay_aside(node_id)
        elif holds.room:
            elsewhere = self._rooms(clause.others[0], False)
            self._put_at(node_id, self._spare(elsewhere))
        else:
            self._put_at(node_id, self._spare())

    # Questions.

    def _look_for(self, condition: Condition) -> None:
        clause = condition.clauses[0]
        if clause.subject is None:
            return
        items = [
            item
            for item in self.situation.objects.values()
            if clause.subject.noun.fits(item) and self._in_room(item, clause.subject)
        ]
        if clause.predicate is None or condition.question == WHERE:
            for item in self._nearest(items):
                self._see(item)
                if condition.question == WHERE:
                    return
            if not items or condition.question == HOW_MANY:
                self._explore(clause.subject.room)
            return
        true, _ = self._split(clause)
        if true and condition.question != HOW_MANY:
            self._see(true[0])
        elif not clause.others:
            for item in items:
                self._see(item)
        elif clause.predicate.holds.room:
            self._explore(clause.others[0])
        else:
            for place in self._places(clause.others[0]):
                self._look_into(place)

    def _see(self, item: ObservedObject) -> None:
        node_id = self._id(item)
        if node_id in self.scene.furniture:
            self._enter(self.house.room_of[node_id])
        elif node_id not in self.graph.in_hand():
            self._reach(node_id)

    def _look_into(self, place: int) -> None:
        self._go(place)
        if self.graph.is_closed(place):
            self._do('open', place)

    def _explore(self, room: Noun | None) -> None:
        for room_id in self._rooms(room) if room else self.scene.rooms:
            self._enter(room_id)
            for place in self.graph.furniture_in(room_id):
                if self.scene.nodes[place].affordances & {'surfaces', 'containers'}:
                    self._look_into(place)

    # Skills.

    def _do(self, skill: str, *node_ids: int) -> None:
        names = tuple(self.scene.nodes[i].name for i in node_ids)
        result = self.world.execute(skill, names)
        if result.status is not SkillStatus.SUCCEEDED:
            raise WorldError(f'{skill} {", ".join(names)}: {result.observation.text}')
        self.steps.append((skill, names))
        self.tracker.update(self.situation)

    def _enter(self, room: int | None) -> None:
        if room is None:
            raise WorldError('it is in no room')
        if self.graph.room_of(self.scene.character) != room:
            self._do('go_to', room)
            self.entered.add(room)

    def _go(self, place: int) -> None:
        if self.graph.place() == place:
            return
        room = self.house.room_of[place]
        if room not in self.entered:
            self._enter(room)
        self._do('go_to', place)

    def _reach(self, node_id: int) -> None:
        """Stand where a thing is within reach, with the doors open that hide it."""
        places = self.house.places(node_id)
        if not places:
            raise WorldError(f'{self.scene.nodes[node_id].name} is out of reach')
        here = self.graph.place()
        self._go(here if here in places else places[0])
        for door in self.house.doors(node_id):
            if self.graph.is_closed(door):
                self._do('open', door)

    def _fetch(self, node_id: int) -> None:
        if node_id in self.graph.held():
            return
        if 'grabbable' not in self.scene.nodes[node_id].affordances:
            raise WorldError(f'{self.scene.nodes[node_id].name} cannot be picked up')
        self._free_hand(node_id)
        if node_id not in self.graph.in_hand():
            self._reach(node_id)
        self._do('pick_up', node_id)

    def _free_hand(self, wanted: int = -1) -> None:
        while len(self.graph.held()) >= self.scene.hands:
            in_vessel = [i for i in self.graph.held() if wanted in self.graph.with_contents(i)]
            others = [i for i in self.graph.held() if i not in in_vessel]
            self._lay_aside((others or in_vessel)[0])

    def _lay_aside(self, node_id: int) -> None:
        self._put_at(node_id, self._spare([self.graph.room_of(self.scene.character)]))

    def _spare(self, rooms: Sequence[int | None] | None = None) -> int:
        """A surface, near, of which the conditions say nothing."""
        spoken = {
            i
            for condition in self.conditions
            for clause in condition.clauses
            for noun in clause.others
            for i in self._places(noun)
        }
        fitting = [
            i
            for i in self.house.room_of
            if 'surfaces' in self.scene.nodes[i].affordances
            and 'can_open' not in self.scene.nodes[i].affordances
            and self.scene.nodes[i].words not in HEATERS
            and self.house.room_of[i] is not None
        ]
        free = [i for i in fitting if i not in spoken]
        if rooms is not None:
            near = [i for i in fitting if self.house.room_of[i] in rooms]
            free = [i for i in near if i not in spoken] or near or free
        return self._first(free)

    def _id(self, item: ObservedObject) -> int:
        return self.scene.by_name[item.class_name, item.instance]

    def _rooms(self, noun: Noun, meant: bool = True) -> list[int]:
        """The rooms that a noun means, or all others."""
        rooms = self.scene.rooms
        return [i for i in rooms if noun.fits_room(self.scene.nodes[i].name) == meant]

    def _first(self, node_ids: Sequence[int]) -> int:
        """The nearest one: here, in this room, in a room known, elsewhere."""
        if not node_ids:
            raise WorldError('there is no such place')
        room = self.graph.room_of(self.scene.character)
        rooms = {i: self.house.room_of.get(i, i) for i in node_ids}
        return min(
            node_ids,
            key=lambda i: (i != self.graph.place(), rooms[i] != room,
                           rooms[i] not in self.entered, self.scene.nodes[i].key),
        )  # fmt: skip

    def _places(self, noun: Noun) -> list[int]:
        """The places that a noun means."""
        return [
            i
            for i in self.scene.furniture
            if self.house.room_of[i] is not None
            and self.scene.nodes[i].words in noun.classes
            and noun.number in (0, self.scene.nodes[i].instance)
        ]

    def _put_at(self, node_id: int, place: int) -> None:
        self._fetch(node_id)
        self._go(place)
        if self.graph.is_closed(place):
            self._do('open', place)
        self._do('put_down', node_id)

    def _put(self, node_id: int, clause: Clause, relation: str) -> None:
        noun, subject = clause.others[0], clause.subject
        assert subject is not None
        places = self._places(noun)
        item = self.situation.objects[self.scene.nodes[node_id].name]
        if subject.room is not None and not self._in_room(item, subject):
            # "A mug in the kitchen in a sink": it is in the kitchen when the sink is.
            rooms = self._rooms(subject.room)
            places = [i for i in places if self.house.room_of[i] in rooms]
        if places:
            self._put_at(node_id, self._first(places))
            return
        objects = self.situation.objects.values()
        vessels = [one for one in objects if noun.fits(one) and 'recipient' in one.affordances]
        for vessel in self._nearest(vessels):
            return self._put_into(node_id, self._id(vessel))
        raise WorldError(f'there is no {noun.text} to put things {relation}')

    def _put_into(self, node_id: int, vessel: int) -> None:
        if vessel in self.graph.held():
            self._lay_aside(vessel)
        self._fetch(node_id)
        self._reach(vessel)
        self._do('put_into', node_id, vessel)

    def _switch(self, node_id: int, state: str) -> None:
        self._go(node_id) if node_id in self.scene.furniture else self._reach(node_id)
        if state == 'on' and self.graph.is_open(node_id):
            self._do('close', node_id)
        self._do(_DOORS[state], node_id)

    # Treatments.

    def _treat(self, node_id: int, state: str) -> None:
        if state == 'sliced':
            self._slice(node_id)
            return
        node = self.scene.nodes[node_id]
        devices = {
            'hot': HEATERS | COFFEE_MAKERS if node.words in CUPS else HEATERS,
            'cooked': HEATERS if is_food(node) else frozenset(),
            'cold': COOLERS,
            'clean': FAUCETS | WASHERS,
        }
        if state not in devices:
            raise WorldError(f'{node.name} cannot be made {state}')
        kinds = {i: self.scene.nodes[i].words for i in self.scene.furniture}
        fitting = [
            i
            for i, words in kinds.items()
            if words in devices[state] and (i in self.house.puttable or words in FAUCETS)
        ]
        device = self._first([i for i in fitting if kinds[i] in _USUAL] or fitting)
        if kinds[device] in FAUCETS:
            self._put_at(node_id, self._first(sinks_of(self.graph, device)))
            if not self.graph.is_on(device):
                self._switch(device, 'on')
            return
        cools = kinds[device] in COOLERS
        if not cools and self.graph.is_on(device):
            self._switch(device, 'off')
        if not self.graph.is_in(node_id, device):
            self._put_at(node_id, device)
        if not cools:
            self._switch(device, 'on')
            return
        self._go(device)
        if not self.graph.is_open(device):
            self._do('open', device)
        self._do('close', device)

    def _slice(self, node_id: int) -> None:
        if 'cuttable' not in self.scene.nodes[node_id].affordances:
            raise WorldError(f'{self.scene.nodes[node_id].name} cannot be sliced')
        if node_id in self.graph.held():
            self._lay_aside(node_id)
        knives = [one for one in self.situation.objects.values() if 'cutter' in one.affordances]
        for knife in self._nearest(knives):
            self._fetch(self._id(knife))
            self._reach(node_id)
            self._do('slice', node_id)
            self._lay_aside(self._id(knife))
            return
        raise WorldError('there is no knife')


def _order(condition: Condition) -> int:
    """When a condition of a stage is best fulfilled."""
    clause = condition.clauses[0]
    if clause.subject is None or clause.predicate is None:
        return 5
    holds = clause.predicate.holds
    if holds.held:
        return 4
    if holds.state in _DOORS:
        return 3
    if holds.state:
        return 1
    return 0 if clause.quantity in (NO, AT_MOST, EXACTLY) else 2


def _places_things(clause: Clause) -> bool:
    """Whether a clause is about where things are."""
    if clause.subject is None or clause.predicate is None:
        return False
    holds = clause.predicate.holds
    return bool(holds.relation or holds.room or holds.held)
