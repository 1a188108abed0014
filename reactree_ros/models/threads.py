# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How many threads a local model computes with."""

from __future__ import annotations

import os
from pathlib import Path

_CPUS = Path('/sys/devices/system/cpu')


def default_threads(cpus: Path = _CPUS) -> int:
    """Return the physical cores that this process may use, but one; at least 1.

    The threads of one computation wait for each other at its every step, so that a single core
    that somebody else is using slows all of them down. One core is left to the rest of the robot.

    Args:
        cpus: where the kernel describes the processors.
    """
    allowed = os.sched_getaffinity(0)
    return max(1, len({_core(cpus, cpu) for cpu in allowed}) - 1)


def _core(cpus: Path, cpu: int) -> str:
    """Return what the hyper-threads of one core have in common; without a description the CPU."""
    try:
        return (cpus / f'cpu{cpu}' / 'topology' / 'thread_siblings_list').read_text()
    except OSError:
        return str(cpu)
