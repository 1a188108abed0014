# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Machines that make new things, tools to be attached, and skills that change nothing."""

from __future__ import annotations

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.mechanisms.handling import HERE, reach
from reactree_ros.sim.made.mechanisms.machines import WORK
from reactree_ros.sim.made.robot import IS, ON, REACH, ROBOT, Build, Wish
from reactree_ros.sim.planning.facts import Fact, Precondition
from reactree_ros.sim.vocabulary import noun, phrases

WAITS = 'waits'
"""``waits(thing)``: it can be made, and is nowhere yet."""
TOOL, NO_TOOL = 'tool', 'none'
"""``tool(robot, name)``: what is attached, or ``none``."""


def add_maker(b: Build) -> None:
    """Add a machine that makes each of some things once; they lie on it then."""
    makers = phrases(b.language)['makers']
    name = b.draw.pick(sorted(makers))
    machine, made = noun(name), [noun(one) for one in makers[name]['made']]
    if any(map(b.taken, (machine, *made))):
        return
    b.mechanisms.append('maker')
    place = b.add(
        machine, 1, 'furniture', 'spot', 'machine', 'surfaces', 'holder', machine.name,
        room=b.a_room(),
    )  # fmt: skip
    does = makers[name]['does']
    names = []
    for one in b.draw.shuffled(made)[: b.draw.whole(1, len(made))]:
        thing = b.add(one, 1, 'grabbable', 'made')
        names.append(thing.name)
        article = {'en': 'the ', 'de': '', 'es': ''}[b.language]
        skill = b.own_skill(WORK, f'{does} {article}{one.name}')
        b.operator(
            skill,
            [
                HERE,
                Precondition(
                    (REACH, '?spot', '?machine'),
                    b.why('needs_machine', machine='machine'),
                ),
                Precondition(
                    (WAITS, thing.name), b.why('made', thing='_').replace('{_}', one.name)
                ),
            ],
            hidden={'spot': 'spot', 'machine': machine.name},
            add=[(ON, thing.name, place.name)],
            delete=[(WAITS, thing.name)],
        )
    things = ', '.join(name.rpartition(' ')[0] for name in names)
    b.rule('maker', machine=machine.name, does=does, things=things)

    def start(_: Draw, facts: set[Fact]) -> None:
        facts |= {(WAITS, name) for name in names}

    b.starts.append(start)


def add_tools(b: Build) -> None:
    """Add tools that are attached at a rack, and what is done with them to places."""
    b.mechanisms.append('tools')
    tools = phrases(b.language)['tools']
    rack = noun({'en': 'tool rack', 'de': 'm Werkzeughalter', 'es': 'm soporte'}[b.language])
    b.add(rack, 1, 'furniture', 'spot', 'tool rack', room=b.a_room())
    at_rack = [
        HERE,
        Precondition((REACH, '?spot', '?rack'), b.why('not_here', thing='tool')),
    ]
    hidden = {'spot': 'spot', 'rack': 'tool rack'}
    attach, detach = b.skill('tool', 'attach'), b.skill('tool', 'detach')
    state = b.state('attached')
    b.operator(
        attach,
        [*at_rack, Precondition((TOOL, ROBOT, NO_TOOL), b.why('attached'))],
        arguments={'tool': 'attachable'},
        hidden=hidden,
        add=[(TOOL, ROBOT, '?tool'), (IS, '?tool', state)],
        delete=[(TOOL, ROBOT, NO_TOOL)],
    )
    b.operator(
        detach,
        [*at_rack, Precondition((IS, '?tool', state), b.why('not_attached'))],
        arguments={'tool': 'attachable'},
        hidden=hidden,
        add=[(TOOL, ROBOT, NO_TOOL)],
        delete=[(TOOL, ROBOT, '?tool'), (IS, '?tool', state)],
    )
    tag = b.draw.pick([one for one in ('surfaces', 'inspectable', 'device') if b.of(one)])
    if not all(one.is_place for one in b.of(tag)):
        tag = 'surfaces'
    classes = b.classes(tag)
    for name in b.draw.shuffled(sorted(tools))[: b.draw.whole(1, 2)]:
        tool = b.add(noun(name), 1, 'attachable')
        does, done = tools[name]['does'], tools[name]['state']
        skill = b.own_skill(WORK, f'{does} {{place}}')
        why = b.why('no_tool', tool='_').replace('{_}', tool.noun.name)
        b.operator(
            skill,
            [
                *reach(b, 'place'),
                Precondition((IS, '?place', done), b.already('place', done), holds=False),
                Precondition((IS, tool.name, state), why),
            ],
            arguments={'place': tag},
            hidden={'spot': 'spot'},
            add=[(IS, '?place', done)],
        )
        b.rule('tool', does=does, tool=tool.noun.name, rack=rack.name)
        predicate = b.state_predicate(done, classes)
        b.wishes.append(Wish(predicate, 'state', classes, verb=does, act='work'))
    b.rule('one_tool', rack=rack.name)
    held = b.classes('attachable')
    b.wishes.append(Wish(b.state_predicate(state, held), 'state', held, act='attach'))
    b.starts.append(lambda _, facts: facts.add((TOOL, ROBOT, NO_TOOL)))


def add_idle(b: Build) -> None:
    """Add skills that change nothing, as most robots have some."""
    b.mechanisms.append('idle skills')
    for _ in range(b.draw.whole(1, 3)):
        b.operator(b.skill('idle', 'idle'), [])
