# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Maps what a model wrote freely to skills (Huang et al., 2022; paper, Appendix C)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from reactree_ros.core.decision import DONE
from reactree_ros.core.futures import Future, mapped, ready
from reactree_ros.core.model import Encoder, Vectors
from reactree_ros.errors import ModelError
from reactree_ros.lab.strategies.plan_steps import PlanStep, exact

_VECTORS: WeakKeyDictionary[Encoder, dict[str, Vectors]] = WeakKeyDictionary()
"""Embeddings of phrases: they are kept, because houses share most of them."""


class SkillMatcher:
    """Finds the skill that a line means: the very same words, or the nearest by embedding.

    Args:
        encoder: makes sentence embeddings; None if there is none, then only exact lines match.
    """

    def __init__(self, encoder: Encoder | None) -> None:
        self._encoder = encoder
        self._vectors = {} if encoder is None else _VECTORS.setdefault(encoder, {})

    def match(self, lines: Sequence[str], steps: Mapping[str, PlanStep]) -> Future[list[str]]:
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
                f'{open_lines[0]!r} is not a skill, and without a sentence encoder the nearest one '
                'cannot be found'
            )
        if self._encoder is None or not open_lines:
            return ready(found)
        phrases = (*steps, DONE)
        new = tuple(phrase for phrase in phrases if phrase not in self._vectors)

        def phrases_of(vectors: Vectors) -> list[str]:
            count = len(open_lines)
            self._learn(new, vectors[count:])
            means = dict(zip(open_lines, self._nearest(phrases, vectors[:count]), strict=True))
            return [phrase or means[line] for line, phrase in zip(lines, found, strict=True)]

        return mapped(self._encoder.embed((*open_lines, *new)), phrases_of)

    def _learn(self, phrases: Sequence[str], vectors: Vectors) -> None:
        """Keep the embeddings of phrases, (m, d)."""
        for phrase, vector in zip(phrases, vectors, strict=True):
            self._vectors.setdefault(phrase, vector)

    def _nearest(self, phrases: Sequence[str], vectors: Vectors) -> list[str]:
        """Return the nearest phrase of each line; of equally near ones, the first.

        Args:
            phrases: all phrases; their embeddings are known.
            vectors: embeddings of the lines, (n, d).
        """
        known = np.stack([self._vectors[phrase] for phrase in phrases])
        # Rounded, so that the last bits, which depend on what was embedded together, do not count.
        similarity = np.round(vectors @ known.T, 5)
        return [phrases[index] for index in similarity.argmax(axis=1).tolist()]
