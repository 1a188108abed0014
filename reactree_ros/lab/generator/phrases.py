# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Sentences that people ask in, with gaps.

``{items}`` are the things with their numbers, ``{them}`` it or them, ``{are}`` is or are;
``{at}`` is the place where they are to be, ``{to}`` the same as where they go. ``{thing}`` is one
thing, ``{bare}`` the same without its article, ``{lamp}`` the lamp, ``{vessel}`` what the thing
lies in, ``{in}`` how it lies there, and ``{same}`` the vessel named again.
"""

from __future__ import annotations

from collections.abc import Mapping

MOVE = (
    'put {items} {to}.',
    'please put {items} {to}.',
    'could you put {items} {to}?',
    'place {items} {to}, please.',
    'get {items} and put {them} {to}.',
    'find {items} and put {them} {to}.',
    'take {items} and place {them} {to}.',
    'robot, fetch {items} and set {them} down {at}.',
    'pick up {items} and put {them} {to} for me.',
    'can you find {items} and put {them} {to}, please?',
    'go and look for {items}, and place {them} {to}.',
)
"""Things brought to a place, as something to do."""

WANT = (
    'I would like to have {items} {at}.',
    'make sure that {items} {are} {at}.',
    'I want {items} {at}, thanks.',
    'this is what I need {at}: {items}.',
    'see to it that I find {items} {at}.',
    'would you mind putting {items} {to}?',
)
"""Things brought to a place, as something wanted."""

GIVE = (
    'give me {items}.',
    'bring me {items}, please.',
    'could I have {items}?',
    'get me {items}, will you?',
    'I could do with {items}.',
)
"""Things wanted, without a word about where."""

LEADS: Mapping[str, tuple[str, ...]] = {
    'put_fridge': ('The shopping is still lying around. ', 'It is getting warm in here, so ',
                   'Before anything spoils, ', 'I am tidying up the food. '),
    'put_dishwasher': ('There is washing-up to do. ', 'We have run out of clean dishes, so ',
                       'Dinner is over. ', 'The dishes will not wash themselves: '),
    'prepare_food': ('I am getting hungry. ', 'The children will be home soon, so ',
                     'It is nearly time to eat. ', 'Help me with the meal: '),
    'prepare_snack': ('The film is about to start. ', 'A friend is coming round, so ',
                      'I need a break. ', 'We will sit in the living room tonight: '),
    'setup_table': ('Guests are coming. ', 'We are about to eat, so ',
                    'Let us have a nice evening. ', 'The table has to be laid: '),
}  # fmt: skip
"""Why someone asks, by task type; put before some of the sentences."""

SWITCH = (
    ', then turn {it} on',
    ' and turn {it} on',
    ' and switch on {it}',
    ' and turn it on',
    ', then start it',
    ', and then start {it}',
    ' and, when that is done, turn on {it}',
)
"""A place switched on at the end of a sentence."""

LIGHT = (
    'look at {thing} in the light of {lamp}.',
    'please examine {thing} by the light of {lamp}.',
    'turn on {lamp} and hold {thing} in its light.',
    'take {thing} to {lamp} and turn on the light.',
    'could you hold {thing} next to {lamp} with the light turned on?',
    'I want to see {thing} under {lamp}, so switch it on and hold the {bare} there.',
)
"""A thing examined in the light."""

VESSEL = (
    'put {thing} {in} {vessel} and put the {same} {at}.',
    'place {vessel} with {thing} {in} it {at}.',
    'I would like {vessel} {at}, with {thing} {in} it.',
    'could you put {thing} {in} {vessel} and then set the {same} down {at}?',
    'please bring {vessel} that has {thing} {in} it and leave it {at}.',
)
"""A thing in a vessel brought to a place."""

_CUT = ('slice {thing}, ', 'cut {thing} into slices, ', 'take a knife and slice {thing}, ')

TREATED: Mapping[tuple[str, bool], tuple[str, ...]] = {
    ('', True): (
        'put a sliced {bare} {at}.',
        'slice {thing} and put it {at}.',
        'cut {thing} into slices and leave it {at}, please.',
        'could you slice {thing} with a knife and place it {at}?',
        'I would like a sliced {bare} {at}.',
    ),
    ('clean', False): (
        'put a clean {bare} {at}.',
        'wash {thing} and put it {at}.',
        'rinse {thing} in the sink, then place it {at}.',
        'could you clean {thing} under the faucet and leave it {at}, please?',
        'I need a freshly washed {bare} {at}.',
    ),
    ('clean', True): (
        *(f'{cut}wash it in the sink and put it {{at}}.' for cut in _CUT),
        'put a washed and sliced {bare} {at}.',
        'could you place a clean, sliced {bare} {at}?',
    ),
    ('hot', False): (
        'put a hot {bare} {at}.',
        'heat {thing} and put it {at}.',
        'warm up {thing} in the microwave oven, then place it {at}.',
        'could you heat {thing} in the microwave and leave it {at}, please?',
        'I would love a heated {bare} {at}.',
    ),
    ('hot', True): (
        *(f'{cut}heat it in the microwave oven and put it {{at}}.' for cut in _CUT),
        'put a hot sliced {bare} {at}.',
        'could you place a heated, sliced {bare} {at}?',
    ),
    ('cooked', False): (
        'put a cooked {bare} {at}.',
        'cook {thing} and put it {at}.',
        'cook {thing} in the microwave oven, then store it {at}.',
        'could you cook {thing} in the microwave and leave it {at}, please?',
        'I would like to keep a cooked {bare} {at}.',
    ),
    ('cooked', True): (
        *(f'{cut}cook it in the microwave oven and put it {{at}}.' for cut in _CUT),
        'put a cooked, sliced {bare} {at}.',
        'could you store a sliced and cooked {bare} {at}?',
    ),
    ('cold', False): (
        'put a cold {bare} {at}.',
        'chill {thing} in the fridge and put it {at}.',
        'cool {thing} down, then place it {at}.',
        'could you cool {thing} in the fridge and leave it {at}, please?',
        'I would love a chilled {bare} {at}.',
    ),
    ('cold', True): (
        *(f'{cut}cool it in the fridge and put it {{at}}.' for cut in _CUT),
        'put a cold sliced {bare} {at}.',
        'could you place a chilled, sliced {bare} {at}?',
    ),
}
"""One thing in a state, sliced or not, brought to a place."""
