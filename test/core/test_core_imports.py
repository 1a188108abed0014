# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The rooms and the arrows between them: what may import what."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest

BLOCKER = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {blocked!r}:
            raise ImportError(f'{{name}} must not be imported here')
        return None

sys.meta_path.insert(0, Blocker())
"""
ROS = ('rclpy', 'reactree_interfaces', 'py_trees_ros', 'action_msgs', 'launch')
HEAVY = ('torch', 'transformers', 'sentence_transformers', 'llguidance')
ROOMS = [
    # room, what it must do without, modules that may
    ('core', (*ROS, *HEAVY, 'py_trees', 'yaml'), ()),
    ('behaviours', (*ROS, *HEAVY), ()),
    ('memory', (*ROS, *HEAVY), ()),
    ('skills', (*ROS, *HEAVY), ()),
    ('world', (*ROS, *HEAVY, 'py_trees'), ()),
    ('pddl', (*ROS, *HEAVY, 'py_trees', 'unified_planning'), ()),
    ('evaluation', (*ROS, *HEAVY), ('decision_speed',)),
    # A data set is made without a language model; only what trains needs one.
    (
        'training',
        (*ROS, *HEAVY),
        ('block_attention', 'lora', 'run_folder', 'token_loss', 'train', 'trainer'),
    ),
    ('training', ROS, ()),
    (
        'models',
        (*ROS, *HEAVY),
        (
            'attention',
            'branches',
            'constraint',
            'decoder',
            'experience_cache',
            'free_text',
            'kv_cache',
            'sampling',
            'transformers_model',
        ),
    ),
    ('models', ROS, ()),
]


def modules_of(room: str) -> list[str]:
    package = import_module(f'reactree_ros.{room}')
    return [
        module.name for module in pkgutil.walk_packages(package.__path__, f'{package.__name__}.')
    ]


@pytest.mark.parametrize(('room', 'blocked', 'but'), ROOMS)
def test_a_room_does_without(room: str, blocked: tuple[str, ...], but: tuple[str, ...]) -> None:
    names = [name for name in modules_of(room) if name.rpartition('.')[2] not in but]
    assert names
    source = BLOCKER.format(blocked=blocked) + ''.join(f'import {name}\n' for name in names)
    done = subprocess.run(
        [sys.executable, '-c', source], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_blocker_blocks() -> None:
    source = BLOCKER.format(blocked=('py_trees',)) + 'import reactree_ros.behaviours.run\n'
    done = subprocess.run(
        [sys.executable, '-c', source], capture_output=True, text=True, timeout=300, check=False
    )
    assert 'py_trees must not be imported here' in done.stderr
