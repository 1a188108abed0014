# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Upper bounds of many dot products, from a third of the floats.

A search of a million vectors takes as long as reading them. Embeddings of goals do not fill their
space: most of their length lies in a few directions. In a basis that begins with those, a short
head of each vector and the length of the rest bound its dot product with any other (Cauchy and
Schwarz): q · x <= head(q) · head(x) + |rest(q)| |rest(x)|. Only vectors whose bound is high
enough have to be read as a whole, and the result stays exact.
"""

from __future__ import annotations

import numpy as np

from reactree_ros.memory.vector_blocks import VectorBlocks
from reactree_ros.models.interface import Vectors

_SHARE = 3
_LEAST_ENERGY = 0.6
# With less of the squared length in the heads, too few vectors are ruled out.
_SAMPLE = 1 << 14
_ERROR = 4e-6
# Of a squared length in float32; added, so that a bound is never too low.


class VectorBounds:
    """Heads of vectors in a basis of their own.

    Args:
        basis: the directions of the head, (dimension, head), orthonormal.
    """

    def __init__(self, basis: Vectors) -> None:
        self._basis = basis
        # The length of the rest is the last float: one product gives the bounds.
        self._heads = VectorBlocks(basis.shape[1] + 1)

    @staticmethod
    def of(vectors: VectorBlocks) -> VectorBounds | None:
        """Make the bounds of vectors; None if heads do not hold enough of them."""
        length = len(vectors)
        sample = vectors.rows(np.arange(0, length, max(1, length // _SAMPLE))).astype(float)
        # Ascending; not centred, for the product is with the vectors as they are.
        energies, directions = np.linalg.eigh(sample.T @ sample)
        # With the length of the rest a third of 384 floats: rows of whole cache lines.
        head = sample.shape[1] // _SHARE - 1
        if head < 1 or energies[-head:].sum() < _LEAST_ENERGY * energies.sum():
            return None
        bounds = VectorBounds(np.ascontiguousarray(directions[:, -head:], np.float32))
        for block in vectors.blocks():
            bounds.extend(block)
        return bounds

    def extend(self, vectors: Vectors) -> None:
        """Add vectors, (n, dimension)."""
        self._heads.extend(self._split(vectors))

    def product(self, vector: Vectors) -> Vectors:
        """Return what the dot product of every vector with one cannot exceed, in float32."""
        return self._heads.product(self._split(vector[np.newaxis])[0])

    def _split(self, vectors: Vectors) -> Vectors:
        heads = vectors @ self._basis
        rest = np.einsum('ij,ij->i', vectors, vectors) - np.einsum('ij,ij->i', heads, heads)
        lengths = np.sqrt(np.maximum(rest, 0.0) + np.float32(_ERROR))
        return np.concatenate((heads, lengths[:, np.newaxis]), axis=1)
