# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What ``reactree bench-world`` prints, and what it refuses to measure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reactree_ros.commands.main import run


def test_every_skill_of_the_walk_has_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    """Under the scene with its size; whether the machine is fast enough is left open."""
    assert run(['bench-world', '--actions', '300', '--nodes', '150']) in (0, 1)

    shown = capsys.readouterr().out
    assert 'Scene: apartment_1, with 150 nodes' in shown
    assert all(skill in shown for skill in ('go_to', 'pick_up', 'put_down'))
    assert '300 actions in ' in shown


def test_what_cannot_be_measured_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 2 and what is wrong."""
    bare = tmp_path / 'bare.json'
    node = {'id': 1, 'class_name': 'kitchen', 'category': 'Rooms', 'properties': [], 'states': []}
    bare.write_text(json.dumps({'nodes': [node], 'edges': []}), encoding='utf-8')
    for arguments, message in (
        (['--actions', '0'], '--actions: 0 is not above 0'),
        (['--scene', 'palace'], "--scene: 'palace' is no file and none of apartment_1, "),
        (['--scene', str(bare)], 'nothing in it can be put anywhere'),
    ):
        assert run(['bench-world', *arguments]) == 2
        assert message in ' '.join(capsys.readouterr().err.split())
