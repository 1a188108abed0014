# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Places, rooms, doors and floors, and how a robot gets from one to another."""

from __future__ import annotations

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.robot import (
    AT,
    BASE,
    HELD,
    IN_ROOM,
    IS,
    ON,
    ROBOT,
    Build,
    Wish,
)
from reactree_ros.sim.planning.facts import EACH, Fact, ForEach, Precondition
from reactree_ros.sim.vocabulary import Noun, Trade

OPEN, ROOMS, ENTERED, DOORS, FLOORS, FIXED = (
    *('open', 'rooms', 'entered rooms', 'doors', 'floors', 'fixed arm'),
)
"""Layouts: places only; places in rooms; rooms to be entered first; rooms with doors around a
hub; floors with a lift; an arm that reaches everything."""

THROUGH = 'ways through doors'
"""A mechanism: the robot finds its way from room to room."""

GO = 'go'
"""Role of skills that move the robot."""
_LINK, _FITS = 'link', 'fits'


def add_rooms(b: Build, trade: Trade, layout: str) -> None:
    """Add the rooms of a layout."""
    b.mechanisms.append(layout)
    b.mobile = layout != FIXED
    if layout == FLOORS:
        for number in range(1, b.draw.whole(2, 4) + 1):
            b.add_room(Noun('floor', ('level', 'storey')), number)
    elif layout in (ROOMS, ENTERED, DOORS):
        for noun in b.draw.shuffled(trade.lists['rooms'])[: b.draw.whole(2, 4)]:
            b.add_room(noun)


def add_ways(b: Build, layout: str) -> None:
    """Add the skills that move the robot, once all places are there."""
    if layout == FIXED:
        b.static.add((AT, ROBOT, BASE))
        return
    here = Precondition((AT, ROBOT, '?from'))
    if layout == OPEN or (layout == ROOMS):
        go = b.skill(GO, 'go')
        b.operator(
            go,
            [here, Precondition((AT, ROBOT, '?place'), b.why('here_already'), holds=False)],
            arguments={'place': 'furniture'},
            hidden={'from': 'spot'},
            add=[(AT, ROBOT, '?place')],
            delete=[(AT, ROBOT, '?from')],
        )
        if layout == ROOMS and b.draw.chance(0.5):
            _enter(b, [here])
    else:
        go = _go_in_room(b, here, layout)
        if layout == ENTERED:
            _enter(b, [here])
        elif layout == DOORS:
            _doors(b, here, go)
        else:
            _lift(b, here)
    locked = {*b.locked}
    starts = [
        one.name
        for one in b.of('furniture')
        if 'recipient' not in one.tags and one.room not in locked
    ]
    b.starts.append(lambda draw, facts: facts.add((AT, ROBOT, draw.pick(starts))))
    classes = tuple(dict.fromkeys(one.noun.name for one in b.of('furniture')))
    name = b.predicate('robot_at', {'robot': 'at'}, place=('places',))
    b.wishes.append(Wish(name, 'go', places=classes))
    if b.rooms:
        name = b.predicate('robot_in', {'robot': 'in'})
        b.wishes.append(Wish(name, 'go_room', places=tuple(b.rooms)))


def _go_in_room(b: Build, here: Precondition, layout: str) -> str:
    """Add the skill that goes to the places of the room that the robot is in; return its name.

    Where the place is, is bound only so that a reason can name it.
    """
    there = [Precondition((IN_ROOM, '?place', '?there'))] if b.refusals else []
    known = {'here': 'old', 'there': 'there'} if there else {}
    other = 'other_floor' if layout == FLOORS else 'other_room'
    go = b.skill(GO, 'go')
    b.operator(
        go,
        [
            here,
            Precondition((AT, ROBOT, '?place'), b.why('here_already'), holds=False),
            Precondition((IN_ROOM, '?from', '?old')),
            *there,
            Precondition((IN_ROOM, '?place', '?old'), b.why(other, place='place', **known)),
        ],
        arguments={'place': 'furniture'},
        hidden={'from': 'spot', 'old': 'room'} | ({'there': 'room'} if there else {}),
        add=[(AT, ROBOT, '?place')],
        delete=[(AT, ROBOT, '?from')],
    )
    return go


def _enter(b: Build, needs: list[Precondition]) -> None:
    enter = b.skill(GO, 'go_room')
    b.operator(
        enter,
        [
            *needs,
            Precondition((IN_ROOM, '?from', '?old')),
            Precondition((IN_ROOM, '?from', '?room'), b.why('here_already'), holds=False),
        ],
        arguments={'room': 'room'},
        hidden={'from': 'spot', 'old': 'room'},
        add=[(AT, ROBOT, '?room')],
        delete=[(AT, ROBOT, '?from')],
    )


def _doors(b: Build, here: Precondition, go: str) -> None:
    hub, *others = b.rooms
    b.rule('hub', hub=hub)
    doors = []
    for room in others:
        kind = room.rpartition(' ')[0]
        door = b.add(Noun(f'{kind} door', (f'door to the {kind}',)), 1, 'door')
        doors.append(door)
        b.static |= {(_LINK, hub, room, door.name), (_LINK, room, hub, door.name)}
    if b.of_field and b.draw.chance(0.6):
        _go_through_doors(b, here, go, hub)
    enter = b.skill(GO, 'go_room')
    in_old = Precondition((IN_ROOM, '?from', '?old'))
    b.operator(
        enter,
        [
            here,
            in_old,
            Precondition((AT, ROBOT, '?room'), b.why('here_already'), holds=False),
            Precondition(
                (_LINK, '?old', '?room', '?door'), b.why('no_way', **{'from': 'old', 'to': 'room'})
            ),
            Precondition((IS, '?door', b.state('open')), b.why('closed_door', door='door')),
        ],
        arguments={'room': 'room'},
        hidden={'from': 'spot', 'old': 'room', 'door': 'door'},
        add=[(AT, ROBOT, '?room')],
        delete=[(AT, ROBOT, '?from')],
    )
    is_here = Precondition((_LINK, '?old', '?next', '?door'), b.why('not_here', thing='door'))
    beside = {'from': 'spot', 'old': 'room', 'next': 'room'}
    lockable = b.hands > 0 and b.draw.chance(0.4)
    lockable &= any(one.room == hub for one in b.of('surfaces'))
    locked = b.state('locked')
    asks = b.draw.chance(0.3)
    opens = b.skill('door', 'ask_door' if asks else 'open_door')
    unlocked = Precondition((IS, '?door', locked), b.why('locked', door='door'), holds=False)
    b.operator(
        opens,
        [
            *([] if asks else [here, in_old, is_here]),
            Precondition((IS, '?door', b.state('closed')), b.already('door', b.state('open'))),
            *([unlocked] if lockable else []),
        ],
        arguments={'door': 'door'},
        hidden={} if asks else beside,
        add=[(IS, '?door', b.state('open'))],
        delete=[(IS, '?door', b.state('closed'))],
    )
    classes = b.classes('door')
    name = b.state_predicate(b.state('open'), classes)
    b.wishes.append(Wish(name, 'state', classes, act='open'))
    if b.draw.chance(0.6):
        closes = b.skill('door', 'close_door')
        b.operator(
            closes,
            [
                here,
                in_old,
                is_here,
                Precondition((IS, '?door', b.state('open')), b.already('door', b.state('closed'))),
            ],
            arguments={'door': 'door'},
            hidden=beside,
            add=[(IS, '?door', b.state('closed'))],
            delete=[(IS, '?door', b.state('open'))],
        )
        name = b.state_predicate(b.state('closed'), classes)
        b.wishes.append(Wish(name, 'state', classes, act='close'))
    b.rule('doors')
    names = [one.name for one in doors]
    locks = b.draw.shuffled(names)[:1] if lockable else []
    for name in locks:
        kind = name.removesuffix(' door 1')
        b.locked += [room for room in others if room.rpartition(' ')[0] == kind]
        key = b.add(Noun(f'{kind} key', (f'key of the {kind}',)), 1, 'grabbable', 'key')
        b.static.add((_FITS, key.name, name))
        unlocks = b.skill('door', 'unlock')
        b.operator(
            unlocks,
            [
                here,
                in_old,
                is_here,
                Precondition((IS, '?door', locked), b.why('not_locked', door='door')),
                Precondition((_FITS, '?key', '?door')),
                Precondition((HELD, '?key'), b.why('no_key', door='door')),
            ],
            arguments={'door': 'door'},
            hidden={**beside, 'key': 'key'},
            delete=[(IS, '?door', locked)],
        )
        b.rule('keys', pairs=f'{key.noun.name} for {name}')

    def start(draw: Draw, facts: set[Fact]) -> None:
        for name in names:
            is_open = name not in locks and draw.chance(0.4)
            facts.add((IS, name, b.state('open' if is_open else 'closed')))
            if name in locks:
                facts.add((IS, name, locked))
        outside = [one.name for one in b.of('surfaces') if one.room not in b.locked]
        for key in b.of('key'):
            # A key that is locked away opens nothing.
            facts.difference_update([fact for fact in facts if fact[:2] == (ON, key.name)])
            facts.add((ON, key.name, draw.pick(outside)))

    b.starts.append(start)


def _go_through_doors(b: Build, here: Precondition, go: str, hub: str) -> None:
    """Let a skill that goes to a place go through one open door or two, too."""
    b.mechanisms.append(THROUGH)
    is_open = b.state('open')
    ways = (
        [('door', (_LINK, '?old', '?new', '?door'))],
        [('door', (_LINK, '?old', hub, '?door')), ('second', (_LINK, hub, '?new', '?second'))],
    )
    for way in ways:
        b.operator(
            go,
            [
                here,
                Precondition((AT, ROBOT, '?place'), b.why('here_already'), holds=False),
                Precondition((IN_ROOM, '?from', '?old')),
                Precondition((IN_ROOM, '?place', '?new')),
                Precondition((IN_ROOM, '?place', '?old'), holds=False),
                *(Precondition(link) for _, link in way),
                *(
                    Precondition(
                        (IS, f'?{door}', is_open), b.why('no_route', place='place', door=door)
                    )
                    for door, _ in way
                ),
            ],
            arguments={'place': 'furniture'},
            hidden={'from': 'spot', 'old': 'room', 'new': 'room'} | {one: 'door' for one, _ in way},
            add=[(AT, ROBOT, '?place')],
            delete=[(AT, ROBOT, '?from')],
        )


def _lift(b: Build, here: Precondition) -> None:
    lifts = [
        b.add(Noun('lift', ('elevator',)), i, 'furniture', 'spot', 'lift', room=room)
        for i, room in enumerate(b.rooms, 1)
    ]
    is_here = b.state('open')
    called = b.draw.chance(0.6)
    if called:
        call = b.skill('lift', 'call_lift')
        b.operator(
            call,
            [
                Precondition((AT, ROBOT, '?lift'), b.why('no_lift')),
                Precondition((IS, '?lift', is_here), b.why('lift_here'), holds=False),
            ],
            hidden={'lift': 'lift'},
            add=[(IS, '?lift', is_here)],
            each=[ForEach('lift', (), delete=((IS, EACH, is_here),))],
        )
        b.rule('lift')
    ride = b.skill(GO, 'ride')
    b.operator(
        ride,
        [
            Precondition((AT, ROBOT, '?lift'), b.why('no_lift')),
            *([Precondition((IS, '?lift', is_here), b.why('lift_elsewhere'))] if called else []),
            Precondition((IN_ROOM, '?lift', '?room'), b.why('here_already'), holds=False),
            Precondition((IN_ROOM, '?other', '?room')),
        ],
        arguments={'room': 'room'},
        hidden={'lift': 'lift', 'other': 'lift'},
        add=[(AT, ROBOT, '?other'), *([(IS, '?other', is_here)] if called else [])],
        delete=[(AT, ROBOT, '?lift'), *([(IS, '?lift', is_here)] if called else [])],
    )
    if called:
        names = [one.name for one in lifts]
        b.starts.append(lambda draw, facts: facts.add((IS, draw.pick(names), is_here)))
