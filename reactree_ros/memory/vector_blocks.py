# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors in blocks: they grow without being copied, and are multiplied block by block."""

from __future__ import annotations

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

    def extend(self, vectors: Vectors) -> None:
        """Add vectors, (n, dimension), each of length 1."""
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

    def product(self, vector: Vectors) -> Vectors:
        """Return the dot product of every vector with one, in float32."""
        result = np.empty(self._length, np.float32)
        for number, block in enumerate(self._blocks):
            part = result[number * _ROWS : (number + 1) * _ROWS]
            np.dot(block[: len(part)], vector, out=part)
        return result

    def exact(self, numbers: npt.NDArray[np.int64], vector: Vectors) -> npt.NDArray[np.float64]:
        """Return the dot products of some vectors with one, summed in float64."""
        result = np.empty(len(numbers))
        wide = vector.astype(np.float64)
        for number in np.unique(numbers // _ROWS).tolist():
            chosen = numbers // _ROWS == number
            rows = self._blocks[number][numbers[chosen] % _ROWS].astype(np.float64)
            result[chosen] = np.einsum('ij,j->i', rows, wide)
        return result
