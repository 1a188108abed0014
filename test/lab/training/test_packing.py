# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Rows hold every trajectory once, keep to their room, and know positions and targets."""

from __future__ import annotations

import random

import numpy as np

from reactree_ros.lab.training.encode import Encoded
from reactree_ros.lab.training.packing import Row, pack

SYSTEMS = ((1, 2, 3), (4, 5, 6, 7, 8))


def one(length: int, system: int = 0, first: int = 10) -> Encoded:
    target = np.zeros(length, np.bool_)
    target[1::3] = True
    return Encoded(SYSTEMS[system], np.arange(first, first + length, dtype=np.int32), target)


def some(count: int) -> list[Encoded]:
    generator = random.Random(0)
    return [one(generator.randint(2, 60), n % 2, first=100 * n) for n in range(count)]


def test_rows_hold_every_trajectory_once_and_keep_to_their_room() -> None:
    encoded = some(200)
    rows = pack(encoded, 100, 'seed')
    packed = [part for row in rows for part in row.parts]
    assert sorted(map(id, packed)) == sorted(map(id, encoded))
    for row in rows:
        assert row.length <= 100
        assert len({part.shared for part in row.parts}) == 1
        assert len(row.tokens()) == len(row.positions()) == row.length == sum(row.lengths)
    # Little room stays empty.
    assert sum(row.length for row in rows) > 0.85 * 100 * len(rows)


def test_chance_comes_from_the_seed() -> None:
    encoded = some(50)
    assert pack(encoded, 100, 'a') == pack(encoded, 100, 'a')
    firsts = [pack(encoded, 100, seed)[0].parts[0].tokens[0] for seed in 'abcdef']
    assert len(set(firsts)) > 1


def test_positions_go_on_from_the_system_prompt() -> None:
    row = Row((one(4, first=10), one(2, first=20)))
    assert row.tokens().tolist() == [1, 2, 3, 10, 11, 12, 13, 20, 21]
    assert row.positions().tolist() == [0, 1, 2, 3, 4, 5, 6, 3, 4]
    assert row.places().tolist() == [4, 8]
    assert row.targets == 2


def test_nothing_makes_no_rows() -> None:
    assert pack([], 100, 'seed') == []
