# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Ways to keep experiences and to find the nearest ones, which the benchmark compares."""

from __future__ import annotations

import pickle
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np

from reactree_ros.evaluation.memory_contender import Batch, Contender
from reactree_ros.evaluation.provenance import made_with
from reactree_ros.memory.sqlite_store import SqliteStore
from reactree_ros.memory.store import Query
from reactree_ros.models.interface import Vectors

_ENCODER = 'made up'
"""The name that the store keeps with embeddings which no encoder made."""


class OurStore(Contender):
    """The project's store."""

    title = 'reactree_ros (SQLite, exact product)'
    batch = 1_000
    _store: SqliteStore

    @classmethod
    def versions(cls) -> dict[str, str]:
        """Return the version of SQLite and what stands for the project's code, too."""
        ours = {'reactree_ros': made_with(), 'SQLite': sqlite3.sqlite_version}
        return {**super().versions(), **ours}

    def create(self) -> None:
        """Make the file."""
        self.open()

    def add(self, batch: Batch) -> None:
        """Add the experiences as one run."""
        self._store.add_run(self.workload.origin(batch.begin), batch.experiences)

    def open(self) -> None:
        """Open the file."""
        path = self.folder / 'memory.sqlite'
        self._store = SqliteStore(path, _ENCODER, self.workload.dimension)

    def search(self, vector: Vectors, limit: int) -> list[int]:
        """Search by the cosine alone."""
        return self._indices(Query(vector, limit=limit))[:limit]

    def search_weighed(self, vector: Vectors, number: int) -> list[int]:
        """Search as the planner does: with weights, with filters, and for more candidates.

        Args:
            vector: embedding of a goal, (dimension,), of length 1.
            number: of the query, by which the situation is chosen.
        """
        query = Query(
            vector,
            root=number % 8 == 0,
            things=1 + number % 3,
            held=number % 2,
            room='kitchen',
            margin=0.2,
            shape_weight=0.3,
            situation_weight=0.1,
            strategy='reactree',
            skills='household',
            verified_only=True,
            not_task=f'task {number}',
        )
        return self._indices(query)

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def _indices(self, query: Query) -> list[int]:
        found = self._store.search(query)
        return [self.workload.index(match.record.experience.goal) for match in found]


class NumpyProduct(Contender):
    """All embeddings in one file, read into one matrix: what a search costs at least."""

    title = 'numpy product, without texts'
    durable = False
    texts = False
    _matrix: Vectors

    def create(self) -> None:
        """Make the file."""
        self._path.touch()

    def add(self, batch: Batch) -> None:
        """Append the embeddings."""
        with self._path.open('ab') as file:
            file.write(batch.vectors.astype(np.float32, copy=False).tobytes())

    def open(self) -> None:
        """Read the file."""
        self._matrix = np.fromfile(self._path, np.float32).reshape(-1, self.workload.dimension)

    def search(self, vector: Vectors, limit: int) -> list[int]:
        """Multiply and pick the highest."""
        return _highest(self._matrix @ vector, limit)

    @property
    def _path(self) -> Path:
        return self.folder / 'vectors.f32'


class PickledFiles(Contender):
    """The official way: every embedding is unpickled from its own file for every node."""

    title = 'one pickle for each, as in the official code'
    most = 10_000
    durable = False

    def create(self) -> None:
        """Do nothing: there is only the folder."""

    def add(self, batch: Batch) -> None:
        """Write two files for each."""
        for index, (one, vector) in enumerate(
            zip(batch.experiences, batch.vectors, strict=True), start=batch.begin
        ):
            experience = one.experience
            record = {'goal': experience.goal, 'embedding': np.array(vector)}
            self._path(index, 'pkl').write_bytes(pickle.dumps(record))
            self._path(index, 'txt').write_text(experience.text, encoding='utf-8')

    def open(self) -> None:
        """Do nothing: each search begins anew."""

    def search(self, vector: Vectors, limit: int) -> list[int]:
        """Read all embeddings, and the texts of the nearest."""
        paths = sorted(self.folder.glob('*.pkl'))
        matrix = np.stack([pickle.loads(path.read_bytes())['embedding'] for path in paths])
        found = [int(paths[row].stem) for row in _highest(matrix @ vector, limit)]
        for index in found:
            self._path(index, 'txt').read_text(encoding='utf-8')
        return found

    def _path(self, index: int, ending: str) -> Path:
        return self.folder / f'{index:08}.{ending}'


class SqliteVec(Contender):
    """The extension of SQLite for vectors; apsw, since Python's own module may load none."""

    title = 'sqlite-vec'
    modules = ('apsw', 'sqlite_vec')
    _database: Any

    def create(self) -> None:
        """Make the tables."""
        self.open()
        self._database.execute(
            'CREATE TABLE experience(number INTEGER PRIMARY KEY, goal TEXT, text TEXT)'
        )
        self._database.execute(
            'CREATE VIRTUAL TABLE vectors USING vec0('
            f'embedding float[{self.workload.dimension}] distance_metric=cosine)'
        )

    def add(self, batch: Batch) -> None:
        """Insert in one transaction."""
        numbers = range(batch.begin, batch.begin + len(batch.experiences))
        ours = [one.experience for one in batch.experiences]
        with self._database:
            self._database.executemany(
                'INSERT INTO experience VALUES (?, ?, ?)',
                ((number, one.goal, one.text) for number, one in zip(numbers, ours, strict=True)),
            )
            self._database.executemany(
                'INSERT INTO vectors(rowid, embedding) VALUES (?, ?)',
                (
                    (number, vector.tobytes())
                    for number, vector in zip(numbers, batch.vectors, strict=True)
                ),
            )

    def open(self) -> None:
        """Open the file and load the extension."""
        import apsw
        import sqlite_vec

        self._database = apsw.Connection(str(self.folder / 'memory.sqlite'))
        self._database.enable_load_extension(True)
        self._database.load_extension(sqlite_vec.loadable_path())
        self._database.execute('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')

    def search(self, vector: Vectors, limit: int) -> list[int]:
        """Ask for the nearest neighbours with their texts."""
        found = self._database.execute(
            'WITH nearest AS'
            ' (SELECT rowid, distance FROM vectors WHERE embedding MATCH ? AND k = ?)'
            ' SELECT number, text FROM nearest JOIN experience ON number = nearest.rowid'
            ' ORDER BY distance',
            (vector.tobytes(), limit),
        )
        return [number for number, _ in found]

    def close(self) -> None:
        """Close the file."""
        self._database.close()


class LanceDb(Contender):
    """A table of LanceDB without an index, which is its exact search."""

    title = 'LanceDB, flat'
    modules = ('lancedb', 'pyarrow')
    _table: Any

    def create(self) -> None:
        """Make the table."""
        import lancedb
        import pyarrow as pa

        vector = pa.list_(pa.float32(), self.workload.dimension)
        columns = [('number', pa.int64()), ('text', pa.string()), ('vector', vector)]
        self._table = lancedb.connect(str(self.folder)).create_table(
            'experience', schema=pa.schema(columns)
        )

    def add(self, batch: Batch) -> None:
        """Append rows, which makes a version of the table."""
        import pyarrow as pa

        vectors = pa.FixedSizeListArray.from_arrays(
            pa.array(batch.vectors.ravel(), pa.float32()), self.workload.dimension
        )
        numbers = range(batch.begin, batch.begin + len(batch.experiences))
        texts = [one.experience.text for one in batch.experiences]
        columns = {'number': pa.array(numbers, pa.int64()), 'text': texts, 'vector': vectors}
        self._table.add(pa.table(columns))

    def open(self) -> None:
        """Open the table."""
        import lancedb

        self._table = lancedb.connect(str(self.folder)).open_table('experience')

    def search(self, vector: Vectors, limit: int) -> list[int]:
        """Ask for the nearest neighbours with their texts."""
        query = self._table.search(vector).distance_type('cosine').limit(limit)
        found: list[int] = query.select(['number', 'text']).to_arrow()['number'].to_pylist()
        return found

    def finish(self) -> None:
        """Put the many small files of single additions together."""
        self._table.optimize()


CONTENDERS: dict[str, type[Contender]] = {
    'ours': OurStore,
    'numpy': NumpyProduct,
    'pickles': PickledFiles,
    'sqlite-vec': SqliteVec,
    'lancedb': LanceDb,
}
"""By the name of the command line, in the order of the table."""


def _highest(scores: Vectors, limit: int) -> list[int]:
    limit = min(limit, len(scores))
    rows = np.argpartition(scores, -limit)[-limit:]
    found: list[int] = rows[np.argsort(-scores[rows], kind='stable')].tolist()
    return found
