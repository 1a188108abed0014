# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Class names of VirtualHome and numbers as words."""

from __future__ import annotations

# VirtualHome writes compound nouns as one word; what is not listed here is one word.
_COMPOUNDS = (
    'bar soap|bathroom cabinet|bathroom counter|bathroom shelf|bell pepper|board game|'
    'bread slice|candy bar|ceiling fan|ceiling lamp|cell phone|chocolate syrup|'
    'closet drawer|clothes pants|clothes pile|clothes shirt|coffee maker|coffee pot|'
    'coffee table|condiment bottle|condiment shaker|cooking pot|cpu screen|creamy buns|'
    'cutlery fork|cutlery knife|cutlery spoon|cutting board|dining room|dining table|'
    'dish bowl|dish rack|dishwashing liquid|face cream|floor lamp|frying pan|garbage can|'
    'hair product|home office|kitchen cabinet|kitchen cabinets|kitchen counter|'
    'kitchen counter drawer|kitchen shelf|kitchen table|knife block|laundry basket|'
    'light switch|living room|microwave oven|minced meat|mouse mat|oven tray|paper towel|'
    'paper tray|photo frame|pound cake|power socket|remote control|sports ball|stove fan|'
    'table lamp|teddy bear|toilet paper|towel rack|tv stand|wall clock|wall lamp|wall phone|'
    'wall picture frame|wall shelf|washing machine|washing sponge|water glass|'
    'whipped cream|wine glass'
)

_WORDS = {compound.replace(' ', ''): compound for compound in _COMPOUNDS.split('|')}
# Other spellings in VirtualHome's own files.
_WORDS |= {
    'microwave': 'microwave oven',
    'coffe_maker': 'coffee maker',
    'coffemaker': 'coffee maker',
    'tooth_paste': 'toothpaste',
    'creditcard': 'credit card',
    'mousepad': 'mouse mat',
    'trashcan': 'garbage can',
    'television': 'tv',
    'couch': 'sofa',
}


_NUMBERS = ('no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine')


def number_word(count: int) -> str:
    """Write a number from 0 as people do in a sentence: ``two``, but ``12``."""
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def words(class_name: str) -> str:
    """Write a VirtualHome class name as words, e.g. ``kitchentable`` as ``kitchen table``.

    A name that is not known has its underscores turned into spaces.

    >>> words('_tall__box')
    'tall box'
    """
    name = class_name.strip().lower()
    return _WORDS.get(name, ' '.join(name.replace('_', ' ').split()))
