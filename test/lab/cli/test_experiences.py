# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab experiences``."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_ros.lab.cli import main
from reactree_ros.sim.physics.tasks import arm_tasks

ROOT = Path(__file__).parents[3]


def test_a_missing_file_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(['experiences', 'record', '/no/such/file.yaml']) == 2
    assert 'cannot read the runs' in capsys.readouterr().err


def test_recorded_experiences_are_written_and_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (ROOT / 'resource' / 'experiences').iterdir():
        if file.suffix != '.txt':
            (tmp_path / file.name).write_bytes(file.read_bytes())
    source = str(tmp_path / 'household.yaml')
    assert main.run(['experiences', 'record', source, '--check']) == 1
    assert 'run reactree-lab experiences record' in capsys.readouterr().err
    assert main.run(['experiences', 'record', source]) == 0
    assert main.run(['experiences', 'record', source, '--check']) == 0


def test_known_plans_of_the_arm_are_played_in_the_physics(tmp_path: Path) -> None:
    pytest.importorskip('mujoco')
    pytest.importorskip('ompl')
    out = tmp_path / 'arm'
    assert main.run(['experiences', 'record', 'arm_shown', '--first', '2', '--out', str(out)]) == 0
    text = out.with_suffix('.txt').read_text(encoding='utf-8')
    plain, divided = arm_tasks('arm_shown')[:2]
    assert f'Goal: {plain.instruction}\n' in text and 'Act: pick up orange 1\n' in text
    first, second = divided.subgoals
    assert f'Expand: sequence ["{first[0]}", "{second[0]}"]\n' in text
    assert f'\nGoal: {second[0]}\n' in text


@pytest.mark.ros
def test_plans_of_a_robot_are_carried_out_by_its_servers(tmp_path: Path) -> None:
    pytest.importorskip('nav2_msgs')
    out = tmp_path / 'rover'
    assert (
        main.run(['experiences', 'record', 'rover_shown', '--first', '2', '--out', str(out)]) == 0
    )
    assert {file.name for file in tmp_path.iterdir()} == {'rover.txt', 'rover_flat.txt'}
    for file in tmp_path.iterdir():
        shipped = (ROOT / 'resource' / 'experiences' / file.name).read_text(encoding='utf-8')
        assert shipped.startswith(file.read_text(encoding='utf-8').rstrip('\n'))
