# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ament_flake8, where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

main = pytest.importorskip('ament_flake8.main')
ROOT = Path(__file__).resolve().parents[1]


def test_flake8() -> None:
    folders = [str(ROOT / name) for name in ('launch', 'reactree_ros', 'scripts', 'test')]
    status, errors = main.main_with_errors(
        argv=['--config', str(ROOT / 'test' / 'flake8.ini'), *folders]
    )
    assert status == 0, '\n'.join(errors)
