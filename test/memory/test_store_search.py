# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Searching the store of experiences is exact: compared with the plain reading of ``Query``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np
import pytest

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import Vectors
from reactree_ros.memory.experience import Experience, Origin, Termination, Verification
from reactree_ros.memory.store import Choice, ExperienceStore, NewExperience, Query, Record

from ..thorough import thorough
from .conftest import Opening

DIMENSION = 24
STRATEGIES = ('reactree', 'react')
FLOWS = tuple(
    frozenset(some) for some in chain(*(combinations(ControlFlow, size) for size in range(4)))
)
TERMINATIONS = tuple(Termination)
Generator = np.random.Generator
Pair = tuple[ExperienceStore, ExperienceStore]


class Words:
    """Vectors of keys: clusters of few directions, so that many are nearly alike."""

    def __init__(self, generator: Generator, keys: int) -> None:
        directions = generator.normal(size=(4, DIMENSION))
        centres = generator.normal(size=(max(1, keys // 8), 4)) @ directions
        near = centres[generator.integers(len(centres), size=keys)]
        spread = generator.choice([0.001, 0.1, 0.3, 1.0], size=(keys, 1))
        values = (near + spread * generator.normal(size=(keys, DIMENSION))).astype(np.float32)
        self.vectors: Vectors = values / np.linalg.norm(values, axis=1, keepdims=True)

    def __getitem__(self, number: int) -> Vectors:
        vector: Vectors = self.vectors[number]
        return vector


def draw_run(generator: Generator, words: Words, number: int) -> tuple[Origin, list[NewExperience]]:
    origin = Origin(
        f'run {number}',
        f'task {generator.integers(6)}',
        f'library {generator.integers(2)}',
        STRATEGIES[generator.integers(2)],
        verified=tuple(Verification)[generator.integers(3)],
    )
    experiences = []
    for position in range(int(generator.integers(1, 12))):
        key = int(generator.integers(len(words.vectors)))
        experience = Experience(
            f'goal {key}',
            f'text {number} {position}\n',
            TERMINATIONS[generator.integers(3)],
            bool(generator.integers(2)),
        )
        outline, flows = f'{number} {position}', FLOWS[generator.integers(len(FLOWS))]
        experiences.append(NewExperience(experience, f'key {key}', words[key], outline, flows))
    return origin, experiences


def draw_query(generator: Generator, words: Words) -> Query:
    key = words[int(generator.integers(len(words.vectors)))]
    other = generator.normal(size=DIMENSION).astype(np.float32)
    vector = (key, other / np.linalg.norm(other))[generator.integers(2)]
    return Query(
        vector,
        limit=int(generator.choice([0, 1, 5, 20, 100])),
        margin=float(generator.choice([math.inf, 0.02, 0.5])),
        root=bool(generator.integers(2)),
        level_bonus=float(generator.choice([0.0, 0.1])),
        strategy=('', *STRATEGIES, 'other')[generator.integers(4)],
        skills=('', 'library 1')[generator.integers(2)],
        control_flows=FLOWS[generator.integers(len(FLOWS))]
        if generator.integers(2)
        else frozenset(ControlFlow),
        not_task=('', 'task 1', 'no task')[generator.integers(3)],
    )


def search_by_hand(
    records: Sequence[Record], words: Words, query: Query
) -> list[tuple[int, float]]:
    scored = []
    for record in records:
        experience, origin = record.experience, record.origin
        if (
            (query.strategy and origin.strategy != query.strategy)
            or (query.skills and origin.skills != query.skills)
            or not record.control_flows <= query.control_flows
            or (query.not_task and origin.task == query.not_task)
        ):
            continue
        vector = words[int(record.key.split()[1])].astype(np.float64)
        score = math.fsum(
            (vector * query.vector.astype(np.float64)).tolist()
        ) + query.level_bonus * (experience.root == query.root)
        scored.append((record.number, round(score, 5)))
    scored.sort(key=lambda one: (-one[1], one[0]))
    if not scored:
        return []
    lowest = scored[0][1] - query.margin
    if 0 < query.limit < len(scored):
        lowest = max(lowest, scored[query.limit - 1][1])
    return [one for one in scored if one[1] >= lowest]


def check(store: ExperienceStore, words: Words, generator: Generator, times: int) -> None:
    records = store.records()
    by_number = {record.number: record for record in records}
    for _ in range(times):
        query = draw_query(generator, words)
        matches = store.search(query)
        expected = search_by_hand(records, words, query)
        assert [match.record.number for match in matches] == [number for number, _ in expected]
        assert [match.score for match in matches] == pytest.approx(
            [score for _, score in expected], abs=1e-9
        )
        assert all(by_number[match.record.number] == match.record for match in matches)


@pytest.fixture
def pair(open_here: Opening) -> Pair:
    return open_here('words', DIMENSION), open_here('words', DIMENSION)


@pytest.mark.parametrize('seed', range(6))
def test_search_is_exact_whatever_was_written_and_by_whom(pair: Pair, seed: int) -> None:
    generator = np.random.default_rng(seed)
    words = Words(generator, (3, 40, 400)[seed % 3])
    for step in range(40):
        writer = pair[generator.integers(2)]
        match int(generator.integers(6)):
            case 0:
                writer.verify(f'run {generator.integers(step + 1)}', tuple(Verification)[step % 3])
            case 1:
                writer.forget(Choice(run=f'run {generator.integers(step + 1)}'))
            case 2:
                # A run that is there is replaced.
                writer.add_run(*draw_run(generator, words, int(generator.integers(step + 1))))
            case _:
                writer.add_runs(
                    [draw_run(generator, words, step), draw_run(generator, words, -step)]
                )
        if step % 4 == 3:
            check(pair[generator.integers(2)], words, generator, 4)
    assert pair[0].records() == pair[1].records()
    for store in pair:
        check(store, words, generator, 30)


def test_search_is_exact_in_a_large_store(
    pair: Pair,
) -> None:
    size = thorough(20_000, 4_000)
    generator = np.random.default_rng(7)
    words = Words(generator, size)
    pair[0].add_runs(
        [
            (
                Origin(f'run {run}'),
                [
                    NewExperience(
                        Experience(f'goal {key}', '', Termination.SUCCESS, False),
                        f'key {key}',
                        words[key],
                        outline=f'{run}',
                    )
                    for key in range(run, run + 1000)
                ],
            )
            for run in range(0, size, 1000)
        ]
    )
    check(pair[1], words, generator, 6)


def test_equal_experiences_are_not_parted_by_the_limit(
    pair: Pair,
) -> None:
    words = Words(np.random.default_rng(1), 2)
    same = [
        NewExperience(
            Experience('goal', '', Termination.SUCCESS, False), 'key 0', words[0], outline=str(i)
        )
        for i in range(9)
    ]
    other = NewExperience(
        Experience('goal', '', Termination.FAILURE, False), 'key 1', words[1], outline='x'
    )
    pair[0].add_run(Origin('run'), [other, *same])
    matches = pair[1].search(Query(words[0], limit=3))
    assert [match.record.number for match in matches] == list(range(2, 11))
    assert {match.score for match in matches} == {1.0}


def test_nothing_is_found_where_nothing_is(pair: Pair) -> None:
    words = Words(np.random.default_rng(1), 2)
    assert pair[0].search(Query(words[0])) == ()
    pair[1].add_run(*draw_run(np.random.default_rng(1), words, 1))
    assert pair[0].search(Query(words[0], strategy='none')) == ()
    pair[1].forget(Choice())
    assert pair[0].search(Query(words[0], limit=0)) == ()
    assert pair[0].stats().records == 0
