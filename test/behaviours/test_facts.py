# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What agent nodes are told of what the robot knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.behaviours.facts import facts_text
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.settings import FACTS
from reactree_ros.core.situation import Situation, unsearched

PLACE = frozenset({'furniture', 'surfaces'})
THING = frozenset({'grabbable'})
ROOMS = ('kitchen 1', 'bedroom 1', 'hall 1', 'attic')
KNOWN = (
    ObservedObject('fridge', 1, 'kitchen 1', affordances=PLACE),
    ObservedObject('kitchen cabinet', 3, 'kitchen 1', affordances=PLACE),
    ObservedObject('kitchen cabinet', 2, 'kitchen 1', affordances=PLACE),
    ObservedObject('bed', 1, 'bedroom 1', affordances=PLACE),
    ObservedObject('bench', 1, 'hall 1', affordances=PLACE),
    ObservedObject('faucet', 1, 'kitchen 1', affordances=frozenset({'furniture'}), near=True),
    ObservedObject('apple', 1, 'kitchen 1', affordances=THING, near=True),
    ObservedObject('mug', 2, 'kitchen 1', affordances=THING, near=True, held=True),
    ObservedObject('plate', 1, 'bedroom 1', affordances=THING | {'surfaces'}),
)
HERE = ('fridge 1', 'kitchen cabinet 2', 'kitchen cabinet 3')


def situation(*looked_into: str, room: str = 'kitchen 1', known: Any = KNOWN) -> Situation:
    objects = {one.name: one for one in known}
    return Situation(room, '', objects, frozenset(looked_into), rooms=ROOMS)


TOLD = [
    # looked into, facts, told at the first observation or on entering a room, text
    ((), ('auto',), True, ''),
    ((), ('none',), True, ''),
    (('fridge 1',), ('unexplored',), False, ' Not looked into here: kitchen cabinet (2, 3).'),
    (
        ('bench 1',),
        ('unexplored',),
        True,
        ' Not looked into here: fridge (1), kitchen cabinet (2, 3).'
        ' Rooms left: bedroom (1), attic.',
    ),
    (
        (*HERE, 'bench 1'),
        ('unexplored',),
        False,
        ' Nothing here is left to look into. Rooms left: bedroom (1), attic.',
    ),
    ((), ('in_reach', 'held'), False, ' In hand: mug (2). In reach: apple (1).'),
]


@pytest.mark.parametrize(('looked_into', 'facts', 'full', 'text'), TOLD)
def test_what_is_told(
    looked_into: tuple[str, ...], facts: tuple[str, ...], full: bool, text: str
) -> None:
    assert facts_text(situation(*looked_into), facts, full) == text


def test_nothing_is_left() -> None:
    explored = replace(situation(*HERE, known=KNOWN[:3]), rooms=ROOMS[:1])
    expected = ' Nothing here is left to look into. No rooms left. In hand: nothing.'
    assert facts_text(explored, FACTS, False) == expected


def test_of_a_robot_that_perceives_nothing_but_text_nothing_is_told() -> None:
    assert facts_text(Situation(), FACTS, True) == ''


def test_only_places_that_can_hold_something_are_to_be_searched() -> None:
    assert unsearched('kitchen 1', situation('kitchen cabinet 2')) == (
        'fridge 1',
        'kitchen cabinet 3',
    )


def test_an_agent_node_is_told_what_has_changed(play: Any) -> None:
    goal = 'open the fridge'
    lines = ['Act: go to fridge 1', 'Think: it is closed', 'Act: open fridge 1',
             'Act: close fridge 1', 'Act: done']  # fmt: skip
    played = play({goal: lines}, facts=('unexplored',))
    played.end()
    trajectory = played.agents()[goal].trajectory
    assert 'fridge (1)' in trajectory.first_observation.partition(' Not looked into here: ')[2]
    assert 'Rooms left: ' in trajectory.first_observation
    told = [' Not looked into here: ' in one.text for one in trajectory.steps if not one.decided]
    assert told == [False, True, False]
    (opened,) = [one.text for one in trajectory.steps if one.text.startswith('You open')]
    assert 'fridge (1)' not in opened.partition(' Not looked into here: ')[2]


def test_after_an_expansion_that_failed_all_is_told_again(play: Any) -> None:
    script = {'root': ['Expand: sequence ["a", "b"]', 'Act: done'], 'a': ['Act: failure']}
    played = play(script, facts=('held',), replan_after_failure=True)
    assert played.end().status == 'succeeded'
    (told,) = [one.text for one in played.agents()['root'].trajectory.steps if not one.decided]
    assert told.startswith('sequence of 2 failed (a: ')
    assert told.endswith('. In hand: nothing.')
