# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How ``reactree memory import`` adds the runs of a file to a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from reactree_ros.core.model import Encoder, Vectors
from reactree_ros.errors import ModelError, StoreError
from reactree_ros.memory.exchange import ImportedRun
from reactree_ros.memory.goal_key import describe, goal_key
from reactree_ros.memory.store import ExperienceStore, NewExperience, Record, Saved

_BATCH = 512


def embedded(encoder: Encoder, texts: Sequence[str]) -> Vectors:
    """Return the embeddings of texts, (n, dimension), by an encoder that answers at once."""
    vectors = encoder.embed(tuple(texts)).poll()
    if vectors is None:
        raise ModelError('the sentence encoder did not answer at once')
    return vectors


def import_runs(
    runs: Iterable[ImportedRun],
    store: ExperienceStore,
    encoder: Encoder,
    advance: Callable[[int], None],
    stop: Callable[[], bool],
) -> tuple[int, Saved]:
    """Add what a store lacks of runs, many at a time, each whole; nothing there is replaced.

    Args:
        runs: the runs.
        store: takes them.
        encoder: embeds the keys of their goals, and answers at once.
        advance: called with the number of experiences that were imported since the last call.
        stop: whether to stop after the runs at hand.

    Returns:
        How many runs were imported, and what became of their experiences.

    Raises:
        ModelError: if the encoder fails.
        StoreError: if the store cannot be written. Both report whether earlier runs were kept.
    """
    count, saved = 0, Saved(0)
    for batch in _batches(runs):
        records = [
            # What the file says of the origin may differ within a run, but not its name.
            replace(record, origin=replace(record.origin, run=run.origin.run))
            for run in batch
            for record in run.records
        ]
        keys = [goal_key(one.experience.goal) for one in records]
        try:
            vectors = embedded(encoder, keys)
            saved += store.import_experiences(
                (record.origin, _new(record, vector))
                for record, vector in zip(records, vectors, strict=True)
            )
        except (ModelError, StoreError) as error:
            if not count:
                raise
            raise type(error)(
                f'{error}; {count:,} runs were imported before that, and the same command '
                'imports the rest'
            ) from error
        count += len(batch)
        advance(len(records))
        if stop():
            break
    return count, saved


def _batches(runs: Iterable[ImportedRun]) -> Iterator[list[ImportedRun]]:
    batch: list[ImportedRun] = []
    for run in runs:
        batch.append(run)
        if sum(len(one.records) for one in batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _new(record: Record, vector: Vectors) -> NewExperience:
    new = describe(record.experience, vector)
    return replace(new, merged=record.merged, retrieved=record.retrieved)
