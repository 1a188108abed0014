# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Machines that change things, what they use up, and devices that are on or off."""

from __future__ import annotations

from dataclasses import replace

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.mechanisms.handling import HERE, LOADED, reach
from reactree_ros.sim.made.robot import (
    HELD,
    IN,
    IS,
    LOAD,
    NEXT,
    REACH,
    ROBOT,
    Build,
    Wish,
)
from reactree_ros.sim.planning.facts import EACH, Fact, ForEach, Precondition
from reactree_ros.sim.vocabulary import Noun, Station, Trade, plural, requests, third_person

WORK = 'work'
"""Role of skills that change things."""
DEVICE = 'device'
"""Role of skills that switch devices."""
TANK = 'tank'
"""``tank(robot, n)``: water for so many jobs."""
STOCK = 'stock'
"""``stock(machine, n)``: supplies for so many more."""


def add_stations(b: Build, trade: Trade) -> list[tuple[Station, str, bool]]:
    """Add machines for the kinds of things that are there, as places.

    Returns:
        Each machine with its name and whether it has a door.
    """
    kinds = {tag for one in b.of('grabbable') for tag in one.tags}
    fitting = [one for one in trade.stations if one.takes in kinds and not b.taken(one.noun)]
    found: list[tuple[Station, str, bool]] = []
    for station in b.draw.shuffled(fitting)[: b.draw.whole(1, 2)]:
        door = station.inside and b.draw.chance(0.5)
        holds = (
            ('containers', 'holder', 'can_open' if door else 'bin')
            if station.inside
            else ('surfaces', 'holder')
            if b.draw.chance(0.5)
            else ()
        )
        own = station.noun.name
        place = b.add(station.noun, 1, 'furniture', 'spot', 'machine', own, *holds, room=b.a_room())
        found.append((station, place.name, door))
        if station.supply is not None and b.hands and not b.taken(station.supply):
            for number in (1, 2):
                b.add(station.supply, number, 'grabbable', 'refill', f'{own} refill')
    return found


def add_work(b: Build, stations: list[tuple[Station, str, bool]]) -> None:
    """Add what the machines do."""
    for station, name, door in stations:
        own = station.noun.name
        stock = _stock(b, own, name, station) if b.of(f'{own} refill') else []
        # A machine that was started does all that is in it; otherwise one thing at a time.
        if station.inside and b.draw.chance(0.65):
            _started(b, station, name, own, door, stock)
        else:
            _one_by_one(b, station, name, own, door, stock)
        items = tuple(
            dict.fromkeys(one.noun.name for one in b.of(station.takes) if 'grabbable' in one.tags)
        )
        predicate = b.state_predicate(station.state, items)
        b.wishes.append(Wish(predicate, 'state', items, verb=station.verb, act='work'))


def _words(b: Build, station: Station, name: str) -> dict[str, str]:
    kind = station.takes
    if b.language == 'en' and kind not in requests('en')['mass']:
        kind = plural(kind)
    return {'machine': name.rpartition(' ')[0], 'verb': station.verb, 'kind': kind}


def _use(stock: list[Precondition]) -> tuple[list[Fact], list[Fact], dict[str, str]]:
    if not stock:
        return [], [], {}
    name = stock[0].fact[1]
    added: list[Fact] = [(STOCK, name, '?left')]
    gone: list[Fact] = [(STOCK, name, '?stock')]
    return added, gone, {'stock': 'level', 'left': 'level'}


def _started(
    b: Build, station: Station, name: str, own: str, door: bool, stock: list[Precondition]
) -> None:
    b.mechanisms.append('started machine')
    running, closed = b.state('running'), b.state('closed')
    is_running = Precondition(
        (IS, '?machine', running), b.why('running', place='machine'), holds=False
    )
    add, delete, levels = _use(stock)
    start = b.skill(WORK, 'start', **_named(b, station))
    arguments = {'machine': own} if '{machine}' in b.phrases[start] else {}
    hidden = {'spot': 'spot', **levels} | ({} if arguments else {'machine': own})
    needs = [
        *reach(b, 'machine'),
        *([Precondition((IS, '?machine', closed), b.why('open', place='machine'))] if door else []),
    ]
    takes = ForEach(
        station.takes,
        ((IN, EACH, '?machine'),),
        add=((IS, EACH, station.state),),
    )
    words = _words(b, station, name)
    b.rule('machine_inside', does=third_person(station.verb), **words)
    if door:
        b.rule('machine_closed', **words)
    if b.draw.chance(0.4):
        wait = b.skill(WORK, 'wait', **_named(b, station))
        b.operator(
            start,
            [*needs, is_running, *stock],
            arguments=arguments,
            hidden=hidden,
            add=[(IS, '?machine', running), *add],
            delete=delete,
        )
        b.operator(
            wait,
            [Precondition((IS, '?machine', running), b.why('not_running', place='machine'))],
            arguments={'machine': own} if '{machine}' in b.phrases[wait] else {},
            hidden={} if '{machine}' in b.phrases[wait] else {'machine': own},
            delete=[(IS, '?machine', running)],
            each=[takes],
        )
        b.rule('machine_wait', **words)
        _locks(b, running)
    else:
        b.operator(
            start,
            [*needs, *stock],
            arguments=arguments,
            hidden=hidden,
            add=add,
            delete=delete,
            each=[takes],
        )


def _named(b: Build, station: Station) -> dict[str, str]:
    """Return the machine's name for the phrase of a skill that says nothing else."""
    return {'machine': station.noun.name} if b.language == 'en' and b.draw.chance(0.4) else {}


def _locks(b: Build, running: str) -> None:
    """Let nothing be taken out of a machine that runs, or put in, or be opened."""
    why = b.why('running', place='place')
    changed = []
    for one in b.operators:
        touches = b.roles[one.skill] in ('pick', 'put', 'opening')
        if touches and 'place' in {**one.arguments, **one.hidden}:
            need = Precondition((IS, '?place', running), why, holds=False, offered=False)
            if need not in one.needs:
                one = replace(one, needs=(*one.needs, need))
        changed.append(one)
    b.operators = changed


def _one_by_one(
    b: Build, station: Station, name: str, own: str, door: bool, stock: list[Precondition]
) -> None:
    b.mechanisms.append('machine')
    add, delete, levels = _use(stock)
    words = _words(b, station, name)
    work = b.skill(WORK, 'work', machine=words['machine'], verb=station.verb)
    done = Precondition(
        (IS, '?item', station.state),
        b.already('item', station.state),
        holds=False,
    )
    here = [
        HERE,
        Precondition((REACH, '?spot', '?machine'), b.why('needs_machine', machine='machine')),
    ]
    hidden = {'machine': own, 'spot': 'spot', **levels}
    if station.inside:
        # Behind a closed door it is not in sight any more.
        why = b.why('needs_machine', machine='machine')
        held = [Precondition((IN, '?item', '?machine'), why, offered=not door)]
        if door:
            closed = b.state('closed')
            held.append(Precondition((IS, '?machine', closed), b.why('open', place='machine')))
            b.rule('machine_closed', **words)
        b.rule('machine_one', **words)
    else:
        held = [Precondition((HELD, '?item'), b.why('not_held', thing='item'))]
        b.rule('machine_at', **words)
    b.operator(
        work,
        [*held[:1], *here, *held[1:], done, *stock],
        arguments={'item': station.takes},
        hidden=hidden,
        add=[(IS, '?item', station.state), *add],
        delete=delete,
    )


def _stock(b: Build, own: str, name: str, station: Station) -> list[Precondition]:
    """Add supplies that a machine uses up; return what its work needs of them."""
    assert station.supply is not None
    b.mechanisms.append('supplies')
    most = b.draw.whole(1, 2)
    b.static |= {(NEXT, STOCK, str(n), str(n + 1)) for n in range(most)}
    refill = b.skill('refill', 'refill')
    b.operator(
        refill,
        [
            *reach(b, 'machine'),
            Precondition((STOCK, '?machine', '0'), b.why('full_stock', machine='machine')),
            Precondition((HELD, '?supply'), b.why('no_supply', machine='machine')),
            Precondition((LOAD, ROBOT, '?load')),
            Precondition(LOADED),
        ],
        arguments={'machine': own},
        hidden={'spot': 'spot', 'supply': f'{own} refill', 'load': 'level', 'less': 'level'},
        add=[(STOCK, '?machine', str(most)), (LOAD, ROBOT, '?less')],
        delete=[(STOCK, '?machine', '0'), (HELD, '?supply'), (LOAD, ROBOT, '?load')],
    )
    b.rule('stock', machine=station.noun.name, supply=station.supply.name)
    b.levels[STOCK, name] = most
    b.starts.append(lambda draw, facts: facts.add((STOCK, name, str(draw.whole(0, most)))))
    return [
        Precondition((STOCK, name, '?stock')),
        Precondition((NEXT, STOCK, '?left', '?stock'), b.why('empty_stock', machine='machine')),
    ]


def add_devices(b: Build, trade: Trade) -> None:
    """Add devices that are switched on and off, where they stand or from afar."""
    b.mechanisms.append('devices')
    nouns = [one for one in b.draw.shuffled(trade.lists['devices']) if not b.taken(one)]
    afar = b.mobile and b.draw.chance(0.4)
    for noun in nouns[: b.draw.whole(1, 3)]:
        for number in range(1, 2 + b.draw.chance(0.4)):
            tags = () if afar else ('furniture', 'spot')
            b.add(noun, number, 'device', *tags, room=b.a_room())
    on, off = b.state('on'), b.state('off')
    names = [one.name for one in b.of('device')]
    classes = b.classes('device')
    near = [] if afar else reach(b, 'device')
    for concept, before, after in (('on', off, on), ('off', on, off)):
        skill = b.skill(DEVICE, concept)
        why = b.already('device', after)
        b.operator(
            skill,
            [*near, Precondition((IS, '?device', before), why)],
            arguments={'device': 'device'},
            hidden={} if afar else {'spot': 'spot'},
            add=[(IS, '?device', after)],
            delete=[(IS, '?device', before)],
        )
        b.wishes.append(Wish(b.state_predicate(after, classes), 'state', classes, act=concept))

    def start(draw: Draw, facts: set[Fact]) -> None:
        for name in names:
            facts.add((IS, name, on if draw.chance(0.4) else off))

    b.starts.append(start)


def add_cleaning(b: Build) -> None:
    """Add wiping of surfaces, with a cloth in the hand or water from a tank."""
    b.mechanisms.append('cleaning')
    wipe = b.skill(WORK, 'wipe')
    state = b.state('wiped')
    classes = b.classes('surfaces')
    needs = [
        *reach(b, 'place'),
        Precondition((IS, '?place', state), b.already('place', state), holds=False),
    ]
    add: list[Fact] = [(IS, '?place', state)]
    if b.mobile and b.draw.chance(0.6):
        most = b.draw.whole(2, 3)
        b.static |= {(NEXT, TANK, str(n), str(n + 1)) for n in range(most)}
        noun = {'en': Noun('sink', ('tap',)), 'de': Noun('waschbecken', (), 'n')}.get(
            b.language, Noun('fregadero', (), 'm')
        )
        tap = b.add(noun, 1, 'furniture', 'spot', 'tap', room=b.a_room())
        b.levels[TANK, ROBOT] = most
        b.operator(
            wipe,
            [
                *needs,
                Precondition((TANK, ROBOT, '?tank')),
                Precondition((NEXT, TANK, '?left', '?tank'), b.why('tank_empty')),
            ],
            arguments={'place': 'surfaces'},
            hidden={'spot': 'spot', 'tank': 'level', 'left': 'level'},
            add=[*add, (TANK, ROBOT, '?left')],
            delete=[(TANK, ROBOT, '?tank')],
        )
        fill = b.skill('refill', 'fill_tank')
        b.operator(
            fill,
            [
                HERE,
                Precondition((REACH, '?spot', '?tap'), b.why('no_tap')),
                Precondition((TANK, ROBOT, '?tank')),
            ],
            hidden={'spot': 'spot', 'tap': 'tap', 'tank': 'level'},
            add=[(TANK, ROBOT, str(most))],
            delete=[(TANK, ROBOT, '?tank')],
        )
        b.rule('tank', n=most, tap=tap.name)
        b.starts.append(lambda draw, facts: facts.add((TANK, ROBOT, str(draw.whole(0, most)))))
    elif b.hands:
        noun = {'en': Noun('cleaning cloth', ('cloth',)), 'de': Noun('putztuch', (), 'n')}.get(
            b.language, Noun('trapo', (), 'm')
        )
        b.add(noun, 1, 'grabbable', 'refill', 'cloth')
        why = b.why('no_cloth', thing='_').replace('{_}', noun.name)
        b.operator(
            wipe,
            [*needs, Precondition((HELD, '?cloth'), why)],
            arguments={'place': 'surfaces'},
            hidden={'spot': 'spot', 'cloth': 'cloth'},
            add=add,
        )
        b.rule('cloth', tool=noun.name)
    else:
        b.operator(wipe, needs, arguments={'place': 'surfaces'}, hidden={'spot': 'spot'}, add=add)
    b.wishes.append(Wish(b.state_predicate(state, classes), 'state', classes, act='wipe'))
