# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a goal condition counts: objects of a class, in certain states, with something on them."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.sim.household.graph import Graph
from reactree_ros.sim.household.scene import Node, Scene
from reactree_ros.sim.household.words import words

STATES = {
    'sliced': 'cuttable',
    'cooked': 'grabbable',
    'hot': 'grabbable',
    'cold': 'grabbable',
    'clean': 'grabbable',
    'dirty': 'grabbable',
}
"""The states that a goal can ask of an object, and the affordance that the object needs for it."""

LACKING = {
    'has_switch': 'has no switch',
    'can_open': 'cannot be opened',
    'grabbable': 'cannot be picked up',
    'cuttable': 'cannot be sliced',
}
"""How messages say that an object lacks an affordance."""


@dataclass(frozen=True)
class Kind:
    """Objects of a class that are in all the given states.

    Args:
        words: the class in words.
        states: names of STATES, in the order of the goal.
        load: what must lie on or in the object; None if nothing need.
    """

    words: str
    states: tuple[str, ...] = ()
    load: Kind | None = None

    def fits(self, graph: Graph, node: Node) -> bool:
        """Whether a node is of this kind in a world."""
        if node.words != self.words or not self.has_states(graph.states(node.id)):
            return False
        load = self.load
        return load is None or any(
            load.fits(graph, graph.scene.nodes[edge.from_id]) for edge in graph.contents(node.id)
        )

    def has_states(self, states: tuple[str, ...]) -> bool:
        """Whether a node's states, in VirtualHome's words, have all that are asked."""
        return all(state.upper() in states for state in self.states)

    def __str__(self) -> str:
        """Say it, e.g. ``hot sliced potato`` or ``bowl with cutlery knife``."""
        name = ' '.join([*self.states, self.words])
        return f'{name} with {self.load}' if self.load else name


def read_kind(text: str, scene: Scene) -> Kind:
    """Read the subject of a condition, e.g. ``hot.potato`` or ``bowl+cutleryknife``.

    Args:
        text: states before the class, a dot after each; after a plus, what must lie on or in it.
        scene: the household, which must have the classes.

    Raises:
        ValueError: a state or class that there is not, or one that does not fit the other.
    """
    own, plus, carried = text.partition('+')
    *states, name = own.split('.')
    subject = words(name)
    have = scene.of_words(subject)
    if not have:
        raise ValueError(f'the scene has no {subject!r}')
    for state in states:
        if state not in STATES:
            raise ValueError(f'{state!r} is not one of the states {", ".join(STATES)}')
        if not any(STATES[state] in node.affordances for node in have):
            raise ValueError(f'{subject} {LACKING[STATES[state]]}')
    if len(set(states)) < len(states) or {'hot', 'cold'} <= set(states):
        raise ValueError(f'{", ".join(states)} cannot all be asked of one object')
    if not plus:
        return Kind(subject, tuple(states))
    if not any(node.affordances & {'recipient', 'surfaces', 'containers'} for node in have):
        raise ValueError(f'nothing can be put on or in {subject}')
    if '+' in carried:
        raise ValueError(f'only one thing can be asked for on or in {subject}')
    load = read_kind(carried, scene)
    if not any('grabbable' in node.affordances for node in scene.of_words(load.words)):
        raise ValueError(f'{load.words} {LACKING["grabbable"]}')
    return Kind(subject, tuple(states), load)
