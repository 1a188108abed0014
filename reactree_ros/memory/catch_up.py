# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Brings a store up to what another one knows: a robot's file and the server of its fleet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from reactree_ros.core.model import Vectors
from reactree_ros.memory.goal_key import describe, goal_key
from reactree_ros.memory.store import Choice, ExperienceStore, Saved

_AT_ONCE = 500


def add_missing(
    source: ExperienceStore,
    target: ExperienceStore,
    embed: Callable[[Sequence[str]], Vectors],
    choice: Choice,
    advance: Callable[[int], None] = lambda count: None,
    stop: Callable[[], bool] = lambda: False,
    robot: str = '',
) -> Saved:
    """Add what a store lacks of another one, some hundred experiences at a time.

    What was deleted in the target with ``forget`` stays deleted. Doing it again, also after an
    interruption, adds only what is still missing.

    Args:
        source: where experiences come from.
        target: where they are added.
        embed: makes embeddings of keys, (n, dimension); asked only for what is missing.
        choice: which experiences.
        advance: called with the number of experiences that were looked at since the last call.
        stop: whether to stop after those at hand.
        robot: who learned what does not say it.

    Returns:
        What became of the experiences.
    """
    found = source.identities(choice)
    saved = Saved(0)
    for begin in range(0, len(found), _AT_ONCE):
        if stop():
            break
        batch = found[begin : begin + _AT_ONCE]
        known = target.known([identity for _, identity in batch])
        missing = tuple(number for number, identity in batch if identity not in known)
        saved += Saved(0, known=len(batch) - len(missing))
        records = source.records(Choice(numbers=missing)) if missing else ()
        if records:
            vectors = embed([goal_key(one.experience.goal) for one in records])
            saved += target.import_experiences(
                (
                    (
                        replace(one.origin, robot=one.origin.robot or robot),
                        replace(
                            describe(one.experience, vector),
                            merged=one.merged,
                            retrieved=one.retrieved,
                        ),
                    )
                    for one, vector in zip(records, vectors, strict=True)
                ),
                restore=False,
            )
        advance(len(batch))
    return saved


def forget_too(source: ExperienceStore, target: ExperienceStore) -> int:
    """Delete what was deleted in another store with ``forget``; return how much that is."""
    gone = source.forgotten()
    numbers = tuple(number for number, identity in target.identities() if identity in gone)
    return target.forget(Choice(numbers=numbers), merged=False) if numbers else 0
