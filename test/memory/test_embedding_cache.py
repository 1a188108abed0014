# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""No goal is embedded twice, no text counted twice, and a broken cache breaks nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reactree_ros.core.futures import Future, ready
from reactree_ros.memory.embedding_cache import CachedEncoder


class Counting:
    """An encoder of texts by their length that remembers what it was asked."""

    def __init__(self, name: str = 'by length', dimension: int = 2) -> None:
        self.encoder_name = name
        self._dimension = dimension
        self.embedded: list[str] = []
        self.counted: list[str] = []

    def embed(self, texts: tuple[str, ...]) -> Future[Any]:
        self.embedded += texts
        vectors = np.ones((len(texts), self._dimension), np.float32)
        vectors[:, 0] = [len(text) for text in texts]
        return ready(vectors)

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        self.counted += texts
        return ready(tuple(map(len, texts)))


def lengths(cache: CachedEncoder, *texts: str) -> list[float]:
    vectors = cache.embed(texts).poll()
    assert vectors is not None
    assert vectors.dtype == np.float32
    return list(vectors[:, 0])


def test_each_text_is_asked_for_once_and_answers_keep_their_order() -> None:
    encoder = Counting()
    cache = CachedEncoder(encoder)
    assert lengths(cache, 'a', 'ccc', 'a') == [1, 3, 1]
    assert lengths(cache, 'bb', 'a', 'ccc') == [2, 1, 3]
    assert lengths(cache, 'a') == [1]
    assert encoder.embedded == ['a', 'ccc', 'bb']
    assert cache.count(('a', 'bb', 'a')).poll() == (1, 2, 1)
    assert cache.count(('bb', 'ccc')).poll() == (2, 3)
    assert encoder.counted == ['a', 'bb', 'ccc']
    assert cache.count(()).poll() == ()


def test_embeddings_outlive_the_process_under_their_encoder_s_name(tmp_path: Path) -> None:
    path = tmp_path / 'folder' / 'embeddings.sqlite'
    lengths(CachedEncoder(Counting(), path), 'a', 'bb')
    again, other = Counting(), Counting('another')
    assert lengths(CachedEncoder(again, path), 'bb', 'ccc', 'a') == [2, 3, 1]
    assert again.embedded == ['ccc']
    assert lengths(CachedEncoder(other, path), 'a') == [1]
    assert other.embedded == ['a']


def test_what_was_asked_is_not_in_the_file_which_others_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / 'embeddings.sqlite'
    with closing(sqlite3.connect(path)) as older:
        older.execute('CREATE TABLE embeddings (text TEXT)')
        older.execute("INSERT INTO embeddings VALUES ('bring the pills to room 4')")
        older.commit()
    path.chmod(0o644)
    cache = CachedEncoder(Counting(), path)
    lengths(cache, 'bring the tea to room 5')
    del cache
    kept = b''.join(one.read_bytes() for one in tmp_path.iterdir())
    assert b'room' not in kept
    assert path.stat().st_mode & 0o077 == 0


def test_many_texts_are_found_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / 'embeddings.sqlite'
    texts = tuple('x' * n for n in range(1, 1300))
    lengths(CachedEncoder(Counting(), path), *texts)
    again = Counting()
    assert lengths(CachedEncoder(again, path), *texts) == [*range(1, 1300)]
    assert again.embedded == []


def test_a_file_that_cannot_be_used_is_done_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken, folder = tmp_path / 'broken', tmp_path / 'is_folder'
    broken.write_bytes(b'no database' * 1000)
    folder.mkdir()
    (folder / 'embeddings.sqlite').touch()
    for path in (broken, folder, folder / 'embeddings.sqlite' / 'below'):
        encoder = Counting()
        cache = CachedEncoder(encoder, path)
        assert lengths(cache, 'a', 'bb') == [1, 2]
        assert lengths(cache, 'bb') == [2]
        assert encoder.embedded == ['a', 'bb']
    assert len(caplog.records) == 3
    lengths(CachedEncoder(Counting(), broken), 'a')
    again = Counting()
    assert lengths(CachedEncoder(again, broken), 'a') == [1], 'a damaged file is made anew'
    assert again.embedded == []


def test_embeddings_of_several_dimensions_by_one_name_are_not_believed(tmp_path: Path) -> None:
    path = tmp_path / 'embeddings.sqlite'
    lengths(CachedEncoder(Counting(), path), 'a')
    lengths(CachedEncoder(Counting(dimension=3), path), 'bb')
    encoder = Counting(dimension=3)
    assert lengths(CachedEncoder(encoder, path), 'a', 'bb') == [1, 2]
    assert encoder.embedded == ['a', 'bb']
