# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What counts as a fault in the warehouse, and what its robot cannot know."""

from __future__ import annotations

from typing import Any

from reactree_ros.sim.robots.warehouse import CONVEYOR, Picker
from reactree_ros.skills.reader import library_at


def picker(**setting: Any) -> Picker:
    return Picker(library_at('warehouse_picker'), setting)


def where(robot: Picker, name: str) -> str:
    return next((one.receptacle for one in robot.known() if one.name == name), '')


def test_what_was_moved_is_where_it_is_booked_until_somebody_looks() -> None:
    as_booked = picker()
    assert [one.name for one in as_booked.known()] == [*as_booked.objects]
    robot = picker(moved={'mug 4': 'tote 2'})
    assert where(robot, 'mug 4') == 'bin 3'
    robot.arrive('bin 3', 1.0)
    assert where(robot, 'mug 4') == ''
    robot.arrive('tote 2', 1.0)
    assert where(robot, 'mug 4') == 'tote 2'


def test_a_bin_that_the_robot_itself_has_taken_from_lacks_nothing() -> None:
    for missing, faults in ([], 1), (['mug 3'], 0):
        robot = picker(missing=missing)
        robot.arrive('bin 3', 1.0)
        robot._grip({'command': {'position': 0.0}})
        assert [one.name for one in robot.held] == ['mug 1']
        robot._note({'data': 'bin_3'})
        assert len(robot.faults) == faults


def test_a_bin_is_short_of_what_was_missing_until_it_is_back() -> None:
    robot = picker(moved={'mug 1': 'tote 1'})
    robot.arrive('tote 1', 1.0)
    robot._grip({'command': {'position': 0.0}})
    robot.arrive('bin 3', 1.0)
    assert robot._is_trouble('bin 3')
    robot._grip({'command': {'position': 1.0}})
    assert not robot._is_trouble('bin 3')
    robot.arrive('bin 1', 1.0)
    assert not robot._is_trouble('bin 1')


def test_what_was_sent_is_gone_and_what_is_held_goes_along() -> None:
    robot = picker(running=True)
    robot.arrive('bin 3', 1.0)
    robot._grip({'command': {'position': 0.0}})
    robot.arrive('tote 1', 1.0)
    assert robot.held[0].room == robot.room
    robot._scan({})
    robot._grip({'command': {'position': 1.0}})
    assert robot.is_in(CONVEYOR, 'on') and robot._send({}).succeeded
    robot._grip({'command': {'position': 0.0}})
    assert robot.held == [] and robot.faults == []
