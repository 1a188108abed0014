# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which of what was found is shown: the order among equals, the budget, duplicates."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from reactree_ros.memory.experience import Termination
from reactree_ros.memory.selection import Candidate, fill, in_order, without

SUCCESS, FAILURE, EXPAND = Termination.SUCCESS, Termination.FAILURE, Termination.EXPAND


def candidate(
    number: int,
    score: float = 1.0,
    ending: Termination = SUCCESS,
    words: int = 1,
) -> Candidate:
    return Candidate(number, 'w ' * words, score, ending, False, False)


def numbers(found: Sequence[Candidate]) -> list[int]:
    return [one.number for one in found]


TIED = [
    *(candidate(n) for n in range(8)),
    candidate(8, ending=FAILURE),
    *(candidate(9 + n, ending=EXPAND) for n in range(3)),
]


def test_among_equals_each_termination_state_is_drawn_as_often() -> None:
    drawn = Counter(in_order(TIED, 1.0, seed)[0].termination for seed in range(600))
    # 200 are expected of each; 50 is more than four standard deviations away. Drawn over the
    # experiences instead, the states would come 400, 50 and 150 times.
    assert all(abs(drawn[state] - 200) < 50 for state in Termination)


def test_among_equals_of_one_state_each_is_drawn_as_often() -> None:
    equals = [candidate(n) for n in range(4)]
    drawn = Counter(in_order(equals, 1.0, seed)[0].number for seed in range(400))
    assert all(abs(drawn[n] - 100) < 40 for n in range(4))


def test_a_seed_repeats_its_draw_and_all_equals_are_found_once() -> None:
    orders = [numbers(in_order(TIED, 1.0, 5)) for _ in range(2)]
    assert orders[0] == orders[1] != numbers(in_order(TIED, 1.0, 6))
    assert sorted(orders[0]) == [*range(len(TIED))]


def test_the_less_similar_never_come_before_the_more_similar() -> None:
    found = [candidate(99, 0.9, EXPAND), *TIED]
    assert {numbers(in_order(found, 1.0, seed))[-1] for seed in range(20)} == {99}


def test_the_margin_is_below_the_best_of_all_stores() -> None:
    found = [candidate(1, 0.9), candidate(2, 0.5), candidate(3, 0.69), candidate(4, 0.7)]
    assert numbers(in_order(found, 0.2, 0)) == [1, 4]
    assert in_order([], 0.2, 0) == []


def filled(order: Sequence[Candidate], budget: int) -> tuple[list[int], int]:
    """Return what is taken, and how many texts were counted, a word a token."""
    filling, counted = fill(order, budget), 0
    try:
        texts = next(filling)
        while True:
            counted += len(texts)
            texts = filling.send([len(text.split()) for text in texts])
    except StopIteration as end:
        return numbers(end.value), counted


def test_what_does_not_fit_is_passed_over_and_what_cannot_fit_is_not_counted() -> None:
    order = [candidate(1, words=4), candidate(2, words=7), candidate(3, words=6)]
    assert filled(order, 10) == ([1, 3], 3)
    assert filled(order, 3) == ([], 2)
    assert filled([candidate(n, words=100) for n in range(1000)], 1000) == ([*range(10)], 16)
    assert filled(order, 0) == ([], 0)


@pytest.mark.parametrize('seed', range(30))
def test_the_budget_is_never_exceeded_and_nothing_that_fits_is_left(seed: int) -> None:
    dice = random.Random(seed)
    order = [candidate(n, words=dice.randint(1, 60)) for n in range(dice.randint(0, 80))]
    size = {one.number: len(one.text.split()) for one in order}
    budget = dice.randint(0, 600)
    taken, _ = filled(order, budget)
    assert sum(size[n] for n in taken) <= budget
    assert len({*taken}) == len(taken)
    left = budget - sum(size[n] for n in taken)
    assert all(size[one.number] > left for one in order if one.number not in taken)


def test_decisions_that_are_not_on_offer_are_cut_out_with_their_results() -> None:
    text = 'Goal: a\nConditions: b\nAct: recall location of c\nc: not seen.\nAct: done\n'
    assert without(text, ()) == text
    assert without(text, ('Act: recall ',)) == 'Goal: a\nConditions: b\nAct: done\n'
    assert without(text, ('Act: recall ', 'Conditions: ')) == 'Goal: a\nAct: done\n'
