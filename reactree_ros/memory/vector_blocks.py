# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors in blocks: they grow without being copied, and are multiplied block by block."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from reactree_ros.models.interface import Vectors

_ROWS = 1 << 14


class VectorBlocks:
    """Many vectors of one dimension, numbered from 0.

    Args:
        dimension: floats of a vector.
    """

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._blocks: list[Vectors] = []
        self._length = 0

    def __len__(self) -> int:
        """How many there are."""
        return self._length

    def extend(self, vectors: Vectors) -> None:
        """Add vectors, (n, dimension)."""
        begin = 0
        while begin < len(vectors):
            inside = self._length % _ROWS
            if inside == 0:
                # Not touched, so a small store takes no more memory than it needs.
                self._blocks.append(np.empty((_ROWS, self._dimension), np.float32))
            part = vectors[begin : begin + _ROWS - inside]
            self._blocks[-1][inside : inside + len(part)] = part
            self._length += len(part)
            begin += len(part)

    def blocks(self) -> Iterator[Vectors]:
        """Yield all vectors, (n, dimension), in order."""
        for number, block in enumerate(self._blocks):
            yield block[: self._length - number * _ROWS]

    def product(self, vector: Vectors) -> Vectors:
        """Return the dot product of every vector with one, in float32."""
        result = np.empty(self._length, np.float32)
        for number, block in enumerate(self.blocks()):
            np.dot(block, vector, out=result[number * _ROWS : (number + 1) * _ROWS])
        return result

    def rows(self, numbers: npt.NDArray[np.int64]) -> Vectors:
        """Return some of the vectors, (n, dimension)."""
        result = np.empty((len(numbers), self._dimension), np.float32)
        blocks = numbers // _ROWS
        for number in np.unique(blocks).tolist():
            chosen = blocks == number
            result[chosen] = self._blocks[number][numbers[chosen] % _ROWS]
        return result
