# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Maps what a model wrote freely to skills (Huang et al., 2022; paper, Appendix C)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reactree_ros.core.decision import DONE
from reactree_ros.exceptions import ModelError
from reactree_ros.models.interface import Encoder, Pending, Ready, Vectors
from reactree_ros.skills.steps import PlanStep, exact


class SkillMatcher:
    """Finds the skill that a line means: the very same words, or the nearest by embedding.

    Embeddings of phrases are kept, because houses share most of them.

    Args:
        encoder: makes sentence embeddings; None if there is none, then only exact lines match.
    """

    def __init__(self, encoder: Encoder | None) -> None:
        self._encoder = encoder
        self._vectors: dict[str, Vectors] = {}

    def match(self, lines: Sequence[str], steps: Mapping[str, PlanStep]) -> Pending[list[str]]:
        """Ask for the phrase of every line: one of ``steps``, or ``done``.

        Args:
            lines: none of them empty.
            steps: all steps that there can be, by phrase.

        Raises:
            ModelError: if a line matches no phrase exactly and there is no encoder.
        """
        found = [exact(line, steps) for line in lines]
        open_lines = tuple(
            dict.fromkeys(line for line, phrase in zip(lines, found, strict=True) if not phrase)
        )
        if open_lines and self._encoder is None:
            raise ModelError(
                f'{open_lines[0]!r} is no skill, and without a sentence encoder the nearest one '
                'cannot be found'
            )
        if self._encoder is None or not open_lines:
            return Ready(found)
        phrases = (*steps, DONE)
        new = tuple(phrase for phrase in phrases if phrase not in self._vectors)
        vectors = self._encoder.embed((*open_lines, *new))
        return _Match(
            self, tuple(zip(lines, found, strict=True)), open_lines, phrases, new, vectors
        )

    def learn(self, phrases: Sequence[str], vectors: Vectors) -> None:
        """Keep the embeddings of phrases, (m, d)."""
        for phrase, vector in zip(phrases, vectors, strict=True):
            self._vectors.setdefault(phrase, vector)

    def nearest(self, phrases: Sequence[str], vectors: Vectors) -> list[str]:
        """Return the nearest phrase of each line; of equally near ones, the first.

        Args:
            phrases: all phrases; their embeddings are known.
            vectors: embeddings of the lines, (n, d).
        """
        known = np.stack([self._vectors[phrase] for phrase in phrases])
        # Rounded, so that the last bits, which depend on what was embedded together, do not count.
        similarity = np.round(vectors @ known.T, 5)
        return [phrases[index] for index in similarity.argmax(axis=1).tolist()]


class _Match:
    """A match that waits for embeddings."""

    def __init__(
        self,
        matcher: SkillMatcher,
        found: Sequence[tuple[str, str]],
        open_lines: Sequence[str],
        phrases: Sequence[str],
        new: Sequence[str],
        vectors: Pending[Vectors],
    ) -> None:
        self._matcher = matcher
        self._found = found
        self._open_lines = open_lines
        self._phrases = phrases
        self._new = new
        self._vectors = vectors

    def poll(self) -> list[str] | None:
        vectors = self._vectors.poll()
        if vectors is None:
            return None
        count = len(self._open_lines)
        self._matcher.learn(self._new, vectors[count:])
        nearest = self._matcher.nearest(self._phrases, vectors[:count])
        means = dict(zip(self._open_lines, nearest, strict=True))
        return [phrase or means[line] for line, phrase in self._found]

    def cancel(self) -> None:
        self._vectors.cancel()
