# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The machine that a benchmark ran on, in words."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    """Return processor, cores, system and Python of this machine."""
    name = platform.machine()
    try:
        lines = Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith('model name'):
            name = line.partition(': ')[2]
            break
    cores = len(os.sched_getaffinity(0))
    return f'{name}, {cores} cores, {platform.system()}, Python {platform.python_version()}'
