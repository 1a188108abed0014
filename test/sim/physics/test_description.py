# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Files that describe physical worlds."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.physics.description import Description, read_description

KITCHEN = yaml.safe_load(share('resource', 'physics', 'kitchen.yaml').read_text(encoding='utf-8'))
APARTMENT = yaml.safe_load(
    share('resource', 'physics', 'apartment.yaml').read_text(encoding='utf-8')
)


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
        (('things', 'can 1', 'size'), [-0.1, 0.1], 'each must be above 0'),
        (('things', 'can 1', 'mass'), math.nan, 'mass is nan: it must be a number'),
        (('things', 'can 1', 'mass'), 0, 'mass is 0: it must be above 0'),
        (('things', 'can 1', 'fixed'), 'no', "fixed is 'no': it must be true or false"),
        (('furniture', 'shelf 1', 'yaw'), math.inf, 'yaw is inf: it must be a number'),
        (('things', 'can'), {}, 'things: names with numbers are missing'),
        (('on', 'can 1'), ['roof 1', 0, 0], "on, can 1: ['roof 1', 0, 0] is not [place, x, y]"),
        (('on', 'pen 1'), ['shelf 1', 0, 0], "on: there is no thing 'pen 1'"),
        (('robot',), None, 'robot: a mapping with the keys at, yaw is missing'),
    ],
)
def test_what_is_wrong_is_said_with_what_is_allowed(
    tmp_path: Path, path: tuple[str, ...], value: Any, said: str
) -> None:
    _expect(said, KITCHEN, path, value, tmp_path)


@pytest.mark.parametrize(
    ('path', 'value', 'said'),
    [
        (('rooms', 'bedroom 1', 'x'), [2, -2], 'rooms, bedroom 1: x must go from west to east'),
        (
            ('rooms', 'bedroom 1', 'y'),
            [-5.0, -2.0],
            'rooms, bedroom 1: it overlaps kitchen 1',
        ),
        (('robot', 'at'), [9, 0], 'robot: at is [9, 0]: that is in no room'),
        (('walls', 'wall 4', 'to'), [-2.25, 2.05], 'walls, wall 4: it has no length'),
        (('walls', 'wall 4', 'to'), [6.25, 2.0], 'walls, wall 4: it runs neither along x nor'),
        (('walls', 'wall 4', 'to'), [6.25], 'walls, wall 4: to is [6.25]: it must be a list of 2'),
        (('walls', 'wall 2', 'doorways'), [[4.4, 0.9]], 'doorway [4.4, 0.9] (middle, width) lies'),
        (('walls', 'wall 2', 'doorways'), [[1, 0.9], [1.5, 0.9]], 'or in another doorway'),
        (('walls', 'wall 2', 'doorways'), [[1, 0]], 'doorway [1, 0] (middle, width) lies outside'),
        (('walls', 'wall 2', 'doorways'), [1, 0.9], 'walls, wall 2: doorways is 1: it must be a'),
        (('walls', 'wall 2', 'doorways'), 1, 'doorways is 1: it must be a list of pairs'),
        (('walls', 'wall 3', 'doorways'), [[1, 0.9]], 'x -2.25, y -4.45 is not between two rooms'),
        (('furniture', 'bed 1', 'room'), 'kitchen 1', 'furniture, bed 1: it is not in kitchen 1'),
        (('furniture', 'desk 1', 'at'), [1.95, -4.4], 'furniture, desk 1: it stands across wall 1'),
        (('walls', 'desk 1'), {'from': [6, 0], 'to': [6, 1]}, 'desk 1: two walls, pieces of'),
        (('walls', 'wall 8'), {'from': [3, 0], 'to': [6, 0]}, 'coffee table 1: it stands across'),
    ],
)
def test_a_floor_plan_that_cannot_be_is_refused(
    tmp_path: Path, path: tuple[str, ...], value: Any, said: str
) -> None:
    _expect(said, APARTMENT, path, value, tmp_path)


def _expect(
    said: str, world: dict[str, Any], path: tuple[str, ...], value: Any, tmp_path: Path
) -> None:
    """Change a world, and expect the error that it has then."""
    data = copy.deepcopy(world)
    part = data
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    file = tmp_path / 'world.yaml'
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding='utf-8')
    with pytest.raises(ConfigurationError) as caught:
        read_description(file)
    assert str(file) in str(caught.value)
    assert said in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='No such file'):
        read_description(tmp_path / 'none.yaml')
