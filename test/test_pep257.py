# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ament_pep257, where it is installed; docstrings are in Google's style."""

from __future__ import annotations

from pathlib import Path

import pytest

main = pytest.importorskip('ament_pep257.main')
PACKAGE = Path(__file__).resolve().parents[1] / 'reactree_ros'
IGNORED = ('D104', 'D107', 'D402', 'D411')


def test_pep257() -> None:
    given = [str(PACKAGE), '--convention', 'google', '--add-ignore', *IGNORED]
    assert main.main(argv=given) == 0
