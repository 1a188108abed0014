# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An encoder that embeds no goal twice and counts no text twice."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from reactree_ros.core.futures import Future, mapped, ready
from reactree_ros.core.model import Encoder, Vectors

T = TypeVar('T')
_KNOWN = 4096
"""Embeddings, and counts, that are kept in memory."""
_KEPT = 50_000
"""Embeddings that are kept in the file; the oldest make room."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""A power cut may do that to a file that is written without waiting for the disk."""
_log = logging.getLogger(__name__)


class CachedEncoder:
    """Passes on to an encoder what it was not asked before.

    Embeddings are kept in a file as well, under the encoder's name, so that the shipped
    experiences are not embedded at every start. A file that cannot be used is ignored.

    Args:
        encoder: makes embeddings and counts tokens.
        path: the file, which several processes may use; None for none.
    """

    def __init__(self, encoder: Encoder, path: Path | None = None) -> None:
        self._encoder = encoder
        self._vectors: dict[str, Vectors] = {}
        self._counts: dict[str, int] = {}
        self._file = _VectorFile(path, encoder.encoder_name) if path is not None else None

    @property
    def encoder_name(self) -> str:
        """Name of the sentence encoder."""
        return self._encoder.encoder_name

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        """Ask for the embeddings of texts, (n, dimension), each of length 1."""
        if not texts:
            return self._encoder.embed(())
        return mapped(_answers(texts, self._vectors, self._embed_unknown), np.stack)

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        """Ask for the number of tokens that the deciding model makes of each text."""
        return mapped(_answers(texts, self._counts, self._encoder.count), tuple)

    def _embed_unknown(self, texts: tuple[str, ...]) -> Future[Iterable[Vectors]]:
        if self._file is None:
            return self._encoder.embed(texts)
        file = self._file

        def embed(missing: tuple[str, ...]) -> Future[Vectors]:
            def written(vectors: Vectors) -> Vectors:
                file.write(dict(zip(missing, vectors, strict=True)))
                return vectors

            return mapped(self._encoder.embed(missing), written)

        return _answers(texts, file.read(texts), embed)


def _answers(
    texts: tuple[str, ...],
    known: dict[str, T],
    ask: Callable[[tuple[str, ...]], Future[Iterable[T]]],
) -> Future[list[T]]:
    """Return an answer for each text; what is not known is asked for, and known from then on."""
    found = {text: known[text] for text in texts if text in known}
    missing = tuple(dict.fromkeys(text for text in texts if text not in found))

    def joined(answers: Iterable[T]) -> list[T]:
        new = dict(zip(missing, answers, strict=True))
        if len(known) + len(new) > _KNOWN:
            known.clear()
        known.update(new)
        return [new[text] if text in new else found[text] for text in texts]

    return mapped(ask(missing), joined) if missing else ready(joined(()))


class _VectorFile:
    """Embeddings in a file; after an error, which is logged once, it is not used.

    A damaged one is deleted. Texts are in it by their digest: what people ask robots is not for
    others, and may be forgotten.
    """

    def __init__(self, path: Path, encoder: str) -> None:
        self._path = path
        self._encoder = encoder
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        try:
            self._open()
        except (OSError, sqlite3.Error) as error:
            self._fail(error)

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch()
        self._path.chmod(0o600)
        self._connection = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False
        )
        self._connection.execute('PRAGMA journal_mode = WAL')
        self._connection.execute('PRAGMA synchronous = OFF')  # it can be made again
        older = "SELECT 1 FROM sqlite_master WHERE name = 'embeddings'"
        if self._connection.execute(older).fetchone():  # it has the texts themselves
            self._connection.execute('PRAGMA secure_delete = ON')
            self._connection.execute('DROP TABLE embeddings')
            self._connection.execute('PRAGMA wal_checkpoint(TRUNCATE)')
        self._connection.execute(
            'CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, encoder TEXT NOT '
            'NULL, digest TEXT NOT NULL, vector BLOB NOT NULL, UNIQUE (encoder, digest))'
        )
        # It is read on the tick's thread, which does not wait for other processes.
        self._connection.execute('PRAGMA busy_timeout = 0')

    def read(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the embeddings that are there."""
        digests = {_digest(text): text for text in texts}
        with self._lock:
            if self._connection is None:
                return {}
            try:
                rows = self._connection.execute(
                    'SELECT digest, vector FROM vectors '
                    'WHERE encoder = ? AND digest IN (SELECT value FROM json_each(?))',
                    (self._encoder, json.dumps([*digests])),
                )
                found = {
                    digests[digest]: np.frombuffer(blob, '<f4').astype(np.float32)
                    for digest, blob in rows
                }
            except sqlite3.OperationalError:  # another process is writing
                return {}
            except (sqlite3.Error, ValueError) as error:
                self._fail(error)
                return {}
        # Two models have the same name: neither is trusted.
        return found if len({len(vector) for vector in found.values()}) == 1 else {}

    def write(self, vectors: dict[str, Vectors]) -> None:
        """Add embeddings."""
        rows = [
            (self._encoder, _digest(text), np.asarray(vector, '<f4').tobytes())
            for text, vector in vectors.items()
        ]
        with self._lock:
            if self._connection is None:
                return
            try:
                self._connection.execute('BEGIN IMMEDIATE')
                self._connection.executemany(
                    'INSERT OR REPLACE INTO vectors (encoder, digest, vector) VALUES (?, ?, ?)',
                    rows,
                )
                self._connection.execute(
                    'DELETE FROM vectors WHERE id <= (SELECT max(id) FROM vectors) - ?',
                    (_KEPT,),
                )
                self._connection.execute('COMMIT')
            except sqlite3.OperationalError as error:
                if self._connection.in_transaction:
                    self._connection.execute('ROLLBACK')
                _log.debug('the embedding cache %s was not written: %s', self._path, error)
            except sqlite3.Error as error:
                self._fail(error)

    def _fail(self, error: Exception) -> None:
        _log.warning('embeddings are not kept in %s before the next start: %s', self._path, error)
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if getattr(error, 'sqlite_errorcode', None) in _DAMAGED:
            for ending in ('', '-wal', '-shm'):
                Path(f'{self._path}{ending}').unlink(missing_ok=True)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()
