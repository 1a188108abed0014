# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How much of what a goal names is still to be found, and where it is not sought any more."""

from __future__ import annotations

import pytest

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.guidance.household import HouseholdGuidance
from reactree_ros.guidance.needs import Needs
from reactree_ros.paths import share
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import read_library

HOUSEHOLD = read_library(share('behaviors', 'household.yaml'))
PLACE = frozenset({'furniture', 'surfaces'})
PLACES = ('kitchen table', 'fridge', 'desk', 'sink')


def thing(text: str) -> ObservedObject:
    """Read 'apple 1 on fridge 1, hot' or 'mug 1 held'."""
    text, _, states = text.partition(', ')
    held = text.endswith(' held')
    name, _, place = text.removesuffix(' held').partition(' on ')
    class_name, _, number = name.rpartition(' ')
    return ObservedObject(
        class_name,
        int(number),
        room='kitchen 1',
        receptacle=place,
        states=frozenset(states.split()),
        affordances=frozenset({'grabbable'}),
        held=held,
    )


def situation(*things: str) -> Situation:
    known = {
        f'{name} 1': ObservedObject(name, 1, 'kitchen 1', affordances=PLACE) for name in PLACES
    }
    known |= {one.name: one for one in map(thing, things)}
    return Situation('kitchen 1', '', known, movable=HOUSEHOLD.objects, places=HOUSEHOLD.places)


def needs(goal: str, *things: str, above: tuple[str, ...] = ()) -> Needs:
    path = tuple(map(HOUSEHOLD.in_class_words, (*above, goal)))
    library = HOUSEHOLD
    return Needs(
        path[-1], path[:-1], situation(*things), library.objects, library.kinds, library.tools
    )


TWO = 'Put two apples and a mug in the fridge.'
# goal, what was seen, is something missing, what is still needed
COUNTS = [
    (TWO, (), True, ()),
    (TWO, ('apple 1 on desk 1',), True, ('apple 1',)),
    (TWO, ('apple 1 on desk 1', 'mug 1 on desk 1'), True, ('apple 1', 'mug 1')),
    (
        TWO,
        ('apple 1 on desk 1', 'apple 2 on sink 1', 'mug 1 on desk 1'),
        False,
        ('apple 1', 'apple 2', 'mug 1'),
    ),
    # what lies there already is not to be found, nor is what is in the hand
    (TWO, ('apple 1 on fridge 1', 'apple 2 held', 'mug 1 on desk 1'), False, ('apple 2', 'mug 1')),
    # one too many is not meant
    (
        TWO,
        ('apple 1 on fridge 1', 'apple 2 on fridge 1', 'apple 3 on desk 1', 'mug 1 on desk 1'),
        False,
        ('mug 1',),
    ),
    (TWO, ('apple 1 on desk 1', 'apple 2 on desk 1', 'apple 3 on desk 1'), True, None),
    # one thing, or an open number: any that is known and not there will do
    ('put the apple in the fridge', ('apple 1 on fridge 1', 'apple 2 on desk 1'), False, None),
    ('put another apple in the fridge', ('apple 1 on fridge 1',), True, ()),
    ('put the apples and the mugs in the fridge', ('apple 1 on desk 1',), True, ('apple 1',)),
    # everyday names have lost their plural
    ('Put two forks in the sink.', ('cutlery fork 1 on desk 1',), True, ('cutlery fork 1',)),
    # a wider word leaves open which one is meant
    ('Put a drink in the fridge.', ('juice 1 on desk 1',), True, ('juice 1',)),
    ('See to it that I find 1 mug and 1 apple on the desk', ('mug 1 on desk 1',), True, ()),
]


@pytest.mark.parametrize(('goal', 'seen', 'missing', 'needed'), COUNTS)
def test_things_are_counted_against_the_goal(
    goal: str, seen: tuple[str, ...], missing: bool, needed: tuple[str, ...] | None
) -> None:
    found = needs(goal, *seen)
    assert found.missing is missing
    if needed is not None:
        assert tuple(one.name for one in map(thing, seen) if found.needs(one)) == needed


def test_in_its_place_a_thing_is_needed_until_it_is_as_the_goal_wants_it() -> None:
    goal = 'Put a hot apple on the kitchen table.'
    cold, hot = 'apple 1 on kitchen table 1', 'apple 1 on kitchen table 1, hot'
    assert needs(goal, cold).needs(thing(cold))
    assert not needs(goal, hot).needs(thing(hot))
    # what is said about the weather asks for nothing
    chat = 'It is getting warm in here, so put an apple on the kitchen table.'
    assert not needs(chat, cold).needs(thing(cold))


def test_words_inside_of_names_ask_for_no_state() -> None:
    assert needs('put the cooking pot and the cutlery on the desk').states == frozenset()
    assert needs('put a cooked, sliced potato on the desk').states == {'cooked', 'sliced'}


def test_a_knife_is_needed_until_something_is_sliced() -> None:
    goal, knife = 'Cut an apple into slices and leave it on the desk.', 'cutlery knife 1 on sink 1'
    found = needs(goal, knife, 'apple 1 on sink 1')
    assert found.needs(thing(knife))
    assert not found.missing
    assert needs(goal, 'apple 1 on sink 1').missing
    held = needs(goal, 'cutlery knife 1 held', 'apple 1 on sink 1')
    assert held.busy
    cut = needs(goal, knife, 'apple 1 on sink 1, sliced')
    assert not cut.needs(thing(knife))
    # below another node the knife is fetched by a node of its own
    assert not needs('slice the apple', knife, above=(goal,)).tools
    assert not needs('put the cutlery knife on the desk').tools


@pytest.mark.parametrize(
    'goal',
    [
        'Put the fork in a mug and put the mug on the desk.',
        'Place a mug with the fork in it on the desk.',
        'I would like a mug on the desk, with the fork in it.',
    ],
)
def test_a_vessel_is_needed_until_it_stands_there_with_its_load(goal: str) -> None:
    mug = 'mug 1 on desk 1'
    assert needs(goal, mug).needs(thing(mug))
    loaded = needs(goal, mug, 'cutlery fork 1 on mug 1')
    assert not loaded.needs(thing(mug))
    assert not loaded.needs(thing('cutlery fork 1 on mug 1'))
    # what is in the hand goes into the mug first
    assert needs(goal, mug, 'cutlery fork 1 held').busy
    assert not needs(goal, 'mug 1 held', 'cutlery fork 1 on mug 1').busy


# goal, what was seen, places to which it is worth going, and not
SEARCHES = [
    (TWO, ('apple 1 on desk 1',), {'desk 1', 'kitchen table 1', 'fridge 1'}, set()),
    (
        TWO,
        ('apple 1 on desk 1', 'apple 2 on desk 1', 'mug 1 on desk 1'),
        {'desk 1', 'fridge 1'},
        {'kitchen table 1', 'sink 1'},
    ),
    # an ordinary subgoal: once one is known, nothing else is searched
    ('find and pick up the apple', ('apple 1 on desk 1',), {'desk 1'}, {'kitchen table 1'}),
    # with the last thing in the hand the way leads to its place
    (TWO, ('apple 1 held',), {'fridge 1'}, {'desk 1', 'kitchen table 1'}),
    # of these names none says that something is to be washed or cooked
    ('find the washing sponge', ('washing sponge 1 on desk 1',), {'desk 1'}, {'sink 1'}),
]


@pytest.mark.parametrize(('goal', 'seen', 'worth', 'idle'), SEARCHES)
def test_the_search_goes_on_until_all_is_known(
    goal: str, seen: tuple[str, ...], worth: set[str], idle: set[str]
) -> None:
    phrases = offered(HOUSEHOLD, goal, situation(*seen))
    assert {f'go to {place}' for place in worth} <= phrases
    assert not {f'go to {place}' for place in idle} & phrases


def offered(library: SkillLibrary, goal: str, seen: Situation) -> set[str]:
    rooms = ('kitchen 1', 'bedroom 1')
    relevant = HouseholdGuidance(library).skill_filter(seen, rooms, (goal,))
    return {one.phrase for one in library.executable(seen, rooms, relevant)}


def test_with_a_thing_in_the_hand_its_place_is_sought_in_rooms_not_seen_yet() -> None:
    goal = 'Put a cold apple on the coffee table.'  # the fridge is known, the coffee table is not
    assert 'go to bedroom 1' in offered(HOUSEHOLD, goal, situation('apple 1 held'))
    known = 'put the apple in the fridge'
    assert 'go to bedroom 1' not in offered(HOUSEHOLD, known, situation('apple 1 held'))


def in_two_rooms(*, searched: frozenset[str], seen: tuple[str, ...] = ()) -> Situation:
    """Return what is known in the kitchen, after the bedroom was seen."""
    known = {
        name: ObservedObject(name[:-2], 1, room, affordances=PLACE | {'furniture'})
        for name, room in (('fridge 1', 'kitchen 1'), ('desk 1', 'bedroom 1'))
    }
    known |= {one.name: one for one in map(thing, seen)}
    return Situation(
        'kitchen 1',
        '',
        known,
        looked_into=searched,
        movable=HOUSEHOLD.objects,
        places=HOUSEHOLD.places,
    )


def test_a_room_is_searched_before_the_robot_goes_back_to_another() -> None:
    goal, back = 'find and pick up the apple', 'go to bedroom 1'
    assert back not in offered(HOUSEHOLD, goal, in_two_rooms(searched=frozenset()))
    assert back in offered(HOUSEHOLD, goal, in_two_rooms(searched=frozenset({'fridge 1'})))
    everywhere = frozenset({'fridge 1', 'desk 1'})
    assert back not in offered(HOUSEHOLD, goal, in_two_rooms(searched=everywhere))
    # rooms that were never seen are on offer all the time
    rooms = ('kitchen 1', 'bedroom 1', 'living room 1')
    seen = in_two_rooms(searched=frozenset())
    relevant = HouseholdGuidance(HOUSEHOLD).skill_filter(seen, rooms, (goal,))
    found = HOUSEHOLD.executable(seen, rooms, relevant)
    assert 'go to living room 1' in {one.phrase for one in found}
