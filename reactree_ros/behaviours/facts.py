# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot knows, as the model reads it: from working memory and affordances alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from reactree_ros.core.names import listing, parse_name
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.settings import HELD, IN_REACH, UNEXPLORED
from reactree_ros.core.situation import Situation, furnished, unsearched


def facts_text(situation: Situation, facts: Collection[str], full: bool) -> str:
    """Return sentences to append to an observation, each with a space before it.

    Args:
        situation: what is known now.
        facts: what to state, of ``core.settings.FACTS``.
        full: state which other rooms are left even if something here is left to look into.

    Where no furniture is known, there is nothing to look into, and nothing is said about it.

    >>> bench = ObservedObject('bench', 1, 'hall 1', affordances={'furniture', 'surfaces'})
    >>> known = Situation('hall 1', objects={'bench 1': bench}, rooms=('hall 1', 'attic 1'))
    >>> facts_text(known, ['unexplored', 'held'], False)
    ' Not looked into here: bench (1). In hand: nothing.'
    """
    sentences = []
    if UNEXPLORED in facts and situation.room and furnished(situation):
        here = _listed(unsearched(situation.room, situation))
        sentences.append(
            f'Not looked into here: {here}' if here else 'Nothing here is left to look into'
        )
        if full or not here:
            left = _listed(room for room in situation.rooms if _is_left(room, situation))
            sentences.append(f'Rooms left: {left}' if left else 'No rooms left')
    if HELD in facts and (situation.room or situation.held):
        sentences.append(f'In hand: {_listed(_names(situation.held)) or "nothing"}')
    if IN_REACH in facts:
        near = [one for one in situation.objects.values() if one.near and not one.held]
        reached = [one for one in near if 'grabbable' in one.affordances]
        if reached:
            sentences.append(f'In reach: {_listed(_names(reached))}')
    return ''.join(f' {sentence}.' for sentence in sentences)


def _is_left(room: str, situation: Situation) -> bool:
    """Whether another room was never entered, or has places that were not looked into."""
    entered = room in furnished(situation)
    return room != situation.room and (not entered or bool(unsearched(room, situation)))


def _names(items: Iterable[ObservedObject]) -> list[str]:
    return [item.name for item in items]


def _listed(names: Iterable[str]) -> str:
    """List names by class; a name without a number stands as it is."""
    parsed = {name: parse_name(name) for name in names}
    numbered = listing(found for found in parsed.values() if found)
    return ', '.join(filter(None, [numbered, *(one for one, found in parsed.items() if not found)]))
