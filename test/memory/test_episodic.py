# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Episodic memory: what is read, and what is found in which order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reactree_ros.core.decision import ControlFlow
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.memory.embedding_cache import CachedEncoder
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.memory.experience import (
    Experience,
    Origin,
    Termination,
    Verification,
    read_experiences,
)
from reactree_ros.memory.goal_key import describe, goal_key
from reactree_ros.memory.selection import Retrieval
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.paths import share
from reactree_ros.skills.library import SkillLibrary

SUCCESS, FAILURE, EXPAND = Termination.SUCCESS, Termination.FAILURE, Termination.EXPAND
FILE = """# a remark
Goal: fetch the apple
You are in the kitchen (1).
Expand: sequence ["find it"]
---

Primary goal: fetch the apple
Subgoals (sequence, one after another; all must succeed): find it
Goal: find it
You are in the kitchen (1).
Act: go to fridge 1
# another
You are at the fridge (1).
Act: done
---
Goal: fly
Act: failure
"""


def read(folder: Path, text: str) -> tuple[Experience, ...]:
    path = folder / 'seeds.txt'
    path.write_text(text, encoding='utf-8')
    return read_experiences(path)


def test_trajectories_are_read_with_their_level_and_ending(tmp_path: Path) -> None:
    found = read(tmp_path, FILE)
    assert [(one.goal, one.termination, one.root) for one in found] == [
        ('fetch the apple', EXPAND, True),
        ('find it', SUCCESS, False),
        ('fly', FAILURE, True),
    ]
    assert found[2].text == 'Goal: fly\nAct: failure\n'
    assert '#' not in found[1].text


@pytest.mark.parametrize('text', ['', '---\n---\n', '# only a remark\n', '\n\n'])
def test_a_file_may_be_empty(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == ()


FAULTS = [
    ('Act: done\n', 'line 1: the experience has no line "Goal: …"'),
    ('Goal: a\nAct: done\n---\nGoal:  \nAct: done\n', 'line 4: the experience has no line'),
    (
        'Goal: a\nThink: hm\n',
        "line 1: the experience must end with done, failure or Expand, not 'Think: hm'",
    ),
    ('Goal: a\nAct: done\n---\n\nGoal: b\nYou see: mug (1).\n', 'line 4: the experience must end'),
    # a skill is not an ending
    ('Goal: a\nAct: open fridge 1\n', 'line 1: the experience must end'),
]


@pytest.mark.parametrize(('text', 'error'), FAULTS)
def test_a_faulty_trajectory_is_named_by_file_and_line(
    tmp_path: Path, text: str, error: str
) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(f'seeds.txt, {error}')):
        read(tmp_path, text)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='missing.txt'):
        read_experiences(tmp_path / 'missing.txt')
    (tmp_path / 'bytes.txt').write_bytes(b'Goal: \xff\xfe')
    with pytest.raises(ConfigurationError, match='bytes.txt'):
        read_experiences(tmp_path / 'bytes.txt')


def experience(
    goal: str, words: int = 3, termination: Termination = SUCCESS, root: bool = False
) -> Experience:
    """Make an experience of so many words whose text begins with its goal's first letters."""
    return Experience(
        goal, ' '.join([goal.replace(' ', '_')] + ['w'] * (words - 1)), termination, root
    )


def memory_of(
    experiences: Sequence[Experience],
    encoder: Any,
    **retrieval: Any,
) -> EpisodicMemory:
    seeds = [(Origin('shipped', verified=Verification.PERSON), experiences)]
    return EpisodicMemory(seeds, CachedEncoder(encoder), Retrieval(**retrieval))


def retrieved(memory: EpisodicMemory, goal: str, budget: int, root: bool) -> list[str]:
    pending = memory.retrieve(goal, root, budget)
    while (texts := pending.poll()) is None:
        pass  # the store is searched on another thread
    return list(texts)


def found(memory: EpisodicMemory, goal: str, budget: int = 100, root: bool = False) -> list[str]:
    return [text.partition(' ')[0] for text in retrieved(memory, goal, budget, root)]


STORE = (experience('a b c', 3), experience('a b', 10), experience('a', 4), experience('x', 2))
SELECTIONS = [
    # goal, budget, experiences found
    ('a b c', 100, ['a_b_c', 'a_b', 'a', 'x']),
    ('a', 100, ['a', 'a_b', 'a_b_c', 'x']),
    ('x', 2, ['x']),
    # what does not fit is passed over for what does
    ('a b c', 9, ['a_b_c', 'a', 'x']),
    ('a b c', 7, ['a_b_c', 'a']),
    ('a b c', 6, ['a_b_c', 'x']),
    ('a b c', 3, ['a_b_c']),
    ('a b c', 1, []),
]


@pytest.mark.parametrize(('goal', 'budget', 'expected'), SELECTIONS)
def test_the_most_similar_come_first_until_the_budget_is_full(
    word_encoder: Any, goal: str, budget: int, expected: list[str]
) -> None:
    assert found(memory_of(STORE, word_encoder('a b c x')), goal, budget) == expected


@pytest.mark.parametrize('goal', ['a b c', 'a', 'x'])
def test_a_fixed_order_is_that_of_the_store_if_all_fit(word_encoder: Any, goal: str) -> None:
    memory = memory_of(STORE, word_encoder('a b c x'), fixed_order=True)
    assert found(memory, goal) == ['x', 'a', 'a_b', 'a_b_c']
    assert found(memory, 'a b c', 9) == ['a_b_c', 'a', 'x'], 'not all fit'


def test_an_empty_store_finds_nothing(word_encoder: Any) -> None:
    assert found(memory_of((), word_encoder('a')), 'a') == []


def test_what_is_remembered_is_embedded_once(word_encoder: Any) -> None:
    encoder = word_encoder('a b c x')
    memory = memory_of(STORE, encoder)
    assert encoder.embedded == []
    assert found(memory, 'a') == found(memory, 'a')
    # The first goal is asked for before the answer for what is remembered is there.
    assert Counter(encoder.embedded) == {'a b c': 1, 'a b': 1, 'a': 2, 'x': 1}


def test_a_margin_leaves_out_what_is_much_less_similar(word_encoder: Any) -> None:
    memory = memory_of(STORE, word_encoder('a b c x'), margin=0.3)
    assert found(memory, 'a b c') == ['a_b_c', 'a_b']


def test_the_level_of_a_goal_weighs_if_it_is_told_to(word_encoder: Any) -> None:
    store = (experience('get it', root=True), experience('get that', root=False))
    memory = memory_of(store, word_encoder('get bring'), level_bonus=0.1)
    assert found(memory, 'get the apple', root=True)[0] == 'get_it'
    assert found(memory, 'get the apple', root=False)[0] == 'get_that'


def test_the_shipped_experiences_can_be_read_and_cover_every_ending() -> None:
    shipped = read_experiences(share('resource', 'experiences', 'household.txt'))
    assert {one.termination for one in shipped} == set(Termination)
    assert {one.root for one in shipped} == {True, False}
    assert len({one.text for one in shipped}) == len(shipped)


# The paper's way, written out ---------------------------------------------------------------------


def by_the_book(
    experiences: Sequence[Experience],
    encoder: Any,
    goal: str,
    root: bool,
    budget: int,
    chosen: Retrieval,
) -> list[str]:
    """Return what is to be retrieved, from all similarities and all counts at once."""
    keys = tuple(goal_key(one.goal) for one in experiences)
    alike = [one.root == root for one in experiences]
    vectors = encoder.embed((*keys, goal_key(goal))).poll().astype(float)
    cosines = vectors[:-1] @ vectors[-1]
    scores = np.round(cosines + chosen.level_bonus * np.array(alike), 5)
    generator = np.random.default_rng(chosen.seed)
    order: list[Experience] = []
    for score in sorted({*scores[scores >= scores.max() - chosen.margin].tolist()}, reverse=True):
        groups: dict[str, list[Experience]] = {}
        for index in generator.permutation(np.flatnonzero(scores == score)).tolist():
            groups.setdefault(experiences[index].termination.value, []).append(experiences[index])
        while groups:
            state = sorted(groups)[int(generator.integers(len(groups)))]
            order.append(groups[state].pop())
            if not groups[state]:
                del groups[state]
    texts, left = [], budget
    for one, count in zip(order, encoder.count(tuple(o.text for o in order)).poll(), strict=True):
        if count <= left:
            texts.append(one.text)
            left -= count
    return texts


GOALS = (
    ('Could you put the pound cake and the bottle of wine into the fridge?', True),
    ('Place the knife on the kitchen table, please.', True),
    ('Put two wine glasses and a plate in the dishwasher, then turn it on.', True),
    ('find the plum', False),
    ('find and pick up the wine glass', False),
    ('put the mug in the dishwasher', False),
    ('turn on the dishwasher', False),
    ('find and pick up the mug in kitchen 1', False),
)


@pytest.mark.parametrize('name', ['household', 'household_flat', 'household_sequence', 'plans'])
@pytest.mark.parametrize(
    ('chosen', 'budget'),
    [
        (Retrieval(), 1500),
        (Retrieval(level_bonus=0.3, margin=0.2), 600),
        (Retrieval(level_bonus=0.3, margin=0.2, seed=7), 1500),
    ],
)
def test_of_the_shipped_experiences_the_paper_s_choice_is_retrieved(
    household: SkillLibrary, word_encoder: Any, name: str, chosen: Retrieval, budget: int
) -> None:
    encoder = word_encoder('put find pick up turn on thing place the and in into dishwasher cake')
    shipped = read_experiences(share('resource', 'experiences', f'{name}.txt'))
    memory = EpisodicMemory([(Origin('shipped'), shipped)], CachedEncoder(encoder), chosen)
    for goal, root in GOALS:
        expected = by_the_book(shipped, encoder, goal, root, budget, chosen)
        assert retrieved(memory, goal, budget, root) == expected, goal
    memory.close()


# What was learned ---------------------------------------------------------------------------------

WORDS = 'find put in the thing place'


def learned(encoder: Any, *runs: tuple[Origin, Sequence[Experience]]) -> SqliteStore:
    store = SqliteStore(':memory:', encoder.encoder_name)
    for origin, experiences in runs:
        vectors = encoder.embed(tuple(goal_key(one.goal) for one in experiences)).poll()
        store.add_run(origin, [describe(*pair) for pair in zip(experiences, vectors, strict=True)])
    return store


def lived(goal: str, word: str) -> Experience:
    """Make an experience whose text is one word and a decision of its own."""
    return Experience(goal, f'{word}\nAct: go to {word}\nAct: done\n', SUCCESS, False)


def first_words(memory: EpisodicMemory, goal: str) -> list[str]:
    return [text.split()[0] for text in retrieved(memory, goal, 100, False)]


SHIPPED = [(Origin('shipped'), [lived('find the apple', 'shipped')])]


def remembering(encoder: Any, store: Any, **chosen: Any) -> EpisodicMemory:
    return EpisodicMemory(SHIPPED, CachedEncoder(encoder), Retrieval(**chosen), store)


def test_what_was_learned_of_the_very_same_goal_comes_before_its_equals(word_encoder: Any) -> None:
    encoder = word_encoder(WORDS)
    runs = [
        (Origin(f'run {n}'), [lived('find the plum', f'plum{n}'), lived('find a pear', 'pear')])
        for n in range(3)
    ]
    run = (Origin('mine'), [lived('Find the pear', 'own')])
    store = learned(encoder, *runs, run)
    for seed in range(5):
        words = first_words(remembering(encoder, store, seed=seed), 'find the pear')
        assert words[0] == 'own'
        assert {*words[1:5]} == {'shipped', 'plum0', 'plum1', 'plum2'}
        assert words[5:] == ['pear']


def test_what_is_shown_is_counted(word_encoder: Any) -> None:
    encoder = word_encoder(WORDS)
    store = learned(
        encoder, (Origin('run'), [lived('find the plum', 'plum'), lived('sing', 'song')])
    )
    memory = remembering(encoder, store, margin=0.1)
    assert sorted(first_words(memory, 'find the plum')) == ['plum', 'shipped']
    memory.close()
    assert [one.retrieved for one in store.records()] == [1, 0]


def test_strategy_skills_task_and_verification_are_heeded(word_encoder: Any) -> None:
    encoder = word_encoder(WORDS)
    goal = 'find the plum'
    usual = Origin('', 'set 1', 'home', 'reactree', verified=Verification.WORLD)
    origins = {
        'good': usual,
        'flat': replace(usual, strategy='react'),
        'lab': replace(usual, skills='lab'),
        'same': replace(usual, task='set 2'),
        'told': replace(usual, verified=Verification.REPORTED),
    }
    store = learned(
        encoder,
        *((replace(one, run=word), [lived(goal, word)]) for word, one in origins.items()),
    )

    def words(**chosen: Any) -> set[str]:
        return {*first_words(EpisodicMemory((), CachedEncoder(encoder), **chosen), goal)}

    def retrieval(**chosen: Any) -> dict[str, Any]:
        return {'retrieval': Retrieval(**chosen), 'store': store}

    assert words(**retrieval()) == {*origins}
    assert words(**retrieval(strategy='react')) == {'flat'}
    assert words(**retrieval(skills='home')) == {*origins} - {'lab'}
    memory = EpisodicMemory((), CachedEncoder(encoder), **retrieval())
    assert {*first_words(memory.excluding('set 2'), goal)} == {*origins} - {'same'}
    assert {*first_words(memory, goal)} == {*origins}


def test_without_working_memory_texts_do_not_recall(word_encoder: Any) -> None:
    encoder = word_encoder(WORDS)
    text = 'told\nAct: recall location of plum\nplum: not seen so far.\nAct: done\n'
    store = learned(encoder, (Origin('run'), [Experience('find it', text, SUCCESS, False)]))
    for left_out, expected in (((), text), (('Act: recall ',), 'told\nAct: done\n')):
        chosen = Retrieval(left_out=left_out)
        memory = EpisodicMemory((), CachedEncoder(encoder), chosen, store)
        assert retrieved(memory, 'find it', 100, False) == [expected]


def test_control_flows_that_are_not_on_offer_are_not_shown(word_encoder: Any) -> None:
    encoder = word_encoder(WORDS)
    text = 'wide\nExpand: parallel ["find it", "find them"]\n'
    ways = [Experience('find it', text, EXPAND, True), lived('find it', 'plain')]
    store = learned(encoder, (Origin('run'), ways))
    for flows, expected in ((frozenset(ControlFlow), {'wide', 'plain'}), (frozenset(), {'plain'})):
        chosen = Retrieval(control_flows=flows)
        memory = EpisodicMemory((), CachedEncoder(encoder), chosen, store)
        assert {*first_words(memory, 'find it')} == expected


def test_a_store_that_fails_is_done_without_and_that_is_said_once(
    word_encoder: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    encoder = word_encoder(WORDS)
    store = SqliteStore(tmp_path / 'memory.sqlite', encoder.encoder_name)
    store.close()
    memory = remembering(encoder, store)
    assert first_words(memory, 'find the plum') == ['shipped']
    assert first_words(memory, 'find the pear') == ['shipped']
    assert len(caplog.records) == 1


class Late:
    """Fails the first time that it is asked, as a model that is started again does."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder
        self._asked = 0
        self.encoder_name, self.count = encoder.encoder_name, encoder.count

    def embed(self, texts: tuple[str, ...]) -> Any:
        self._asked += 1
        if self._asked > 1:
            return self._encoder.embed(texts)
        return Failing()


class Failing:
    def poll(self) -> None:
        raise ModelError('gone')

    def cancel(self) -> None:
        pass


def test_after_a_failure_the_next_goal_asks_again(word_encoder: Any) -> None:
    memory = EpisodicMemory(SHIPPED, CachedEncoder(Late(word_encoder(WORDS))))
    with pytest.raises(ModelError, match='gone'):
        first_words(memory, 'find the plum')
    assert first_words(memory, 'find the plum') == ['shipped']
