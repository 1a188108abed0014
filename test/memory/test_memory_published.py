# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The published experiences in a store: each goal finds itself, and no budget is exceeded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from reactree_ros.evaluation.wah_runs import read_runs
from reactree_ros.memory.embedding_cache import CachedEncoder
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.memory.experience import Experience, Origin
from reactree_ros.memory.goal_key import GoalKey
from reactree_ros.memory.selection import Retrieval
from reactree_ros.memory.sqlite_store import SqliteStore
from reactree_ros.models.interface import Ready
from reactree_ros.models.local_encoder import LocalEncoder
from reactree_ros.skills.library import SkillLibrary

PUBLISHED = Path(__file__).parents[3] / 'shared' / 'data' / 'wah_experiences.jsonl'
pytestmark = pytest.mark.skipif(
    not PUBLISHED.is_file(), reason='wah_experiences.jsonl, which is not ours to ship, is not here'
)


class WordsAsTokens(LocalEncoder):
    """The sentence encoder; words stand for a model's tokens."""

    def count(self, texts: tuple[str, ...]) -> Ready[tuple[int, ...]]:
        return Ready(tuple(len(text.split()) for text in texts))


@pytest.fixture(scope='module')
def key(household: SkillLibrary) -> GoalKey:
    return GoalKey(household.names_of(household.objects), household.names_of(household.places))


@pytest.fixture(scope='module')
def encoder() -> CachedEncoder:
    return CachedEncoder(WordsAsTokens())


@pytest.fixture(scope='module')
def experiences() -> list[tuple[int, tuple[Experience, ...]]]:
    nodes = read_runs(PUBLISHED)
    return [
        (task, tuple(node.experience for node in run))
        for task, run in groupby(nodes, lambda node: node.task_id)
    ]


@pytest.fixture(scope='module')
def store(
    tmp_path_factory: pytest.TempPathFactory,
    experiences: list[tuple[int, tuple[Experience, ...]]],
    key: GoalKey,
    encoder: CachedEncoder,
) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path_factory.mktemp('memory') / 'memory.sqlite', encoder.encoder_name)
    for task, run in experiences:
        vectors = encoder.embed(tuple(key.of(one.goal) for one in run)).poll()
        assert vectors is not None
        new = [key.describe(*pair) for pair in zip(run, vectors, strict=True)]
        store.add_run(Origin(f'published {task}', task=f'wah {task}'), new)
    yield store
    store.close()


def test_all_are_there(
    store: SqliteStore, experiences: list[tuple[int, tuple[Experience, ...]]]
) -> None:
    records = store.records()
    assert sum(len(run) for _, run in experiences) == 792
    assert sum(record.merged for record in records) == 792
    goals = {one.goal.casefold() for _, run in experiences for one in run}
    assert {record.experience.goal.casefold() for record in records} == goals


@pytest.mark.parametrize(
    'chosen', [Retrieval(), Retrieval(shape_weight=0.3, margin=0.2, spare_duplicates=True)]
)
def test_each_goal_finds_itself_first_and_no_budget_is_exceeded(
    store: SqliteStore,
    experiences: list[tuple[int, tuple[Experience, ...]]],
    key: GoalKey,
    encoder: CachedEncoder,
    chosen: Retrieval,
) -> None:
    memory = EpisodicMemory((), encoder, key, chosen, store)
    goal_of = {one.experience.text: one.experience.goal.casefold() for one in store.records()}
    asked = {(one.goal, one.root) for _, run in experiences for one in run}
    for number, (goal, root) in enumerate(sorted(asked)):
        budget = (300, 1200, 5000)[number % 3]
        pending = memory.retrieve(goal, root, budget)
        while (texts := pending.poll()) is None:
            pass  # the store is searched on another thread
        counts = encoder.count(texts).poll()
        assert counts is not None
        assert sum(counts) <= budget
        own = tuple(text for text, other in goal_of.items() if other == goal.casefold())
        if min(encoder.count(own).poll() or ()) <= budget:
            assert goal_of[texts[0]] == goal.casefold()
    memory.close()


def test_nothing_of_the_same_task_is_found_where_that_is_asked(
    store: SqliteStore,
    experiences: list[tuple[int, tuple[Experience, ...]]],
    key: GoalKey,
    encoder: CachedEncoder,
) -> None:
    memory = EpisodicMemory((), encoder, key, Retrieval(), store)
    task_of = {one.experience.text: one.origin.task for one in store.records()}
    for task, run in experiences[:20]:
        pending = memory.excluding(f'wah {task}').retrieve(run[0].goal, True, 5000)
        while (texts := pending.poll()) is None:
            pass
        assert texts
        assert f'wah {task}' not in {task_of[text] for text in texts}
    memory.close()
