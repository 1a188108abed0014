# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Episodic memory: what is read, and what is found in which order."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.exceptions import ConfigurationError
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.memory.experience import Experience, Termination, read_experiences
from reactree_ros.paths import share

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
    # a skill is no ending
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


def found(memory: EpisodicMemory, goal: str, budget: int = 100, root: bool = False) -> list[str]:
    texts = memory.retrieve(goal, root, budget).poll()
    assert texts is not None
    return [text.partition(' ')[0] for text in texts]


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
    assert found(EpisodicMemory(STORE, word_encoder('a b c x')), goal, budget) == expected


def test_an_empty_store_finds_nothing(word_encoder: Any) -> None:
    assert found(EpisodicMemory((), word_encoder('a')), 'a') == []


def test_what_is_remembered_is_embedded_once(word_encoder: Any) -> None:
    encoder = word_encoder('a b c x')
    memory = EpisodicMemory(STORE, encoder)
    assert encoder.embedded == []
    assert found(memory, 'a') == found(memory, 'a')
    assert Counter(encoder.embedded) == {'a b c': 1, 'a b': 1, 'a': 3, 'x': 1}


def test_a_margin_leaves_out_what_is_much_less_similar(word_encoder: Any) -> None:
    memory = EpisodicMemory(STORE, word_encoder('a b c x'), margin=0.3)
    assert found(memory, 'a b c') == ['a_b_c', 'a_b']


TIED = (
    *(experience('a', 2, SUCCESS) for _ in range(8)),
    experience('a', 2, FAILURE),
    *(experience('a', 2, EXPAND) for _ in range(3)),
)


def first_states(encoder: Any, count: int) -> Counter[Termination]:
    """Return how often each termination state came first, over seeds."""
    store = [
        Experience(one.goal, f'{one.termination.value} w', one.termination, one.root)
        for one in TIED
    ]
    drawn: Counter[Termination] = Counter()
    for seed in range(count):
        drawn[Termination(found(EpisodicMemory(store, encoder, seed=seed), 'a', 2)[0])] += 1
    return drawn


def test_among_equals_each_termination_state_is_drawn_as_often(word_encoder: Any) -> None:
    drawn = first_states(word_encoder('a b'), 600)
    # 200 are expected of each; 50 is more than four standard deviations away. Drawn over the
    # experiences instead, the states would come 400, 50 and 150 times.
    assert {state: abs(drawn[state] - 200) < 50 for state in Termination} == dict.fromkeys(
        Termination, True
    )


def test_among_equals_of_one_state_each_is_drawn_as_often(word_encoder: Any) -> None:
    store = [Experience('a', f'{n} w', SUCCESS, False) for n in range(4)]
    encoder = word_encoder('a b')
    drawn = Counter(
        found(EpisodicMemory(store, encoder, seed=seed), 'a', 2)[0] for seed in range(400)
    )
    assert all(abs(drawn[str(n)] - 100) < 40 for n in range(4))


def test_a_seed_repeats_its_draw_and_all_equals_are_found_once(word_encoder: Any) -> None:
    store = [Experience('a', f'{n} w', one.termination, False) for n, one in enumerate(TIED)]
    encoder = word_encoder('a b')
    orders = [found(EpisodicMemory(store, encoder, seed=5), 'a') for _ in range(2)]
    assert orders[0] == orders[1]
    assert sorted(orders[0], key=int) == [str(n) for n in range(len(TIED))]
    assert orders[0] != found(EpisodicMemory(store, encoder, seed=6), 'a')


def test_the_less_similar_never_come_before_the_more_similar(word_encoder: Any) -> None:
    store = (experience('b', 2, EXPAND), *TIED)
    encoder = word_encoder('a b')
    assert {found(EpisodicMemory(store, encoder, seed=seed), 'a')[-1] for seed in range(20)} == {
        'b'
    }


def test_objects_and_places_are_masked_before_goals_are_compared(word_encoder: Any) -> None:
    encoder = word_encoder('put find the thing place on')
    memory = EpisodicMemory(
        (experience('find the plum'), experience('put the pear on the desk')),
        encoder,
        objects=frozenset({'plum', 'pear', 'apple'}),
        places=frozenset({'desk', 'coffee table'}),
    )
    assert found(memory, 'Put the apples on the coffee table.')[0] == 'put_the_pear_on_the_desk'
    assert encoder.embedded == [
        'find the thing',
        'put the thing on the place',
        'put the thing on the place',
    ]


def test_the_shape_of_a_goal_weighs_if_it_is_told_to(word_encoder: Any) -> None:
    store = (
        experience('get thing', root=True),
        experience('get thing thing', root=False),
        experience('get thing and thing', root=True),
    )
    encoder = word_encoder('get bring')
    plain = EpisodicMemory(store, encoder)
    shaped = EpisodicMemory(store, encoder, frozenset({'apple', 'pear'}), shape_weight=0.1)
    assert sorted(found(plain, 'bring it')) == sorted(found(shaped, 'bring it'))
    assert found(shaped, 'get the apple, please', root=True)[0] == 'get_thing'
    assert found(shaped, 'get apple and pear', root=True)[0] == 'get_thing_and_thing'
    assert found(shaped, 'get the apple and the pear', root=False)[0] == 'get_thing_thing'


def test_objects_are_counted_whatever_follows_them(word_encoder: Any) -> None:
    store = (experience('get thing'), experience('get thing thing thing'))
    memory = EpisodicMemory(
        store, word_encoder('get'), frozenset({'apple', 'pear', 'plum'}), shape_weight=0.1
    )
    assert found(memory, 'get the apple, the pear, and the plum.')[0] == 'get_thing_thing_thing'


def test_the_shipped_experiences_can_be_read_and_cover_every_ending() -> None:
    shipped = read_experiences(share('resource', 'experiences', 'household.txt'))
    assert {one.termination for one in shipped} == set(Termination)
    assert {one.root for one in shipped} == {True, False}
    assert len({one.text for one in shipped}) == len(shipped)
