# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run on its way into a store: embedded, written whole, verified, forgotten."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from reactree_ros.core.futures import Future
from reactree_ros.errors import ConfigurationError, ModelError, StoreError
from reactree_ros.memory.experience import Experience, Origin, Termination, Verification
from reactree_ros.memory.learning import Learner
from reactree_ros.memory.store import ExperienceStore, Query, Saved

from .conftest import Opening

WORDS = 'put find the thing place in on'


def experience(goal: str, root: bool = False) -> Experience:
    text = f'Goal: {goal}\nYou are in the kitchen.\nAct: done\n'
    return Experience(goal, text, Termination.SUCCESS, root)


RUN = (experience('put the apple in the fridge', root=True), experience('find the apple'))


@pytest.fixture
def store(open_here: Opening, word_encoder: Any) -> ExperienceStore:
    return open_here(word_encoder(WORDS).encoder_name, len(WORDS.split()) + 1)


@pytest.fixture
def learner(store: ExperienceStore, word_encoder: Any) -> Iterator[Learner]:
    learner = Learner(store, word_encoder(WORDS))
    yield learner
    learner.close()


def answer(pending: Future[Any]) -> Any:
    """Look until the answer is there."""
    turn = threading.Event()
    for _ in range(10_000):
        if (found := pending.poll()) is not None:
            return found
        turn.wait(0.001)
    raise AssertionError('no answer')


def test_a_run_is_kept_with_its_origin_and_its_key(
    store: ExperienceStore, learner: Learner
) -> None:
    origin = Origin('one', skills='household', verified=Verification.WORLD)
    assert answer(learner.learn(origin, RUN)) == Saved(2)
    kept = store.records()
    assert [one.experience for one in kept] == list(RUN)
    assert {one.origin for one in kept} == {origin}
    assert [one.key for one in kept] == ['put the apple in the fridge', 'find the apple']
    assert answer(learner.count()) == 2


def test_nothing_is_kept_of_a_run_without_experiences(learner: Learner) -> None:
    assert answer(learner.learn(Origin('none'), ())) == Saved(0)
    assert answer(learner.count()) == 0


def test_a_run_is_verified_and_forgotten_by_its_name(
    store: ExperienceStore, learner: Learner
) -> None:
    answer(learner.learn(Origin('one'), RUN))
    answer(learner.learn(Origin('two'), (experience('find the pear in the fridge'),)))
    assert answer(learner.verify('one', Verification.PERSON)) == 2
    assert [one.origin.verified.value for one in store.records()] == ['person'] * 2 + ['reported']
    assert answer(learner.forget('one')) == 2
    assert [one.origin.run for one in store.records()] == ['two']


def test_what_the_store_raises_is_raised_where_it_is_asked_for(
    open_here: Opening, word_encoder: Any
) -> None:
    encoder = word_encoder(WORDS)
    store = open_here(encoder.encoder_name, len(WORDS.split()) + 1)
    learner = Learner(store, encoder)
    store.close()
    with pytest.raises((StoreError, ModelError)):
        answer(learner.learn(Origin('late'), RUN))
    learner.close()


class Silent:
    """An encoder whose answer does not come."""

    encoder_name = 'silent'
    canceled = False

    def embed(self, texts: tuple[str, ...]) -> Any:
        return self

    def poll(self) -> None:
        return None

    def cancel(self) -> None:
        self.canceled = True


def test_a_run_that_is_given_up_before_it_is_embedded_leaves_nothing(
    store: ExperienceStore,
) -> None:
    encoder: Any = Silent()
    learner = Learner(store, encoder)
    pending = learner.learn(Origin('one'), RUN)
    assert pending.poll() is None
    pending.cancel()
    learner.close()
    assert encoder.canceled
    assert store.records() == ()


def test_a_store_takes_the_dimension_of_the_first_run(
    open_here: Opening, word_encoder: Any
) -> None:
    encoder = word_encoder(WORDS)
    stores = [open_here(encoder.encoder_name) for _ in range(2)]
    vector = encoder.embed(('find the thing',)).poll()[0]
    assert stores[1].search(Query(vector)) == ()
    learner = Learner(stores[0], encoder)
    assert answer(learner.learn(Origin('one'), RUN)) == Saved(2)
    learner.close()
    found = stores[1].search(Query(vector))
    assert found[0].record.experience == RUN[1], 'whoever opened it before sees it'
    assert stores[1].stats().dimension == len(vector)
    for store in stores:
        store.close()
    with pytest.raises(ConfigurationError, match='re-embed'):
        open_here('another encoder')
