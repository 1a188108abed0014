# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A trajectory in chunks, of which the model reads the finished ones as summaries.

HiAgent (Hu et al., *HiAgent: Hierarchical Working Memory Management for Solving Long-Horizon
Agent Tasks with Large Language Model*, sections 3.2 to 3.4).
"""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.core.prompt import Step, Trajectory

_RETRIEVE = 'retrieve subgoal '
_SUMMARY = 'Summary of subgoal {number}: {text}'


@dataclass
class Chunk:
    """Steps of a trajectory that belong together.

    Args:
        number: from 1.
        first: index of its first step, which says what it is for.
        end: index of the step after its last one; None while it is the current one.
        summary: what the model reads instead of its steps; None if it was not written yet.
        unfolded: the model asked for the steps themselves.
    """

    number: int
    first: int
    end: int | None = None
    summary: str | None = None
    unfolded: bool = False


class Chunks:
    """Folds the finished chunks of a trajectory.

    Args:
        trajectory: grows while chunks are opened.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self._trajectory = trajectory
        self._chunks: list[Chunk] = []

    @property
    def current(self) -> Chunk | None:
        """The chunk that is being worked on; None before the first."""
        return self._chunks[-1] if self._chunks else None

    @property
    def acted(self) -> bool:
        """Whether the current chunk has more than the line that opened it."""
        chunk = self.current
        return chunk is not None and len(self._trajectory.steps) > chunk.first + 1

    def open(self) -> Chunk | None:
        """Begin a chunk with the step that comes next; return the one that is finished by it."""
        finished = self.current
        now = len(self._trajectory.steps)
        if finished is not None:
            finished.end = now
        self._chunks.append(Chunk(len(self._chunks) + 1, now))
        return finished

    def steps_of(self, chunk: Chunk) -> tuple[Step, ...]:
        """Return all steps of a chunk."""
        return tuple(self._trajectory.steps[chunk.first : chunk.end])

    def folded(self) -> tuple[str, ...]:
        """Return how the model asks for the steps of chunks that it reads as summaries."""
        return tuple(
            f'{_RETRIEVE}{chunk.number}'
            for chunk in self._chunks
            if chunk.summary is not None and not chunk.unfolded
        )

    def unfold(self, phrase: str) -> Chunk:
        """Let the model read the steps of a chunk again, until the current one is finished."""
        chunk = self._chunks[int(phrase.removeprefix(_RETRIEVE)) - 1]
        chunk.unfolded = True
        return chunk

    def fold(self) -> None:
        """Fold all chunks that were asked for."""
        for chunk in self._chunks:
            chunk.unfolded = False

    def steps(self) -> tuple[Step, ...]:
        """Return what the model reads of the trajectory."""
        first = self._chunks[0].first if self._chunks else None
        steps = list(self._trajectory.steps[:first])
        for chunk in self._chunks:
            own = self.steps_of(chunk)
            if chunk.summary is None or chunk.unfolded:
                steps += own
            else:
                text = _SUMMARY.format(number=chunk.number, text=chunk.summary)
                steps += [own[0], Step(text, decided=False)]
        return tuple(steps)
