# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a store of experiences is asked, and what it answers; ``opening`` opens one."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from typing import Protocol

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import Vectors
from reactree_ros.memory.experience import Experience, Origin, Verification

EXACT, HNSW = INDEXES = ('exact', 'hnsw')
"""How vectors are searched: all of them, or by pgvector's approximate index."""


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
        shape_weight: added to the similarity of experiences of the same level (root goals among
            root goals, subgoals among subgoals).
        strategy: only experiences of this strategy; empty for all.
        skills: only those of this skill library; empty for all.
        control_flows: those on offer; experiences that show another are left out, for an example
            of what is not on offer misleads.
        not_task: none of this task; empty excludes nothing.
    """

    margin: float = math.inf
    shape_weight: float = 0.0
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


class ExperienceStore(Protocol):
    """Where experiences are kept: a file or a server; ``opening.open_store`` opens it.

    Its methods may be called from any thread, and may wait. All raise ``StoreError`` if the store
    cannot be read or written at present, and ``ConfigurationError`` if another process has
    embedded it with another encoder; what was under way is then not done.
    """

    @property
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

    def add_runs(self, runs: Iterable[Run]) -> Saved:
        """Keep several runs, all of them or none: much faster than one after the other.

        Returns:
            What became of all of them together.

        Raises:
            ValueError: see ``add_run``.
        """

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

    def search(self, query: Query) -> tuple[Match, ...]:
        """Return what scores best, the best first.

        Among equal scores the order is that of the records' numbers. The search is exact, and
        where ``limit`` would part equals, all of them are returned; with an index neither is
        certain.
        """

    def records(self, choice: Choice = EVERYTHING) -> tuple[Record, ...]:
        """Return records in the order of their numbers."""

    def iterate(self, choice: Choice = EVERYTHING) -> Iterator[Record]:
        """Yield records in the order of their numbers, without all of them in memory at once."""

    def identities(self, choice: Choice = EVERYTHING) -> list[tuple[int, bytes]]:
        """Return number and ``kept.identity`` of records, in the order of their numbers."""

    def known(self, identities: Sequence[bytes]) -> set[bytes]:
        """Return which identities are those of experiences that are there, or were merged."""

    def forgotten(self) -> set[bytes]:
        """Return the identities of what was deleted with ``forget`` and has not come back."""

    def count(self, choice: Choice = EVERYTHING) -> int:
        """Return how many records there are."""

    def note_retrieved(self, numbers: Sequence[int]) -> None:
        """Count that these records were shown to a model; written with the next write."""

    def forget(self, choice: Choice) -> int:
        """Delete records permanently; return their number.

        Their identities stay, so that no copy of them comes back from another store.
        """

    def verify(self, run: str, verified: Verification) -> int:
        """Note who verified a run; return how many records that concerns."""

    def stats(self) -> StoreStats:
        """Return what the store holds."""

    def key_count(self) -> int:
        """Return how many texts ``re_embed`` has to embed."""

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

    def set_index(self, index: str) -> None:
        """Search with an index from now on (``hnsw``), or without one (``exact``).

        Raises:
            ConfigurationError: if the store cannot have that index.
        """

    def close(self) -> None:
        """Write what is not written yet; calling it again does nothing."""
