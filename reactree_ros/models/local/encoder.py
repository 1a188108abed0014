# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The sentence encoder without a language model, in this process."""

from __future__ import annotations

from typing import Any

import numpy as np

from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Vectors
from reactree_ros.errors import ModelError
from reactree_ros.models.factory import check_encoder, encoder_name


class LocalEncoder:
    """A sentence encoder that is loaded with the first text; it waits until texts are embedded.

    For programs that tick no tree, and for runs whose decisions need no language model: there is
    no other process that could embed.

    Args:
        encoder: folder of a sentence-transformers model or id on a hub; empty for the packaged
            one.

    Raises:
        ModelError: if there is no such folder, and it is not an id on a hub either.
    """

    def __init__(self, encoder: str = '') -> None:
        check_encoder(encoder)
        self._option = encoder
        self._model: Any = None

    @property
    def encoder_name(self) -> str:
        """Name of the encoder."""
        return encoder_name(self._option)

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        """Return the embeddings of texts, (n, dimension) float32, each of length 1.

        Raises:
            ModelError: if the encoder cannot be loaded.
        """
        if self._model is None:
            from transformers.utils.logging import disable_progress_bar

            from reactree_ros.models.server import load_encoder

            disable_progress_bar()  # it would stand in the middle of its user's lines
            self._model = load_encoder(self._option)
        vectors = self._model.encode(
            list(texts), normalize_embeddings=True, show_progress_bar=False
        )
        return ready(np.asarray(vectors, dtype=np.float32))

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        """Raise ModelError: tokens are those of a language model."""
        raise ModelError('a sentence encoder alone has no tokens of a language model to count')
