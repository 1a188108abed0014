# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Would a skill undo what a goal asks for?

Small models that hold what they looked for put it down again, and switch off what they have just
switched on, where they should say done.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reactree_ros.core.situation import Situation, named_classes
from reactree_ros.guidance.checks import destination, verbs_of
from reactree_ros.guidance.words import kinds_named

_OPPOSITES = {
    'hold': 'put',
    'put': 'hold',
    'turn on': 'turn off',
    'turn off': 'turn on',
    'open': 'close',
    'close': 'open',
}


def undoes(
    phrase: str,
    goal: str,
    situation: Situation,
    kinds: Mapping[str, frozenset[str]] = MappingProxyType({}),
) -> bool:
    """Return whether a skill does the opposite of what a goal asks for with a thing."""
    classes = situation.classes
    wanted = set(verbs_of(goal, classes))
    if not wanted & {'put', 'hold'} and destination(goal, classes):
        wanted.add('put')  # "I want an apple on the table"
    if 'put' in wanted:
        wanted.discard('hold')  # what was put down has left the hand permanently
    meant = frozenset[str]().union(*kinds_named(goal, classes, kinds).values())
    if not meant.intersection(named_classes(phrase, classes)):
        return False
    does = verbs_of(phrase, classes)
    return not does & wanted and any(_OPPOSITES.get(verb) in wanted for verb in does)
