# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The public names: what ``from reactree_ros import …`` gives, and what it needs."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

import reactree_ros

from .test_imports import BLOCKER, EXTRAS, ROS_PACKAGES

NEEDS_ROS = 'PlannerClient'


def run_without(blocked: tuple[str, ...], source: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, '-c', BLOCKER.format(blocked=blocked) + source],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def test_the_package_itself_needs_nothing() -> None:
    blocked = (*ROS_PACKAGES, *EXTRAS, 'numpy', 'yaml', 'py_trees')
    done = run_without(blocked, 'import reactree_ros\nprint(reactree_ros.__all__)\n')
    assert done.returncode == 0, done.stderr


def test_the_names_need_neither_ros_nor_extras() -> None:
    names = ', '.join(name for name in reactree_ros.__all__ if name != NEEDS_ROS)
    done = run_without((*ROS_PACKAGES, *EXTRAS), f'from reactree_ros import {names}\n')
    assert done.returncode == 0, done.stderr
    failed = run_without(ROS_PACKAGES, f'from reactree_ros import {NEEDS_ROS}\n')
    assert 'rclpy must not be imported here' in failed.stderr


def test_the_overview_has_every_name() -> None:
    listed = re.findall(r'``(\w+)``', reactree_ros.__doc__ or '')
    assert set(listed) == set(reactree_ros.__all__)
    assert set(reactree_ros.__all__) <= set(dir(reactree_ros))


@pytest.mark.parametrize('name', [one for one in reactree_ros.__all__ if one != NEEDS_ROS])
def test_a_name_says_what_it_is_for(name: str) -> None:
    public = getattr(reactree_ros, name)
    assert public.__name__ == name
    text = inspect.getdoc(public) or ''
    assert text
    undocumented = [
        member
        for member, value in vars(public).items()
        if not member.startswith('_')
        and (inspect.isfunction(value) or isinstance(value, property))
        and not value.__doc__
    ]
    assert not undocumented


def test_another_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Planer'"):
        getattr(reactree_ros, 'Planer')  # noqa: B009
