# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Signals end a node, however many come and however fast."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

HANGS_SEC = 60.0
"""No limit that is tested: a process that hangs would otherwise hang the test."""


@pytest.mark.ros
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_burst_of_signals_ends_a_node_cleanly(number: signal.Signals) -> None:
    node = subprocess.Popen(
        [sys.executable, '-m', 'reactree_ros.ros.bridge_node'],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert node.stdout is not None
    try:
        for line in node.stdout:
            if 'is ready' in line:
                break
        for _ in range(200):
            if node.poll() is None:
                node.send_signal(number)
        rest, _ = node.communicate(timeout=HANGS_SEC)
    finally:
        node.kill()
    assert node.returncode == 0, rest
    assert 'Traceback' not in rest
