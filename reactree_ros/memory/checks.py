# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What every store checks of embeddings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from reactree_ros.core.model import Vectors
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.experience import Origin
from reactree_ros.memory.store import NewExperience

_AT_ONCE = 256


def check_vector(origin: Origin, new: NewExperience, encoder: str, dimension: int) -> None:
    """Check the embedding of an experience that is added.

    Raises:
        ValueError: if it has another dimension than the store, or not length 1, or there is no
            name of an encoder.
    """
    if new.vector.shape != (dimension,) or not encoder:
        raise ValueError(
            f'run {origin.run}: a vector of shape {new.vector.shape} for the encoder '
            f'{encoder!r} of dimension {dimension}'
        )
    length = float(np.linalg.norm(new.vector))
    if not abs(length - 1.0) < 1e-3:
        raise ValueError(f'run {origin.run}: a vector of length {length:g}, not 1')


def other_encoder(
    address: str, encoder: str, dimension: int, wanted: str, wanted_dimension: int
) -> ConfigurationError:
    """Return the error of a store that is asked for embeddings of another encoder.

    Args:
        address: of the store.
        encoder: that the store's embeddings are of.
        dimension: of these.
        wanted: the other encoder.
        wanted_dimension: of its embeddings; 0 if it is not known.
    """
    floats = f' with {wanted_dimension}' if wanted_dimension else ''
    return ConfigurationError(
        f'the experience store {address} holds embeddings of the encoder {encoder!r} '
        f'with {dimension} floats, not of {wanted!r}{floats}; run '
        f'"reactree memory re-embed --memory {address}" (with --encoder MODEL, unless '
        'it is the packaged one), or name another store or encoder'
    )


def embedded(
    keys: Sequence[tuple[int, str]],
    dimension: int,
    embed: Callable[[Sequence[str]], Vectors],
) -> Iterator[tuple[int, Vectors]]:
    """Yield the numbers of keys with new embeddings of their texts.

    Raises:
        ValueError: if the encoder's answer has another shape than it should.
    """
    for begin in range(0, len(keys), _AT_ONCE):
        batch = keys[begin : begin + _AT_ONCE]
        vectors = embed([text for _, text in batch])
        if vectors.shape != (len(batch), dimension):
            raise ValueError(
                f'{len(batch)} texts and dimension {dimension}, but embeddings of shape '
                f'{vectors.shape}'
            )
        yield from zip((number for number, _ in batch), vectors, strict=True)
