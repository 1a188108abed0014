# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Class names of VirtualHome as words, and lists of objects as the model reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAME = re.compile(r'\s*(\S.*?)\s+\(?(\d{1,9})\)?\s*')

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

PLURALS = {'knife': 'knives', 'shelf': 'shelves'}
"""Plurals that are not made by an s or es."""


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


def parse_name(text: str) -> tuple[str, int] | None:
    """Read an object's name, ``fridge 1`` or ``fridge (1)``, as class and instance.

    Returns:
        None where the text is not a class followed by a number.
    """
    match = _NAME.fullmatch(text)
    return (' '.join(match[1].lower().split()), int(match[2])) if match else None


def numbered(name: str) -> str:
    """Write an object's name with its number in brackets: ``fridge 1`` as ``fridge (1)``."""
    parsed = parse_name(name)
    return f'{parsed[0]} ({parsed[1]})' if parsed else name.strip()


def listing(names: Iterable[tuple[str, int]]) -> str:
    """List objects sorted and grouped by class, e.g. ``chair (1, 2), fridge (1)``.

    The grouping follows Tables 8 and 9 of the paper.

    Args:
        names: class in words and instance number of each object.
    """
    groups: dict[str, list[str]] = {}
    for class_name, instance in sorted(names):
        groups.setdefault(class_name, []).append(str(instance))
    return ', '.join(f'{class_name} ({", ".join(n)})' for class_name, n in groups.items())


def plural(name: str) -> str:
    """Return what several things of a class are called, e.g. ``cutlery knives``.

    Args:
        name: the class in words; one that ends with an s, such as ``crackers``, is left.
    """
    *first, last = name.split()
    return ' '.join([*first, PLURALS.get(last) or (last if last.endswith('s') else f'{last}s')])


def enumeration(parts: Iterable[str]) -> str:
    """Join at least one part with commas and a final "and"."""
    *others, last = parts
    return f'{", ".join(others)} and {last}' if others else last
