# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/concepts.md are what its command draws now."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_pictures_show_what_the_planner_does() -> None:
    script = ROOT / 'scripts' / 'concept_pictures.py'
    spec = importlib.util.spec_from_file_location(script.stem, script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    drawn = module.pictures()
    page = (ROOT / 'docs' / 'concepts.md').read_text(encoding='utf-8')
    for name, svg in drawn.items():
        assert f'(images/{name})' in page
        assert svg == (ROOT / 'docs' / 'images' / name).read_text(encoding='utf-8'), name
