# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Signals end a node, however many come and however fast."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reactree_ros.cli.processes import STARTER

HANGS_SEC = 60.0
"""No limit that is tested: a process that hangs would otherwise hang the test."""


@pytest.mark.ros
@pytest.mark.parametrize('gap_sec', [0.0, 2e-5, 4e-5, 6e-5, 8e-5, 1e-4, 1.2e-4, 2e-4])
def test_a_burst_of_signals_ends_a_node_cleanly(gap_sec: float) -> None:
    node = subprocess.Popen(
        [sys.executable, '-m', STARTER, 'reactree_ros.ros.nodes.household_bridge'],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert node.stdout is not None
    try:
        for line in node.stdout:
            if 'is ready' in line:
                break
        for number in (signal.SIGINT, signal.SIGTERM) * 4:
            node.send_signal(number)  # the second may come while the first is being handled
            end = time.perf_counter() + gap_sec
            while time.perf_counter() < end:
                pass
        rest, _ = node.communicate(timeout=HANGS_SEC)
    finally:
        node.kill()
    assert node.returncode == 0, rest
    assert 'Traceback' not in rest


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_imports_ends_a_node_quietly(tmp_path: Path, number: int) -> None:
    (tmp_path / 'slow_node.py').write_text(
        "import time\nprint('importing', flush=True)\ntime.sleep(60)\n"
    )
    node = subprocess.Popen(
        [sys.executable, '-m', STARTER, 'slow_node'],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(tmp_path), *sys.path])},
    )
    assert node.stdout is not None
    try:
        assert node.stdout.readline() == 'importing\n'
        node.send_signal(number)
        rest, _ = node.communicate(timeout=HANGS_SEC)
    finally:
        node.kill()
    assert (node.returncode, rest) == (0, '')
