# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""References in texts and fields, and poses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.errors import SkillError
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.pose import Pose, from_angles, seen_from
from reactree_ros.skills.references import filled, references

CUP = ObservedObject('paper cup', 2, room='hall 1', receptacle='shelf 1', relation='on', held=True)
DOCK = Pose('map', (1.0, 2.0, 0.0))
KNOWN = Surroundings(
    {'item': 'paper cup 2', 'place': 'dock 1'},
    {'dock 1': DOCK, 'paper cup': Pose('table')},
    Situation(room='hall 1', place='shelf 1', objects={CUP.name: CUP}),
)


@pytest.mark.parametrize(
    ('value', 'meant'),
    [
        ('{item}', 'paper cup 2'),
        ('{item.class}', 'paper cup'),
        ('{item.number}', 2),
        ('{item.id}', 'paper_cup_2'),
        ('{item.tf}', Pose('paper_cup_2')),
        ('{item.room}', 'hall 1'),
        ('{item.receptacle}', 'shelf 1'),
        ('{place.pose}', DOCK),
        ('{item.pose}', Pose('table')),
        ('{robot.held}', 'paper cup 2'),
        ('{robot.place}', 'shelf 1'),
        ('{robot.room}', 'hall 1'),
        ('number {item.number}', 'number 2'),
        ('{item.number:.1f} m', '2.0 m'),
        ('{item.class:.1f}', 'paper cup'),
        ('{"item": "{item}"}', '{"item": "paper cup 2"}'),
        ([{'a': ['{item.number}', 3, None, True]}], [{'a': [2, 3, None, True]}]),
    ],
)
def test_what_a_reference_means(value: Any, meant: Any) -> None:
    assert filled(value, KNOWN) == meant


@pytest.mark.parametrize(
    'text',
    [
        '{item.__class__}',
        '{item.class.__mro__}',
        '{0}',
        '{}',
        '{item!r}',
        '{item:>9999999}',
        '{item[0]}',
        '{{item',
        '{ item }',
        '{Item}',
    ],
)
def test_what_is_no_reference_stays_as_it_is(text: str) -> None:
    assert filled(text, KNOWN) == text
    assert not list(references(text))


def test_what_is_not_known_is_named() -> None:
    with pytest.raises(SkillError, match='no pose is known of shelf 3'):
        filled('{place.pose}', Surroundings({'place': 'shelf 3'}, {}, Situation()))
    with pytest.raises(SkillError, match="no argument 'thing'"):
        filled('to {thing}', KNOWN)


def matrix(pose: Pose) -> np.ndarray:
    """Return the homogeneous matrix of a pose, (4, 4)."""
    x, y, z, w = pose.orientation
    made = np.eye(4)
    made[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    made[:3, 3] = pose.position
    return made


def turn(axis: str, degrees: float) -> np.ndarray:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array(
        {
            'x': [[1, 0, 0], [0, c, -s], [0, s, c]],
            'y': [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            'z': [[c, -s, 0], [s, c, 0], [0, 0, 1]],
        }[axis]
    )


def test_angles_turn_about_the_fixed_axes() -> None:
    pose = from_angles('map', (1.0, 2.0, 3.0), roll=20.0, pitch=-35.0, yaw=130.0)
    expected = turn('z', 130.0) @ turn('y', -35.0) @ turn('x', 20.0)
    assert np.allclose(matrix(pose)[:3, :3], expected)
    assert from_angles('map', (0.0, 0.0, 0.0), yaw=130.0).yaw == pytest.approx(np.radians(130.0))


def test_a_pose_is_carried_over_into_another_frame() -> None:
    outer = from_angles('map', (1.0, -2.0, 0.5), roll=10.0, pitch=40.0, yaw=-70.0)
    inner = from_angles('base', (0.3, 0.2, -0.1), roll=-50.0, pitch=5.0, yaw=33.0)
    found = seen_from(outer, inner)
    assert found.frame == 'map'
    assert np.allclose(matrix(found), matrix(outer) @ matrix(inner))


def test_an_argument_may_be_called_robot() -> None:
    known = Surroundings({'robot': 'arm 2'}, {}, Situation(room='hall 1'))
    assert filled('{robot} {robot.number}', known) == 'arm 2 2'
