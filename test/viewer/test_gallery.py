# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped gallery: every run in it becomes a page."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip('mcap')
pytestmark = pytest.mark.ros

SCRIPT = Path(__file__).parents[2] / 'scripts' / 'gallery.py'
PAGE_BYTES, ARCHIVE_BYTES = 2e6, 225e3


@pytest.fixture(scope='module')
def gallery() -> ModuleType:
    spec = importlib.util.spec_from_file_location('gallery', SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_run_is_a_page_that_says_what_to_look_at(gallery: ModuleType, tmp_path: Path) -> None:
    assert gallery.pages(tmp_path) == len(gallery.described()) == 10
    index = (tmp_path / 'index.html').read_text(encoding='utf-8')
    for page in sorted(tmp_path.glob('[0-9]*.html')):
        assert page.stat().st_size < PAGE_BYTES
        assert f'href="{page.name}"' in index
        found = re.search(r'id="about">(.*?)</script>', page.read_text(encoding='utf-8'))
        assert found is not None
        (about,) = json.loads(found[1])
        assert about['title'] and about['look'] and about['world']
        assert about['ended'] != 'cut off'
        known = about['holds'] is not None
        assert about['world'].startswith('The world says') is known
    assert gallery.ARCHIVE.stat().st_size < ARCHIVE_BYTES


def test_the_archive_holds_the_listed_runs_only(gallery: ModuleType) -> None:
    names = {f'{name}{end}' for name in gallery.described() for end in ('.mcap', '.json')}
    assert set(gallery.stored()) == names


def test_a_bare_run_reads_as_before(gallery: ModuleType, tmp_path: Path) -> None:
    data = gallery.stored()['elephant.mcap']
    path = tmp_path / 'run.mcap'
    path.write_bytes(gallery.bare(data))
    again = gallery.read_history(path)
    path.write_bytes(data)
    assert gallery.read_history(path).frames == again.frames
    assert len(again.frames) > 5
