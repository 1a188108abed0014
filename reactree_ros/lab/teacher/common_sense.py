# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where a person would look for a thing first: kinds of things, rooms and places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_KITCHEN_FIRST = ('kitchen', 'dining room', 'living room', 'home office', 'bedroom', 'bathroom')
_LIVING_FIRST = ('living room', 'home office', 'bedroom', 'dining room', 'kitchen', 'bathroom')
_OFFICE_FIRST = ('home office', 'bedroom', 'living room', 'dining room', 'kitchen', 'bathroom')
_BEDROOM_FIRST = ('bedroom', 'living room', 'bathroom', 'home office', 'dining room', 'kitchen')
_BATHROOM_FIRST = ('bathroom', 'bedroom', 'kitchen', 'living room', 'home office', 'dining room')

_KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    'food that spoils': (
        ('chicken', 'salmon', 'cutlets', 'milk', 'carrot', 'tomato', 'bell pepper', 'sundae'),
        ('fridge', 'kitchen counter', 'kitchen table', 'kitchen cabinet'),
        _KITCHEN_FIRST,
    ),
    'fruit and sweets': (
        ('apple', 'bananas', 'lime', 'orange', 'peach', 'pear', 'plum', 'potato', 'cupcake',
         'pancake', 'pound cake', 'pudding', 'candy bar', 'juice', 'wine', 'alcohol'),
        ('kitchen table', 'kitchen counter', 'fridge', 'kitchen cabinet', 'dining table',
         'coffee table'),
        _KITCHEN_FIRST,
    ),
    'stores': (
        ('bread slice', 'cereal', 'chips', 'crackers', 'chocolate syrup', 'condiment bottle',
         'condiment shaker', 'coffee pot', 'dishwashing liquid'),
        ('kitchen counter', 'kitchen table', 'kitchen cabinet', 'dining table', 'coffee table'),
        _KITCHEN_FIRST,
    ),
    'tableware': (
        ('bowl', 'mug', 'plate', 'water glass', 'wine glass', 'cutlery fork', 'cutlery knife',
         'cutlery spoon'),
        ('kitchen counter', 'kitchen table', 'kitchen cabinet', 'dining table', 'sink',
         'dishwasher', 'cabinet', 'coffee table'),
        _KITCHEN_FIRST,
    ),
    'pots': (
        ('cooking pot', 'frying pan'),
        ('stove', 'kitchen counter', 'kitchen cabinet', 'kitchen table'),
        _KITCHEN_FIRST,
    ),
    'things to read and decoration': (
        ('book', 'magazine', 'candle', 'photo frame', 'board game', 'remote control', 'pillow'),
        ('sofa', 'coffee table', 'tv stand', 'bookshelf', 'wall shelf', 'desk', 'nightstand',
         'bed', 'cabinet'),
        _LIVING_FIRST,
    ),
    'things for the desk': (
        ('folder', 'notes', 'keyboard', 'mouse', 'box', 'keys', 'cell phone'),
        ('desk', 'bookshelf', 'nightstand', 'coffee table', 'tv stand', 'sofa', 'bed', 'cabinet',
         'closet'),
        _OFFICE_FIRST,
    ),
    'clothes': (
        ('clothes pants', 'clothes pile', 'clothes shirt', 'slippers'),
        ('bed', 'closet', 'chair', 'washing machine'),
        _BEDROOM_FIRST,
    ),
    'things for the bath': (
        ('bar soap', 'deodorant', 'face cream', 'hair product', 'perfume', 'soap', 'sponge',
         'toilet paper', 'toothbrush', 'toothpaste', 'towel', 'washing sponge'),
        ('towel rack', 'bathroom counter', 'sink', 'bathroom cabinet', 'bathtub',
         'kitchen counter', 'closet'),
        _BATHROOM_FIRST,
    ),
}  # fmt: skip
"""Things, places and rooms of each kind: the likeliest first."""

_SPECIAL: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    'pillow': (('bed', 'sofa', 'closet', 'chair'), ('bedroom', *_LIVING_FIRST)),
    'remote control': (('coffee table', 'tv stand', 'sofa', 'bed'), _LIVING_FIRST),
    'book': (('bookshelf', 'coffee table', 'desk', 'nightstand', 'sofa', 'bed'), _LIVING_FIRST),
    'box': (('desk', 'closet', 'bed', 'cabinet'), ('bedroom', *_OFFICE_FIRST)),
}

_UNLIKELY = ('chair', 'sink', 'stove', 'garbage can', 'bathtub', 'washing machine', 'towel rack')

_ROOMS_OF_PLACES: dict[str, tuple[str, ...]] = {
    'kitchen': ('fridge', 'dishwasher', 'microwave oven', 'oven', 'stove', 'kitchen counter',
                'kitchen table', 'kitchen cabinet', 'toaster', 'coffee maker', 'sink', 'faucet',
                'garbage can', 'counter'),
    'living room': ('sofa', 'coffee table', 'tv', 'tv stand', 'floor lamp', 'bookshelf',
                    'cabinet'),
    'bedroom': ('bed', 'nightstand', 'closet', 'table lamp', 'desk'),
    'home office': ('desk', 'computer', 'table lamp', 'bookshelf'),
    'dining room': ('dining table', 'wall shelf'),
    'bathroom': ('bathroom cabinet', 'bathroom counter', 'bathtub', 'towel rack', 'toilet',
                 'washing machine', 'sink', 'faucet'),
}  # fmt: skip
"""Places that one expects in a room, before one has seen it."""


ALSO_AT = {'coffee pot': ('coffee maker',)}
"""Places that hold nothing else, and therefore need not be looked into for anything else."""


def room_class(room: str) -> str:
    """Return the class of a room.

    >>> room_class('living room 1')
    'living room'
    """
    return re.sub(r' \d+$', '', room)


def is_room(room: str, said: str) -> bool:
    """Return whether a room's name or class means a room; an empty one means all.

    >>> is_room('living room 1', 'living room')
    True
    """
    return said in ('', room, room_class(room))


def rank_of_place(thing: str, place: str) -> int:
    """Return how soon one would look for a thing at a place of some class; 0 first."""
    likely = _likely(thing)[0]
    if place in likely:
        return likely.index(place)
    return 98 + (place in _UNLIKELY)


def rooms_for_thing(thing: str, rooms: Iterable[str], here: str) -> list[str]:
    """Return rooms in the order in which one would look for a thing of some class there.

    Of two bedrooms, ``here``, the room one is in, is the first.
    """
    return _sorted_rooms(rooms, _likely(thing)[1], here)


def rooms_for_place(place: str, rooms: Iterable[str], here: str) -> list[str]:
    """Return rooms in the order in which one would expect a place of some class there."""
    order = [room for room, places in _ROOMS_OF_PLACES.items() if place in places]
    return _sorted_rooms(rooms, [*order, *_LIVING_FIRST], here)


def _likely(thing: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if thing in _SPECIAL:
        return _SPECIAL[thing]
    for things, places, rooms in _KINDS.values():
        if thing in things:
            return places, rooms
    return (), _LIVING_FIRST


def _sorted_rooms(rooms: Iterable[str], order: Sequence[str], here: str) -> list[str]:
    def rank(room: str) -> int:
        name = room_class(room)
        return order.index(name) if name in order else len(order)

    return sorted(rooms, key=lambda room: (rank(room), room != here, room))
