# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Episodic memory: past subgoal-level experiences as in-context examples (paper, section 4.2)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from reactree_ros.core.situation import replace_classes
from reactree_ros.memory.experience import Experience, Termination
from reactree_ros.models.interface import Encoder, Pending, Vectors

_POLITE = re.compile(r'\b(?:please|(?:could|can|would|will) you)\b')


class EpisodicMemory:
    """Experiences, found by the similarity of their goals.

    Goals are compared by the cosine of their sentence embeddings, best first, until the token
    budget is full; an experience that does not fit is passed over for a shorter one. Among
    equally similar ones the next is drawn, with a seed, uniformly over the termination states.

    A small store holds no experience with every object, and the object outweighs the rest of a
    short goal: "put the apple in the fridge" is closer to "put down the peach in the fridge",
    which begins with a peach in the hand, than to "put the plum on the kitchen table". The
    parameters help; without them retrieval is the paper's. Politeness is never compared.

    Args:
        experiences: what is remembered.
        encoder: makes embeddings and counts tokens.
        objects: classes of movable objects; replaced by one word before goals are compared.
        places: classes of places; likewise.
        shape_weight: added to the similarity of experiences of the same level (root goals among
            root goals, subgoals among subgoals), and again of those whose goals name the same
            number of objects.
        margin: experiences that are less similar than the best by more than this are left out.
        seed: of the draw among equals.
    """

    def __init__(
        self,
        experiences: Sequence[Experience],
        encoder: Encoder,
        objects: frozenset[str] = frozenset(),
        places: frozenset[str] = frozenset(),
        shape_weight: float = 0.0,
        margin: float = math.inf,
        seed: int = 0,
    ) -> None:
        self._experiences = tuple(experiences)
        self._encoder = encoder
        self._masks = ((objects, 'thing'), (places, 'place'))
        # Masked once: retrieval runs on the tick's thread.
        self._goals = tuple(self._masked(one.goal) for one in self._experiences)
        self._things = np.array([_things(goal) for goal in self._goals], dtype=int)
        self._roots = np.array([one.root for one in self._experiences], dtype=bool)
        self._shape_weight = shape_weight
        self._margin = margin
        self._seed = seed
        self._vectors: Pending[Vectors] | None = None
        self._counts: Pending[tuple[int, ...]] | None = None

    def retrieve(self, goal: str, root: bool, token_budget: int) -> Pending[tuple[str, ...]]:
        """Ask for the experiences most similar to a goal.

        Args:
            goal: the agent node's goal.
            root: whether it is the goal of a whole run.
            token_budget: most tokens of all texts together, counted with the deciding model's
                tokenizer.

        Returns:
            Texts, the most similar first.
        """
        if self._vectors is None or self._counts is None:
            # Asked for once, with the first goal: the model's process may still be loading.
            self._vectors = self._encoder.embed(self._goals)
            self._counts = self._encoder.count(tuple(one.text for one in self._experiences))
        masked = self._masked(goal)
        query = self._encoder.embed((masked,))
        return _Retrieval(self, query, (root, _things(masked)), token_budget)

    def _masked(self, goal: str) -> str:
        for classes, word in self._masks:
            goal = replace_classes(goal, classes, word)
        return ' '.join(_POLITE.sub(' ', goal.lower()).split()).strip(' .,!?')

    def select(
        self,
        query: Vectors,
        shape: tuple[bool, int],
        vectors: Vectors,
        counts: Sequence[int],
        budget: int,
    ) -> tuple[str, ...]:
        """Return the texts for a query.

        Args:
            query: embedding of the goal, (d,), of length 1.
            shape: whether it is the goal of a whole run, and how many objects it names.
            vectors: embeddings of all goals, (n, d), each of length 1.
            counts: tokens of each text, n.
            budget: most tokens of all texts together.
        """
        if not self._experiences:
            return ()
        root, things = shape
        alike = (self._roots == root).astype(int) + (self._things == things)
        # Rounded, so that equal goals are equal whatever the order of summation was.
        similarity = np.round(vectors @ query + self._shape_weight * alike, 5)
        similarity[similarity < similarity.max() - self._margin] = -np.inf
        generator = np.random.default_rng(self._seed)
        order: list[int] = []
        for value in sorted(set(similarity[np.isfinite(similarity)].tolist()), reverse=True):
            order += self._in_turns(np.flatnonzero(similarity == value).tolist(), generator)
        chosen = []
        left = budget
        for index in order:
            if counts[index] <= left:
                chosen.append(self._experiences[index].text)
                left -= counts[index]
        return tuple(chosen)

    def _in_turns(self, equals: list[int], generator: np.random.Generator) -> list[int]:
        """Order equally similar experiences: each next one from a state drawn uniformly."""
        groups: dict[Termination, list[int]] = {}
        for index in generator.permutation(equals).tolist():
            groups.setdefault(self._experiences[index].termination, []).append(index)
        order = []
        while groups:
            states = sorted(groups, key=lambda state: state.value)
            state = states[int(generator.integers(len(states)))]
            order.append(groups[state].pop())
            if not groups[state]:
                del groups[state]
        return order


def _things(masked: str) -> int:
    """How many objects a masked goal names."""
    return len(re.findall(r'\bthing\b', masked))


class _Retrieval:
    """A retrieval that waits for embeddings and counts."""

    def __init__(
        self, memory: EpisodicMemory, query: Pending[Vectors], shape: tuple[bool, int], budget: int
    ) -> None:
        self._memory = memory
        self._query = query
        self._shape = shape
        self._budget = budget

    def poll(self) -> tuple[str, ...] | None:
        memory = self._memory
        if memory._vectors is None or memory._counts is None:
            return None
        query, vectors, counts = self._query.poll(), memory._vectors.poll(), memory._counts.poll()
        if query is None or vectors is None or counts is None:
            return None
        return memory.select(query[0], self._shape, vectors, counts, self._budget)

    def cancel(self) -> None:
        self._query.cancel()
