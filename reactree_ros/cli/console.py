# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What benchmarks say of their progress and of the machine that they ran on."""

from __future__ import annotations

import os
import platform
import sys
import time
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


def say(line: str) -> None:
    """Print a line of progress with the time of day; standard output is for results."""
    print(f'[{time.strftime("%H:%M:%S")}] {line}', file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Return a duration as people say it.

    >>> duration(42), duration(5_000)
    ('42 s', '1 h 23 min')
    """
    if seconds < 100:
        return f'{seconds:.0f} s'
    minutes = round(seconds / 60)
    return f'{minutes // 60} h {minutes % 60} min' if minutes >= 60 else f'{minutes} min'
