# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Things, what holds them, and how a robot takes and puts them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.robot import (
    AT,
    HELD,
    IN,
    IS,
    LOAD,
    NEXT,
    ON,
    REACH,
    ROBOT,
    Build,
    Wish,
)
from reactree_ros.sim.planning.facts import Fact, Precondition
from reactree_ros.sim.vocabulary import Trade

PICK, PUT = 'pick', 'put'
"""Roles of skills that take and put things."""
OPENING = 'opening'
"""Role of skills that open and close containers."""
HERE, FREE, LOADED = (
    Precondition((AT, ROBOT, '?spot')),
    (NEXT, LOAD, '?load', '?more'),
    (NEXT, LOAD, '?less', '?load'),
)


def reach(b: Build, place: str) -> list[Precondition]:
    """Return the needs of reaching a place from where the robot stands."""
    where = {'here': 'spot'} if b.mobile else {}
    why = b.why('out_of_reach', thing=place, **where)
    return [HERE, Precondition((REACH, '?spot', f'?{place}'), why)]


def add_places(b: Build, trade: Trade) -> None:
    """Add what things lie on and in."""
    fixed = not b.mobile
    surfaces = b.draw.shuffled(trade.lists['surfaces'])[: b.draw.whole(2, 4)]
    for noun in surfaces:
        for number in range(1, 2 + b.draw.chance(0.35)):
            b.add(noun, number, 'furniture', 'spot', 'surfaces', 'holder', room=b.a_room())
    for noun in b.draw.shuffled(trade.lists['open'])[: b.draw.whole(0, 2)]:
        for number in range(1, 2 + b.draw.chance(0.3)):
            b.add(noun, number, 'furniture', 'spot', 'containers', 'bin', 'holder', room=b.a_room())
    several = 0 if fixed and b.draw.chance(0.5) else b.draw.whole(0, 3)
    closable = b.draw.shuffled(trade.lists['closable'])[:several]
    for noun in closable:
        for number in range(1, 2 + b.draw.chance(0.25)):
            b.add(
                noun,
                number,
                'furniture',
                'spot',
                'containers',
                'can_open',
                'holder',
                room=b.a_room(),
            )


def add_things(b: Build, trade: Trade) -> None:
    """Add movable things, of two or three kinds."""
    kinds = b.draw.shuffled(trade.kinds)[: b.draw.whole(2, 3)]
    for kind in kinds:
        nouns = b.draw.shuffled(trade.kinds[kind])[: b.draw.whole(2, 4)]
        for noun in nouns:
            for number in range(1, 1 + b.draw.weighted({1: 5, 2: 3, 3: 1.5})):
                b.add(noun, number, 'grabbable', kind.name)
        if len(nouns) > 1 and not any(noun.name == kind.name for noun in nouns):
            b.kinds[kind.name] = [noun.name for noun in nouns]
            b.kind_nouns[kind.name] = kind
    if b.draw.chance(0.3) and b.hands:
        noun = b.draw.pick(trade.lists['vessels'])
        b.add(noun, 1, 'grabbable', 'vessel', 'containers', 'holder')
    b.starts.append(_placed(b))


def _placed(b: Build) -> Callable[[Draw, set[Fact]], None]:
    """Return what lays every movable thing somewhere; vessels on a surface."""

    def start(draw: Draw, facts: set[Fact]) -> None:
        things = b.things.values()
        surfaces = [
            one.name
            for one in things
            if {'furniture', 'surfaces'} <= one.tags and 'machine' not in one.tags
        ]
        inner = [
            one.name
            for one in things
            if {'furniture', 'containers'} <= one.tags and 'machine' not in one.tags
        ]
        for one in things:
            if 'grabbable' not in one.tags or 'made' in one.tags:
                continue
            if inner and not one.tags & {'vessel', 'key', 'stackable'} and draw.chance(0.45):
                facts.add((IN, one.name, draw.pick(inner)))
            else:
                facts.add((ON, one.name, draw.pick(surfaces)))
        facts.add((LOAD, ROBOT, '0'))
        for one in things:
            if 'can_open' in one.tags:
                is_open = draw.chance(0.2)
                facts.add((IS, one.name, b.state('open' if is_open else 'closed')))

    return start


def add_handling(b: Build) -> None:
    """Add the skills that take and put things, and open and close what holds them."""
    opens = b.state('open')
    b.static |= {(NEXT, LOAD, str(n), str(n + 1)) for n in range(b.hands)}
    explicit = b.draw.chance(0.35)
    pick = b.skill(PICK, 'pick_from' if explicit else 'pick')
    hidden = {'spot': 'spot', 'load': 'level', 'more': 'level'}
    hands = [Precondition((LOAD, ROBOT, '?load')), Precondition(FREE, b.why('hands_full'))]
    taken = [(HELD, '?item'), (LOAD, ROBOT, '?more')]
    out = b.why('not_here', thing='item')

    def picks(tag: str, relation: str, *needs: Precondition) -> None:
        found = {'item': 'grabbable'} | ({'place': tag} if explicit else {})
        where = [HERE, Precondition((relation, '?item', '?place'), out)]
        if tag == 'vessel':
            at = [
                Precondition((ON, '?place', '?under'), out),
                Precondition((REACH, '?spot', '?under'), out),
            ]
        else:
            at = [Precondition((REACH, '?spot', '?place'), out)]
        b.operator(
            pick,
            [*where, *at, *needs, *hands],
            arguments=found,
            hidden=hidden
            | ({} if explicit else {'place': tag})
            | ({'under': 'surfaces'} if tag == 'vessel' else {}),
            add=taken,
            delete=[(LOAD, ROBOT, '?load'), (relation, '?item', '?place')],
        )

    picks('surfaces', ON)
    is_open = Precondition((IS, '?place', opens), b.why('closed', place='place'))
    kinds = {'can_open' in one.tags for one in b.of('containers') if one.is_place}
    if False in kinds:
        picks('bin', IN)
    if True in kinds:
        picks('can_open', IN, is_open)
    if b.of('vessel'):
        picks('vessel', IN)

    holds = Precondition((HELD, '?item'), b.why('not_held', thing='item'))
    load = [Precondition((LOAD, ROBOT, '?load')), Precondition(LOADED)]
    lower = {'spot': 'spot', 'load': 'level', 'less': 'level'}
    explicit = b.draw.chance(0.4) or not b.mobile
    put = b.skill(PUT, 'put_on' if explicit else 'put')
    out = b.why(
        'out_of_reach' if explicit else 'wrong_place', thing='place' if explicit else 'item'
    )

    def puts(tag: str, relation: str, *needs: Precondition) -> None:
        b.operator(
            put,
            [holds, HERE, Precondition((REACH, '?spot', '?place'), out), *needs, *load],
            arguments={'item': 'grabbable'} | ({'place': tag} if explicit else {}),
            hidden=lower | ({} if explicit else {'place': tag}),
            add=[(relation, '?item', '?place'), (LOAD, ROBOT, '?less')],
            delete=[(HELD, '?item'), (LOAD, ROBOT, '?load')],
        )

    puts('surfaces', ON)
    vessel = 'vessel' if b.of('vessel') else ''
    not_vessel = [
        Precondition(('a', '?item', 'vessel'), b.why('wrong_place', thing='item'), holds=False)
    ]
    if False in kinds:
        puts('bin', IN, *(not_vessel if vessel else []))
    if True in kinds:
        puts('can_open', IN, *(not_vessel if vessel else []), is_open)
    if vessel:
        into = b.skill(PUT, 'put_into')
        b.operator(
            into,
            [
                holds,
                HERE,
                *not_vessel,
                Precondition((ON, '?vessel', '?under'), b.why('not_here', thing='vessel')),
                Precondition((REACH, '?spot', '?under'), b.why('not_here', thing='vessel')),
                *load,
            ],
            arguments={'item': 'grabbable', 'vessel': 'vessel'},
            hidden=lower | {'under': 'surfaces'},
            add=[(IN, '?item', '?vessel'), (LOAD, ROBOT, '?less')],
            delete=[(HELD, '?item'), (LOAD, ROBOT, '?load')],
        )
    if True in kinds:
        _add_opening(b)
    b.rule('one' if b.hands == 1 else 'capacity', n=b.hands)


def _add_opening(b: Build) -> None:
    opens, closed = b.state('open'), b.state('closed')
    needs, hidden = [], {}
    if b.draw.chance(0.3):
        needs = [Precondition((LOAD, ROBOT, '?load')), Precondition(FREE, b.why('need_free_hand'))]
        hidden = {'load': 'level', 'more': 'level'}
        b.rule('free_hand')
    for concept, before, after in (('open', closed, opens), ('close', opens, closed)):
        skill = b.skill(OPENING, concept)
        why = b.why('opened' if concept == 'open' else 'shut', place='place')
        b.operator(
            skill,
            [*reach(b, 'place'), Precondition((IS, '?place', before), why), *needs],
            arguments={'place': 'can_open'},
            hidden={'spot': 'spot', **hidden},
            add=[(IS, '?place', after)],
            delete=[(IS, '?place', before)],
        )
        classes = b.classes('can_open')
        name = b.state_predicate(after, classes)
        b.wishes.append(Wish(name, 'state', classes, act=concept))


def add_wishes(b: Build) -> None:
    """Add what may be wanted of things: where they are, and that they are held."""
    things = tuple(
        dict.fromkeys(
            one.noun.name for one in b.of('grabbable') if not one.tags & {'key', 'refill'}
        )
    )
    for key, relation, tag in (('on', 'on', 'surfaces'), ('inside', 'inside', 'containers')):
        places = [one for one in b.of(tag) if 'recipient' not in one.tags]
        if relation == 'inside':
            places = [one for one in places if 'dispenser' not in one.tags]
        if not places:
            continue
        classes = tuple(dict.fromkeys(one.noun.name for one in places))
        name = b.predicate(
            key, {'relation': relation}, item=[*b.classes('grabbable')], place=classes
        )
        wanted = [one for one in places if 'machine' not in one.tags]
        classes = tuple(dict.fromkeys(one.noun.name for one in wanted))
        if classes:
            b.wishes.append(Wish(name, 'put', things, classes, act=relation))
    name = b.predicate('held', {'held': True}, item=[*b.classes('grabbable')])
    b.wishes.append(Wish(name, 'held', things))
    b.predicate('empty', {'hands': 'empty'})
    if b.rooms:
        b.wishes.append(
            Wish(
                b.predicate('in_room', {'room': True}, item=[*b.classes('grabbable')]),
                'put_room',
                things,
                tuple(b.rooms),
            )
        )


def add_stacking(b: Build) -> None:
    """Add things that stack on each other, for an arm that reaches all of them."""
    b.mechanisms.append('stacks')
    blocks = [one for one in b.of('grabbable') if not one.tags & {'vessel', 'made'}]
    for one in blocks:
        b.things[one.name] = replace(one, tags=one.tags | {'stackable'})
    b.rule('pile')
    stack = b.skill(PUT, 'stack')
    clear = Precondition(('clear', '?other'), b.why('blocked', thing='other'))
    b.operator(
        stack,
        [
            Precondition((HELD, '?item'), b.why('not_held', thing='item')),
            Precondition((HELD, '?other'), b.why('wrong_place', thing='item'), holds=False),
            clear,
            Precondition((LOAD, ROBOT, '?load')),
            Precondition(LOADED),
        ],
        arguments={'item': 'stackable', 'other': 'stackable'},
        hidden={'load': 'level', 'less': 'level'},
        add=[(ON, '?item', '?other'), (LOAD, ROBOT, '?less')],
        delete=[(HELD, '?item'), (LOAD, ROBOT, '?load'), ('clear', '?other')],
    )
    unstack = b.skill(PICK, 'unstack')
    b.operator(
        unstack,
        [
            Precondition((ON, '?item', '?other'), b.why('not_here', thing='item')),
            Precondition((LOAD, ROBOT, '?load')),
            Precondition(FREE, b.why('hands_full')),
        ],
        arguments={'item': 'stackable'},
        hidden={'other': 'stackable', 'load': 'level', 'more': 'level'},
        add=[(HELD, '?item'), (LOAD, ROBOT, '?more'), ('clear', '?other')],
        delete=[(ON, '?item', '?other'), (LOAD, ROBOT, '?load')],
    )
    b.modify({PICK}, [Precondition(('clear', '?item'), b.why('blocked', thing='item'))])
    classes = b.classes('stackable')
    entry = b.predicates.get('on')
    if entry is not None:
        entry['place'] = [*dict.fromkeys([*entry['place'], *classes])]
        b.wishes.append(Wish('on', 'stack', classes, classes, act='stack'))

    def start(draw: Draw, facts: set[Fact]) -> None:
        below = draw.shuffled([one.name for one in b.of('stackable')])
        on = {fact[1]: fact for fact in sorted(facts) if fact[0] == ON}
        free = {one.name for one in b.of('grabbable')}
        for i, name in enumerate(below[1:], 1):
            if name in on and draw.chance(0.4):
                lower = draw.pick(below[:i])
                if lower in free and on.get(lower):
                    facts.remove(on[name])
                    facts.add((ON, name, lower))
                    free.remove(lower)
        facts |= {('clear', name) for name in free}

    b.starts.append(start)
