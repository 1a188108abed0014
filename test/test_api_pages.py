# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The documentation builds without a warning, and its pages need nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import reactree_ros

DOCS = Path(__file__).parents[1] / 'docs'
PACKAGE = Path(reactree_ros.__file__).parent
NO_INTERFACE = {'lab'}
_LOADED = re.compile(
    r'<(?:script|img|source|iframe|embed)\b[^>]*\bsrc="([^"]*)"'
    r'|<link\b(?![^>]*rel="(?:canonical|next|prev|search)")[^>]*\bhref="([^"]*)"'
    r'|@import\s+(?:url\()?[\'"]?([^\'")]*)|\burl\([\'"]?([^\'")]*)'
)
"""What a browser loads with a page or a style sheet."""

pytest.importorskip('furo', reason='requirements/docs.txt is not installed')
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
    for page in (tmp_path / 'html').rglob('*'):
        if page.suffix in ('.html', '.css'):
            text = page.read_text(encoding='utf-8')
            loaded = {''.join(groups) for groups in _LOADED.findall(text)}
            outside = {one for one in loaded if re.match(r'(?:https?:)?//', one)}
            assert not outside, page.name
            missing = [
                one
                for one in loaded
                if one
                and not re.match('data:|#', one)
                and not (page.parent / one.partition('?')[0]).exists()
            ]
            assert not missing, page.name
    index = (tmp_path / 'html' / 'searchindex.js').read_text(encoding='utf-8')
    assert 'executable set' in index and 'id="term-agent-node"' in (
        (tmp_path / 'html' / 'terminology.html').read_text(encoding='utf-8')
    )
