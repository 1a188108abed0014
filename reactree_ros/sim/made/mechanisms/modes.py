# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What stands in the way of other skills: a battery, an arm to be folded, supports, the dark."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.mechanisms.handling import HERE, PICK, PUT
from reactree_ros.sim.made.mechanisms.looking import LOOK
from reactree_ros.sim.made.mechanisms.ways import GO
from reactree_ros.sim.made.robot import IS, NEXT, REACH, ROBOT, Build, Wish
from reactree_ros.sim.planning.facts import Fact, Precondition
from reactree_ros.sim.vocabulary import Noun, noun, phrases

BATTERY = 'battery'

_LIGHT = re.compile('light|lamp|spot|chandelier|lámpara|leuchte')
"""What is in the names of devices by which one sees."""

_NOUNS = {
    'en': {'dock': 'charging dock|dock', 'battery': 'battery', 'arm': 'arm', 'support': 'supports'},
    'de': {'dock': 'f ladesäule', 'battery': 'm akku', 'arm': 'm arm', 'support': 'f stützen'},
    'es': {
        'dock': 'f estación de carga',
        'battery': 'f batería',
        'arm': 'm brazo',
        'support': 'm apoyos',
    },
}


def named(b: Build, key: str) -> Noun:
    """Return what a part of the robot is called."""
    return noun(_NOUNS[b.language][key])


def add_dock(b: Build) -> None:
    """Add the place where the battery is charged."""
    b.add(named(b, 'dock'), 1, 'furniture', 'spot', 'dock', room=b.a_room())
    b.add(named(b, 'battery'), 1, 'body part')


def add_battery(b: Build) -> None:
    """Let every trip but the one to the dock take charge of the battery."""
    b.mechanisms.append('battery')
    most = b.draw.whole(4, 7)
    (dock,), (battery,) = b.of('dock'), [one for one in b.of('body part')][:1]
    charged = b.state('charged')
    b.static |= {(NEXT, BATTERY, str(n), str(n + 1)) for n in range(most)}
    b.static.add(('a', dock.name, 'dock'))
    b.modify(
        {GO},
        [
            Precondition((BATTERY, ROBOT, '?charge')),
            Precondition((NEXT, BATTERY, '?rest', '?charge'), b.why('battery'), offered=False),
        ],
        hidden={'charge': 'level', 'rest': 'level'},
        add=[(BATTERY, ROBOT, '?rest')],
        delete=[(BATTERY, ROBOT, '?charge'), (IS, battery.name, charged)],
        unless='dock',
    )
    charge = b.skill('charge', 'dock')
    b.operator(
        charge,
        [
            HERE,
            Precondition((REACH, '?spot', '?dock'), b.why('no_dock')),
            Precondition((BATTERY, ROBOT, '?charge')),
        ],
        hidden={'spot': 'spot', 'dock': 'dock', 'charge': 'level'},
        add=[(BATTERY, ROBOT, str(most)), (IS, battery.name, charged)],
        delete=[(BATTERY, ROBOT, '?charge')],
    )
    b.rule('battery', n=most, dock=dock.name)
    b.levels[BATTERY, ROBOT] = most
    name = b.state_predicate(charged, (battery.noun.name,))
    b.wishes.append(Wish(name, 'state', (battery.noun.name,), act='charge'))
    b.starts.append(lambda draw, facts: facts.add((BATTERY, ROBOT, str(draw.whole(0, most - 1)))))


def _already_reason(b: Build, part: str, state: str, holds: bool) -> str:
    """Return the reason that a part is in a state already, or is not."""
    why = b.already('part', state if holds else f'not {state}')
    return why.replace('{part}', f'the {part}')


def add_part(b: Build) -> None:
    """Let driving, or handling or looking, need a part of the robot in a state, or not in it."""
    b.mechanisms.append('part')
    words = phrases(b.language)['parts']
    name = b.draw.pick([one for one in words['names'] if not b.taken(noun(one))])
    move: Mapping[str, Any] = b.draw.pick(words['moves'])
    part, state = b.add(noun(name), 1, 'body part'), str(move['state'])
    b.parts[part.name] = state
    b.state_predicate(state, (part.noun.name,))
    is_so: Fact = (IS, part.name, state)

    def why(key: str) -> str:
        text = b.why(key, part='_', state='state')
        return text.replace('{_}', name).replace('{state}', state)

    for makes in b.draw.shuffled([True, False]):
        b.operator(
            b.own_skill('posture', f'{b.draw.pick(move["set" if makes else "unset"])} the {name}'),
            [Precondition(is_so, _already_reason(b, name, state, makes), holds=not makes)],
            add=[is_so] if makes else (),
            delete=() if makes else [is_so],
        )
    drives = b.draw.chance(0.5)
    handles = b.hands > 0 and b.draw.chance(0.7)
    works, work = ({PICK, PUT}, 'handling') if handles else ({LOOK, PICK, PUT}, 'work')
    works &= {*b.roles.values()}
    free = b.draw.pick(['ways', work, '', '']) if works else work
    for roles, holds, what in (({GO}, drives, 'ways'), (works, not drives, work)):
        if what == free:
            continue
        reason = why('part_unset' if holds else 'part_set')
        b.modify(roles, [Precondition(is_so, reason, holds=holds, offered=False)])
        if b.draw.chance(0.7):
            b.rule(f'part_{what}_{"set" if holds else "unset"}', part=name, state=state)

    def start(draw: Draw, facts: set[Fact]) -> None:
        if draw.chance(0.5):
            facts.add(is_so)

    b.starts.append(start)


def add_posture(b: Build) -> None:
    """Let driving need an arm folded or supports up, and handling the opposite."""
    uses_arm = b.draw.chance(0.5)
    b.mechanisms.append('arm to fold' if uses_arm else 'supports')
    part = b.add(named(b, 'arm' if uses_arm else 'support'), 1, 'body part')
    state = b.state('folded' if uses_arm else 'lowered')
    drives, works = ('stow', 'unstow') if uses_arm else ('unanchor', 'anchor')
    is_so: Fact = (IS, part.name, state)
    for concept in b.draw.shuffled([drives, works]):
        # Folded to drive; lowered to work.
        makes = concept in ('stow', 'anchor')
        if concept == 'stow':
            why = b.why('stowed')
        elif concept == 'unstow':
            why = b.why('not_stowed')
        else:
            why = b.why('anchored' if makes else 'not_anchored')
        b.operator(
            b.skill('posture', concept),
            [Precondition(is_so, why, holds=not makes)],
            add=[is_so] if makes else (),
            delete=() if makes else [is_so],
        )
    b.modify(
        {GO},
        [
            Precondition(
                is_so,
                b.why('not_stowed' if uses_arm else 'anchored'),
                holds=uses_arm,
                offered=False,
            )
        ],
    )
    b.modify(
        {PICK, PUT},
        [
            Precondition(
                is_so,
                b.why('stowed' if uses_arm else 'not_anchored'),
                holds=not uses_arm,
                offered=False,
            )
        ],
    )
    b.rule('stow' if uses_arm else 'anchor')
    name = b.state_predicate(state, (part.noun.name,))
    b.wishes.append(Wish(name, 'state', (part.noun.name,), act='fold' if uses_arm else 'lower'))

    def start(draw: Draw, facts: set[Fact]) -> None:
        if draw.chance(0.5):
            facts.add(is_so)

    b.starts.append(start)


def add_darkness(b: Build) -> None:
    """Let looking need a light."""
    lights = [one for one in b.of('device') if _LIGHT.search(one.noun.name)]
    if not lights:
        return
    b.mechanisms.append('darkness')
    device = b.draw.pick(lights)
    on = b.state('on')
    why = b.why('dark', device='_').replace('{_}', device.name)
    b.modify({LOOK}, [Precondition((IS, device.name, on), why, offered=False)])
    b.rule('dark', device=device.name)
