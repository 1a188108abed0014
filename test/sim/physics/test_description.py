# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Files that describe physical worlds."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.physics.description import Description, read_description

KITCHEN = yaml.safe_load(share('resource', 'physics', 'kitchen.yaml').read_text(encoding='utf-8'))


def test_the_shipped_kitchen_has_everything_somewhere(kitchen: Description) -> None:
    assert set(kitchen.on) == set(kitchen.things)
    assert kitchen.furniture['kitchen counter 1'].drawer == 'drawer 1'
    assert kitchen.furniture['kitchen table 1'].yaw == pytest.approx(math.pi)
    assert kitchen.things['apple 1'].height == pytest.approx(0.072)
    assert kitchen.room_at(0.0, 0.0) == 'kitchen 1'
    assert kitchen.room_at(9.0, 0.0) == ''


@pytest.mark.parametrize(
    ('path', 'value', 'said'),
    [
        (('furniture', 'shelf 1', 'kind'), 'bookcase', "kind is 'bookcase', not one of table"),
        (
            ('furniture', 'shelf 1', 'size'),
            [0.3, 0.8],
            'size is [0.3, 0.8]: it must be a list of 3',
        ),
        (('furniture', 'shelf 1', 'colour'), 'red', "furniture, shelf 1: 'colour' is not one of"),
        (('furniture', 'shelf 1', 'room'), 'attic 1', "room is 'attic 1', not one of kitchen 1"),
        (
            ('things', 'can 1', 'mass'),
            'heavy',
            "things, can 1: mass is 'heavy': it must be a number",
        ),
        (('things', 'can 1', 'size'), [True, 0.1], 'it must be a list of 2 numbers'),
        (('things', 'can'), {}, 'things: names with numbers are missing'),
        (('on', 'can 1'), ['roof 1', 0, 0], "on, can 1: ['roof 1', 0, 0] is not [place, x, y]"),
        (('on', 'pen 1'), ['shelf 1', 0, 0], "on: there is no thing 'pen 1'"),
        (('robot',), None, 'robot: a mapping with the keys at, yaw is missing'),
    ],
)
def test_what_is_wrong_is_said_with_what_is_allowed(
    tmp_path: Path, path: tuple[str, ...], value: Any, said: str
) -> None:
    data = yaml.safe_load(yaml.safe_dump(KITCHEN))
    part = data
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    file = tmp_path / 'world.yaml'
    file.write_text(yaml.safe_dump(data), encoding='utf-8')
    with pytest.raises(ConfigurationError) as caught:
        read_description(file)
    assert str(file) in str(caught.value)
    assert said in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='No such file'):
        read_description(tmp_path / 'none.yaml')
