# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws goals of every shape for a home: conditions, what a sentence says, how things lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from reactree_ros.lab.generator.habits import (
    FOOD,
    FOUND_AT,
    GOES,
    LOADS,
    OPEN_TARGETS,
    SERVED,
    STARTED,
    TARGETS,
    TREATED,
    Home,
    members,
)
from reactree_ros.lab.generator.wordings import Counted, Named, Said
from reactree_ros.sim.draw import Draw, Item
from reactree_ros.sim.household.scene import Node
from reactree_ros.sim.household.truth import household_library as library

_ITEM_KINDS = ('drink', 'fruit', 'vegetable', 'glass', 'cutlery', 'crockery', 'clothing')
_PLACE_KINDS = ('table', 'cabinet', 'counter', 'shelf')
_HOW_MANY = {1: 0.55, 2: 0.3, 3: 0.15}
_STATES = {
    'open': ('can_open', 'closed', 'open'),
    'closed': ('can_open', 'open', 'closed'),
    'on': ('has_switch', 'off', 'switched on'),
    'off': ('has_switch', 'on', 'switched off'),
}
"""By state: what can have it, its opposite, and how a condition says it."""


@dataclass
class Goal:
    """A goal as it was drawn.

    Args:
        shape: one of WEIGHTS, or ``long``.
        lines: its conditions.
        said: shapes of frames with what fills them; a sentence each.
        away: things that must lie in no place of some classes at the start: (thing, places).
        laid: things of a class that lie at a place at the start: (class, place's name).
        states: names of objects with states they have at the start.
        held: name of what the robot holds at the start.
        start: name of the room where it starts; empty for any.
        impossible: it cannot be reached.
        already: it holds at the start.
    """

    shape: str
    lines: list[str] = field(default_factory=list)
    said: list[tuple[str, Said]] = field(default_factory=list)
    away: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    laid: list[tuple[str, str]] = field(default_factory=list)
    states: list[tuple[str, str]] = field(default_factory=list)
    held: str = ''
    start: str = ''
    impossible: bool = False
    already: bool = False


def draw_goal(draw: Draw, home: Home, shape: str) -> Goal | None:
    """Draw a goal of a shape; None where the draw does not fit the home.

    Args:
        draw: chooses.
        home: where.
        shape: one of WEIGHTS, or ``long``.
    """
    maker = _Maker(draw, home, shape)
    try:
        _SHAPES[shape][1](maker)
    except _UnfitError:
        return None
    return maker.goal


class _UnfitError(Exception):
    """The home lacks what was drawn, or all of it is in the goal already."""


class _Maker:
    """Draws one goal."""

    def __init__(self, draw: Draw, home: Home, shape: str) -> None:
        self.draw = draw
        self.home = home
        self.goal = Goal(shape)
        self.frame = shape
        self.used: set[str] = set()

    def want(self, line: str, **said: Named | Counted) -> None:
        """Add conditions, with what the sentence speaks of."""
        self.goal.lines.append(line)
        self.goal.said.append((self.frame, said))

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items, if there are any."""
        if not items:
            raise _UnfitError
        return self.draw.pick(items)

    # Nouns.

    def place(
        self, among: Iterable[str] | Mapping[str, float] = TARGETS, kinds: bool = True
    ) -> Named:
        """A place to put things, not used before."""
        home, draw = self.home, self.draw
        weights = among if isinstance(among, Mapping) else dict.fromkeys(among, 1.0)
        left = {
            name: weight
            for name, weight in weights.items()
            if name in home.places and not self.used & members(name)
        }
        if not left:
            raise _UnfitError
        name = draw.weighted(left)
        if kinds and draw.chance(0.05):
            fitting = [kind for kind in _PLACE_KINDS if name in library().kinds[kind]]
            place = Named((*fitting, name)[0])
        else:
            place = self.numbered(name, home.places[name], 0.12)
        if self.used & members(place.name):
            raise _UnfitError
        self.used |= members(place.name)
        return place

    def numbered(self, name: str, nodes: Sequence[Node], chance: float) -> Named:
        """A class; where there are several of it, by chance one of them."""
        one = len(nodes) > 1 and self.draw.chance(chance)
        return Named(name, self.draw.pick(nodes).instance if one else 0)

    def room(self) -> Named:
        """A kind of room, or one of two."""
        name = self.draw.pick([*self.home.rooms])
        return self.numbered(name, self.home.rooms[name], 0.5)

    def switches(self) -> list[str]:
        """What is switched on for its own sake."""
        return [name for name in self.home.having('has_switch') if name not in STARTED]

    def thing(self, place: str = '', least: int = 1, kinds: float = 0.1) -> Named:
        """A thing that people put there, or any."""
        draw, home = self.draw, self.home
        if draw.chance(kinds):
            fitting = [
                kind
                for kind in _ITEM_KINDS
                if home.count(kind) >= least and not self.used & members(kind)
            ]
            if place in GOES:
                fitting = [k for k in fitting if library().kinds[k] & set(GOES[place])]
            if fitting:
                return self.use(fitting)
        names = [
            name
            for name, nodes in home.things.items()
            if len(nodes) >= least and name not in self.used
        ]
        likely = [
            name for name in names if name in GOES.get(place, ()) or place in FOUND_AT.get(name, ())
        ]
        if likely and (place in (*STARTED, 'stove') or draw.chance(0.85)):
            names = likely
        return self.use(names)

    def there(self, names: Iterable[str]) -> Named:
        """One of some classes that the home has."""
        return self.use([n for n in names if self.home.count(n) and not self.used & members(n)])

    def absent(self) -> Named:
        """A thing that the robot knows and the home has not."""
        return self.use(sorted(library().objects - self.home.things.keys()))

    def use(self, names: Sequence[str]) -> Named:
        name = self.pick(names)
        self.used |= members(name)
        return Named(name)

    def items(self, place: str, total: int = 0) -> Counted:
        """Things for a place, with numbers; ``total`` of them together, if given."""
        draw, things = self.draw, self.home.things
        kinds = min(total, 5) or draw.weighted(_HOW_MANY)
        left = total or 20
        found: list[tuple[Named, int]] = []
        while len(found) < kinds and left:
            item = self.thing(place, kinds=0.1 if kinds == 1 else 0.04)
            have = min(self.home.count(item.name), 3)
            number = min(draw.whole(2, have) if have > 1 and draw.chance(0.3) else 1, left)
            if number == 1 and have > 1 and item.name in things and draw.chance(0.04):
                item = replace(item, number=draw.pick(things[item.name]).instance)
            found.append((item, number))
            left -= number
        return tuple(found)

    def described(self, item: Named) -> Named:
        """A thing in a state, if people bring it into one."""
        fitting = [
            state
            for state, names in TREATED.items()
            if item.name in names or (state == 'sliced' and self.can_slice(item.name))
        ]
        return replace(item, states=(self.draw.pick(fitting),)) if fitting else item

    def can_slice(self, name: str) -> bool:
        nodes = self.home.things.get(name, ())
        knives = self.home.things.get('cutlery knife')
        return bool(nodes and knives and 'cuttable' in nodes[0].affordances)

    # Conditions, and how things lie at the start.

    def at(self, place: Named) -> str:
        """How a condition says where: ``on desk``, ``inside fridge``, ``in kitchen 1``."""
        home = self.home
        return f'{"in" if place.name in home.rooms else home.relation(place.name)} {place}'

    def lies(self, item: Named, place: Named, before: int | str = 1) -> str:
        """So many of a thing at a place, and that none of it lies there at the start."""
        self.keep_from(item, place)
        return f'{"" if before == 1 else f"{before} "}{item} {self.at(place)}'

    def lie(self, items: Counted, place: Named) -> str:
        """Conditions of things at a place."""
        return '; '.join(self.lies(item, place, count) for item, count in items)

    def keep_from(self, item: Named, place: Named) -> None:
        """Nothing of a class or kind lies at a place, or in a room, at the start."""
        inside = frozenset(node.words for node in self.furniture(place))
        self.goal.away.append((item.name, inside or members(place.name)))

    def furniture(self, room: Named) -> list[Node]:
        nodes = [node for nodes in self.home.places.values() for node in nodes]
        return [node for node in nodes if self.is_in(node, room)]

    def is_in(self, node: Node, room: Named) -> bool:
        here = self.home.room_of[node.id]
        return here.words == room.name and room.number in (0, here.instance)

    def spot(self, place: Named) -> str:
        """The name of one place that is meant."""
        names = sorted(members(place.name) & self.home.places.keys())
        nodes = [node for name in names for node in self.home.places[name]]
        return self.draw.pick([n for n in nodes if place.number in (0, n.instance)]).name

    def spot_in(self, room: Named, item: Named, other: frozenset[str] = frozenset()) -> str:
        """The name of a place in a room where a thing may lie, of no other classes."""
        fitting = [n for n in self.furniture(room) if n.words in TARGETS and n.words not in other]
        likely = [
            n for n in fitting if any(n.words in FOUND_AT.get(m, ()) for m in members(item.name))
        ]
        return self.pick(likely or fitting).name

    def asked_place(self) -> tuple[Named, str]:
        """A place or room, and the name of a place there."""
        if self.draw.chance(0.25):
            room = self.room()
            return room, self.spot_in(room, Named('book'))
        place = self.place()
        return place, self.spot(place)

    def lay(self, item: Named, number: int, spot: str) -> None:
        """Lay so many of a class or kind at a place at the start."""
        self.goal.laid += [(name, spot) for name in self.each(item)[:number]]

    def lay_some(self, item: Named, spot: str) -> None:
        self.lay(item, self.draw.whole(1, min(3, self.home.count(item.name))), spot)

    def each(self, item: Named) -> list[str]:
        """The class of each thing of a class or kind, in any order."""
        names = sorted(members(item.name) & self.home.things.keys())
        return self.draw.shuffled(name for name in names for _ in self.home.things[name])

    # Putting.

    def put(self) -> None:
        """Things at one place; sometimes there already, sometimes not to be had."""
        draw, goal = self.draw, self.goal
        place = self.place()
        goal.impossible = draw.chance(0.2)
        if goal.impossible:
            if draw.chance(0.3):
                item = self.thing(kinds=0)
                there = self.home.places.keys()
                place = Named(self.pick([name for name in TARGETS if not members(name) & there]))
            else:
                item = self.absent()
            self.want(self.lies(item, place), items=((item, 1),), place=place)
            return
        items = self.items(place.name)
        if len(items) == 1 and items[0][1] == 1 and draw.chance(0.12):
            items = ((self.described(items[0][0]), 1),)
        self.want(self.lie(items, place), items=items, place=place)
        if draw.chance(0.2) and all(not item.states and not item.number for item, _ in items):
            goal.already = True
            goal.away.clear()
            spot = self.spot(place)
            for item, count in items:
                name = draw.pick(sorted(members(item.name) & self.home.things.keys()))
                goal.laid += [(name, spot)] * count

    def puts(
        self,
        totals: Sequence[int],
        among: Iterable[str] = TARGETS,
        *,
        kinds: bool = True,
        lacking: bool = False,
    ) -> tuple[list[str], dict[str, Named | Counted]]:
        """Things at up to three places, so many at each, or any number for 0.

        Returns:
            Conditions for each place, and what a sentence says of all of them.
        """
        lines: list[str] = []
        said: dict[str, Named | Counted] = {}
        for end, total in zip(('', '2', '3'), totals, strict=False):
            place = self.place(among, kinds)
            items = self.items(place.name, total)
            if lacking and not end:
                items = ((self.absent(), 1), *items[:1])
            lines.append(self.lie(items, place))
            said |= {f'items{end}': items, f'place{end}': place}
        return lines, said

    def put_several(self, number: int) -> None:
        """Things at two or three places."""
        self.goal.impossible = self.draw.chance(0.08)
        lines, said = self.puts([0] * number, lacking=self.goal.impossible)
        self.want('; '.join(lines), **said)

    def put_start(self) -> None:
        """Things in a machine that is started."""
        (line,), said = self.puts([0], STARTED, kinds=False)
        self.want(f'{line}; {said["place"]} switched on', **said)

    def put_room(self) -> None:
        """Things anywhere in a room."""
        self.frame = 'put'
        room = self.room()
        items = self.items('')
        for item, _ in items:
            self.keep_from(item, Named(room.name))
        lines = [f'{count if count > 1 else ""} {item} in {room}' for item, count in items]
        self.want('; '.join(lines), items=items, place=room)

    def hold(self) -> None:
        """Something in the robot's hand."""
        draw, things = self.draw, self.home.things
        self.goal.impossible = draw.chance(0.2)
        item = self.absent() if self.goal.impossible else self.thing(kinds=0.15)
        if not self.goal.impossible:
            if draw.chance(0.15):
                item = self.described(item)
            elif draw.chance(0.06) and item.name in things:
                item = replace(item, number=draw.pick(things[item.name]).instance)
        self.want(f'{item} held', item=item)

    # Doors and switches.

    def turn(self, state: str) -> None:
        """One door or switch."""
        affordance, opposite, text = _STATES[state]
        draw, goal = self.draw, self.goal
        name = self.pick(self.home.having(affordance))
        nodes = self.home.places[name]
        # "Close the cabinet", where there are several, does not say which.
        if state in ('closed', 'off') and len(nodes) > 1:
            place = Named(name, draw.pick(nodes).instance)
        else:
            place = self.numbered(name, nodes, 0.2)
        goal.already = goal.shape != 'leave_open' and draw.chance(0.12)
        begins = state if goal.already else opposite
        if begins in ('open', 'on'):
            meant = [node for node in nodes if place.number in (0, node.instance)]
            goal.states = [(node.name, begins) for node in meant]
        self.want(f'{place} {text}', place=place)

    def turn_all(self, state: str, in_room: bool = False) -> None:
        """Every door or switch of a kind, in a room or anywhere."""
        affordance, opposite, text = _STATES[state]
        draw, home = self.draw, self.home
        names = home.having(affordance)
        groups = [(name, home.places[name]) for name in names]
        for kind in ('cabinet',) if affordance == 'can_open' else ('lamp', 'light'):
            classes = [name for name in names if name in library().kinds.get(kind, ())]
            # As often as the classes together: that is what people say.
            groups += [(kind, [node for name in classes for node in home.places[name]])] * 2
        room = self.room() if in_room else None
        fitting = [
            (name, nodes)
            for name, every in groups
            if (nodes := [n for n in every if room is None or self.is_in(n, room)])
            and (len(nodes) > 1 or (room is not None and draw.chance(0.3)))
        ]
        name, nodes = self.pick(fitting)
        chosen = draw.shuffled(nodes)[: draw.whole(1, len(nodes))]
        if state == 'on':
            self.goal.states = [(node.name, 'on') for node in chosen[1:]]
        else:
            self.goal.states = [(node.name, opposite) for node in chosen]
        place = Named(name)
        if room is None:
            self.want(f'all {name} {text}', place=place)
        else:
            self.want(f'all {name} in {room} {text}', place=place, room=room)

    def go_place(self) -> None:
        """The robot at a place."""
        places = self.home.places
        name = self.draw.pick([name for name in places if name in library().places])
        place = self.numbered(name, places[name], 0.3)
        self.want(f'robot at {place}', place=place)

    def go_room(self) -> None:
        """The robot in a room."""
        goal, draw = self.goal, self.draw
        room = self.room()
        self.want(f'robot in {room}', room=room)
        rooms = [node for nodes in self.home.rooms.values() for node in nodes]
        inside = [n for n in rooms if n.words == room.name and room.number in (0, n.instance)]
        goal.already = draw.chance(0.12)
        if goal.already:
            goal.start = inside[0].name
        else:
            goal.start = draw.pick([node.name for node in rooms if node not in inside])

    # Treating.

    def treat(self, *states: str, put: bool = False) -> None:
        """Something heated, cooled, washed, cooked or sliced, and perhaps put somewhere."""
        draw, goal, things = self.draw, self.goal, self.home.things
        first = states[0]
        lacking = [name for name in TREATED[first] if name not in things]
        impossible = draw.chance(0.07) and bool(lacking)
        if impossible:
            item = self.use(lacking)
        else:
            cut = 'sliced' in states
            names = TREATED[first] or things
            item = self.there(name for name in names if not cut or self.can_slice(name))
        goal.away.append((item.name, frozenset({'fridge', 'microwave oven', 'sink', 'stove'})))
        if not put:
            goal.impossible = impossible
            self.want(f'{item} {first}', item=item)
            return
        weights = dict.fromkeys(SERVED, 3.0)
        if first in ('cooked', 'sliced', 'clean'):
            weights |= {'fridge': 2.0}
        if first == 'clean':
            weights |= {'kitchen cabinet': 3.0}
        weights |= {'nightstand': 0.5, 'bookshelf': 0.3, 'tv stand': 0.3, 'dining table': 3}
        place = self.place(weights)
        if impossible and goal.shape == 'long':
            raise _UnfitError
        goal.impossible = impossible
        self.want(self.lies(item, place, ' '.join(states)), item=item, place=place)

    def vessel(self) -> None:
        """Something on a plate, or in a bowl, a box or a pot, and that somewhere."""
        vessel = self.there(LOADS)
        item = self.there(LOADS[vessel.name])
        place = self.place((*SERVED, 'bookshelf', 'nightstand', 'fridge', 'stove'))
        if place.name == 'stove' and vessel.name != 'cooking pot':
            raise _UnfitError
        self.keep_from(vessel, place)
        line = f'{vessel} with {item} {self.at(place)}'
        self.want(line, item=item, vessel=vessel, place=place)

    # All, exactly, at most, none.

    def every(self, in_room: bool = False) -> None:
        """Every one of a class or kind, of a room or of the home."""
        place = self.place()
        item = self.thing(place.name, least=1 if in_room else 2, kinds=0.25)
        if self.home.count(item.name) > 8:
            raise _UnfitError
        if in_room:
            room = self.room()
            self.lay_some(item, self.spot_in(room, item, members(place.name)))
            line = f'all {item} in {room} {self.at(place)}'
            self.want(line, item=item, room=room, place=place)
        else:
            self.want(self.lies(item, place, 'all'), item=item, place=place)

    def number(self, before: str = '') -> None:
        """A number of things at a place: at least, ``exactly`` or ``at most``."""
        draw = self.draw
        place = self.place()
        item = self.thing(place.name, least=2, kinds=0.12)
        have = self.home.count(item.name)
        spot = self.spot(place)
        if before == 'exactly':
            count = draw.whole(1, min(have, 3))
            self.lay(item, draw.pick([n for n in range(min(have, 4) + 1) if n != count]), spot)
        elif before == 'at most':
            count = draw.whole(1, min(have - 1, 3))
            self.lay(item, draw.whole(count + 1, have), spot)
        else:
            count = draw.whole(2, min(have, 4))
            if draw.chance(0.15) and have < 5 and item.name in self.home.things:
                self.goal.impossible = True
                count = have + 1
        line = self.lies(item, place, f'{before} {count}'.strip())
        self.want(line, exact=((item, count),), place=place, item=item)

    def clear(self) -> None:
        """Nothing of a class or kind at a place or in a room."""
        if self.draw.chance(0.15):
            room, item = self.room(), self.thing(kinds=0.3)
            self.lay_some(item, self.spot_in(room, item))
            self.want(f'no {item} in {room}', item=item, place=room)
            return
        place, spot = self.single_place()
        item = self.thing(place.name, kinds=0.3)
        self.lay_some(item, spot)
        other = self.thing(place.name, kinds=0)
        if self.draw.chance(0.6):
            self.goal.laid.append((other.name, spot))
        self.want(self.lies(item, place, 'no'), item=item, place=place)

    def clear_all(self) -> None:
        """Nothing at all at a place."""
        place, spot = self.single_place()
        for _ in range(self.draw.whole(1, 3)):
            self.goal.laid.append((self.thing(place.name, kinds=0).name, spot))
        self.want(f'no thing {self.at(place)}', place=place)

    def single_place(self) -> tuple[Named, str]:
        """One place, or any of two, and the name of one."""
        place = self.place(kinds=False)
        nodes = self.home.places[place.name]
        if len(nodes) > 2 and not place.number:
            place = replace(place, number=self.draw.pick(nodes).instance)
        return place, self.spot(place)

    # Or, but not.

    def either(self) -> None:
        """A thing at one of two places."""
        place, place2 = self.place(), self.place()
        item = self.thing(place.name)
        line = f'{self.lies(item, place)} or {self.lies(item, place2)}'
        self.want(line, item=item, place=place, place2=place2)

    def either_thing(self) -> None:
        """One of two things at a place."""
        place = self.place()
        item = self.thing(place.name)
        item2 = self.absent() if self.draw.chance(0.3) else self.thing(place.name)
        item, item2 = self.draw.shuffled([item, item2])
        line = f'{self.lies(item, place)} or {self.lies(item2, place)}'
        self.want(line, item=item, item2=item2, place=place)

    def not_but(self) -> None:
        """Things at a place, and none of another thing."""
        place = self.place()
        items = self.items(place.name)
        item2 = self.thing(place.name, kinds=0.2)
        line = f'{self.lie(items, place)}; {self.lies(item2, place, "no")}'
        self.want(line, items=items, place=place, item2=item2)
        if self.draw.chance(0.65):
            self.goal.laid.append((self.each(item2)[0], self.spot(place)))

    # One after the other.

    def order(self, puts: int, last: str = '', total: int = 0) -> None:
        """Things put at one or two places; then, perhaps, a ``switch``, ``go`` or ``close``."""
        close = last == 'close'
        places = OPEN_TARGETS if close else TARGETS
        stages, said = self.puts([total] * puts, places, kinds=not close)
        if close:
            place = said['place']
            assert isinstance(place, Named)
            if len(self.home.places[place.name]) > 1 and not place.number:
                raise _UnfitError
            stages.append(f'{place} closed')
        elif last:
            place = self.place(self.switches() if last == 'switch' else TARGETS, kinds=False)
            said[f'place{puts + 1}'] = place
            stages.append(f'{place} switched on' if last == 'switch' else f'robot at {place}')
        self.want('; then '.join(stages), **said)

    def empty_hands(self) -> None:
        """Put down what is held."""
        item = self.thing(kinds=0)
        self.goal.held = self.draw.pick(self.home.things[item.name]).name
        self.want('hands empty')

    # Questions.

    def whether_at(self) -> None:
        """Whether a thing is at a place, or in a room."""
        place, spot = self.asked_place()
        item = self.thing(place.name, kinds=0.15)
        if self.draw.chance(0.5):
            self.lay(item, 1, spot)
        else:
            self.keep_from(item, place)
        self.want(f'tell whether {item} {self.at(place)}', item=item, place=place)

    def whether_turned(self, state: str) -> None:
        """Whether something is on, or open."""
        affordance, _, text = _STATES[state]
        name = self.pick(self.home.having(affordance))
        nodes = self.home.places[name]
        place = Named(name, self.draw.pick(nodes).instance if len(nodes) > 1 else 0)
        if self.draw.chance(0.5):
            self.goal.states = [(self.spot(place), state)]
        self.want(f'tell whether {place} {text}', place=place)

    def ask(self, question: str, item: Named) -> None:
        """Where a thing is, how many there are, or whether there is any."""
        self.want(f'tell {question} {item}', item=item)

    def rare(self) -> Named:
        """Something of which there are one or two."""
        return self.there(sorted(n for n, nodes in self.home.things.items() if len(nodes) <= 2))

    def how_many_at(self) -> None:
        """How many of a thing are at a place, or in a room."""
        place, spot = self.asked_place()
        item = self.thing(place.name, least=2, kinds=0.25)
        self.keep_from(item, place)
        self.lay(item, self.draw.weighted({0: 0.12, 1: 0.3, 2: 0.33, 3: 0.25}), spot)
        self.want(f'tell how many {item} {self.at(place)}', item=item, place=place)

    # What cannot be.

    def cannot(self, **said: Named) -> None:
        """Something that this robot cannot do, or that makes no sense."""
        self.goal.impossible = True
        self.want('none', **said)

    def unknown(self, most: int) -> Named:
        """What the robot does not know, by its index in the wordings."""
        return Named(str(self.draw.whole(0, most)))

    def misuse(self) -> None:
        """Something that is not made for what is asked."""
        draw, home = self.draw, self.home
        self.frame = draw.pick(('open', 'close', 'switch_on', 'switch_off', 'make_sliced'))
        if self.frame == 'make_sliced':
            whole = [n for n, nodes in home.things.items()
                     if 'cuttable' not in nodes[0].affordances and n not in FOOD]  # fmt: skip
            self.cannot(item=Named(draw.pick(whole)))
            return
        usable = home.having('can_open' if self.frame in ('open', 'close') else 'has_switch')
        names = [n for n in home.places if n in TARGETS and n not in (*usable, 'stove', 'oven')]
        self.cannot(place=Named(draw.pick(names)))

    # Long ones.

    def long(self) -> None:
        """Two to five destinations and five to sixteen things, in one sentence or several."""
        draw, goal = self.draw, self.goal
        total = draw.whole(5, 16)
        if draw.chance(0.25):
            self.frame = draw.pick(('order_two', 'order_three'))
            self.order(2, 'switch' if self.frame == 'order_three' else '', (total + 1) // 2)
        else:
            self.long_parts(total)
            if draw.chance(0.4):
                with suppress(_UnfitError):
                    self.extra()
        lists = [v for _, said in goal.said for v in said.values() if isinstance(v, tuple)]
        if not 5 <= sum(count for listed in lists for _, count in listed) <= 16:
            raise _UnfitError

    def long_parts(self, total: int) -> None:
        """So many things, in sentences of up to three destinations."""
        draw = self.draw
        least = max(2, (total + 4) // 5)
        shares = _shares(draw, total, draw.whole(least, max(least, min(5, total // 2))))
        while shares:
            size = min(len(shares), draw.weighted({1: 0.4, 2: 0.35, 3: 0.25}))
            start = size == 1 and draw.chance(0.3)
            self.frame = 'put_start' if start else ('put', 'put_two', 'put_three')[size - 1]
            places = STARTED if start else TARGETS
            lines, said = self.puts(shares[:size], places, kinds=False)
            if start:
                lines.append(f'{said["place"]} switched on')
            self.want('; '.join(lines), **said)
            shares = shares[size:]

    def extra(self) -> None:
        """One more sentence of a long goal."""
        draw, home = self.draw, self.home
        kind = draw.pick(('switch_on', 'treat', 'close'))
        if kind == 'treat':
            state = draw.pick(('hot', 'cold', 'clean', 'sliced'))
            self.frame = f'put_{state}'
            self.treat(state, put=True)
            return
        self.frame = kind
        if kind == 'switch_on':
            place = self.place(self.switches(), kinds=False)
            self.want(f'{place} switched on', place=place)
            return
        single = [name for name in home.having('can_open') if len(home.places[name]) == 1]
        place = Named(self.pick([name for name in single if name not in self.used]))
        self.goal.states = [(f'{place} 1', 'open')]
        self.want(f'{place} closed', place=place)


def _shares(draw: Draw, total: int, number: int) -> list[int]:
    """Split a total into so many parts of one to five."""
    shares = [1] * number
    for _ in range(total - number):
        shares[draw.pick([i for i, share in enumerate(shares) if share < 5])] += 1
    return shares


_SHAPES: Mapping[str, tuple[float, Callable[[_Maker], None]]] = {
    'put': (14, _Maker.put),
    'put_two': (8, lambda m: m.put_several(2)),
    'put_three': (5, lambda m: m.put_several(3)),
    'put_start': (4, _Maker.put_start),
    'put_room': (2, _Maker.put_room),
    'hold': (5, _Maker.hold),
    'open': (3, lambda m: m.turn('open')),
    'close': (3, lambda m: m.turn('closed')),
    'switch_on': (3, lambda m: m.turn('on')),
    'switch_off': (3, lambda m: m.turn('off')),
    'close_all': (2.5, lambda m: m.turn_all('closed')),
    'close_all_room': (2.5, lambda m: m.turn_all('closed', in_room=True)),
    'switch_off_all': (2.5, lambda m: m.turn_all('off')),
    'switch_off_all_room': (2.5, lambda m: m.turn_all('off', in_room=True)),
    'switch_on_all_room': (2, lambda m: m.turn_all('on', in_room=True)),
    'go_place': (2.5, _Maker.go_place),
    'go_room': (3, _Maker.go_room),
    'put_hot': (3, lambda m: m.treat('hot', put=True)),
    'put_cold': (3, lambda m: m.treat('cold', put=True)),
    'put_clean': (3, lambda m: m.treat('clean', put=True)),
    'put_cooked': (2, lambda m: m.treat('cooked', put=True)),
    'put_sliced': (3, lambda m: m.treat('sliced', put=True)),
    'heat_sliced': (2, lambda m: m.treat('hot', 'sliced', put=True)),
    'make_hot': (2, lambda m: m.treat('hot')),
    'make_cold': (2, lambda m: m.treat('cold')),
    'make_clean': (2, lambda m: m.treat('clean')),
    'make_cooked': (1.5, lambda m: m.treat('cooked')),
    'make_sliced': (1.5, lambda m: m.treat('sliced')),
    'vessel': (4, _Maker.vessel),
    'all': (5, _Maker.every),
    'all_room': (4, lambda m: m.every(in_room=True)),
    'exactly': (3, lambda m: m.number('exactly')),
    'at_most': (2.5, lambda m: m.number('at most')),
    'clear': (4, _Maker.clear),
    'clear_all': (3, _Maker.clear_all),
    'either': (3, _Maker.either),
    'either_thing': (2.5, _Maker.either_thing),
    'not_but': (3.5, _Maker.not_but),
    'order_two': (5, lambda m: m.order(2)),
    'order_switch': (3, lambda m: m.order(1, 'switch')),
    'order_three': (3, lambda m: m.order(2, 'switch')),
    'order_go': (2.5, lambda m: m.order(1, 'go')),
    'order_state': (2.5, lambda m: m.order(1, 'close')),
    'leave_open': (1.5, lambda m: m.turn('open')),
    'empty_hands': (2, _Maker.empty_hands),
    'number': (3, _Maker.number),
    'whether_at': (6, _Maker.whether_at),
    'whether_home': (3, lambda m: m.ask('where', m.absent() if m.draw.chance(0.5) else m.thing())),
    'whether_on': (2.5, lambda m: m.whether_turned('on')),
    'whether_open': (2, lambda m: m.whether_turned('open')),
    'where': (3.5, lambda m: m.ask('where', m.rare())),
    'how_many': (1.5, lambda m: m.ask('how many', m.thing(kinds=0.2))),
    'how_many_at': (3.5, _Maker.how_many_at),
    'impossible_thing': (4, lambda m: m.cannot(place=m.place(), unknown=m.unknown(39))),
    'impossible_act': (4, _Maker.cannot),
    'impossible_place': (3, lambda m: m.cannot(item=m.thing(kinds=0), unknown_place=m.unknown(19))),
    'impossible_use': (2.5, _Maker.misuse),
    'nonsense': (3, _Maker.cannot),
    'long': (0, _Maker.long),
}

WEIGHTS: Mapping[str, float] = {shape: weight for shape, (weight, _) in _SHAPES.items() if weight}
"""How often goals of each shape are drawn."""
