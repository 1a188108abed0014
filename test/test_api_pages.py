# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The documentation builds without a warning, the pages of the interface included."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import reactree_ros

DOCS = Path(__file__).parents[1] / 'docs'
PACKAGE = Path(reactree_ros.__file__).parent
NO_INTERFACE = {'lab'}

pytest.importorskip('sphinx', reason='requirements/docs.txt is not installed')
pytest.importorskip('rclpy')


def test_the_documentation_builds(tmp_path: Path) -> None:
    line = [
        *(sys.executable, '-m', 'sphinx', '--quiet', '--fail-on-warning', '--keep-going'),
        *('-d', str(tmp_path / 'read'), '-b', 'html', str(DOCS), str(tmp_path / 'html')),
    ]
    done = subprocess.run(line, capture_output=True, text=True, timeout=580, check=False)
    assert done.returncode == 0, done.stderr
    public = (tmp_path / 'html' / 'api' / 'public.html').read_text(encoding='utf-8')
    for name in reactree_ros.__all__:
        assert f'id="reactree_ros.{name}"' in public, name
    rooms = {folder.name for folder in PACKAGE.iterdir() if (folder / '__init__.py').is_file()}
    for room in rooms - NO_INTERFACE:
        assert (tmp_path / 'html' / 'api' / f'{room}.html').is_file(), room
