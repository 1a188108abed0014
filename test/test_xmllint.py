# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ament_xmllint, where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

main = pytest.importorskip('ament_xmllint.main')
ROOT = Path(__file__).resolve().parents[1]


def test_xmllint() -> None:
    files = [str(ROOT / name / 'package.xml') for name in ('.', 'reactree_interfaces')]
    assert main.main(argv=files) == 0
