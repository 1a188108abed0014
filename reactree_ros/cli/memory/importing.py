# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Actions of ``reactree memory`` that need a sentence encoder: import, search, re-embed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from reactree_ros.cli.console import duration, say
from reactree_ros.core.model import Encoder, Vectors
from reactree_ros.errors import ModelError, StoreError
from reactree_ros.memory.exchange import ExperienceFile, ImportedRun
from reactree_ros.memory.experience import Origin
from reactree_ros.memory.goal_key import GoalKey
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Arrival, NewExperience, Record, Saved

_BATCH = 512
_SAY_EVERY_S = 10.0


def embedded(encoder: Encoder, texts: Sequence[str]) -> Vectors:
    """Return the embeddings of texts, (n, dimension), by an encoder that answers at once."""
    vectors = encoder.embed(tuple(texts)).poll()
    if vectors is None:
        raise ModelError('the sentence encoder did not answer at once')
    return vectors


@dataclass(frozen=True)
class Source:
    """Runs that are to be imported.

    Args:
        experiences: how many they have together.
        runs: the runs.
    """

    experiences: int
    runs: Iterator[ImportedRun]


def open_source(path: Path, given: Origin) -> Source:
    """Open a file with experiences.

    All of it is read once, so that nothing is imported of a file in which anything is wrong.

    Args:
        path: the file.
        given: where they come from, as far as the file does not say so.

    Raises:
        ConfigurationError: if it cannot be read, is in no form that is known, or an experience
            is wrong.
    """
    file = ExperienceFile(path, given)
    file.check()
    return Source(file.experiences, file.runs())


def import_runs(
    source: Source,
    store: SqliteStore,
    encoder: Encoder,
    key: GoalKey,
    skills: str,
    progress: Counting,
    stop: Callable[[], bool],
) -> tuple[int, Saved]:
    """Add what a store lacks of runs, many at a time, each whole; nothing there is replaced.

    Args:
        source: the runs.
        store: takes them.
        encoder: embeds the keys of their goals, and answers at once.
        key: makes the keys of experiences of the skill library ``skills``, and of those that
            come without a key; others keep theirs.
        skills: name of that library.
        progress: counts experiences.
        stop: whether to stop after the runs at hand.

    Returns:
        How many runs were imported, and what became of their experiences.

    Raises:
        ModelError: if the encoder fails.
        StoreError: if the file cannot be written. Like the other, it says if runs before were
            kept.
    """
    count, saved = 0, Saved(0)
    for batch in _batches(source.runs):
        records = [record for run in batch for record in run.records]
        try:
            vectors = iter(embedded(encoder, [_key(record, key, skills) for record in records]))
            some = store.import_runs(
                [_arrival(run, record, next(vectors), key, skills) for record in run.records]
                for run in batch
            )
        except (ModelError, StoreError) as error:
            if not count:
                raise
            raise type(error)(
                f'{error}; {count:,} runs were imported before that, and the same command '
                'imports the rest'
            ) from error
        count += len(batch)
        saved = Saved(
            saved.added + some.added,
            saved.merged + some.merged,
            saved.forgotten + some.forgotten,
            saved.known + some.known,
        )
        progress.advance(len(records))
        if stop():
            break
    return count, saved


class Counting:
    """Shows how much of something is done and the time left; a context manager.

    Args:
        what: what is being done.
        total: how much there is to do.
    """

    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._begin = self._said = time.monotonic()
        # Standard output is for results.
        console = Console(file=sys.stderr)
        self._live = console.is_terminal
        self._progress = Progress(
            TextColumn('{task.description}'),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not self._live,
        )
        self._task = self._progress.add_task(what, total=total)

    def __enter__(self) -> Counting:
        """Begin to show."""
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End; nothing is left on a terminal."""
        self._progress.stop()

    def advance(self, count: int) -> None:
        """Count what is done."""
        self._done += count
        self._progress.advance(self._task, count)
        now = time.monotonic()
        late = now - self._said >= _SAY_EVERY_S
        if late and not self._live and self._done < self._total:
            self._said = now
            left = (now - self._begin) / self._done * (self._total - self._done)
            say(f'{self._what}: {self._done:,} of {self._total:,}, {duration(left)} left')


def _batches(runs: Iterable[ImportedRun]) -> Iterator[list[ImportedRun]]:
    batch: list[ImportedRun] = []
    size = 0
    for run in runs:
        batch.append(run)
        size += len(run.records)
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _key(record: Record, key: GoalKey, skills: str) -> str:
    return record.key if _foreign(record, skills) else key.of(record.experience.goal)


def _arrival(
    run: ImportedRun, record: Record, vector: Vectors, key: GoalKey, skills: str
) -> Arrival:
    # Fields come from the file and may differ within a run; only the name may be generated.
    origin = replace(record.origin, run=run.origin.run)
    return Arrival(origin, _new(record, vector, key, skills), record.merged, record.retrieved)


def _new(record: Record, vector: Vectors, key: GoalKey, skills: str) -> NewExperience:
    new = key.describe(record.experience, vector)
    if _foreign(record, skills):
        # Only a library knows which words name its objects and places.
        return replace(new, key=record.key, things=record.things, outline=record.outline)
    return new


def _foreign(record: Record, skills: str) -> bool:
    return bool(record.key) and record.origin.skills != skills
