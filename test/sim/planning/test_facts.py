# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a skill needs and changes: carried out, refused with a reason, and grounded."""

from __future__ import annotations

from reactree_ros.sim.planning.facts import (
    EACH,
    Action,
    ForEach,
    Operator,
    Precondition,
    Relations,
    Things,
    attempt,
    groundings,
)

THINGS = Things(
    {'cup 1': ('item',), 'cup 2': ('item',), 'oven 1': ('place',), 'desk 1': ('place', 'lit')}
)
TAKE = Operator(
    'take',
    {'item': 'item'},
    {'place': 'place'},
    (
        Precondition(('at', 'robot', '?place')),
        Precondition(('on', '?item', '?place'), '{item} is not here.'),
        Precondition(('hot', '?item'), '{item} on {place} is too hot.', holds=False),
    ),
    add=(('held', '?item'),),
    delete=(('on', '?item', '?place'),),
)
HEAT = Operator(
    'heat',
    {},
    {'place': 'place'},
    (Precondition(('at', 'robot', '?place')),),
    each=(ForEach('item', (('on', EACH, '?place'),), add=(('hot', EACH),)),),
)
STATE = frozenset({('at', 'robot', 'desk 1'), ('on', 'cup 1', 'desk 1'), ('on', 'cup 2', 'oven 1')})


def test_what_is_possible_changes_the_state() -> None:
    action = attempt([TAKE], ['cup 1'], STATE, THINGS)
    assert isinstance(action, Action)
    assert action.is_possible(STATE)
    assert action.after(STATE) == (STATE - {('on', 'cup 1', 'desk 1')}) | {('held', 'cup 1')}


def test_the_reason_is_that_of_the_need_reached_last() -> None:
    assert attempt([TAKE], ['cup 2'], STATE, THINGS) == 'cup 2 is not here.'
    hot = STATE | {('hot', 'cup 1')}
    assert attempt([TAKE], ['cup 1'], hot, THINGS) == 'cup 1 on desk 1 is too hot.'


def test_what_is_no_such_thing_is_refused() -> None:
    assert attempt([TAKE], ['oven 1'], STATE, THINGS) == ''
    assert attempt([TAKE], ['cup 9'], STATE, THINGS) == ''


def test_each_thing_of_which_it_is_so_changes() -> None:
    action = attempt([HEAT], [], STATE, THINGS)
    assert isinstance(action, Action)
    assert action.after(STATE) - STATE == {('hot', 'cup 1')}


def test_every_grounding_is_there_once() -> None:
    found = list(groundings(TAKE, Relations(()), {'at', 'on', 'hot'}, THINGS))
    assert {(one.arguments, one.binding['?place']) for one in found} == {
        ((cup,), place) for cup in ('cup 1', 'cup 2') for place in ('oven 1', 'desk 1')
    }
    assert len(found) == 4


def test_what_never_changes_and_does_not_hold_is_not_grounded() -> None:
    static = Relations({('on', 'cup 1', 'desk 1')})
    (only,) = groundings(TAKE, static, {'at', 'hot'}, THINGS)
    assert (only.arguments, only.binding['?place']) == (('cup 1',), 'desk 1')
