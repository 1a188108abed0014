# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""People: who gets things, who is notified, and who has to be called first."""

from __future__ import annotations

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.mechanisms.handling import LOADED, reach
from reactree_ros.sim.made.robot import HELD, IS, LOAD, ON, ROBOT, Build, Wish
from reactree_ros.sim.planning.facts import Fact, Precondition
from reactree_ros.sim.vocabulary import Trade

TELL = 'tell'
"""Role of skills that talk to people."""


def add_people(b: Build, trade: Trade) -> None:
    """Add people, who stand somewhere and may be away."""
    b.mechanisms.append('people')
    nouns = [one for one in b.draw.shuffled(trade.lists['people']) if not b.taken(one)]
    for noun in nouns[: b.draw.whole(1, 3)]:
        b.add(noun, 1, 'furniture', 'spot', 'recipient', room=b.a_room())


def add_service(b: Build) -> None:
    """Add what is done for people, once handling is there."""
    gives = b.hands > 0 and b.draw.chance(0.75)
    notifies = not gives or b.draw.chance(0.5)
    calls = b.draw.chance(0.35)
    afar = notifies and b.draw.chance(0.4)
    classes = b.classes('recipient')
    present = b.state('present')
    there = (
        [Precondition((IS, '?person', present), b.why('absent', person='person'), offered=False)]
        if calls
        else []
    )
    if gives:
        give = b.skill('give', 'give')
        things = tuple(
            dict.fromkeys(
                one.noun.name for one in b.of('grabbable') if not one.tags & {'key', 'refill'}
            )
        )
        b.operator(
            give,
            [
                Precondition((HELD, '?item'), b.why('not_held', thing='item')),
                *reach(b, 'person'),
                *there,
                Precondition((LOAD, ROBOT, '?load')),
                Precondition(LOADED),
            ],
            arguments={'item': 'grabbable', 'person': 'recipient'},
            hidden={'spot': 'spot', 'load': 'level', 'less': 'level'},
            add=[(ON, '?item', '?person'), (LOAD, ROBOT, '?less')],
            delete=[(HELD, '?item'), (LOAD, ROBOT, '?load')],
        )
        name = b.predicate(
            'with', {'relation': 'on'}, item=[*b.classes('grabbable')], person=classes
        )
        b.wishes.append(Wish(name, 'give', things, classes))
    if notifies:
        state = b.state('notified')
        notify = b.skill(TELL, 'notify')
        b.operator(
            notify,
            [
                *([] if afar else reach(b, 'person')),
                *([] if afar else there),
                Precondition((IS, '?person', state), b.already('person', state), holds=False),
            ],
            arguments={'person': 'recipient'},
            hidden={} if afar else {'spot': 'spot'},
            add=[(IS, '?person', state)],
        )
        b.wishes.append(Wish(b.state_predicate(state, classes), 'state', classes, act='notify'))
    if calls:
        call = b.skill(TELL, 'call')
        b.operator(
            call,
            [
                Precondition(
                    (IS, '?person', present), b.why('present', person='person'), holds=False
                )
            ],
            arguments={'person': 'recipient'},
            add=[(IS, '?person', present)],
        )
        b.rule('absent')
        names = [one.name for one in b.of('recipient')]

        def start(draw: Draw, facts: set[Fact]) -> None:
            for name in names:
                if draw.chance(0.5):
                    facts.add((IS, name, present))

        b.starts.append(start)
