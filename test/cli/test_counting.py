# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How far long work is, in a log."""

from __future__ import annotations

import pytest

from reactree_ros.cli import counting


def test_a_log_gets_a_line_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(counting.time, 'monotonic', lambda: now[0])
    with counting.counting('runs', 2000) as advance:
        for second in (30.0, 61.0, 90.0, 125.0):
            now[0] = second
            advance(400)
    assert capsys.readouterr().err.splitlines() == [
        'runs: 2,000', 'runs: 800 of 2,000', 'runs: 1,600 of 2,000',
    ]  # fmt: skip
