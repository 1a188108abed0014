# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What homes are furnished with, and which things are found where in them.

Class names, categories and properties are VirtualHome's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Furniture:
    """A kind of furniture or appliance.

    Args:
        category: VirtualHome's category.
        properties: VirtualHome's properties.
        room_for: how many things are put on or in it at most.
        on: what it stands on, if not on the floor; the first of these that the room has.
        close: what it stands close to; the first of these that the room has.
    """

    category: str
    properties: tuple[str, ...]
    room_for: int = 0
    on: tuple[str, ...] = ()
    close: tuple[str, ...] = ()

    @property
    def states(self) -> tuple[str, ...]:
        """Everything is closed and off at the start."""
        closed = ('CLOSED',) if 'CAN_OPEN' in self.properties else ()
        return closed + (('OFF',) if 'HAS_SWITCH' in self.properties else ())

    @property
    def relation(self) -> str:
        """Whether things lie INSIDE it or ON it."""
        return 'ON' if 'SURFACES' in self.properties else 'INSIDE'


@dataclass(frozen=True)
class Thing:
    """A kind of movable thing.

    Args:
        category: VirtualHome's category.
        properties: VirtualHome's properties, besides GRABBABLE.
        count: fewest and most in one home.
        places: furniture where it is found, with weights.
    """

    category: str
    properties: tuple[str, ...]
    count: tuple[int, int]
    places: Mapping[str, float]


_CLOSET = ('CAN_OPEN', 'CONTAINERS')
_MACHINE = ('CAN_OPEN', 'CONTAINERS', 'HAS_SWITCH')
_TABLE = ('SURFACES',)
_SWITCH = ('HAS_SWITCH',)
_DESKS = ('desk', 'nightstand')
_SEAT = ('SURFACES', 'SITTABLE')
_COUCH = ('SURFACES', 'SITTABLE', 'LIEABLE')

FURNITURE: Mapping[str, Furniture] = {
    'bathroomcabinet': Furniture('Furniture', _CLOSET, 5),
    'bathroomcounter': Furniture('Furniture', _TABLE, 5),
    'bathtub': Furniture('Furniture', ('CONTAINERS',), 2),
    'bed': Furniture('Furniture', _COUCH, 5),
    'bookshelf': Furniture('Furniture', _TABLE, 6),
    'cabinet': Furniture('Furniture', _CLOSET, 6),
    'chair': Furniture('Furniture', _SEAT, 1, close=('kitchentable', 'diningtable', 'desk')),
    'closet': Furniture('Furniture', _CLOSET, 5),
    'coffeemaker': Furniture('Appliances', _SWITCH, on=('kitchencounter',)),
    'coffeetable': Furniture('Furniture', _TABLE, 5),
    'computer': Furniture('Electronics', _SWITCH, on=('desk',)),
    'desk': Furniture('Furniture', _TABLE, 5),
    'diningtable': Furniture('Furniture', _TABLE, 6),
    'dishwasher': Furniture('Appliances', _MACHINE, 4),
    'faucet': Furniture('Furniture', _SWITCH, close=('sink',)),
    'floorlamp': Furniture('Lamps', _SWITCH),
    'fridge': Furniture('Appliances', _CLOSET, 6),
    'garbagecan': Furniture('Furniture', ('CONTAINERS',), 2),
    'kitchencabinet': Furniture('Furniture', _CLOSET, 5),
    'kitchencounter': Furniture('Furniture', _TABLE, 6),
    'kitchentable': Furniture('Furniture', _TABLE, 6),
    'microwave': Furniture('Appliances', _MACHINE, 2, on=('kitchencounter',)),
    'nightstand': Furniture('Furniture', _TABLE, 3, close=('bed',)),
    'sink': Furniture('Furniture', ('CONTAINERS',), 3),
    'sofa': Furniture('Furniture', _COUCH, 4, close=('coffeetable',)),
    'stove': Furniture('Appliances', ('SURFACES', 'HAS_SWITCH'), 3),
    'tablelamp': Furniture('Lamps', _SWITCH, on=_DESKS),
    'toaster': Furniture('Appliances', _SWITCH, on=('kitchencounter',)),
    'toilet': Furniture('Furniture', ('SITTABLE',)),
    'towelrack': Furniture('Furniture', _TABLE, 3),
    'tv': Furniture('Electronics', _SWITCH, on=('tvstand',)),
    'tvstand': Furniture('Furniture', _TABLE, 4),
    'wallshelf': Furniture('Furniture', _TABLE, 4),
    'washingmachine': Furniture('Appliances', _MACHINE, 3),
}
"""All furniture and appliances."""

ROOMS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    'bathroom': {
        'bathroomcabinet': (1, 2), 'bathroomcounter': (1, 1), 'sink': (1, 1), 'faucet': (1, 1),
        'toilet': (1, 1), 'bathtub': (0, 1), 'towelrack': (1, 1), 'washingmachine': (1, 1),
    },
    'bedroom': {
        'bed': (1, 1), 'nightstand': (1, 2), 'closet': (1, 1), 'cabinet': (0, 1), 'desk': (0, 1),
        'chair': (0, 1), 'bookshelf': (0, 1), 'tablelamp': (1, 1),
    },
    'kitchen': {
        'kitchentable': (1, 1), 'chair': (2, 4), 'kitchencounter': (2, 3),
        'kitchencabinet': (3, 6), 'fridge': (1, 1), 'stove': (1, 1), 'dishwasher': (1, 1),
        'sink': (1, 1), 'faucet': (1, 1), 'microwave': (1, 1), 'coffeemaker': (0, 1),
        'toaster': (0, 1), 'garbagecan': (1, 1),
    },
    'livingroom': {
        'sofa': (1, 2), 'coffeetable': (1, 1), 'tvstand': (1, 1), 'tv': (1, 1),
        'bookshelf': (1, 2), 'cabinet': (1, 2), 'floorlamp': (1, 1), 'chair': (0, 2),
    },
    'homeoffice': {
        'desk': (1, 2), 'chair': (1, 2), 'computer': (1, 1), 'bookshelf': (1, 2),
        'cabinet': (1, 1), 'tablelamp': (1, 1), 'garbagecan': (0, 1),
    },
    'diningroom': {
        'diningtable': (1, 1), 'chair': (3, 4), 'cabinet': (1, 2), 'wallshelf': (1, 1),
    },
}  # fmt: skip
"""Fewest and most of each kind of furniture by kind of room."""

_COLD = {'fridge': 4.0, 'kitchencounter': 2, 'kitchentable': 2, 'kitchencabinet': 1}
_SWEET = {'fridge': 2.0, 'kitchencounter': 2, 'kitchentable': 2, 'kitchencabinet': 2,
          'coffeetable': 1, 'diningtable': 1, 'desk': 0.5}  # fmt: skip
_FRUIT = {'kitchencounter': 3.0, 'kitchentable': 2, 'fridge': 2, 'coffeetable': 1, 'desk': 0.5,
          'diningtable': 1, 'kitchencabinet': 1}  # fmt: skip
_BOTTLE = {'fridge': 2.0, 'kitchencounter': 2, 'kitchencabinet': 2, 'coffeetable': 0.5,
           'kitchentable': 1, 'diningtable': 1, 'cabinet': 1, 'tvstand': 0.5}  # fmt: skip
_STORE = {'kitchencabinet': 3.0, 'kitchencounter': 2, 'kitchentable': 1}
_DISH = {'kitchencabinet': 4.0, 'kitchencounter': 1.5, 'kitchentable': 1, 'sink': 1,
         'diningtable': 1, 'coffeetable': 0.5, 'cabinet': 0.5, 'desk': 0.3}  # fmt: skip
_CUTLERY = {'kitchencounter': 2.0, 'kitchencabinet': 3, 'kitchentable': 1, 'sink': 0.7,
            'diningtable': 1}  # fmt: skip
_PAN = {'stove': 2.0, 'kitchencabinet': 2, 'kitchencounter': 1}
_READ = {'bookshelf': 3.0, 'desk': 1, 'coffeetable': 1, 'nightstand': 1, 'sofa': 0.7, 'bed': 0.7,
         'tvstand': 0.5, 'cabinet': 0.7, 'wallshelf': 0.5}  # fmt: skip
_OFFICE = {'desk': 3.0, 'bookshelf': 1, 'cabinet': 1, 'coffeetable': 0.5, 'nightstand': 0.3}
_SMALL = {'nightstand': 1.0, 'desk': 1, 'coffeetable': 1, 'sofa': 0.7, 'bed': 0.5, 'tvstand': 1,
          'kitchencounter': 0.5, 'cabinet': 0.5, 'bookshelf': 0.5}  # fmt: skip
_DECOR = {'tvstand': 1.0, 'bookshelf': 1, 'nightstand': 1, 'coffeetable': 0.5, 'wallshelf': 2,
          'cabinet': 1, 'diningtable': 0.5, 'bathroomcounter': 0.3}  # fmt: skip
_BATH = {'bathroomcabinet': 2.0, 'bathroomcounter': 2}
_CLOTHES = {'closet': 3.0, 'bed': 1, 'washingmachine': 1, 'chair': 0.5}
_FOOD = ('EATABLE',)
_CUT = ('EATABLE', 'CUTTABLE')
_VESSEL = ('RECIPIENT',)

THINGS: Mapping[str, Thing] = {
    'apple': Thing('Food', _CUT, (2, 3), _FRUIT),
    'barsoap': Thing('Props', (), (1, 2), {**_BATH, 'sink': 0.5, 'bathtub': 0.5}),
    'boardgame': Thing('Props', (), (0, 1), {'cabinet': 1, 'bookshelf': 2, 'closet': 1}),
    'book': Thing('Props', (), (3, 5), _READ),
    'bowl': Thing('Props', _VESSEL, (2, 3), _DISH),
    'box': Thing('Props', ('CONTAINERS',), (1, 2),
                 {'closet': 2, 'desk': 1, 'cabinet': 1, 'bed': 1}),
    'breadslice': Thing('Food', _CUT, (1, 2), _STORE),
    'candle': Thing('Props', (), (2, 3), _DECOR),
    'candybar': Thing('Food', _FOOD, (0, 1), {**_SWEET, 'nightstand': 1}),
    'carrot': Thing('Food', _CUT, (0, 2), _COLD),
    'cellphone': Thing('Electronics', (), (1, 2), _SMALL),
    'cereal': Thing('Food', _FOOD, (0, 1), _STORE),
    'chicken': Thing('Food', _CUT, (1, 1), _COLD),
    'chips': Thing('Food', _FOOD, (1, 2), {**_STORE, 'coffeetable': 1}),
    'clothespants': Thing('Clothes', (), (1, 2), _CLOTHES),
    'clothesshirt': Thing('Clothes', (), (1, 2), _CLOTHES),
    'coffeepot': Thing('Props', _VESSEL, (1, 2), {**_STORE, 'diningtable': 1}),
    'condimentbottle': Thing('Food', (), (1, 1), _STORE),
    'cookingpot': Thing('Props', _VESSEL, (1, 2), _PAN),
    'crackers': Thing('Food', _FOOD, (0, 1), {**_STORE, 'coffeetable': 0.5}),
    'cupcake': Thing('Food', _FOOD, (2, 3), _SWEET),
    'cutleryfork': Thing('Props', (), (2, 4), _CUTLERY),
    'cutleryknife': Thing('Props', (), (1, 2), _CUTLERY),
    'cutleryspoon': Thing('Props', (), (1, 2), _CUTLERY),
    'deodorant': Thing('Props', (), (0, 1), _BATH),
    'dishwashingliquid': Thing('Props', (), (1, 1), {'kitchencounter': 1, 'kitchencabinet': 1}),
    'facecream': Thing('Props', (), (0, 1), _BATH),
    'folder': Thing('Props', (), (1, 2), _OFFICE),
    'fryingpan': Thing('Props', _VESSEL, (1, 2), _PAN),
    'hairproduct': Thing('Props', (), (0, 1), _BATH),
    'juice': Thing('Food', (), (2, 3), _BOTTLE),
    'keys': Thing('Props', (), (1, 2), _SMALL),
    'lime': Thing('Food', _CUT, (0, 1), _FRUIT),
    'magazine': Thing('Props', (), (1, 3), _READ),
    'milk': Thing('Food', (), (1, 1), _COLD),
    'mug': Thing('Props', _VESSEL, (2, 3), {**_DISH, 'desk': 1, 'nightstand': 0.5}),
    'notes': Thing('Props', (), (1, 2), _OFFICE),
    'pancake': Thing('Food', _FOOD, (2, 3), _SWEET),
    'peach': Thing('Food', _CUT, (0, 1), _FRUIT),
    'pear': Thing('Food', _CUT, (0, 1), _FRUIT),
    'perfume': Thing('Props', (), (0, 1), {**_BATH, 'nightstand': 1}),
    'pillow': Thing('Props', (), (2, 3), {'bed': 3, 'sofa': 2, 'closet': 1, 'chair': 0.5}),
    'plate': Thing('Props', ('RECIPIENT', 'SURFACES'), (3, 4), _DISH),
    'plum': Thing('Food', _CUT, (0, 1), _FRUIT),
    'potato': Thing('Food', _CUT, (1, 2), _COLD),
    'poundcake': Thing('Food', _FOOD, (1, 2), _SWEET),
    'pudding': Thing('Food', _FOOD, (2, 3), _SWEET),
    'remotecontrol': Thing('Electronics', (), (1, 2),
                           {'tvstand': 2, 'sofa': 1, 'coffeetable': 2, 'bed': 0.5}),
    'salmon': Thing('Food', _CUT, (1, 1), _COLD),
    'slippers': Thing('Clothes', (), (0, 1), {'closet': 1, 'bed': 1}),
    'toiletpaper': Thing('Props', (), (1, 2), _BATH),
    'tomato': Thing('Food', _CUT, (1, 2), _COLD),
    'toothbrush': Thing('Props', (), (1, 2), _BATH),
    'toothpaste': Thing('Props', (), (1, 1), _BATH),
    'towel': Thing('Props', (), (2, 3), {'towelrack': 3, 'closet': 1, 'bathroomcabinet': 1}),
    'washingsponge': Thing('Props', (), (1, 2), {'sink': 1, 'kitchencounter': 1, 'bathtub': 1,
                                                 'bathroomcounter': 0.5}),
    'waterglass': Thing('Props', _VESSEL, (2, 4), _DISH),
    'wine': Thing('Food', (), (2, 3), _BOTTLE),
    'wineglass': Thing('Props', _VESSEL, (2, 4), _DISH),
}  # fmt: skip
"""All movable things."""
