# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What stores of experiences in tables share, whatever database has the tables."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from reactree_ros.memory.checks import check_vector, other_encoder
from reactree_ros.memory.experience import Origin
from reactree_ros.memory.store import EVERYTHING, Choice, NewExperience, Record, Run, Saved


class TableWriter(Protocol):
    """Writes to the tables, inside a transaction."""

    def add(self, runs: Sequence[Run]) -> Saved:
        """Add runs; see ``ExperienceStore.add_runs``."""

    def add_missing(
        self, experiences: Sequence[tuple[Origin, NewExperience]], restore: bool
    ) -> Saved:
        """Add what is not there; see ``ExperienceStore.import_experiences``."""


class TableStore(ABC):
    """Experiences in the tables of a database; see ``ExperienceStore``.

    Args:
        encoder: name of the encoder of the embeddings; empty to take the store as it is.
        dimension: floats of an embedding; 0 takes that of the store, or of the first run.
    """

    def __init__(self, encoder: str, dimension: int) -> None:
        if dimension and not encoder:
            raise ValueError('an encoder that has a dimension has a name')
        self._encoder = encoder
        self._dimension = dimension
        self._lock = threading.RLock()
        self._shown: Counter[int] = Counter()

    @property
    @abstractmethod
    def address(self) -> str:
        """Names the store to a person."""

    def add_run(self, origin: Origin, experiences: Sequence[NewExperience]) -> Saved:
        """Keep all experiences of a run, or, if anything fails, none of them."""
        return self.add_runs([(origin, experiences)])

    def add_runs(self, runs: Iterable[Run]) -> Saved:
        """Keep several runs in one transaction."""
        runs = [(origin, tuple(experiences)) for origin, experiences in runs]
        return self._add(
            [(origin, new) for origin, experiences in runs for new in experiences],
            lambda writer: writer.add(runs),
        )

    def import_experiences(
        self, experiences: Iterable[tuple[Origin, NewExperience]], *, restore: bool = True
    ) -> Saved:
        """Keep what is missing of a file or of another store, in one transaction."""
        experiences = list(experiences)
        return self._add(experiences, lambda writer: writer.add_missing(experiences, restore))

    def records(self, choice: Choice = EVERYTHING) -> tuple[Record, ...]:
        """Return records in the order of their numbers."""
        return tuple(self.iterate(choice))

    @abstractmethod
    def iterate(self, choice: Choice = EVERYTHING) -> Iterator[Record]:
        """Yield records in the order of their numbers, without all of them in memory at once."""

    def identities(self, choice: Choice = EVERYTHING) -> list[tuple[int, bytes]]:
        """Return number and identity of records."""
        where, values = self._condition(choice)
        return self._all(
            f'SELECT e.id, e.identity FROM experiences e WHERE {where} ORDER BY e.id', values
        )

    def forgotten(self) -> set[bytes]:
        """Return the identities of what was deleted with ``forget``."""
        return {one for (one,) in self._all('SELECT identity FROM forgotten')}

    def count(self, choice: Choice = EVERYTHING) -> int:
        """Return how many records there are."""
        where, values = self._condition(choice)
        ((count,),) = self._all(f'SELECT count(*) FROM experiences e WHERE {where}', values)
        return int(count)

    def key_count(self) -> int:
        """Return how many texts ``re_embed`` has to embed."""
        ((count,),) = self._all('SELECT count(*) FROM keys')
        return int(count)

    def note_retrieved(self, numbers: Sequence[int]) -> None:
        """Count that these records were shown to a model; written with the next write."""
        with self._lock:
            self._shown.update(numbers)

    @abstractmethod
    def _add(
        self,
        experiences: Sequence[tuple[Origin, NewExperience]],
        write: Callable[[TableWriter], Saved],
    ) -> Saved:
        """Check experiences and write them, in one transaction."""

    @abstractmethod
    def _all(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a query, in a transaction of its own."""

    @staticmethod
    @abstractmethod
    def _condition(choice: Choice) -> tuple[str, list[Any]]:
        """Return a choice as the condition of a query over experiences ``e``."""

    def _dimension_with(self, experiences: Sequence[tuple[Origin, NewExperience]]) -> int:
        """Check vectors, and return their dimension; 0 if it is not known yet."""
        dimension = self._dimension
        for origin, new in experiences:
            dimension = dimension or new.vector.size
            check_vector(origin, new, self._encoder, dimension)
        return dimension

    def _take_encoder(self, encoder: str, dimension: int, has_keys: Callable[[], bool]) -> None:
        """Take the encoder that the tables name; refuse another one if there are embeddings."""
        if self._encoder in ('', encoder) and self._dimension in (0, dimension):
            self._encoder, self._dimension = encoder, dimension
        elif has_keys():
            raise other_encoder(self.address, encoder, dimension, self._encoder, self._dimension)
