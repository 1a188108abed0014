# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What people call things and places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reactree_ros.sim.household.words import number_word


@dataclass(frozen=True)
class Noun:
    """A name of one kind of thing.

    Args:
        one: the singular, e.g. ``apple``.
        many: the plural, e.g. ``apples``.
    """

    one: str
    many: str

    @property
    def article(self) -> str:
        """The indefinite article."""
        return 'an' if self.one[0] in 'aeiou' else 'a'


ON_TOP = frozenset({'plate'})
"""Vessels that things lie on, not in."""


def counted(noun: Noun, count: int, style: str) -> str:
    """Return how many of a thing, in words or digits.

    Args:
        noun: the thing.
        count: how many.
        style: ``digit``, or how one of them is said: ``a``, ``the`` or, in a word, ``word``.
    """
    if style == 'digit':
        return f'{count} {noun.one if count == 1 else noun.many}'
    if count > 1:
        return f'{number_word(count)} {noun.many}'
    return f'{ {"a": noun.article, "the": "the", "word": "one"}[style] } {noun.one}'


def _nouns(text: str) -> tuple[Noun, ...]:
    found = []
    for name in text.split('|'):
        one, _, many = name.partition('/')
        found.append(Noun(one, many or f'{one}s'))
    return tuple(found)


NAMES: Mapping[str, tuple[Noun, ...]] = {
    class_name: _nouns(text)
    for class_name, text in {
        'apple': 'apple', 'barsoap': 'bar soap/bars of soap|bar of soap/bars of soap',
        'book': 'book', 'bowl': 'bowl', 'box': 'box/boxes',
        'breadslice': 'bread slice|slice of bread/slices of bread', 'candle': 'candle',
        'carrot': 'carrot', 'cellphone': 'cell phone|mobile phone', 'chicken': 'chicken',
        'chips': 'bag of chips/bags of chips', 'clothespants': 'pair of pants/pairs of pants',
        'clothesshirt': 'shirt', 'coffeepot': 'coffee pot', 'cookingpot': 'cooking pot',
        'crackers': 'packet of crackers/packets of crackers',
        'cupcake': 'cupcake', 'cutleryfork': 'cutlery fork|fork',
        'cutleryknife': 'cutlery knife/cutlery knives|knife/knives',
        'cutleryspoon': 'cutlery spoon|spoon', 'folder': 'folder', 'fryingpan': 'frying pan',
        'juice': 'juice|bottle of juice/bottles of juice', 'keys': 'set of keys/sets of keys',
        'magazine': 'magazine', 'milk': 'carton of milk/cartons of milk',
        'mug': 'mug', 'notes': 'set of notes/sets of notes', 'pancake': 'pancake',
        'peach': 'peach/peaches', 'pear': 'pear', 'pillow': 'pillow', 'plate': 'plate',
        'potato': 'potato/potatoes', 'poundcake': 'pound cake', 'pudding': 'pudding',
        'remotecontrol': 'remote control|remote', 'salmon': 'salmon/salmons',
        'toiletpaper': 'roll of toilet paper/rolls of toilet paper', 'tomato': 'tomato/tomatoes',
        'towel': 'towel', 'washingsponge': 'washing sponge',
        'waterglass': 'water glass/water glasses',
        'wine': 'wine|bottle of wine/bottles of wine', 'wineglass': 'wine glass/wine glasses',
    }.items()
}  # fmt: skip
"""Names of things that mean one class and no other."""

PLACES: Mapping[str, tuple[str, ...]] = {
    'bathroomcabinet': ('the bathroom cabinet', 'a bathroom cabinet'),
    'bathroomcounter': ('the bathroom counter',),
    'bed': ('the bed', 'a bed'),
    'bookshelf': ('a bookshelf', 'the bookshelf'),
    'closet': ('the closet', 'a closet'),
    'coffeetable': ('the coffee table',),
    'desk': ('the desk', 'a desk'),
    'diningtable': ('the dining table',),
    'dishwasher': ('the dishwasher',),
    'floorlamp': ('the floor lamp',),
    'fridge': ('the fridge', 'the fridge', 'the refrigerator'),
    'kitchencabinet': ('a kitchen cabinet', 'one of the kitchen cabinets'),
    'kitchencounter': ('the kitchen counter', 'a kitchen counter'),
    'kitchentable': ('the kitchen table',),
    'microwave': ('the microwave oven', 'the microwave oven', 'the microwave'),
    'nightstand': ('the nightstand', 'a nightstand'),
    'sofa': ('the sofa', 'the couch'),
    'stove': ('the stove',),
    'tablelamp': ('the table lamp', 'a table lamp'),
    'towelrack': ('the towel rack',),
    'tvstand': ('the TV stand',),
    'wallshelf': ('the wall shelf',),
}
"""Names of places that mean one class and no other."""

GROUPS: Mapping[str, Noun] = {
    class_name: noun
    for names, noun in (
        ('juice wine milk', Noun('drink', 'drinks')),
        ('apple pear peach', Noun('piece of fruit', 'pieces of fruit')),
        ('cupcake pudding pancake poundcake', Noun('sweet treat', 'sweet treats')),
        ('potato tomato carrot', Noun('vegetable', 'vegetables')),
        ('chicken salmon', Noun('main course', 'main courses')),
        ('chips crackers', Noun('salty nibble', 'salty nibbles')),
        ('waterglass wineglass', Noun('glass', 'glasses')),
        ('cutleryfork cutleryknife cutleryspoon', Noun('piece of cutlery', 'pieces of cutlery')),
        ('plate bowl mug', Noun('piece of crockery', 'pieces of crockery')),
        ('fryingpan cookingpot coffeepot', Noun('pot or pan', 'pots or pans')),
        ('book magazine', Noun('thing to read', 'things to read')),
        ('notes folder', Noun('bit of paperwork', 'bits of paperwork')),
        ('cellphone remotecontrol', Noun('gadget', 'gadgets')),
        ('pillow towel', Noun('soft thing', 'soft things')),
        ('clothesshirt clothespants', Noun('piece of clothing', 'pieces of clothing')),
        ('barsoap toiletpaper washingsponge', Noun('bathroom thing', 'bathroom things')),
        ('candle keys box', Noun('small thing', 'small things')),
    )
    for class_name in names.split()
}
"""Names that leave the class open."""

VAGUE_PLACES: Mapping[str, tuple[str, ...]] = {
    'coffeetable': ('on the table', 'on a table'),
    'diningtable': ('on the table', 'on a table'),
    'kitchentable': ('on the table', 'on a table'),
    'kitchencounter': ('somewhere in the kitchen', 'on the counter'),
    'bathroomcounter': ('on the counter', 'somewhere in the bathroom'),
    'kitchencabinet': ('in a cabinet', 'somewhere in the kitchen'),
    'bathroomcabinet': ('in a cabinet', 'somewhere in the bathroom'),
    'bookshelf': ('on a shelf', 'somewhere easy to find'),
    'wallshelf': ('on a shelf', 'somewhere easy to find'),
}
"""Places as people say them who know which one they mean; the others have only one name."""
