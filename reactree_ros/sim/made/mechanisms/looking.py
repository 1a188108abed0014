# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Inspection, readings, photographs and reports, and what is only found out by them."""

from __future__ import annotations

from collections.abc import Mapping

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.mechanisms.handling import reach
from reactree_ros.sim.made.robot import IS, Build, Wish
from reactree_ros.sim.planning.facts import Fact, Precondition
from reactree_ros.sim.vocabulary import Trade

LOOK = 'look'
"""Role of skills that find something out."""


def add_looking(b: Build, trade: Trade) -> None:
    """Add what is inspected, read or photographed, and reports."""
    b.mechanisms.append('inspection')
    kinds = b.draw.shuffled(['inspect', 'read', 'photograph'])[: b.draw.whole(1, 3)]
    defects = [b.state(key) for key in b.draw.shuffled(['damaged', 'leaking', 'worn'])]
    defects = defects[: b.draw.whole(1, 2)]
    hidden: dict[str, list[str]] = {}
    for kind in sorted(kinds):
        tag, names = {
            'inspect': ('inspectable', 'equipment'),
            'read': ('gauge', 'gauges'),
            'photograph': ('inspectable', 'equipment'),
        }[kind]
        if not b.of(tag):
            nouns = [one for one in b.draw.shuffled(trade.lists[names]) if not b.taken(one)]
            for noun in nouns[: b.draw.whole(2, 3)]:
                for number in range(1, 2 + b.draw.chance(0.35)):
                    b.add(noun, number, 'furniture', 'spot', tag, room=b.a_room())
        state = b.state(
            {'inspect': 'inspected', 'read': 'read', 'photograph': 'photographed'}[kind]
        )
        skill = b.skill(LOOK, kind)
        b.operator(
            skill,
            reach(b, 'place'),
            arguments={'place': tag},
            hidden={'spot': 'spot'},
            add=[(IS, '?place', state)],
        )
        classes = b.classes(tag)
        name = b.state_predicate(state, classes)
        b.wishes.append(Wish(name, 'state', classes, act=kind))
        if kind == 'inspect':
            hidden[state] = defects
        elif kind == 'read':
            hidden[state] = [b.state(key) for key in ('high', 'low', 'normal')]
    _findings(b, hidden)
    if hidden and b.draw.chance(0.6):
        _reports(b, hidden)


def _findings(b: Build, hidden: Mapping[str, list[str]]) -> None:
    for looked, states in hidden.items():
        tag = 'gauge' if looked == b.state('read') else 'inspectable'
        classes = b.classes(tag)
        for state in states:
            b.hides[state] = looked
            b.wishes.append(Wish(b.state_predicate(state, classes), 'found', classes, act=looked))
        names = [one.name for one in b.of(tag)]

        def start(
            draw: Draw,
            facts: set[Fact],
            names: list[str] = names,
            states: list[str] = states,
            always: bool = tag == 'gauge',
        ) -> None:
            for name in names:
                if always or draw.chance(0.4):
                    facts.add((IS, name, draw.pick(states)))

        b.starts.append(start)


def _reports(b: Build, hidden: Mapping[str, list[str]]) -> None:
    state = b.state('reported')
    report = b.skill('report', 'report')
    classes: tuple[str, ...] = ()
    for looked in hidden:
        tag = 'gauge' if looked == b.state('read') else 'inspectable'
        b.operator(
            report,
            [
                Precondition((IS, '?place', looked), b.why('not_inspected', thing='place')),
                Precondition((IS, '?place', state), b.already('place', state), holds=False),
            ],
            arguments={'place': tag},
            add=[(IS, '?place', state)],
        )
        classes += b.classes(tag)
    b.rule('report')
    name = b.state_predicate(state, classes)
    b.wishes.append(Wish(name, 'state', classes, act='report'))
