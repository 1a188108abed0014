# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Working memory of one robot of several: what the others see is known at once."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.situation import unsearched
from reactree_ros.memory.working import WorkingMemory

from .test_working import APPLE, CLOSED, HELD, OPEN, PLATE, PLUM, TABLE, at, believed, board, thing

HIS = '(by bert) '
ON_TABLE = 'on table 1 in kitchen 1'


@pytest.fixture
def memory() -> Any:
    memory = WorkingMemory(namespace='memory_test', clock=lambda: 0.0)
    yield memory
    memory.close()


# what the robot itself and bert (marked) observe, one after another -> what is remembered
SHARED = [
    # seen by the other
    ([HIS, at('table 1', TABLE, APPLE)], {'apple 1': ON_TABLE}),
    # in the other's hand, with what is on it
    ([at('table 1', TABLE, APPLE), HIS, at('table 1', TABLE, HELD)], {'apple 1': 'bert'}),
    (
        [HIS, at('table 1', TABLE, thing('plate 1', held=True), PLUM)],
        {'plate 1': 'bert', 'plum 1': 'bert'},
    ),
    # given away where nobody sees it, with what is on it
    ([HIS, at('table 1', TABLE, HELD), HIS, at('table 1', TABLE)], {}),
    ([HIS, at('table 1', TABLE, thing('plate 1', held=True), PLUM), HIS, at('', TABLE)], {}),
    # put down again
    (
        [HIS, at('table 1', TABLE, HELD), HIS, at('fridge 1', OPEN, thing('apple 1', 'fridge 1'))],
        {'apple 1': 'on fridge 1 in kitchen 1'},
    ),
    # taken out of the other's hand
    ([HIS, at('table 1', TABLE, HELD), at('table 1', TABLE, HELD)], {'apple 1': 'in your hand'}),
    # what is in this robot's hand is its own matter, and so is what is on it
    ([at('table 1', TABLE, HELD), HIS, at('table 1', TABLE)], {'apple 1': 'in your hand'}),
    (
        [at('table 1', TABLE, thing('plate 1', held=True), PLUM), HIS, at('table 1', TABLE)],
        {'plate 1': 'in your hand', 'plum 1': 'on plate 1 in kitchen 1'},
    ),
    # the other sees that it is not there any more, although this robot stands there
    ([at('table 1', TABLE, APPLE), HIS, at('table 1', TABLE)], {}),
    # what this robot sees later counts
    ([HIS, at('table 1', TABLE, APPLE), at('table 1', TABLE)], {}),
    # a door that the other has closed keeps what is behind it
    (
        [at('fridge 1', OPEN, thing('juice 1', 'fridge 1', 'inside')), HIS, at('fridge 1', CLOSED)],
        {'juice 1': 'inside fridge 1 in kitchen 1'},
    ),
]


@pytest.mark.parametrize(('observations', 'expected'), SHARED)
def test_what_another_robot_observes_counts_as_the_latest(
    memory: WorkingMemory, observations: list[Any], expected: dict[str, str]
) -> None:
    by_other = False
    for one in observations:
        if one == HIS:
            by_other = True
            continue
        if by_other:
            memory.share(one, 'bert')
        else:
            memory.update(one)
        by_other = False
    words = {
        name: where.replace('in the hand of bert', 'bert') for name, where in believed().items()
    }
    assert words == expected


def test_place_hand_and_reach_stay_the_robots_own(memory: WorkingMemory) -> None:
    memory.update(at('table 1', TABLE, APPLE, PLATE))
    juice = thing('juice 1', held=True)
    memory.share(at('fridge 1', TABLE, OPEN, juice), 'bert')
    memory.share(at('', TABLE, OPEN, PLATE, juice), 'bert')
    now = memory.situation()
    assert (now.room, now.place, now.held) == ('kitchen 1', 'table 1', ())
    assert now.objects['apple 1'].near
    assert now.objects['plate 1'].near, 'bert sees it where it was'
    assert not now.objects['fridge 1'].near
    assert 'juice 1' not in now.objects
    assert memory.reader.recall('juice') == 'juice: juice 1 in the hand of bert.'
    memory.share(at('', TABLE, OPEN, thing('plate 1', 'fridge 1', 'inside')), 'bert')
    assert not memory.situation().objects['plate 1'].near


def test_where_another_robot_has_looked_is_looked_into(memory: WorkingMemory) -> None:
    memory.update(at('table 1', TABLE))
    memory.share(at('fridge 1', OPEN), 'bert')
    memory.share(at('cabinet 1', CLOSED), 'bert')
    assert memory.situation().looked_into == {'table 1', 'fridge 1'}


def test_who_saw_it_and_when_is_known(memory: WorkingMemory) -> None:
    memory.share(at('table 1', TABLE, APPLE), 'bert')
    (sighting,) = board('apple').objects
    assert (sighting.by, sighting.step) == ('bert', 1)
    assert 'seen by bert at step 1' in str(board('apple'))
    memory.update(at('table 1', TABLE, APPLE))
    (sighting,) = board('apple').objects
    assert (sighting.by, sighting.step) == ('', 2)
    assert str(board('apple')) == 'apple 1 on table 1 in kitchen 1 (in view)'


def test_an_observation_without_structure_shares_nothing(memory: WorkingMemory) -> None:
    memory.update(at('table 1', TABLE, APPLE))
    before = memory.situation()
    memory.share(type(at(''))('It hums.'), 'bert')
    assert memory.situation() is before


def test_where_another_robot_goes_is_left_to_it(memory: WorkingMemory) -> None:
    memory.update(at('', TABLE, OPEN))
    assert unsearched('kitchen 1', memory.situation()) == ('table 1', 'fridge 1')
    memory.note_claims(['table 1'], 'bert')
    assert unsearched('kitchen 1', memory.situation()) == ('fridge 1',)
    assert memory.situation().claimed == {'table 1'}
    memory.note_claims([], 'bert')
    assert unsearched('kitchen 1', memory.situation()) == ('table 1', 'fridge 1')
