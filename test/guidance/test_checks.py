# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Is "done" contradicted by what was seen?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.guidance.checks import (
    asks_to_switch,
    check_done,
    destination,
    number_asked,
    verbs_of,
)

PLACE = frozenset({'furniture', 'surfaces'})
THING = frozenset({'grabbable'})


def item(text: str) -> ObservedObject:
    """Read 'apple 1 on fridge 1, sliced' or 'plum 1 held'; the room is kitchen 1."""
    name, _, states = text.partition(', ')
    held = name.endswith(' held')
    name = name.removesuffix(' held')
    name, _, place = name.partition(' on ')
    class_name, _, number = name.rpartition(' ')
    thing = held or bool(place)
    return ObservedObject(
        class_name,
        int(number),
        room='kitchen 1',
        receptacle=place,
        relation='on' if place else '',
        states=frozenset(states.split()),
        affordances=THING if thing else PLACE,
        held=held,
    )


HOUSE = ('kitchen table 1', 'fridge 1, closed', 'desk 1', 'dishwasher 1, open off')


def situation(*items: str, looked_into: tuple[str, ...] = ()) -> Situation:
    found = {one.name: one for one in map(item, (*HOUSE, *items))}
    return Situation(
        room='kitchen 1',
        objects=found,
        looked_into=frozenset(looked_into),
        movable=frozenset({'apple', 'plum', 'mug', 'cutlery knife'}),
        places=frozenset({'coffee table', 'sink'}),
    )


ON_TABLE = 'apple 1 on kitchen table 1'


@pytest.mark.parametrize(
    'goal',
    [
        'Would you mind putting an apple on the kitchen table?',
        'Take the apple and place it on the kitchen table.',
        'Find an apple and a plum and set them down on the kitchen table.',
        'I want an apple on the kitchen table, thanks.',
        'This is what I need on the kitchen table: a plum and an apple.',
        'See to it that there is 1 apple on the kitchen table.',
        'Make sure that the plum and the apple are on the kitchen table',
    ],
)
def test_a_goal_in_everyday_wording_is_read(goal: str) -> None:
    plum = ('plum 1 on kitchen table 1',)
    missing = check_done(goal, situation('apple 1 on desk 1', *plum)).objection
    assert missing == 'you have seen 0 of 1 apple at the kitchen table'
    assert check_done(goal, situation(ON_TABLE, *plum)).confirmed


def test_a_search_says_nothing_of_where_things_should_be() -> None:
    assert destination('find the apple in the fridge') == ''
    assert destination('I want a plum in the fridge.') == 'the fridge'
    assert destination('This is what I need in the fridge: a plum.') == 'the fridge'


# goal, what was seen, objection
OBJECTIONS = [
    ('find and pick up the apple', (), 'you hold nothing'),
    ('find and pick up the apple', (ON_TABLE,), 'you hold nothing'),
    ('pick up the apple', ('plum 1 held',), 'you hold plum 1, not apple'),
    ('grab a knife', (), 'you hold nothing'),
    ('put the apple on the kitchen table', ('apple 1 held',), 'you still hold apple 1'),
    ('put down the apple', ('apple 1 held',), 'you still hold apple 1'),
    ('put the apple on the kitchen table', (ON_TABLE, 'apple 2 held'), 'you still hold apple 2'),
    (
        'put the apple on the kitchen table',
        ('apple 1 on desk 1',),
        'you have seen 0 of 1 apple at the kitchen table',
    ),
    (
        'put the apple on the coffee table',
        (ON_TABLE,),
        'you have seen 0 of 1 apple at the coffee table',
    ),
    (
        'put two apples on the kitchen table',
        (ON_TABLE,),
        'you have seen 1 of 2 apple at the kitchen table',
    ),
    (
        'put 3 apples on the kitchen table',
        (ON_TABLE, 'apple 2 on kitchen table 1'),
        'you have seen 2 of 3 apple at the kitchen table',
    ),
    (
        'bring the apple and the plum to the desk',
        ('apple 1 on desk 1',),
        'you have seen 0 of 1 plum at the desk',
    ),
    (
        'find the kitchen table and put down the apple',
        ('apple 1 on desk 1',),
        'you have seen 0 of 1 apple at the kitchen table',
    ),
    ('find the apple', (), 'you have not seen any apple'),
    ('look for a plum in kitchen 1', (ON_TABLE,), 'you have not seen any plum'),
    ('open the fridge', (), 'no fridge that you have seen is open'),
    ('close the dishwasher', (), 'no dishwasher that you have seen is closed'),
    ('turn on the dishwasher', (), 'no dishwasher that you have seen is on'),
    ('slice the apple', (ON_TABLE,), 'no apple that you have seen is sliced'),
    # of several things, each is asked for
    (
        'open the fridge and the dishwasher',
        (),
        'no fridge that you have seen is open',
    ),
    (
        'put the apple in the dishwasher and turn it on',
        ('apple 1 on dishwasher 1',),
        'no dishwasher that you have seen is on',
    ),
]


@pytest.mark.parametrize(('goal', 'seen', 'objection'), OBJECTIONS)
def test_done_is_objected_to(goal: str, seen: tuple[str, ...], objection: str) -> None:
    check = check_done(goal, situation(*seen))
    assert (check.objection, check.confirmed) == (objection, False)


# goal, what was seen, confirmed
PASSES = [
    ('tidy up', (), False),
    ('go home', (), False),
    ('', (), False),
    ('find the apple', (ON_TABLE,), False),
    ('find the kitchen table', (), False),
    ('put the apple in its usual place', (ON_TABLE,), False),
    ('find and pick up the apple', ('apple 2 held',), True),
    ('take any mug', ('mug 1 held',), True),
    ('put the apple on the kitchen table', (ON_TABLE,), True),
    ('find the kitchen table and put down the apple', (ON_TABLE,), True),
    (
        'put two apples on the kitchen table',
        (ON_TABLE, 'apple 2 on kitchen table 1'),
        True,
    ),
    ('put apple 2 on the kitchen table', ('apple 2 on kitchen table 1',), True),
    ('open the dishwasher', (), True),
    ('turn off the dishwasher', (), True),
    ('close the fridge', (), True),
    # without a door there is nothing to close
    ('close and turn on the stove', ('stove 1, on',), True),
    ('turn on the coffee maker', (), False),
    ('slice the apple', ('apple 1 on desk 1, sliced',), True),
    # where the thing is does not matter
    ('slice the apple on the kitchen table', ('apple 1 on kitchen table 1, sliced',), True),
    # "both" counts what follows only if it is one kind of thing
    (
        'put both the apple and the plum on the kitchen table',
        (ON_TABLE, 'plum 1 on kitchen table 1'),
        True,
    ),
    # a number belongs to the thing that it stands at
    (
        'put mug 2 and apple 1 on the kitchen table',
        ('mug 2 on kitchen table 1', ON_TABLE),
        True,
    ),
    # where it came from does not matter
    ('bring the apple from the fridge to the desk', ('apple 1 on desk 1',), True),
    # carried there, it need not be in the hand any more
    ('take the apple to the kitchen table', (ON_TABLE,), True),
    # "close" says where here
    (
        'put the apple on the desk close to the fridge',
        ('apple 1 on desk 1', 'fridge 1, open'),
        True,
    ),
]


@pytest.mark.parametrize(('goal', 'seen', 'confirmed'), PASSES)
def test_done_is_not_objected_to(goal: str, seen: tuple[str, ...], confirmed: bool) -> None:
    check = check_done(goal, situation(*seen))
    assert (check.objection, check.confirmed) == ('', confirmed)


LAMP = ('floor lamp 1, on', 'mug 1 held')
READ = [
    # goal, what was seen besides, objection
    # a word inside a name is not a verb
    ('find and pick up the bread slice', ('bread slice 1 held',), ''),
    ('put the cooking pot on the desk', ('cooking pot 1 on desk 1',), ''),
    # nothing can be put onto a lamp: there it stays in the hand
    ('take the mug to the floor lamp and turn on the light', LAMP, ''),
    (
        'take the mug to the floor lamp and turn on the light',
        ('floor lamp 1', 'mug 1 held'),
        'no floor lamp that you have seen is on',
    ),
    ('turn on a floor lamp and hold the mug in its light', LAMP, ''),
    ('turn on a floor lamp and hold the mug in its light', LAMP[:1], 'you hold nothing'),
    # "it" is the thing that was named last, not the place or the tool
    ('rinse the mug in the sink, then place it on the desk', ('mug 1 on desk 1',), ''),
    (
        'slice the apple with a cutlery knife and place it on the desk',
        ('apple 1 on desk 1, sliced', 'cutlery knife 1 on fridge 1'),
        '',
    ),
    (
        'take a cutlery knife and slice the apple, and leave it on the desk',
        ('apple 1 on fridge 1, sliced', 'cutlery knife 1 on desk 1'),
        'you have seen 0 of 1 apple at the desk',
    ),
    ('cut a vegetable into slices and leave it on the desk', ('plum 1 on desk 1',), ''),
    # what is in a vessel is where the vessel is; what is in an oven on a counter is not there
    ('place a mug with the plum in it on the desk', ('mug 1 on desk 1', 'plum 1 on mug 1'), ''),
    (
        'see to it that I find two plums on the desk',
        ('plum 1 on desk 1',),
        'you have seen 1 of 2 plum at the desk',
    ),
    # everyday names lose their plural
    (
        'put two cutlery knife on the desk',
        ('cutlery knife 1 on desk 1',),
        'you have seen 1 of 2 cutlery knife at the desk',
    ),
    ('leave a plum on the counter', ('plum 1 on kitchen counter 1',), ''),
    (
        'leave a plum on the counter',
        ('plum 1 on desk 1',),
        'you have seen 0 of 1 plum at the counter',
    ),
]


@pytest.mark.parametrize(('goal', 'seen', 'objection'), READ)
def test_instructions_for_a_whole_task_are_read(
    goal: str, seen: tuple[str, ...], objection: str
) -> None:
    lamp = [one for one in seen if one.startswith('floor lamp')]
    known = situation('kitchen counter 1', *(one for one in seen if one not in lamp))
    switch = frozenset({'furniture', 'has_switch'})
    lamps = {one.name: replace(one, affordances=switch) for one in map(item, lamp)}
    known = replace(known, objects={**known.objects, **lamps})
    known = replace(known, movable=known.movable | {'bread slice', 'cooking pot'})
    kinds = {'counter': frozenset({'counter', 'kitchen counter'})}
    assert check_done(goal, known, kinds).objection == objection


@pytest.mark.parametrize(
    ('goal', 'name', 'number'),
    [
        ('put two plates and a mug on the desk', 'plate', 2),
        ('put two plates and a mug on the desk', 'mug', 1),
        ('get 3 bottles of juice', 'juice', 3),
        ('put two clean plates away', 'plate', 2),
        ('put both the plate and the mug on the desk', 'plate', 1),
        ('put mug 2 in the fridge', 'fridge', 1),
        ('put mug 2 in the fridge', 'mug', None),
        ('fetch another plate', 'plate', None),
        ('put all the plates away', 'plate', None),
        ('put the plates away', 'plate', None),
    ],
)
def test_how_many_a_goal_asks_for(goal: str, name: str, number: int | None) -> None:
    assert number_asked(goal, name) == number


WORDS = [
    # goal, kinds of action, may need a switch
    ('', set(), True),
    ('tidy up', set(), True),
    ('find and pick up the apple', {'find', 'hold'}, False),
    ('take the apple to the desk', {'put'}, False),
    ('put the apple in the microwave and heat it', {'put'}, True),
    ('turn the tv on', {'turn on'}, True),
    ('switch off the light switch', {'turn off'}, True),
    ('put it close to the sink', {'put'}, False),
    ('close the fridge, then slice the apple', {'close', 'slice'}, False),
]


@pytest.mark.parametrize(('goal', 'verbs', 'switch'), WORDS)
def test_the_actions_that_a_goal_names(goal: str, verbs: set[str], switch: bool) -> None:
    assert verbs_of(goal) == verbs
    assert asks_to_switch(goal) is switch


def test_words_inside_of_names_are_no_verbs() -> None:
    classes = ['bread slice', 'washing machine']
    assert verbs_of('put the bread slice in the washing machine', classes) == {'put'}
    assert not asks_to_switch('put the bread slice in the washing machine', classes)
    assert destination('put the bread slice on the desk', classes).strip() == 'the desk'


@pytest.mark.parametrize(
    ('goal', 'where'),
    [
        ('tidy up', ''),
        ('pick up the apple', ''),
        ('put the apple away', ''),
        ('Put the apple in the fridge', 'the fridge'),
        ('bring the apple from the fridge to the desk', 'the desk'),
        ('put the apple on the desk and the plum in the sink', 'the desk and the plum in the sink'),
        ('put the apple on the desk, then move the plum to the sink', 'the desk, then the sink'),
    ],
)
def test_where_a_goal_wants_something_to_be(goal: str, where: str) -> None:
    assert ' '.join(destination(goal).split()) == where
