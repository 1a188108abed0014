# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree skills``: what it says, and how it ends."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reactree_ros.cli import main

ROBOT = """
name: mixed
skills:
  grasp:
    phrase: grasp
    service: {name: gripper, type: std_srvs/srv/SetBool}
    request: {data: yes_please}
  drive:
    phrase: drive
    action: {name: drive, type: nowhere_msgs/action/Drive}
  wait:
    phrase: wait
    action: wait
"""


@pytest.mark.ros
def test_a_shipped_library_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(['skills', 'check', 'household']) == 0
    shown = capsys.readouterr().out
    assert 'ok     go_to     go to {place}  (action household/execute_skill)' in shown
    assert 'household: 9 skills, no errors' in shown


def test_without_ros_a_library_is_read_and_its_types_are_not_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, 'reactree_ros.ros.skills.library_check', None)
    assert main.run(['skills', 'check', 'household']) == 1
    assert 'household: 9 skills can be read; their interface types were not checked' in (
        capsys.readouterr().out
    )


@pytest.mark.ros
def test_what_is_wrong_is_told_skill_by_skill(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip('std_srvs')
    file = tmp_path / 'mixed.yaml'
    file.write_text(ROBOT)
    assert main.run(['skills', 'check', str(file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ['wrong', 'wrong', 'ok']
    assert "skills.grasp.request.data: true or false is expected, not 'yes_please'" in lines
    assert any('the package nowhere_msgs is not installed' in line for line in lines)
    assert lines[-1] == '2 of 3 skills cannot be used as they are'


@pytest.mark.ros
def test_what_no_skill_can_use_is_told_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / 'picture.txt').write_bytes(b'\x89PNG\xff')
    (tmp_path / 'empty.txt').touch()
    file = tmp_path / 'robot.yaml'
    file.write_text(
        'name: robot\n'
        'examples: {tree: picture.txt, flat: empty.txt}\n'
        'world: {places: {table: {is: [surfaces]}}}\n'
        'skills:\n'
        '  go: {phrase: "go to {place}", arguments: {place: {affordance: furnture}}, action: go}\n'
    )
    assert main.run(['skills', 'check', str(file)]) == 1
    shown = capsys.readouterr().out
    assert 'note: skills.go.arguments.place: nothing in world has the affordance furnture' in shown
    assert 'examples.tree: cannot read the experiences' in shown
    assert 'examples.flat: there are no experiences in' in shown


def test_a_name_that_ros_does_not_allow_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / 'robot.yaml'
    service = '{name: bad name, type: std_srvs/srv/SetBool}'
    file.write_text(
        'name: robot\nskills:\n'
        '  go: {phrase: go, action: navigate to pose}\n'
        f'  light: {{phrase: light, service: {service}}}\n'
    )
    assert main.run(['skills', 'check', str(file)]) == 2
    shown = capsys.readouterr().err
    assert "skills.go.action: 'navigate to pose' is not a ROS name, such as arm/open_door" in shown
    assert "skills.light.service.name: 'bad name' is not a ROS name" in shown


def test_a_library_that_cannot_be_read_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(['skills', 'check', 'nothing.yaml']) == 2
    assert 'cannot read the skill library nothing.yaml' in capsys.readouterr().err


def test_shipped_libraries_and_the_schema_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(['skills', 'list']) == 0
    shown = capsys.readouterr().out
    for name in (
        *('household: 9 skills', 'mobile_manipulator: 7 skills', 'tabletop_arm: 4 skills'),
        'panda_mobile: 6 skills',
    ):
        assert name in shown
    assert main.run(['skills', 'schema']) == 0
    assert Path(capsys.readouterr().out.strip()).is_file()
