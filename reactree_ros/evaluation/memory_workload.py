# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Made-up experiences and goals that a store of experiences is measured with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reactree_ros.core.decision import ControlFlow
from reactree_ros.memory.experience import Experience, Origin, Termination, Verification
from reactree_ros.memory.store import NewExperience
from reactree_ros.models.interface import Vectors

DIMENSION = 384
"""Floats of an embedding, as all-MiniLM-L6-v2 makes them."""
CHUNK = 10_000
_WORDINGS = 40
_OBJECTS = 120
_PLACES = 40
_LENGTHS = (0.75, 0.6, 0.6, 0.5)
# Of the directions for all goals, a wording, an object and a place; and then of the noise:
_NOISE = 0.25
_SKEW = 2.0
# The higher, the more goals share the first few wordings, objects and places.
_DECAY = 0.8
# The higher, the fewer dimensions hold most of the variance.
_STEPS = 2_000
_STEPS_OF_A_TEXT = 10
_TASKS = 500
_ROOMS = ('bathroom', 'bedroom', 'kitchen', 'living room', '')
_FLOWS = tuple(
    frozenset(flows)
    for flows in (
        (),
        (),
        (ControlFlow.SEQUENCE,),
        (ControlFlow.PARALLEL,),
        (ControlFlow.SEQUENCE, ControlFlow.FALLBACK),
    )
)
_TERMINATIONS = (Termination.SUCCESS,) * 5 + (Termination.EXPAND,) * 4 + (Termination.FAILURE,)
"""About as often as in the runs that the paper's authors published."""


@dataclass(frozen=True)
class Workload:
    """As many experiences as wanted, drawn with a seed.

    A goal's embedding is the sum of a direction for what all goals share, one for its wording,
    one for its object, one for its place, and a little noise. So embeddings lie in clusters and
    mostly in few dimensions, as those of sentences do: mean cosine and principal components are
    about those that all-MiniLM-L6-v2 gives to the goals of household tasks. No two goals are
    equal, which is the hardest case: a store may keep the embedding of equal ones once. Texts
    are as long as those of real runs, about 1,300 characters.

    Args:
        size: how many experiences.
        seed: of everything drawn.
        dimension: floats of an embedding.
    """

    size: int
    seed: int = 0
    dimension: int = DIMENSION

    def vectors(self) -> Iterator[Vectors]:
        """Yield the embeddings, (at most ``CHUNK``, dimension), each of length 1, in order."""
        for begin in range(0, self.size, CHUNK):
            yield self._chunk(begin // CHUNK)[: self.size - begin]

    def vector(self, index: int) -> Vectors:
        """Return the embedding of one experience, (dimension,)."""
        row: Vectors = self._chunk(index // CHUNK)[index % CHUNK]
        return row

    def queries(self, count: int) -> Vectors:
        """Return embeddings of goals to look for, (count, dimension), none of them stored."""
        return self._embeddings(np.random.default_rng([self.seed, 1]), count)

    def texts(self, begin: int, end: int) -> list[str]:
        """Return the trajectories of the experiences from ``begin`` on, ``end`` excluded."""
        rng = np.random.default_rng([self.seed, 2, begin])
        drawn = rng.integers(_STEPS, size=(end - begin, _STEPS_OF_A_TEXT)).tolist()
        return [
            f'Your task is to: {self.goal(index)}\n'
            + ''.join(self._steps[step] for step in steps)
            + 'Act: done\n'
            for index, steps in zip(range(begin, end), drawn, strict=True)
        ]

    def goal(self, index: int) -> str:
        """Return the goal of an experience, which is its key, too."""
        return f'put object {index % _OBJECTS} on place {index % _PLACES}, in way {index}'

    def index(self, goal: str) -> int:
        """Return which experience has this goal."""
        return int(goal.rpartition(' ')[2])

    def experiences(self, begin: int, end: int, vectors: Vectors) -> list[NewExperience]:
        """Return the experiences from ``begin`` on, ``end`` excluded.

        Args:
            begin: index of the first.
            end: index after the last.
            vectors: their embeddings, (end - begin, dimension).
        """
        return [
            NewExperience(
                Experience(
                    self.goal(index),
                    text,
                    _TERMINATIONS[index % 10],
                    root=index % 8 == 0,
                    held=(None, 0, 0, 1)[index % 4],
                    room=_ROOMS[index % 5],
                ),
                key=self.goal(index),
                vector=vector,
                things=1 + index % 3,
                outline='Act: go to place\nAct: pick up thing\nAct: put down thing on place',
                control_flows=_FLOWS[index // 8 % 5],
            )
            for index, text, vector in zip(
                range(begin, end), self.texts(begin, end), vectors, strict=True
            )
        ]

    def origin(self, begin: int) -> Origin:
        """Return the run of the experiences that begin with this index."""
        verified = tuple(Verification)[begin // 8 % 3]
        return Origin(
            f'run {begin}',
            task=f'task {begin // 8 % _TASKS}',
            skills='household',
            model='benchmark',
            time=1.7e9 + begin,
            verified=verified,
        )

    @cached_property
    def _directions(self) -> tuple[Vectors, ...]:
        rng = np.random.default_rng([self.seed, 0])
        drawn = [self._normal(rng, count) for count in (1, _WORDINGS, _OBJECTS, _PLACES)]
        return tuple(
            np.float32(length) * normal / np.linalg.norm(normal, axis=1, keepdims=True)
            for length, normal in zip(_LENGTHS, drawn, strict=True)
        )

    @cached_property
    def _axes(self) -> Vectors:
        """Orthogonal axes, (dimension, dimension), ever shorter; of length 1 together."""
        rng = np.random.default_rng([self.seed, 5])
        axes = np.linalg.qr(rng.standard_normal((self.dimension, self.dimension)))[0]
        lengths = (1 + np.arange(self.dimension) / 8) ** -_DECAY
        scaled: Vectors = (axes * (lengths / np.linalg.norm(lengths))[:, None]).astype(np.float32)
        return scaled

    @cached_property
    def _steps(self) -> tuple[str, ...]:
        rng = np.random.default_rng([self.seed, 3])
        drawn = rng.integers(1, 9, size=(_STEPS, 4)).tolist()
        return tuple(
            f'Act: go to kitchen cabinet ({a})\nYou are at kitchen cabinet ({a}). On it you see '
            f'plate ({b}), cupcake ({c}), wine glass ({d}). Step {number}.\n'
            for number, (a, b, c, d) in enumerate(drawn)
        )

    def _chunk(self, number: int) -> Vectors:
        return self._embeddings(np.random.default_rng([self.seed, 4, number]), CHUNK)

    def _embeddings(self, rng: np.random.Generator, count: int) -> Vectors:
        total = self._normal(rng, count) * np.float32(_NOISE)
        for directions in self._directions:
            total += directions[(len(directions) * rng.random(count) ** _SKEW).astype(int)]
        unit: Vectors = total / np.linalg.norm(total, axis=1, keepdims=True)
        return unit

    def _normal(self, rng: np.random.Generator, count: int) -> Vectors:
        """Return vectors of about length 1."""
        drawn: Vectors = rng.standard_normal((count, self.dimension), dtype=np.float32)
        return drawn @ self._axes
