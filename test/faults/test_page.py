# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""docs/faults.md names every manner that is tested, and only tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip('rclpy')

from .endings import TABLE  # noqa: E402

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / 'docs' / 'faults.md').read_text(encoding='utf-8')


def test_the_tests_that_it_names_exist() -> None:
    named = re.findall(r'`((?:test/[\w/]+/)?test_\w+\.py)(?:::(\w+))?`', PAGE)
    assert len(named) > 40
    for file, name in named:
        path = HERE.parents[1] / file if '/' in file else HERE / file
        assert path.is_file(), file
        found = not name or f'def {name}(' in path.read_text(encoding='utf-8')
        assert found, f'{file} has no {name}'


def test_it_names_every_manner_of_every_point() -> None:
    named: dict[str, set[str]] = {point: set() for point in TABLE}
    for line in PAGE.splitlines():
        point = ''
        for word in re.findall('`([^`]+)`', line):
            before, _, manner = word.rpartition(': ')
            point = before if before in TABLE else point
            named.get(point, set()).add(manner)
    for point, rows in TABLE.items():
        if '…' not in named[point]:  # which stands for all of them
            assert set(rows) - {'right'} <= named[point], point


def test_it_counts_them() -> None:
    manners = sum(len(rows) for rows in TABLE.values())
    assert f'{manners} cases, {3 * manners} endings' in PAGE
