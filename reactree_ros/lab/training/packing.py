# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of trajectories that share one system prompt: what is computed at once, without padding.

A row is the system prompt, then one trajectory after another. The positions of each continue from
the end of the system prompt, and each sees nothing but the system prompt and itself
(``block_attention``), so that what is learned is what separate rows would teach.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reactree_ros.lab.training.encode import Encoded

OPEN_ROWS = 16
"""Rows of one system prompt that are filled at the same time; the fullest that fits is taken."""


@dataclass(frozen=True)
class Row:
    """Trajectories that are computed together; all begin with the same system prompt."""

    parts: tuple[Encoded, ...]

    @property
    def shared(self) -> tuple[int, ...]:
        """Tokens of the system prompt."""
        return self.parts[0].shared

    @property
    def lengths(self) -> tuple[int, ...]:
        """Number of tokens of the system prompt and of each trajectory behind it."""
        return (len(self.shared), *(part.length for part in self.parts))

    @property
    def length(self) -> int:
        """Number of all tokens."""
        return sum(self.lengths)

    @property
    def targets(self) -> int:
        """Number of tokens that the model is to write."""
        return sum(part.targets for part in self.parts)

    def tokens(self) -> npt.NDArray[np.int64]:
        """Return all tokens, (length)."""
        parts = [np.array(self.shared), *(part.tokens for part in self.parts)]
        return np.concatenate(parts).astype(np.int64)

    def positions(self) -> npt.NDArray[np.int64]:
        """Return the position of each token in its own text, (length)."""
        begin = len(self.shared)
        parts = [np.arange(begin), *(begin + np.arange(part.length) for part in self.parts)]
        return np.concatenate(parts).astype(np.int64)

    def places(self) -> npt.NDArray[np.int64]:
        """Return where in the row the tokens stand that the model is to write, (targets).

        What is written at a place is predicted from the place before it, which is of the same
        trajectory, since no trajectory begins with a target.
        """
        nothing = np.zeros(len(self.shared), np.bool_)
        return np.flatnonzero(np.concatenate([nothing, *(part.target for part in self.parts)]))


def pack(encoded: Sequence[Encoded], row_tokens: int, seed: str) -> list[Row]:
    """Put trajectories into rows, and rows into an order, both by chance.

    A row has at most ``row_tokens`` tokens, its system prompt among them; no trajectory has more.
    """
    generator = random.Random(seed)
    order = list(encoded)
    generator.shuffle(order)
    rows: list[Row] = []
    filling: dict[tuple[int, ...], list[Row]] = {}
    for one in order:
        open_rows = filling.setdefault(one.shared, [])
        open_rows.sort(key=lambda row: row.length, reverse=True)
        fits = (n for n, row in enumerate(open_rows) if row.length + one.length <= row_tokens)
        best = next(fits, None)
        if best is not None:
            open_rows[best] = Row((*open_rows[best].parts, one))
            continue
        if len(open_rows) == OPEN_ROWS:
            rows.append(open_rows.pop(0))
        open_rows.append(Row((one,)))
    rows += [row for rest in filling.values() for row in rest]
    generator.shuffle(rows)
    return rows
