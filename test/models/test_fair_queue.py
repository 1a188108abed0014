# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which waiting request goes next: the least work, but nobody is overtaken without end."""

from __future__ import annotations

import random

import pytest

from reactree_ros.models.fair_queue import FairQueue


def filled(*costs: float, most_overtakes: int = 3) -> FairQueue[float]:
    queue = FairQueue[float](most_overtakes)
    for cost in costs:
        queue.add(cost)
    return queue


def drained(queue: FairQueue[float]) -> list[float]:
    return [queue.take(lambda cost: cost) for _ in range(len(queue))]


@pytest.mark.parametrize(
    ('costs', 'most_overtakes', 'order'),
    [
        ((5, 3, 4), 3, [3, 4, 5]),
        ((1, 2, 3), 3, [1, 2, 3]),
        ((9, 1, 2, 3, 4), 3, [1, 2, 3, 9, 4]),
        ((9, 8, 1, 2, 3, 4), 3, [1, 2, 3, 9, 8, 4]),
        ((5, 3, 4), 0, [5, 3, 4]),
        ((5, 3, 4), 1, [3, 5, 4]),
    ],
)
def test_the_least_work_goes_first_until_the_first_in_line_was_overtaken_enough(
    costs: tuple[float, ...], most_overtakes: int, order: list[float]
) -> None:
    assert drained(filled(*costs, most_overtakes=most_overtakes)) == order


def test_among_equals_the_first_come_is_the_first_served() -> None:
    queue = FairQueue[str]()
    for name in 'abc':
        queue.add(name)
    assert [queue.take(lambda name: 0) for _ in range(3)] == ['a', 'b', 'c']


def test_work_is_looked_up_anew_at_every_turn_and_not_where_it_cannot_matter() -> None:
    queue = filled(2, 1, 3)
    asked: list[float] = []

    def work(cost: float) -> float:
        asked.append(cost)
        return -cost

    assert queue.take(work) == 3
    assert sorted(asked) == [1, 2, 3]
    asked.clear()
    assert [queue.take(work), queue.take(work)] == [2, 1]
    assert sorted(asked) == [1, 2]  # the last one had no rival


def test_what_is_removed_is_returned_and_the_rest_keeps_its_order() -> None:
    queue = filled(4, 1, 3, 2)
    assert queue.remove(lambda cost: cost > 2) == [4, 3]
    assert len(queue) == 2
    assert drained(queue) == [1, 2]
    with pytest.raises(IndexError):
        queue.take(lambda cost: cost)


def test_nobody_is_overtaken_more_than_three_times_however_the_others_come() -> None:
    generator = random.Random(7)
    queue = FairQueue[tuple[int, float]]()
    overtaken: dict[int, int] = {}
    number = 0
    for _ in range(3000):
        if generator.random() < 0.6 or not overtaken:
            number += 1
            queue.add((number, generator.random()))
            overtaken[number] = 0
        else:
            taken, _ = queue.take(lambda item: item[1])
            assert overtaken.pop(taken) <= 3
            for earlier in overtaken:
                overtaken[earlier] += earlier < taken
    assert max(overtaken.values()) <= 3
