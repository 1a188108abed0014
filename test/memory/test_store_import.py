# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What comes from files into a store: only what is missing is added, and nothing is lost."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reactree_ros.core.model import Vectors
from reactree_ros.errors import StoreError
from reactree_ros.memory.experience import Experience, Origin, Termination, Verification
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import (
    Choice,
    ExperienceStore,
    NewExperience,
    Query,
    Record,
    Saved,
)

from .conftest import Opening

DIMENSION = 8
RUN = Origin('run 1', 'set 1', 'household', 'reactree', 'tiny', 10.0, Verification.WORLD)
FOREIGN = Origin('foreign', time=20.0, skills='household')


def vector(seed: int) -> Vectors:
    values = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    return values / np.linalg.norm(values)


def new(number: int, text: str = '') -> NewExperience:
    experience = Experience(
        f'find {number}', text or f'text {number}\n', Termination.SUCCESS, False
    )
    return NewExperience(experience, f'find {number}', vector(number), f'outline {number}')


def arrival(number: int, origin: Origin = FOREIGN, text: str = '') -> tuple[Origin, NewExperience]:
    return origin, new(number, text)


def exported(
    store: ExperienceStore,
    choice: Choice = Choice(),  # noqa: B008
) -> list[tuple[Origin, NewExperience]]:
    """Return what a store holds as another one takes it."""
    runs: dict[str, list[tuple[Origin, NewExperience]]] = {}
    for record in store.records(choice):
        comes = NewExperience(
            record.experience,
            record.key,
            vector(int(record.key.split()[-1])),
            record.outline,
            record.control_flows,
            record.merged,
            record.retrieved,
        )
        runs.setdefault(record.origin.run, []).append((record.origin, comes))
    return [one for run in runs.values() for one in run]


def known(store: ExperienceStore) -> list[Record]:
    """Return the records without their numbers, in an order of their own."""
    records = [replace(record, number=0) for record in store.records()]
    return sorted(records, key=lambda one: (one.key, one.origin.run))


@pytest.fixture
def store(open_here: Opening) -> ExperienceStore:
    return open_here('words', DIMENSION)


@pytest.fixture
def other() -> Iterator[ExperienceStore]:
    with closing(SqliteStore(':memory:', 'words', DIMENSION)) as made:
        yield made


def test_a_part_of_a_run_takes_nothing_of_the_run_away(store: ExperienceStore) -> None:
    store.add_run(RUN, [new(1), new(2), new(3)])
    store.note_retrieved([2, 2])
    before = store.records()
    assert store.import_experiences(exported(store, Choice(goal='2'))) == Saved(0, known=1)
    assert store.records() == before


def test_what_a_run_lacks_is_added_to_it(store: ExperienceStore) -> None:
    store.add_run(RUN, [new(1), new(2)])
    whole = exported(store)
    before = store.records()
    store.forget(Choice(goal='1'))
    assert store.import_experiences(whole) == Saved(1, known=1)
    kept, back = store.records()
    assert kept == before[1]
    assert replace(back, number=1) == before[0]


def test_another_text_of_the_same_run_is_added(store: ExperienceStore) -> None:
    store.add_run(RUN, [new(1)])
    assert store.import_experiences([arrival(2, RUN)]) == Saved(1)
    assert [record.origin.run for record in store.records()] == ['run 1', 'run 1']


def test_a_store_comes_back_as_it_was(store: ExperienceStore, other: ExperienceStore) -> None:
    draw = random.Random(3)
    for name in range(30):
        origin = Origin(
            f'run {name}',
            skills='household',
            time=draw.random(),
            verified=draw.choice(list(Verification)),
        )
        its = [new(draw.randrange(40), f'text {name} {place}\n') for place in range(5)]
        store.add_run(origin, its)
    store.note_retrieved([1, 1, 3])
    store.verify('run 7', Verification.PERSON)
    records = known(store)
    assert sum(record.merged for record in records) == 150 > len(records)
    assert other.import_experiences(exported(store)) == Saved(len(records))
    assert known(other) == records
    for target in (store, other):
        before = target.records()
        assert target.import_experiences(exported(store)) == Saved(0, known=len(records))
        assert target.records() == before


def test_what_was_merged_is_known_again(store: ExperienceStore) -> None:
    """Whichever of the two is seen now, a second import finds both of them."""
    store.add_run(RUN, [new(1)])
    weaker = [arrival(1, FOREIGN, 'weaker\n'), arrival(1, FOREIGN, 'weaker, again\n'), arrival(2)]
    stronger = [arrival(1, replace(FOREIGN, run='seen', verified=Verification.PERSON), 'better\n')]
    original = exported(store)
    assert store.import_experiences(weaker + stronger) == Saved(1, merged=3)
    before = store.records()
    assert (before[0].merged, before[0].origin.run) == (4, 'seen')
    for again in (weaker, stronger, original, weaker + stronger):
        assert store.import_experiences(again) == Saved(0, known=len(again))
    assert store.records() == before


def test_two_nodes_that_went_through_the_same_are_two(store: ExperienceStore) -> None:
    twice = [arrival(1), arrival(1)]
    assert store.import_experiences(twice) == Saved(1, merged=1)
    assert store.records()[0].merged == 2
    assert store.import_experiences(twice) == Saved(0, known=2)


def test_what_was_learned_and_merged_is_known_in_an_older_file(store: ExperienceStore) -> None:
    store.add_run(RUN, [new(1)])
    backup = exported(store)
    store.add_run(replace(RUN, run='run 2', time=20.0), [new(1, 'later\n')])
    before = store.records()
    assert before[0].origin.run == 'run 2'
    assert store.import_experiences(backup) == Saved(0, known=1)
    assert store.records() == before


@pytest.mark.parametrize('verified', list(Verification))
def test_only_what_is_better_verified_takes_over(
    store: ExperienceStore, verified: Verification
) -> None:
    store.add_run(RUN, [new(1)])
    foreign = replace(FOREIGN, verified=verified)
    assert store.import_experiences([arrival(1, foreign, 'other\n')]) == Saved(0, merged=1)
    (record,) = store.records()
    assert record.merged == 2
    if verified is Verification.PERSON:
        assert (record.origin, record.experience.text) == (foreign, 'other\n')
    else:
        assert (record.origin, record.experience.text) == (RUN, 'text 1\n')
        assert store.forget(Choice(run='foreign')) == 0


def test_a_verification_stays_as_it_is(store: ExperienceStore) -> None:
    run = [arrival(1), arrival(2)]
    store.import_experiences(run)
    for verified in (Verification.PERSON, Verification.REPORTED):
        store.verify('foreign', verified)
        stronger = [(replace(FOREIGN, verified=verified), one) for _, one in run]
        for again in (run, stronger):
            assert store.import_experiences(again) == Saved(0, known=2)
        assert {record.origin.verified for record in store.records()} == {verified}


def test_what_was_forgotten_comes_back(store: ExperienceStore) -> None:
    store.add_run(RUN, [new(1)])
    merged = [arrival(1, text='other\n')]
    assert store.import_experiences(merged) == Saved(0, merged=1)
    store.forget(Choice())
    assert store.import_experiences(merged) == Saved(1)
    assert store.search(Query(vector(1)))[0].record.experience.text == 'other\n'


def test_one_that_is_merged_counts_as_one(store: ExperienceStore) -> None:
    store.import_experiences([(RUN, replace(new(1), merged=3, retrieved=5))])
    store.import_experiences([(FOREIGN, replace(new(1, 'other\n'), merged=2, retrieved=4))])
    (record,) = store.records()
    assert (record.merged, record.retrieved) == (4, 5)


def test_a_limit_holds_for_what_is_imported(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / 'few', 'words', DIMENSION, limit=2)) as store:
        store.add_run(RUN, [new(1), new(2)])
        store.note_retrieved([1])
        assert store.import_experiences([arrival(3)]) == Saved(1, forgotten=1)
        assert [record.key for record in store.records()] == ['find 1', 'find 3']


def test_an_import_that_fails_leaves_nothing(store: ExperienceStore) -> None:
    store.add_run(RUN, [new(1)])
    before = store.records()
    wrong = (FOREIGN, replace(new(3), vector=2 * vector(3)))
    with pytest.raises(ValueError, match='length 2'):
        store.import_experiences([arrival(2), wrong])
    # Found only when it is written.
    late = (replace(FOREIGN, task=None), new(3))  # type: ignore[arg-type]
    with pytest.raises(StoreError, match='task'):
        store.import_experiences([arrival(2), late])
    assert store.records() == before
