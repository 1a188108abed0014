# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A store of experiences, of any kind: what is kept, merged, forgotten and refused."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from reactree_ros.core.model import Vectors
from reactree_ros.errors import ConfigurationError, StoreError
from reactree_ros.memory.experience import Origin, Termination, Verification
from reactree_ros.memory.opening import open_store
from reactree_ros.memory.store import Choice, ExperienceStore, NewExperience, Query, Record, Saved

from .conftest import Opening
from .samples import DIMENSION, RUN, found, goals, new, vector


@pytest.fixture
def store(open_here: Opening) -> ExperienceStore:
    return open_here('words', DIMENSION)


def test_a_record_is_what_was_added(store: ExperienceStore) -> None:
    one = new(1)
    assert store.add_run(RUN, [one]) == Saved(1)
    expected = Record(1, one.experience, RUN, one.key, one.outline, one.control_flows, 1, 0)
    assert store.records() == (expected,)
    (match,) = store.search(Query(vector(1)))
    assert (match.record, match.score) == (expected, 1.0)


def test_everything_is_there_after_it_was_closed(address: str) -> None:
    with closing(open_store(address, 'words', DIMENSION)) as first:
        first.add_run(RUN, [new(1), new(2)])
        first.note_retrieved([2, 2, 1])
        before = first.records()
    with closing(open_store(address)) as second:
        assert second.records() == before
        assert [record.retrieved for record in before] == [1, 2]
        assert found(second, 2) == [2]


def test_a_run_is_added_whole_or_not_at_all(store: ExperienceStore) -> None:
    wrong = replace(new(2), vector=vector(2, DIMENSION + 1))
    with pytest.raises(ValueError, match='run 1.*dimension 8'):
        store.add_run(RUN, [new(1), wrong])
    with pytest.raises(ValueError, match='length 2'):
        store.add_run(RUN, [new(1), replace(new(2), vector=2 * vector(2))])
    assert store.records() == ()
    assert store.add_run(RUN, [new(1)]) == Saved(1)


def test_a_run_of_the_same_name_is_replaced(store: ExperienceStore) -> None:
    store.add_run(RUN, [new(1), new(2)])
    store.add_run(replace(RUN, run='run 2'), [new(3)])
    assert store.add_run(RUN, [new(2), new(4)]) == Saved(2)
    assert goals(store) == ['3', '2', '4']
    # Numbers are never used again.
    assert [record.number for record in store.records()] == [3, 4, 5]
    assert found(store, 4) == [5]
    assert found(store, 1) != [1]


def test_near_duplicates_are_merged(store: ExperienceStore) -> None:
    store.add_run(RUN, [new(1), new(2)])
    later = replace(RUN, run='run 2', time=20.0, task='set 2')
    shouted = replace(
        new(1, 'newer text\n'),
        experience=replace(new(1).experience, goal='FIND GRÖSSE 1', text='newer\n'),
    )
    assert store.add_run(later, [shouted]) == Saved(0, merged=1)
    record = store.records()[0]
    assert (record.number, record.merged) == (1, 2)
    assert record.experience == shouted.experience
    assert record.origin == later


@pytest.mark.parametrize(
    'other, stays',
    [
        (replace(RUN, time=5.0), True),
        (replace(RUN, time=20.0), False),
        (replace(RUN, time=20.0, verified=Verification.REPORTED), True),
        (replace(RUN, time=5.0, verified=Verification.PERSON), False),
    ],
)
def test_of_merged_ones_the_best_verified_then_latest_stays(
    store: ExperienceStore, other: Origin, stays: bool
) -> None:
    other = replace(other, run='run 2', task='set 2', model='large')
    store.add_run(RUN, [new(1)])
    assert store.add_run(other, [new(1, 'other\n')]) == Saved(0, merged=1)
    (record,) = store.records()
    # Text and origin are of one run, whichever it is.
    expected = (new(1).experience, RUN) if stays else (new(1, 'other\n').experience, other)
    assert (record.experience, record.origin) == expected
    assert (record.number, record.merged) == (1, 2)
    assert store.forget(Choice(run=other.run if stays else RUN.run)) == 0


@pytest.mark.parametrize(
    'other, origin',
    [
        (replace(new(1), key='other key'), RUN),
        (replace(new(1), outline='other outline'), RUN),
        (replace(new(1), experience=replace(new(1).experience, goal='find it')), RUN),
        (replace(new(1), experience=replace(new(1).experience, root=True)), RUN),
        (new(1, termination=Termination.FAILURE), RUN),
        (new(1), replace(RUN, strategy='react')),
        (new(1), replace(RUN, skills='office')),
    ],
)
def test_what_shows_a_model_something_else_is_not_merged(
    store: ExperienceStore, other: NewExperience, origin: Origin
) -> None:
    store.add_run(RUN, [new(1)])
    assert store.add_run(replace(origin, run='run 2'), [other]) == Saved(1)


def test_equal_keys_share_a_vector_unless_it_differs(store: ExperienceStore) -> None:
    noise = (vector(1) + np.float32(1e-7)).astype(np.float32)
    alike = replace(new(2), key='find 1', vector=noise)
    other = replace(new(3), key='find 1', vector=vector(3))
    store.add_run(RUN, [new(1), alike, other])
    assert store.key_count() == 2
    assert [match.score for match in store.search(Query(vector(1), limit=1))] == [1.0, 1.0]
    assert found(store, 3) == [3]


@pytest.mark.parametrize(
    'choice, expected',
    [
        (Choice(), '1234'),
        (Choice(numbers=(2, 4, 9)), '24'),
        (Choice(run='run 2'), '34'),
        (Choice(goal='grösse 3'), '3'),
        (Choice(skills='office'), '34'),
        (Choice(strategy='react'), '34'),
        (Choice(task='set 1'), '12'),
        (Choice(verified=(Verification.WORLD, Verification.PERSON)), '12'),
        (Choice(run='run 1', goal='2'), '2'),
        (Choice(run='run 1', task='set 2'), ''),
    ],
)
def test_a_choice_names_records(store: ExperienceStore, choice: Choice, expected: str) -> None:
    store.add_run(RUN, [new(1), new(2)])
    store.add_run(Origin('run 2', 'set 2', 'office', 'react'), [new(3), new(4)])
    assert ''.join(goals(store, choice)) == expected
    assert store.forget(choice) == len(expected)
    assert ''.join(goals(store)) == ''.join(one for one in '1234' if one not in expected)


def test_a_run_is_verified(store: ExperienceStore) -> None:
    store.add_run(replace(RUN, verified=Verification.REPORTED), [new(1), new(2)])
    store.add_run(replace(RUN, run='run 2', verified=Verification.REPORTED), [new(3)])
    assert store.verify('run 1', Verification.PERSON) == 2
    assert store.verify('no run', Verification.PERSON) == 0
    verified = Choice(verified=(Verification.PERSON,))
    assert [record.number for record in store.records(verified)] == [1, 2]
    assert store.stats().counts['verified'] == {'person': 2, 'reported': 1}


def test_stats_say_what_is_there(store: ExperienceStore) -> None:
    assert (store.stats().records, store.stats().encoder) == (0, '')
    store.add_run(RUN, [new(1), new(2, termination=Termination.FAILURE)])
    store.add_run(Origin('run 2', strategy='react'), [new(3)])
    stats = store.stats()
    assert (stats.records, stats.runs) == (3, 2)
    assert (stats.encoder, stats.dimension) == ('words', DIMENSION)
    assert stats.bytes > 0
    assert stats.counts['termination'] == {'success': 2, 'failure': 1}
    assert stats.counts['strategy'] == {'reactree': 2, 'react': 1}
    assert stats.counts['model'] == {'tiny': 2, '': 1}


def test_many_records_are_iterated_while_they_are_forgotten(store: ExperienceStore) -> None:
    store.add_runs((replace(RUN, run=f'run {i}'), [new(i)]) for i in range(2500))
    seen: list[int] = []
    for record in store.iterate():
        if not seen:
            store.forget(Choice(run='run 1200'))
        seen.append(record.number)
    assert seen == [number for number in range(1, 2501) if number != 1201]


def test_another_encoder_is_refused(address: str) -> None:
    # As long as there is nothing in it, any encoder will do.
    with closing(open_store(address, 'other', 4)) as store:
        store.add_run(RUN, [])
    with closing(open_store(address, 'other', 4)) as store:
        store.add_run(RUN, [replace(new(1), vector=vector(1, 4))])
        store.forget(Choice())
    with closing(open_store(address, 'words')) as store:
        assert store.search(Query(vector(1))) == ()
        store.add_run(RUN, [new(1)])
        assert found(store, 1) == [2]
    for encoder, dimension in (('other', DIMENSION), ('words', 4)):
        with pytest.raises(ConfigurationError, match='reactree memory re-embed --memory '):
            open_store(address, encoder, dimension)
    with pytest.raises(ConfigurationError, match='with --encoder MODEL'):
        open_store(address, 'other', DIMENSION)


def test_the_dimension_need_not_be_known(address: str) -> None:
    with closing(open_store(address, 'words')) as store:
        assert store.search(Query(vector(1))) == ()
        with pytest.raises(ValueError, match='dimension 8'):
            store.add_run(RUN, [new(1), replace(new(2), vector=vector(2, 9))])
        store.add_run(RUN, [replace(new(1), vector=vector(1, 9))])
        assert store.stats().dimension == 9
    with closing(open_store(address, 'words')) as store:
        assert store.search(Query(vector(1, 9)))[0].score == 1.0
    with pytest.raises(ConfigurationError, match="not of 'other'; run"):
        open_store(address, 'other')


def test_without_an_encoder_nothing_is_added_to_a_new_store(address: str) -> None:
    with closing(open_store(address)) as store:
        with pytest.raises(ValueError, match="the encoder ''"):
            store.add_run(RUN, [new(1)])
        assert store.stats().records == 0


def test_it_is_embedded_again(address: str) -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> Vectors:
        asked.extend(texts)
        return np.stack([vector(int(text.split()[-1]) + 1000, 5) for text in texts])

    with (
        closing(open_store(address, 'words', DIMENSION)) as planner,
        closing(open_store(address)) as tool,
    ):
        planner.add_run(RUN, [new(number) for number in range(300)])
        assert found(planner, 7) == [8]

        def embed_while_another_adds(texts: Sequence[str]) -> Vectors:
            if not asked:
                planner.add_run(replace(RUN, run='run 2'), [new(300)])
            return embed(texts)

        assert tool.re_embed('other', 5, embed_while_another_adds) == 301
        assert sorted(asked) == sorted(f'find {number}' for number in range(301))
        assert tool.search(Query(vector(1300, 5), limit=1))[0].record.number == 301
        with pytest.raises(ConfigurationError, match='re-embed'):
            planner.search(Query(vector(7)))
        with pytest.raises(ConfigurationError, match='re-embed'):
            planner.add_run(replace(RUN, run='run 3'), [new(1)])
    with closing(open_store(address, 'other', 5)) as again:
        assert again.stats().records == 301


def test_embedding_again_fails_as_a_whole(store: ExperienceStore) -> None:
    store.add_run(RUN, [new(number) for number in range(300)])
    calls: list[int] = []

    def embed(texts: Sequence[str]) -> Vectors:
        calls.append(len(texts))
        if len(calls) > 1:
            raise RuntimeError('no memory')
        return np.stack([vector(0, 5)] * len(texts))

    with pytest.raises(RuntimeError, match='no memory'):
        store.re_embed('other', 5, embed)
    assert store.stats().encoder == 'words'
    assert found(store, 7) == [8]


def test_threads_may_share_a_store(store: ExperienceStore) -> None:
    wrong: list[BaseException] = []

    def work(begin: int) -> None:
        try:
            for number in range(begin, begin + 20):
                store.add_run(replace(RUN, run=f'run {number}'), [new(number)])
                (match,) = store.search(Query(vector(number), limit=1))
                assert match.record.key == f'find {number}'
                store.note_retrieved([match.record.number])
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(begin,)) for begin in (0, 100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert [record.retrieved for record in store.records()] == [1] * 60


def test_a_closed_store_says_so(store: ExperienceStore) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match='^experience store .*closed'):
        store.records()
