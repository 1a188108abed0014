# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a store of experiences is asked, and what it answers; ``opening`` opens one."""

from __future__ import annotations

import math
import operator
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any, Protocol

import numpy as np

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import Vectors
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.experience import Experience, Origin, Verification

EXACT, HNSW = INDEXES = ('exact', 'hnsw')
"""How vectors are searched: all of them, or by pgvector's approximate index."""
_AT_ONCE = 256


@dataclass(frozen=True)
class NewExperience:
    """An experience on its way into a store.

    Args:
        experience: what the node went through.
        key: the text that goals are compared by, see ``goal_key.goal_key``.
        vector: the key's embedding, (dimension,), of length 1.
        outline: the decisions without the numbers of things; experiences of equal key and outline
            show a model the same.
        control_flows: those that the text shows.
        merged: how many experiences became this one in the store that it comes from, itself among
            them.
        retrieved: how often it was shown to a model there.
    """

    experience: Experience
    key: str
    vector: Vectors
    outline: str = ''
    control_flows: frozenset[ControlFlow] = frozenset()
    merged: int = 1
    retrieved: int = 0


Run = tuple[Origin, Sequence[NewExperience]]
"""A run and what its agent nodes went through."""


@dataclass(frozen=True)
class Record:
    """An experience as a store keeps it.

    Args:
        number: names it in its store; never used again.
        experience: what the node went through.
        origin: the run that it comes from; of merged ones, the best verified, and of these the
            latest. All else that is known of it is of that run, too.
        key: the text that its goal is compared by.
        outline: its decisions without the numbers of things.
        control_flows: those that the text shows.
        merged: how many experiences became this one, itself among them.
        retrieved: how often it was shown to a model.
    """

    number: int
    experience: Experience
    origin: Origin
    key: str
    outline: str = ''
    control_flows: frozenset[ControlFlow] = frozenset()
    merged: int = 1
    retrieved: int = 0


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Which experiences may be found, and what adds to their similarity; all may, and nothing does.

    Args:
        margin: experiences that score less than the best by more than this are left out.
        level_bonus: added to the similarity of experiences of the same level (root goals among
            root goals, subgoals among subgoals).
        strategy: only experiences of this strategy; empty for all.
        skills: only those of this skill library; empty for all.
        control_flows: those on offer; experiences that show another are left out, for an example
            of what is not on offer misleads.
        not_task: none of this task; empty excludes nothing.
    """

    margin: float = math.inf
    level_bonus: float = 0.0
    strategy: str = ''
    skills: str = ''
    control_flows: frozenset[ControlFlow] = frozenset(ControlFlow)
    not_task: str = ''


@dataclass(frozen=True)
class Query(Ranking):
    """What is looked for.

    Args:
        vector: embedding of the key of the goal, (dimension,), of length 1.
        limit: most experiences in the answer; 0 for all.
        root: whether the goal is that of a whole run.
    """

    vector: Vectors
    limit: int = 100
    root: bool = False


@dataclass(frozen=True)
class Match:
    """An experience that was found.

    Args:
        record: the experience.
        score: cosine of its key with the vector, and what the weights add; rounded to 5 digits, so
            that equals are equal.
    """

    record: Record
    score: float


@dataclass(frozen=True)
class Choice:
    """Which records are meant; all conditions must hold.

    Args:
        numbers: these records; empty for all.
        run: of this run; empty for all.
        goal: the goal has this text in it, in any case; empty for all.
        skills: of this skill library; empty for all.
        strategy: of this strategy; empty for all.
        verified: verified by one of these; empty for all.
        task: of this task; empty for all.
        robot: learned by this robot; empty for all.
    """

    numbers: tuple[int, ...] = ()
    run: str = ''
    goal: str = ''
    skills: str = ''
    strategy: str = ''
    verified: tuple[Verification, ...] = ()
    task: str = ''
    robot: str = ''


EVERYTHING = Choice()


@dataclass(frozen=True)
class Saved:
    """What became of experiences that were added.

    Args:
        added: experiences that are new.
        merged: experiences that were merged into an equal one.
        forgotten: older experiences that had to go.
        known: experiences of a file that were there already.
        left_out: experiences that were not taken because they had been deleted here.
    """

    added: int
    merged: int = 0
    forgotten: int = 0
    known: int = 0
    left_out: int = 0

    def __add__(self, other: Saved) -> Saved:
        """Return what became of both."""
        return Saved(*map(operator.add, astuple(self), astuple(other)))


@dataclass(frozen=True)
class StoreStats:
    """What a store holds.

    Args:
        records: number of records.
        runs: number of runs that they come from.
        encoder: name of the encoder of its embeddings; empty while the store has none.
        dimension: floats of an embedding.
        bytes: size on disk; 0 in memory.
        counts: for each of ``verified``, ``termination``, ``strategy``, ``skills``, ``model`` and
            ``robot``, how many records have which value.
        index: how keys are searched: ``exact``, or ``hnsw`` (an approximate index).
    """

    records: int
    runs: int
    encoder: str
    dimension: int
    bytes: int
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    index: str = EXACT


class TableWriter(Protocol):
    """Writes to the tables, inside a transaction."""

    def add(self, runs: Sequence[Run]) -> Saved:
        """Add runs; see ``ExperienceStore.add_runs``."""

    def add_missing(
        self, experiences: Sequence[tuple[Origin, NewExperience]], restore: bool
    ) -> Saved:
        """Add what is not there; see ``ExperienceStore.import_experiences``."""


class ExperienceStore(ABC):
    """Where experiences are kept: a file or a server; ``opening.open_store`` opens it.

    Its methods may be called from any thread, and may wait. All raise ``StoreError`` if the store
    cannot be read or written at present, and ``ConfigurationError`` if another process has
    embedded it with another encoder; what was under way is then not done. A subclass has the
    database.

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
        """Names the store to a person: a file, or a server's address without its password."""

    def add_run(self, origin: Origin, experiences: Sequence[NewExperience]) -> Saved:
        """Keep all experiences of a run, or, if anything fails, none of them.

        A run of that name that is there already is replaced. An experience that is nearly one
        that is there (equal key, goal, outline, level, termination, strategy and skill library)
        is not added: the two become one, with all that is known of the better verified one, or,
        if they are equally verified, of the later one.

        Raises:
            ValueError: if a vector has not the encoder's dimension, or not length 1.
        """
        return self.add_runs([(origin, experiences)])

    def add_runs(self, runs: Iterable[Run]) -> Saved:
        """Keep several runs, all of them or none: much faster than one after the other.

        Returns:
            What became of all of them together.

        Raises:
            ValueError: see ``add_run``.
        """
        runs = [(origin, tuple(experiences)) for origin, experiences in runs]
        return self._add(
            [(origin, new) for origin, experiences in runs for new in experiences],
            lambda writer: writer.add(runs),
        )

    def import_experiences(
        self, experiences: Iterable[tuple[Origin, NewExperience]], *, restore: bool = True
    ) -> Saved:
        """Keep what is missing of a file or of another store, all of it or nothing.

        Nothing that is there is lost. An experience that the store has, of the same
        run and with the same goal, end and text, or had before it was merged into another, stays
        as it is. One that is nearly one that is there becomes one with it, see ``add_run``: all
        that is known stays that of the one that is there, unless the other is better verified.

        Args:
            experiences: whole runs, each experience with what is known of its origin.
            restore: whether to take what was deleted here with ``forget``.

        Raises:
            ValueError: see ``add_run``.
        """
        experiences = list(experiences)
        return self._add(experiences, lambda writer: writer.add_missing(experiences, restore))

    @abstractmethod
    def search(self, query: Query) -> tuple[Match, ...]:
        """Return what scores best, the best first.

        Among equal scores the order is that of the records' numbers. The search is exact, and
        where ``limit`` would part equals, all of them are returned; with an index neither is
        certain.
        """

    def records(self, choice: Choice = EVERYTHING) -> tuple[Record, ...]:
        """Return records in the order of their numbers."""
        return tuple(self.iterate(choice))

    @abstractmethod
    def iterate(self, choice: Choice = EVERYTHING) -> Iterator[Record]:
        """Yield records in the order of their numbers, without all of them in memory at once."""

    def identities(self, choice: Choice = EVERYTHING) -> list[tuple[int, bytes]]:
        """Return number and ``kept.identity`` of records, in the order of their numbers."""
        where, values = self._condition(choice)
        return self._all(
            f'SELECT e.id, e.identity FROM experiences e WHERE {where} ORDER BY e.id', values
        )

    @abstractmethod
    def known(self, identities: Sequence[bytes]) -> set[bytes]:
        """Return which identities are those of experiences that are there, or were merged."""

    def forgotten(self) -> set[bytes]:
        """Return the identities of what was deleted with ``forget`` and has not come back."""
        return {one for (one,) in self._all('SELECT identity FROM forgotten')}

    def count(self, choice: Choice = EVERYTHING) -> int:
        """Return how many records there are."""
        where, values = self._condition(choice)
        ((count,),) = self._all(f'SELECT count(*) FROM experiences e WHERE {where}', values)
        return int(count)

    def note_retrieved(self, numbers: Sequence[int]) -> None:
        """Count that these records were shown to a model; written with the next write."""
        with self._lock:
            self._shown.update(numbers)

    @abstractmethod
    def forget(self, choice: Choice, *, merged: bool = True) -> int:
        """Delete records permanently; return their number.

        Their identities stay, so that no copy of them comes back from another store.

        Args:
            choice: which records.
            merged: whether that holds for what was merged into them, too; not for a chosen run.
        """

    @abstractmethod
    def verify(self, run: str, verified: Verification) -> int:
        """Note who verified a run; return how many records that concerns."""

    @abstractmethod
    def stats(self) -> StoreStats:
        """Return what the store holds."""

    def key_count(self) -> int:
        """Return how many texts ``re_embed`` has to embed."""
        ((count,),) = self._all('SELECT count(*) FROM keys')
        return int(count)

    @abstractmethod
    def re_embed(
        self, encoder: str, dimension: int, embed: Callable[[Sequence[str]], Vectors]
    ) -> int:
        """Replace all embeddings by those of another encoder, all of them or none.

        Others may read and write until the new ones are there.

        Args:
            encoder: name of the encoder.
            dimension: floats of its embeddings.
            embed: makes embeddings of texts, (n, dimension), each of length 1; called for a few
                hundred at a time.

        Returns:
            How many keys were embedded.
        """

    @abstractmethod
    def set_index(self, index: str) -> None:
        """Search with an index from now on (``hnsw``), or without one (``exact``).

        Raises:
            ConfigurationError: if the store cannot have that index.
        """

    @abstractmethod
    def close(self) -> None:
        """Write what is not written yet; calling it again does nothing."""

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
        """Check vectors, and return their dimension; 0 if it is not known yet.

        Raises:
            ValueError: if one has another dimension than the store, or not length 1, or there is
                no name of an encoder.
        """
        dimension = self._dimension
        for origin, new in experiences:
            dimension = dimension or new.vector.size
            if new.vector.shape != (dimension,) or not self._encoder:
                raise ValueError(
                    f'run {origin.run}: a vector of shape {new.vector.shape} for the encoder '
                    f'{self._encoder!r} of dimension {dimension}'
                )
            length = float(np.linalg.norm(new.vector))
            if not abs(length - 1.0) < 1e-3:
                raise ValueError(f'run {origin.run}: a vector of length {length:g}, not 1')
        return dimension

    def _take_encoder(self, encoder: str, dimension: int, has_keys: Callable[[], bool]) -> None:
        """Take the encoder that the tables name; refuse another one if there are embeddings."""
        if self._encoder in ('', encoder) and self._dimension in (0, dimension):
            self._encoder, self._dimension = encoder, dimension
        elif has_keys():
            floats = f' with {self._dimension}' if self._dimension else ''
            raise ConfigurationError(
                f'the experience store {self.address} holds embeddings of the encoder {encoder!r} '
                f'with {dimension} floats, not of {self._encoder!r}{floats}; run '
                f'"reactree memory re-embed --memory {self.address}" (with --encoder MODEL, unless '
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
