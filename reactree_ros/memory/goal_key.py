# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What goals are compared by, and what else a store finds experiences by."""

from __future__ import annotations

import re

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import Vectors
from reactree_ros.core.situation import replace_classes
from reactree_ros.memory.experience import Experience
from reactree_ros.memory.store import NewExperience

THING = 'thing'
PLACE = 'place'
_POLITE = re.compile(r'\b(?:please|(?:could|can|would|will) you)\b')
_THING = re.compile(rf'\b{THING}\b')
_INSTANCE = re.compile(rf'\b({THING}|{PLACE}) \d+')
_ACTS = ('Act: ', 'Expand: ')


class GoalKey:
    """Makes keys of goals: no politeness, and one word for all objects, one for all places.

    A small store holds no experience with every object, and the object outweighs the rest of a
    short goal: "put the apple in the fridge" is closer to "put down the peach in the fridge",
    which begins with a peach in the hand, than to "put the plum on the kitchen table".

    Args:
        objects: classes of movable objects.
        places: classes of places.
    """

    def __init__(
        self, objects: frozenset[str] = frozenset(), places: frozenset[str] = frozenset()
    ) -> None:
        self._masks = ((objects, THING), (places, PLACE))

    def of(self, goal: str) -> str:
        """Return the key of a goal.

        >>> GoalKey(frozenset({'apple'})).of('Could you find the apples, please?')
        'find the thing'
        """
        return ' '.join(_POLITE.sub(' ', self._masked(goal).lower()).split()).strip(' .,!?')

    def outline(self, text: str) -> str:
        """Return what a trajectory does, without thoughts and with every class masked.

        Experiences of equal key and outline show a model the same thing done. A text without
        decisions, such as a written plan, is taken line by line.
        """
        lines = text.splitlines()
        acts = [line for line in lines if line.startswith(_ACTS)] or lines
        return _INSTANCE.sub(r'\1', self._masked('\n'.join(acts)).lower())

    def describe(self, experience: Experience, vector: Vectors) -> NewExperience:
        """Return an experience as a store takes it.

        Args:
            experience: what a node went through.
            vector: embedding of the key of its goal, (dimension,), of length 1.
        """
        key = self.of(experience.goal)
        return NewExperience(
            experience,
            key,
            vector,
            things=things_in(key),
            outline=self.outline(experience.text),
            control_flows=shown_control_flows(experience.text),
        )

    def _masked(self, text: str) -> str:
        for classes, word in self._masks:
            text = replace_classes(text, classes, word)
        return text


def things_in(key: str) -> int:
    """Return how many objects a key names."""
    return len(_THING.findall(key))


def shown_control_flows(text: str) -> frozenset[ControlFlow]:
    """Return the control flows that a trajectory shows, the one above it included."""
    marked = f'\n{text}'
    return frozenset(
        flow
        for flow in ControlFlow
        if f'\nExpand: {flow.value} ' in marked or f'\nSubgoals ({flow.value},' in marked
    )
