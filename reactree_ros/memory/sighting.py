# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the blackboard holds of a class of objects: where each of them was seen last, and when.

The values are plain data, so that py_trees_ros can copy, compare and stream them, and their
``str`` is what a person reads in py-trees-blackboard-watcher.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from reactree_ros.core.observation import ObservedObject


@dataclass(frozen=True)
class Sighting:
    """One object as it was seen last.

    Args:
        object: the object; ``near`` is only true while it is in reach.
        step: number of the observation that showed it last.
        time: when that was, in seconds of a monotonic clock.
        number: grows in the order in which objects came into the memory.
        by: who says so, another robot that saw it or a person; empty for the memory's own robot.
        holder: name of the other robot that has it; empty if none has.
    """

    object: ObservedObject
    step: int
    time: float
    number: int
    by: str = ''
    holder: str = ''

    @property
    def name(self) -> str:
        """Class and instance, e.g. ``apple 1``."""
        return self.object.name

    @property
    def where(self) -> str:
        """Where it was, in the words of prompts."""
        one = self.object
        if self.holder:
            return f'in the hand of {self.holder}'
        if one.held:
            return 'in your hand'
        places = [f'{one.relation or "near"} {one.receptacle}'] if one.receptacle else []
        places += [f'in {one.room}'] if one.room else []
        return ' '.join(places) or 'somewhere'


@dataclass(frozen=True)
class ClassSightings:
    """All objects of a class that are believed to be somewhere.

    Args:
        class_name: what they are, in words, e.g. ``kitchen table``.
        objects: in the order in which they came into the memory; empty when the last one turned
            out not to be where it was.
        step: number of the latest observation.
        time: when that was, in seconds of the same clock as those of the sightings.
    """

    class_name: str
    objects: tuple[Sighting, ...]
    step: int
    time: float

    def __str__(self) -> str:
        """All objects on one line, for the watcher's columns."""
        if not self.objects:
            return 'not where it was seen, and not seen elsewhere'
        return '; '.join(self._words(one) for one in self.objects)

    def _words(self, one: Sighting) -> str:
        where = 'in the hand' if one.object.held else one.where
        states = (state.replace('_', ' ') for state in sorted(one.object.states))
        parts = [f'{one.name} {where}', *states]
        if one.step == self.step and not one.by:
            seen = 'in view'
        else:
            steps = self.step - one.step
            count = f'{steps} step{"s" if steps != 1 else ""}'
            by = f'by {one.by} ' if one.by else ''
            seen = f'seen {by}at step {one.step}, {count} and {duration(self.time - one.time)} ago'
        return f'{", ".join(parts)} ({seen})'


def key_for(class_name: str, taken: Collection[str]) -> str:
    """Return a valid blackboard key for a class that none of the taken ones equals.

    >>> key_for('kitchen table', ())
    'kitchen_table'
    >>> key_for('room', ('room', 'place'))
    'room_2'
    """
    base = re.sub(r'\W+', '_', class_name.lower()).strip('_') or 'unnamed'
    key, count = base, 1
    while key in taken:
        count += 1
        key = f'{base}_{count}'
    return key


def duration(seconds: float) -> str:
    """Return a duration in the largest unit that fits.

    >>> duration(12.4), duration(125), duration(7300)
    ('12 s', '2 min', '2 h')
    """
    if seconds < 60:
        return f'{seconds:.0f} s'
    return f'{seconds // 60:.0f} min' if seconds < 3600 else f'{seconds // 3600:.0f} h'
