# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws goals of every shape for a home: conditions, what a sentence says, how things lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from reactree_ros.lab.generator.draw import Draw
from reactree_ros.lab.generator.habits import (
    FOOD,
    GOES,
    LOADS,
    OPEN_TARGETS,
    SERVED,
    STARTED,
    TARGETS,
    TREATED,
    Home,
    doors_and_switches,
    found_at,
    members,
)
from reactree_ros.lab.generator.wordings import Counted, Named, Said
from reactree_ros.sim.household.scene import Node
from reactree_ros.sim.household.truth import household_library as library

_ITEM_KINDS = ('drink', 'fruit', 'vegetable', 'glass', 'cutlery', 'crockery', 'clothing')
_PLACE_KINDS = ('table', 'cabinet', 'counter', 'shelf')
_HOW_MANY = {1: 0.55, 2: 0.3, 3: 0.15}

WEIGHTS: Mapping[str, float] = {
    'put': 14, 'put_two': 8, 'put_three': 5, 'put_start': 4, 'put_room': 2, 'hold': 5, 'open': 3,
    'close': 3, 'switch_on': 3, 'switch_off': 3, 'close_all': 2.5, 'close_all_room': 2.5,
    'switch_off_all': 2.5, 'switch_off_all_room': 2.5, 'switch_on_all_room': 2, 'go_place': 2.5,
    'go_room': 3, 'put_hot': 3, 'put_cold': 3, 'put_clean': 3, 'put_cooked': 2, 'put_sliced': 3,
    'heat_sliced': 2, 'make_hot': 2, 'make_cold': 2, 'make_clean': 2, 'make_cooked': 1.5,
    'make_sliced': 1.5, 'vessel': 4, 'all': 5, 'all_room': 4, 'exactly': 3, 'at_most': 2.5,
    'clear': 4, 'clear_all': 3, 'either': 3, 'either_thing': 2.5, 'not_but': 3.5, 'order_two': 5,
    'order_switch': 3, 'order_three': 3, 'order_go': 2.5, 'order_state': 2.5, 'leave_open': 1.5,
    'empty_hands': 2, 'number': 3, 'whether_at': 6, 'whether_home': 3, 'whether_on': 2.5,
    'whether_open': 2, 'where': 3.5, 'how_many': 1.5, 'how_many_at': 3.5, 'impossible_thing': 4,
    'impossible_act': 4, 'impossible_place': 3, 'impossible_use': 2.5, 'nonsense': 3,
}  # fmt: skip
"""How often goals of each shape are drawn."""


@dataclass(frozen=True)
class Goal:
    """A goal as it was drawn.

    Args:
        shape: one of WEIGHTS, or ``long``.
        line: its conditions.
        said: shapes of frames with what fills them; a sentence each.
        away: things that must lie in no place of some classes at the start: (thing, places).
        laid: so many things of a class that lie at a place at the start: (thing, count, place's
            name).
        states: names of objects with states they have at the start.
        held: name of what the robot holds at the start.
        start: name of the room where it starts; empty for any.
        asks: what an answer says: ``whether``, ``home``, ``where`` or ``count``; empty for none.
        impossible: it cannot be reached.
        already: it holds at the start.
    """

    shape: str
    line: str
    said: tuple[tuple[str, Said], ...]
    away: tuple[tuple[str, frozenset[str]], ...] = ()
    laid: tuple[tuple[str, int, str], ...] = ()
    states: tuple[tuple[str, str], ...] = ()
    held: str = ''
    start: str = ''
    asks: str = ''
    impossible: bool = False
    already: bool = False


def draw_goal(draw: Draw, home: Home, shape: str) -> Goal | None:
    """Draw a goal of a shape; None where the draw does not fit the home.

    Args:
        draw: chooses.
        home: where.
        shape: one of WEIGHTS, or ``long``.
    """
    maker = _Maker(draw, home)
    return _SHAPES[shape](maker)


class _Maker:
    """Draws one goal.

    Args:
        draw: chooses.
        home: where.
    """

    def __init__(self, draw: Draw, home: Home) -> None:
        self.draw = draw
        self.home = home
        self.used: set[str] = set()
        self.away: list[tuple[str, frozenset[str]]] = []

    # Nouns.

    def place(
        self, among: Sequence[str] | Mapping[str, float] = TARGETS, kinds: bool = True
    ) -> Named | None:
        """A place to put things, not used before."""
        home, draw = self.home, self.draw
        weights = among if isinstance(among, Mapping) else dict.fromkeys(among, 1.0)
        left = {
            name: weight
            for name, weight in weights.items()
            if name in home.places and not self.used & members(name)
        }
        if not left:
            return None
        name = draw.weighted(left)
        nodes = home.places[name]
        named = Named(name)
        if kinds and draw.chance(0.05):
            fitting = [kind for kind in _PLACE_KINDS if name in library().kinds[kind]]
            named = Named(fitting[0]) if fitting else named
        elif len(nodes) > 1 and draw.chance(0.12):
            named = Named(name, draw.pick(nodes).instance)
        if self.used & members(named.name):
            return None
        self.used |= members(named.name)
        return named

    def thing(self, place: str = '', least: int = 1, kinds: float = 0.1) -> Named | None:
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
                return self._use(draw.pick(fitting))
        names = [
            name
            for name, nodes in home.things.items()
            if len(nodes) >= least and name not in self.used
        ]
        likely = [name for name in names if name in GOES.get(place, ()) or place in found_at(name)]
        if likely and (place in (*STARTED, 'stove') or draw.chance(0.85)):
            names = likely
        return self._use(draw.pick(names)) if names else None

    def among(self, names: Sequence[str], least: int = 1) -> Named | None:
        """One of some classes that the home has."""
        fitting = [
            name
            for name in names
            if self.home.count(name) >= least and not self.used & members(name)
        ]
        return self._use(self.draw.pick(fitting)) if fitting else None

    def absent(self) -> Named | None:
        """A thing that the robot knows and the home has not."""
        names = sorted(library().objects - self.home.things.keys())
        return self._use(self.draw.pick(names)) if names else None

    def _use(self, name: str) -> Named:
        self.used |= members(name)
        return Named(name)

    def items(self, place: str, most: int = 3, total: int = 0) -> Counted:
        """Things for a place, with numbers; ``total`` of them together, if given."""
        draw = self.draw
        kinds = total or draw.weighted(_HOW_MANY)
        found: list[tuple[Named, int]] = []
        while len(found) < kinds and sum(count for _, count in found) < (total or 20):
            named = self.thing(place, kinds=0.1 if kinds == 1 else 0.04)
            if named is None:
                break
            have = min(self.home.count(named.name), most)
            number = draw.whole(2, have) if have > 1 and draw.chance(0.3) else 1
            if total:
                number = min(number, total - sum(count for _, count in found))
            if number == 1 and have > 1 and named.name in self.home.things and draw.chance(0.04):
                one = draw.pick(self.home.things[named.name])
                named = Named(named.name, one.instance)
            found.append((named, number))
            if total and len(found) == 5:
                break
        return tuple(found)

    # Conditions.

    def lies(self, item: Named, place: Named, count: int = 1, before: str = '') -> str:
        """So many of a thing at a place, and that none of it lies there at the start."""
        self.away.append((item.name, members(place.name)))
        number = f'{count} ' if count > 1 else ''
        states = ''.join(f'{state} ' for state in item.states)
        relation = self.home.relation(place.name)
        return f'{before or number}{states}{_text(item)} {relation} {_text(place)}'

    def put(self, items: Counted, place: Named) -> list[str]:
        """Conditions of things at a place."""
        return [self.lies(item, place, count) for item, count in items]

    def goal(
        self,
        shape: str,
        lines: Sequence[str],
        said: Said,
        *,
        frame: str = '',
        laid: tuple[tuple[str, int, str], ...] = (),
        states: tuple[tuple[str, str], ...] = (),
        asks: str = '',
    ) -> Goal:
        """Make a goal."""
        return Goal(
            shape, '; '.join(lines), ((frame or shape, said),), tuple(self.away), laid, states,
            asks=asks,
        )  # fmt: skip

    def node_name(self, place: Named) -> str:
        """The name of one place that is meant."""
        names = sorted(members(place.name) & self.home.places.keys())
        nodes = [node for name in names for node in self.home.places[name]]
        if place.number:
            nodes = [node for node in nodes if node.instance == place.number]
        return self.draw.pick(nodes).name

    # Putting.

    def put_one(self) -> Goal | None:
        """Things at one place; sometimes there already, sometimes not to be had."""
        draw = self.draw
        place = self.place()
        if place is None:
            return None
        if draw.chance(0.2):
            if draw.chance(0.3):
                return self._no_such_place()
            item = self.absent()
            if item is None:
                return None
            lines = [f'{item.name} {self.home.relation(place.name)} {_text(place)}']
            goal = self.goal('put', lines, {'items': ((item, 1),), 'place': place})
            return replace(goal, impossible=True)
        items = self.items(place.name)
        if not items:
            return None
        if len(items) == 1 and items[0][1] == 1 and draw.chance(0.12):
            described = self._described(items[0][0])
            if described:
                items = ((described, 1),)
        lines = self.put(items, place)
        goal = self.goal('put', lines, {'items': items, 'place': place})
        plain = all(not item.states and not item.number for item, _ in items)
        if draw.chance(0.2) and plain:
            where = self.node_name(place)
            laid = tuple(
                (draw.pick(sorted(members(item.name) & self.home.things.keys())), count, where)
                for item, count in items
            )
            return replace(goal, away=(), laid=laid, already=True)
        return goal

    def _no_such_place(self) -> Goal | None:
        lacking = [name for name in TARGETS if not members(name) & self.home.places.keys()]
        item = self.thing(kinds=0)
        if not lacking or item is None:
            return None
        place = Named(self.draw.pick(lacking))
        relation = self.home.relation(place.name)
        goal = self.goal(
            'put', [f'{item.name} {relation} {place.name}'],
            {'items': ((item, 1),), 'place': place},
        )  # fmt: skip
        return replace(goal, impossible=True)

    def _described(self, item: Named) -> Named | None:
        fitting = [
            state
            for state, names in TREATED.items()
            if item.name in names or (state == 'sliced' and self._can_slice(item.name))
        ]
        return replace(item, states=(self.draw.pick(fitting),)) if fitting else None

    def _can_slice(self, name: str) -> bool:
        nodes = self.home.things.get(name, ())
        knives = self.home.things.get('cutlery knife')
        return bool(nodes and knives and 'cuttable' in nodes[0].affordances)

    def put_several(self, number: int) -> Goal | None:
        """Things at two or three places."""
        said: dict[str, Named | Counted] = {}
        lines: list[str] = []
        impossible = self.draw.chance(0.08)
        for end in ('', '2', '3')[:number]:
            place = self.place()
            items = self.items(place.name) if place else ()
            if impossible and not end and (lacking := self.absent()):
                items = ((lacking, 1), *items[:1])
            if place is None or not items:
                return None
            said |= {f'items{end}': items, f'place{end}': place}
            lines += self.put(items, place)
        goal = self.goal({2: 'put_two', 3: 'put_three'}[number], lines, said)
        return replace(goal, impossible=impossible)

    def put_start(self) -> Goal | None:
        """Things in a machine that is started."""
        place = self.place(STARTED, kinds=False)
        items = self.items(place.name) if place else ()
        if place is None or not items:
            return None
        lines = [*self.put(items, place), f'{_text(place)} switched on']
        return self.goal('put_start', lines, {'items': items, 'place': place})

    def put_room(self) -> Goal | None:
        """Things anywhere in a room."""
        room = self.room()
        items = self.items('')
        if room is None or not items:
            return None
        places = frozenset(
            node.words
            for nodes in self.home.places.values()
            for node in nodes
            if self.home.room_of[node.id].words == room.name
        )
        lines = []
        for item, count in items:
            self.away.append((item.name, places))
            lines.append(f'{f"{count} " if count > 1 else ""}{_text(item)} in {_text(room)}')
        return self.goal('put_room', lines, {'items': items, 'place': room}, frame='put')

    def room(self) -> Named | None:
        """A kind of room, or one of two."""
        name = self.draw.pick(list(self.home.rooms))
        nodes = self.home.rooms[name]
        if len(nodes) > 1 and self.draw.chance(0.5):
            return Named(name, self.draw.pick(nodes).instance)
        return Named(name)

    def hold(self) -> Goal | None:
        """Something in the robot's hand."""
        draw = self.draw
        if draw.chance(0.2):
            item = self.absent()
            if item is None:
                return None
            return replace(self.goal('hold', [f'{item.name} held'], {'item': item}),
                           impossible=True)  # fmt: skip
        item = self.thing(kinds=0.15)
        if item is None:
            return None
        if draw.chance(0.15):
            item = self._described(item) or item
        elif draw.chance(0.06) and item.name in self.home.things:
            item = replace(item, number=draw.pick(self.home.things[item.name]).instance)
        states = ''.join(f'{state} ' for state in item.states)
        return self.goal('hold', [f'{states}{_text(item)} held'], {'item': item})

    # Doors and switches.

    def switch(self, shape: str, affordance: str, state: str, opposite: str) -> Goal | None:
        """One door or switch."""
        draw, home = self.draw, self.home
        said_as = {'open': 'open', 'closed': 'closed', 'on': 'switched on', 'off': 'switched off'}
        names = [name for name in home.having(affordance) if name in doors_and_switches(state)]
        if not names:
            return None
        name = draw.pick(names)
        nodes = home.places[name]
        # "Close the cabinet", where there are several, does not say which.
        number = draw.pick(nodes).instance if len(nodes) > 1 and (
            state in ('closed', 'off') or draw.chance(0.2)) else 0  # fmt: skip
        place = Named(name, number)
        already = shape != 'leave_open' and draw.chance(0.12)
        begins = state if already else opposite
        states = tuple(
            (node.name, begins)
            for node in nodes
            if number in (0, node.instance) and begins in ('open', 'on')
        )
        line = f'{_text(place)} {said_as[state]}'
        goal = self.goal(shape, [line], {'place': place}, states=states)
        return replace(goal, already=already)

    def switch_all(self, shape: str, affordance: str, state: str, in_room: bool) -> Goal | None:
        """Every door or switch of a kind, in a room or anywhere."""
        draw, home = self.draw, self.home
        said_as = {'closed': 'closed', 'on': 'switched on', 'off': 'switched off'}
        kinds = ('cabinet',) if affordance == 'can_open' else ('lamp', 'light')
        names = [name for name in home.having(affordance) if name in doors_and_switches(state)]
        groups: list[tuple[str, list[Node]]] = [(name, home.places[name]) for name in names]
        for kind in kinds:
            meant = [node for name in names if name in library().kinds.get(kind, ())
                       for node in home.places[name]]  # fmt: skip
            # As often as the classes together: that is what people say.
            groups += [(kind, meant)] * 2 if meant else []
        room = self.room() if in_room else None
        fitting = [
            (name, nodes)
            for name, every in groups
            if (nodes := [n for n in every if room is None or self._is_in(n, room)])
            and (len(nodes) > 1 or (room is not None and draw.chance(0.3)))
        ]
        if not fitting:
            return None
        name, nodes = draw.pick(fitting)
        chosen = draw.shuffled(nodes)[: draw.whole(1, len(nodes))]
        states = tuple((node.name, 'open' if state == 'closed' else 'on') for node in chosen)
        if state == 'on':
            states = tuple((node.name, 'on') for node in chosen[1:])
        place = Named(name)
        said: Said = {'place': place, **({'room': room} if room else {})}
        where = f' in {_text(room)}' if room else ''
        line = f'all {name}{where} {said_as[state]}'
        return self.goal(shape, [line], said, states=states)

    def _is_in(self, node: Node, room: Named) -> bool:
        here = self.home.room_of[node.id]
        return here.words == room.name and room.number in (0, here.instance)

    def go_place(self) -> Goal | None:
        """The robot at a place."""
        names = [name for name in self.home.places if name in library().places]
        name = self.draw.pick(names)
        nodes = self.home.places[name]
        number = self.draw.pick(nodes).instance if len(nodes) > 1 and self.draw.chance(0.3) else 0
        place = Named(name, number)
        return self.goal('go_place', [f'robot at {_text(place)}'], {'place': place})

    def go_room(self) -> Goal | None:
        """The robot in a room."""
        room = self.room()
        assert room is not None
        goal = self.goal('go_room', [f'robot in {_text(room)}'], {'room': room})
        rooms = self.home.rooms[room.name]
        inside = [node.name for node in rooms if room.number in (0, node.instance)]
        if self.draw.chance(0.12):
            return replace(goal, start=inside[0], already=True)
        others = [
            node.name
            for name, nodes in self.home.rooms.items()
            for node in nodes
            if node.name not in inside
        ]
        return replace(goal, start=self.draw.pick(others))

    # Treating.

    def treat(self, shape: str, states: tuple[str, ...], put: bool) -> Goal | None:
        """Something heated, cooled, washed, cooked or sliced, and perhaps put somewhere."""
        names = [name for name in TREATED[states[0]] or self.home.things]
        if 'sliced' in states:
            names = [name for name in names if self._can_slice(name)]
        impossible = self.draw.chance(0.07)
        lacking = [name for name in TREATED[states[0]] if name not in self.home.things]
        item = self._use(self.draw.pick(lacking)) if impossible and lacking else self.among(names)
        if item is None:
            return None
        impossible = item.name not in self.home.things
        said: dict[str, Named | Counted] = {'item': item}
        wanted = ' '.join(states)
        self.away.append((item.name, frozenset({'fridge', 'microwave oven', 'sink', 'stove'})))
        if not put:
            first, *others = reversed(states)
            before = ''.join(f'{state} ' for state in others)
            goal = self.goal(shape, [f'{before}{item.name} {first}'], said)
            return replace(goal, impossible=impossible)
        weights = dict.fromkeys(SERVED, 3.0)
        if states[0] in ('cooked', 'sliced', 'clean'):
            weights |= {'fridge': 2.0}
        if states[0] == 'clean':
            weights |= {'kitchen cabinet': 3.0}
        weights |= {'nightstand': 0.5, 'bookshelf': 0.3, 'tv stand': 0.3, 'dining table': 3}
        place = self.place(weights)
        if place is None:
            return None
        line = self.lies(item, place, before=f'{wanted} ')
        return replace(self.goal(shape, [line], {**said, 'place': place}), impossible=impossible)

    def vessel(self) -> Goal | None:
        """Something on a plate, or in a bowl, a box or a pot, and that somewhere."""
        vessel = self.among(tuple(LOADS))
        item = self.among(LOADS[vessel.name]) if vessel else None
        place = self.place(dict.fromkeys((*SERVED, 'bookshelf', 'nightstand', 'fridge', 'stove'),
                                         1.0))  # fmt: skip
        if vessel is None or item is None or place is None:
            return None
        if place.name == 'stove' and vessel.name != 'cooking pot':
            return None
        self.away.append((vessel.name, members(place.name)))
        relation = self.home.relation(place.name)
        line = f'{vessel.name} with {item.name} {relation} {_text(place)}'
        return self.goal('vessel', [line], {'item': item, 'vessel': vessel, 'place': place})

    # All, exactly, at most, none.

    def every(self, in_room: bool) -> Goal | None:
        """Every one of a class or kind, of a room or of the home."""
        place = self.place()
        item = self.thing(place.name, least=1 if in_room else 2, kinds=0.25) if place else None
        if place is None or item is None or self.home.count(item.name) > 8:
            return None
        if not in_room:
            line = self.lies(item, place, before='all ')
            return self.goal('all', [line], {'item': item, 'place': place})
        room = self.room()
        assert room is not None
        spot = self._surface_in(room, members(place.name), item)
        if spot is None:
            return None
        number = self.draw.whole(1, min(3, self.home.count(item.name)))
        relation = self.home.relation(place.name)
        line = f'all {item.name} in {_text(room)} {relation} {_text(place)}'
        laid = tuple((name, 1, spot) for name in self._split(item, number))
        said = {'item': item, 'room': room, 'place': place}
        return self.goal('all_room', [line], said, laid=laid)

    def _split(self, item: Named, number: int) -> list[str]:
        """Classes of so many things of a class or kind."""
        pool = [
            name
            for name in sorted(members(item.name) & self.home.things.keys())
            for _ in self.home.things[name]
        ]
        return self.draw.shuffled(pool)[:number]

    def _surface_in(self, room: Named, other: frozenset[str], item: Named) -> str | None:
        fitting = [
            node
            for name, nodes in self.home.places.items()
            if name in TARGETS and name not in other
            for node in nodes
            if self._is_in(node, room)
        ]
        likely = [n for n in fitting if any(n.words in found_at(m) for m in members(item.name))]
        return self.draw.pick(likely or fitting).name if fitting else None

    def exact(self, shape: str) -> Goal | None:
        """A number of things at a place: at least, exactly or at most."""
        place = self.place()
        item = self.thing(place.name, least=2, kinds=0.12) if place else None
        if place is None or item is None:
            return None
        have = self.home.count(item.name)
        draw = self.draw
        where = self.node_name(place)
        said: dict[str, Named | Counted] = {'place': place, 'item': item}
        if shape == 'number':
            count = draw.whole(2, min(have, 4))
            line = self.lies(item, place, count)
            if draw.chance(0.15) and have < 5 and item.name in self.home.things:
                line = line.replace(str(count), str(have + 1), 1)
                said['exact'] = ((item, have + 1),)
                return replace(self.goal(shape, [line], said), impossible=True)
            said['exact'] = ((item, count),)
            return self.goal(shape, [line], said)
        count = draw.whole(1, min(have - 1, 3)) if shape == 'at_most' else draw.whole(
            1, min(have, 3))  # fmt: skip
        line = self.lies(item, place, before={'exactly': 'exactly', 'at_most': 'at most'}[shape]
                         + f' {count} ')  # fmt: skip
        start = draw.whole(count + 1, have) if shape == 'at_most' else draw.pick(
            [n for n in range(min(have, 4) + 1) if n != count])  # fmt: skip
        laid = tuple((name, 1, where) for name in self._split(item, start))
        said['exact'] = ((item, count),)
        return self.goal(shape, [line], said, laid=laid)

    def clear(self, everything: bool) -> Goal | None:
        """Nothing of a class or kind, or nothing at all, at a place."""
        if not everything and self.draw.chance(0.15):
            return self._clear_room()
        place = self.place(kinds=False)
        if place is None:
            return None
        nodes = self.home.places[place.name]
        if len(nodes) > 2 and not place.number:
            place = replace(place, number=self.draw.pick(nodes).instance)
        where = self.node_name(place)
        relation = self.home.relation(place.name)
        if everything:
            found = [self.thing(place.name, kinds=0) for _ in range(self.draw.whole(1, 3))]
            laid = tuple((item.name, 1, where) for item in found if item)
            line = f'no thing {relation} {_text(place)}'
            return self.goal('clear_all', [line], {'place': place}, laid=laid)
        item = self.thing(place.name, kinds=0.3)
        if item is None:
            return None
        number = self.draw.whole(1, min(3, self.home.count(item.name)))
        laid = tuple((name, 1, where) for name in self._split(item, number))
        other = self.thing(place.name, kinds=0)
        laid += ((other.name, 1, where),) if other and self.draw.chance(0.6) else ()
        line = self.lies(item, place, before='no ')
        return self.goal('clear', [line], {'item': item, 'place': place}, laid=laid)

    def _clear_room(self) -> Goal | None:
        """Nothing of a class or kind in a room."""
        room, item = self.room(), self.thing(kinds=0.3)
        if room is None or item is None:
            return None
        spot = self._surface_in(room, frozenset(), item)
        if spot is None:
            return None
        number = self.draw.whole(1, min(3, self.home.count(item.name)))
        laid = tuple((name, 1, spot) for name in self._split(item, number))
        line = f'no {item.name} in {_text(room)}'
        return self.goal('clear', [line], {'item': item, 'place': room}, laid=laid)

    # Or, but not.

    def either(self) -> Goal | None:
        """A thing at one of two places."""
        place, place2 = self.place(), self.place()
        item = self.thing(place.name) if place else None
        if place is None or place2 is None or item is None:
            return None
        line = f'{self.lies(item, place)} or {self.lies(item, place2)}'
        return self.goal('either', [line], {'item': item, 'place': place, 'place2': place2})

    def either_thing(self) -> Goal | None:
        """One of two things at a place."""
        place = self.place()
        item = self.thing(place.name) if place else None
        item2 = self.absent() if self.draw.chance(0.3) else self.thing(place.name if place else '')
        if place is None or item is None or item2 is None:
            return None
        one, other = self.draw.shuffled([item, item2])
        line = f'{self.lies(one, place)} or {self.lies(other, place)}'
        return self.goal('either_thing', [line], {'item': one, 'item2': other, 'place': place})

    def not_but(self) -> Goal | None:
        """Things at a place, and none of another thing."""
        place = self.place()
        items = self.items(place.name) if place else ()
        item2 = self.thing(place.name if place else '', kinds=0.2)
        if place is None or not items or item2 is None:
            return None
        lines = [*self.put(items, place), self.lies(item2, place, before='no ')]
        laid: tuple[tuple[str, int, str], ...] = ()
        if self.draw.chance(0.65):
            (name,) = self._split(item2, 1)
            laid = ((name, 1, self.node_name(place)),)
        said: Said = {'items': items, 'place': place, 'item2': item2}
        return self.goal('not_but', lines, said, laid=laid)

    # One after the other.

    def order(self, shape: str, total: int = 0) -> Goal | None:
        """Steps in an order."""
        said: dict[str, Named | Counted] = {}
        stages: list[list[str]] = []
        for end in ('', '2')[: 1 + (shape in ('order_two', 'order_three'))]:
            among = OPEN_TARGETS if shape == 'order_state' else TARGETS
            place = self.place(among, kinds=shape != 'order_state')
            items = self.items(place.name, total=total) if place else ()
            if place is None or not items:
                return None
            said |= {f'items{end}': items, f'place{end}': place}
            stages.append(self.put(items, place))
        if shape in ('order_switch', 'order_three'):
            names = [name for name in self.home.having('has_switch') if name not in STARTED]
            place = self.place(dict.fromkeys(names, 1.0), kinds=False)
            if place is None:
                return None
            said |= {'place2' if shape == 'order_switch' else 'place3': place}
            stages.append([f'{_text(place)} switched on'])
        elif shape == 'order_go':
            place = self.place(kinds=False)
            if place is None:
                return None
            said |= {'place2': place}
            stages.append([f'robot at {_text(place)}'])
        elif shape == 'order_state':
            named = said['place']
            assert isinstance(named, Named)
            if len(self.home.places[named.name]) > 1 and not named.number:
                return None
            stages.append([f'{_text(named)} closed'])
        first, *later = ['; '.join(stage) for stage in stages]
        return self.goal(shape, [first, *(f'then {stage}' for stage in later)], said)

    def empty_hands(self) -> Goal | None:
        """Put down what is held."""
        item = self.thing(kinds=0)
        assert item is not None
        node = self.draw.pick(self.home.things[item.name])
        return replace(self.goal('empty_hands', ['hands empty'], {}), held=node.name)

    # Questions.

    def whether_at(self) -> Goal | None:
        """Whether a thing is at a place, or in a room."""
        line_place = self._question_place()
        if line_place is None:
            return None
        place, relation, spot = line_place
        item = self.thing(place.name, kinds=0.15)
        if item is None:
            return None
        line = f'tell whether {item.name} {relation} {_text(place)}'
        said = {'item': item, 'place': place}
        if self.draw.chance(0.5):
            laid = tuple((name, 1, spot) for name in self._split(item, 1))
            return self.goal('whether_at', [line], said, laid=laid, asks='whether')
        self._keep_from(item, place)
        return self.goal('whether_at', [line], said, asks='whether')

    def _keep_from(self, item: Named, place: Named) -> None:
        names = members(place.name)
        if place.name in self.home.rooms:
            names = frozenset(
                node.words
                for nodes in self.home.places.values()
                for node in nodes
                if self._is_in(node, place)
            )
        self.away.append((item.name, names))

    def _question_place(self) -> tuple[Named, str, str] | None:
        """A place or room, how things lie there, and the name of a place there."""
        if self.draw.chance(0.25):
            room = self.room()
            assert room is not None
            spot = self._surface_in(room, frozenset(), Named('book'))
            return (room, 'in', spot) if spot else None
        place = self.place()
        if place is None:
            return None
        return place, self.home.relation(place.name), self.node_name(place)

    def whether_home(self) -> Goal | None:
        """Whether there is any of a thing."""
        item = self.absent() if self.draw.chance(0.5) else self.thing(kinds=0.1)
        if item is None:
            return None
        return self.goal('whether_home', [f'tell where {item.name}'], {'item': item}, asks='home')

    def whether_state(self, shape: str, affordance: str, state: str) -> Goal | None:
        """Whether something is on, or open."""
        names = [name for name in self.home.having(affordance)
                 if name in doors_and_switches(state)]  # fmt: skip
        if not names:
            return None
        name = self.draw.pick(names)
        nodes = self.home.places[name]
        place = Named(name, self.draw.pick(nodes).instance if len(nodes) > 1 else 0)
        states = ((self.node_name(place), state),) if self.draw.chance(0.5) else ()
        said_as = {'on': 'switched on', 'open': 'open'}[state]
        line = f'tell whether {_text(place)} {said_as}'
        return self.goal(shape, [line], {'place': place}, states=states, asks='whether')

    def where(self) -> Goal | None:
        """Where a thing is."""
        item = self.among(sorted(n for n, nodes in self.home.things.items() if len(nodes) <= 2))
        if item is None:
            return None
        return self.goal('where', [f'tell where {item.name}'], {'item': item}, asks='where')

    def how_many(self) -> Goal | None:
        """How many of a thing there are."""
        item = self.thing(kinds=0.2)
        assert item is not None
        return self.goal('how_many', [f'tell how many {item.name}'], {'item': item}, asks='count')

    def how_many_at(self) -> Goal | None:
        """How many of a thing are at a place, or in a room."""
        found = self._question_place()
        if found is None:
            return None
        place, relation, spot = found
        item = self.thing(place.name, least=2, kinds=0.25)
        if item is None:
            return None
        self._keep_from(item, place)
        number = self.draw.weighted({0: 0.12, 1: 0.3, 2: 0.33, 3: 0.25})
        laid = tuple((name, 1, spot) for name in self._split(item, number))
        line = f'tell how many {item.name} {relation} {_text(place)}'
        said = {'item': item, 'place': place}
        return self.goal('how_many_at', [line], said, laid=laid, asks='count')

    # What cannot be.

    def impossible(self, shape: str) -> Goal | None:
        """Something that this robot cannot do, or that makes no sense."""
        draw = self.draw
        said: dict[str, Named | Counted] = {}
        frame = shape
        if shape == 'impossible_thing':
            place = self.place()
            said = {'unknown': Named(str(draw.whole(0, 39))), **({'place': place} if place else {})}
        elif shape == 'impossible_place':
            item = self.thing(kinds=0)
            assert item is not None
            said = {'item': item, 'unknown_place': Named(str(draw.whole(0, 19)))}
        elif shape == 'impossible_use':
            frame, said = self._misused()
        goal = Goal(shape, 'none', ((frame, said),), impossible=True)
        return goal

    def _misused(self) -> tuple[str, dict[str, Named | Counted]]:
        draw, home = self.draw, self.home
        frame = draw.pick(('open', 'close', 'switch_on', 'switch_off', 'make_sliced'))
        if frame == 'make_sliced':
            whole = [n for n, nodes in home.things.items()
                     if 'cuttable' not in nodes[0].affordances and n not in FOOD]  # fmt: skip
            return frame, {'item': Named(draw.pick(whole))}
        affordance = 'can_open' if frame in ('open', 'close') else 'has_switch'
        usable = doors_and_switches('open' if affordance == 'can_open' else 'on')
        names = [n for n in home.places if n in TARGETS and n not in usable and n not in (
            *home.having(affordance), 'stove', 'oven')]  # fmt: skip
        return frame, {'place': Named(draw.pick(names))}

    # Long ones.

    def long(self) -> Goal | None:
        """Two to five destinations and five to sixteen things, in one sentence or several."""
        draw = self.draw
        total = draw.whole(5, 16)
        if draw.chance(0.25):
            shape = draw.pick(('order_two', 'order_three'))
            goal = self.order(shape, total=(total + 1) // 2)
            return replace(goal, shape='long') if goal and _things(goal) >= 5 else None
        least = max(2, (total + 4) // 5)
        destinations = draw.whole(least, max(least, min(5, total // 2)))
        shares = _shares(draw, total, destinations)
        parts: list[tuple[str, Said]] = []
        lines: list[str] = []
        while shares:
            size = min(len(shares), draw.weighted({1: 0.4, 2: 0.35, 3: 0.25}))
            taken, shares = shares[:size], shares[size:]
            said: dict[str, Named | Counted] = {}
            shape = {1: 'put', 2: 'put_two', 3: 'put_three'}[size]
            start = size == 1 and draw.chance(0.3)
            for end, share_ in zip(('', '2', '3'), taken, strict=False):
                place = self.place(STARTED if start else TARGETS, kinds=False)
                items = self.items(place.name, total=share_) if place else ()
                if place is None or not items:
                    return None
                said |= {f'items{end}': items, f'place{end}': place}
                lines += self.put(items, place)
                if start:
                    shape = 'put_start'
                    lines.append(f'{_text(place)} switched on')
            parts.append((shape, said))
        extra = self._extra() if draw.chance(0.4) else None
        if extra is not None:
            lines.append(extra.line)
            parts += extra.said
        goal = Goal('long', '; '.join(lines), tuple(parts), tuple(self.away),
                    states=extra.states if extra else ())  # fmt: skip
        return goal if 5 <= _things(goal) <= 16 else None

    def _extra(self) -> Goal | None:
        """One more sentence of a long goal."""
        kind = self.draw.pick(('switch_on', 'treat', 'close'))
        if kind == 'treat':
            state = self.draw.pick(('hot', 'cold', 'clean', 'sliced'))
            goal = self.treat(f'put_{state}', (state,), put=True)
            return goal if goal and not goal.impossible else None
        names = [n for n in self.home.having('has_switch') if n not in STARTED]
        if kind == 'switch_on' and names:
            place = self.place(dict.fromkeys(names, 1.0), kinds=False)
            if place:
                line = f'{_text(place)} switched on'
                return Goal('switch_on', line, (('switch_on', {'place': place}),))
        names = [n for n in self.home.having('can_open') if n in doors_and_switches('open')
                 and len(self.home.places[n]) == 1 and n not in self.used]  # fmt: skip
        if not names:
            return None
        place = Named(self.draw.pick(names))
        return Goal('close', f'{place.name} closed', (('close', {'place': place}),),
                    states=((f'{place.name} 1', 'open'),))  # fmt: skip


def _things(goal: Goal) -> int:
    return sum(
        count
        for _, said in goal.said
        for value in said.values()
        if isinstance(value, tuple)
        for _, count in value
    )


def _shares(draw: Draw, total: int, number: int) -> list[int]:
    """Split a total into so many parts of one to five."""
    shares = [1] * number
    for _ in range(total - number):
        fitting = [i for i, share_ in enumerate(shares) if share_ < 5]
        if not fitting:
            break
        shares[draw.pick(fitting)] += 1
    return shares


def _text(named: Named) -> str:
    return f'{named.name} {named.number}' if named.number else named.name


_SHAPES: Mapping[str, Callable[[_Maker], Goal | None]] = {
    'put': _Maker.put_one,
    'put_two': lambda m: m.put_several(2),
    'put_three': lambda m: m.put_several(3),
    'put_start': _Maker.put_start,
    'put_room': _Maker.put_room,
    'hold': _Maker.hold,
    'open': lambda m: m.switch('open', 'can_open', 'open', 'closed'),
    'close': lambda m: m.switch('close', 'can_open', 'closed', 'open'),
    'leave_open': lambda m: m.switch('leave_open', 'can_open', 'open', 'closed'),
    'switch_on': lambda m: m.switch('switch_on', 'has_switch', 'on', 'off'),
    'switch_off': lambda m: m.switch('switch_off', 'has_switch', 'off', 'on'),
    'close_all': lambda m: m.switch_all('close_all', 'can_open', 'closed', False),
    'close_all_room': lambda m: m.switch_all('close_all_room', 'can_open', 'closed', True),
    'switch_off_all': lambda m: m.switch_all('switch_off_all', 'has_switch', 'off', False),
    'switch_off_all_room': lambda m: m.switch_all('switch_off_all_room', 'has_switch', 'off', True),
    'switch_on_all_room': lambda m: m.switch_all('switch_on_all_room', 'has_switch', 'on', True),
    'go_place': _Maker.go_place,
    'go_room': _Maker.go_room,
    'put_hot': lambda m: m.treat('put_hot', ('hot',), True),
    'put_cold': lambda m: m.treat('put_cold', ('cold',), True),
    'put_clean': lambda m: m.treat('put_clean', ('clean',), True),
    'put_cooked': lambda m: m.treat('put_cooked', ('cooked',), True),
    'put_sliced': lambda m: m.treat('put_sliced', ('sliced',), True),
    'heat_sliced': lambda m: m.treat('heat_sliced', ('hot', 'sliced'), True),
    'make_hot': lambda m: m.treat('make_hot', ('hot',), False),
    'make_cold': lambda m: m.treat('make_cold', ('cold',), False),
    'make_clean': lambda m: m.treat('make_clean', ('clean',), False),
    'make_cooked': lambda m: m.treat('make_cooked', ('cooked',), False),
    'make_sliced': lambda m: m.treat('make_sliced', ('sliced',), False),
    'vessel': _Maker.vessel,
    'all': lambda m: m.every(False),
    'all_room': lambda m: m.every(True),
    'exactly': lambda m: m.exact('exactly'),
    'at_most': lambda m: m.exact('at_most'),
    'number': lambda m: m.exact('number'),
    'clear': lambda m: m.clear(False),
    'clear_all': lambda m: m.clear(True),
    'either': _Maker.either,
    'either_thing': _Maker.either_thing,
    'not_but': _Maker.not_but,
    'order_two': lambda m: m.order('order_two'),
    'order_switch': lambda m: m.order('order_switch'),
    'order_three': lambda m: m.order('order_three'),
    'order_go': lambda m: m.order('order_go'),
    'order_state': lambda m: m.order('order_state'),
    'empty_hands': _Maker.empty_hands,
    'whether_at': _Maker.whether_at,
    'whether_home': _Maker.whether_home,
    'whether_on': lambda m: m.whether_state('whether_on', 'has_switch', 'on'),
    'whether_open': lambda m: m.whether_state('whether_open', 'can_open', 'open'),
    'where': _Maker.where,
    'how_many': _Maker.how_many,
    'how_many_at': _Maker.how_many_at,
    'impossible_thing': lambda m: m.impossible('impossible_thing'),
    'impossible_act': lambda m: m.impossible('impossible_act'),
    'impossible_place': lambda m: m.impossible('impossible_place'),
    'impossible_use': lambda m: m.impossible('impossible_use'),
    'nonsense': lambda m: m.impossible('nonsense'),
    'long': _Maker.long,
}
