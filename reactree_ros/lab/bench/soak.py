# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a planner uses from goal to goal: memory, threads, files, processes, DDS entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reactree_ros.errors import ConfigurationError

WARM_UP = 30
"""After so many goals caches are warm, and what grows from then on is a leak."""
MOST_GROWTH = 0.10
POOL = 4
"""The executor of a node starts the threads of its pool as it needs them, so many at most."""


@dataclass(frozen=True)
class ResourceUsage:
    """Resources of the planner and of the processes that it has started.

    Args:
        planner_mib: resident memory of the planner's process, MiB.
        model_mib: of the processes that it has started, together, MiB.
        threads: of the planner.
        files: open file descriptors of the planner.
        processes: that it has started.
        entities: its publishers, subscriptions, services and clients, as others discover them.
    """

    planner_mib: float
    model_mib: float
    threads: int
    files: int
    processes: int
    entities: int


@dataclass(frozen=True)
class Sample:
    """One goal and the resources in use after it.

    Args:
        number: from 1.
        goal: its text.
        fault: what was done to it; empty for nothing.
        status: how it ended.
        seconds: how long it took.
        usage: after it.
    """

    number: int
    goal: str
    fault: str
    status: str
    seconds: float
    usage: ResourceUsage


def usage_of(pid: int, node: Any, name: str) -> ResourceUsage:
    """Measure a planner.

    Args:
        pid: of its process.
        node: any node, which queries the ROS graph.
        name: of the planner's node.
    """
    children = children_of(pid)
    kinds = ('publisher', 'subscriber', 'service', 'client')
    entities = [getattr(node, f'get_{kind}_names_and_types_by_node')(name, '/') for kind in kinds]
    return ResourceUsage(
        planner_mib=_resident_mib(pid),
        model_mib=sum(map(_resident_mib, children)),
        threads=len([*Path(f'/proc/{pid}/task').iterdir()]),
        files=len([*Path(f'/proc/{pid}/fd').iterdir()]),
        processes=len(children),
        entities=sum(map(len, entities)),
    )


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started and that still run, from the kernel."""
    found = []
    for status in Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = status.read_text(encoding='utf-8').rpartition(')')[2].split()
        except OSError:
            continue  # it has just ended
        if int(fields[1]) == pid and fields[0] != 'Z':
            found.append(int(status.parent.name))
    return found


def _resident_mib(pid: int) -> float:
    try:
        lines = Path(f'/proc/{pid}/status').read_text(encoding='utf-8').splitlines()
    except OSError:
        return 0.0
    line = next((line for line in lines if line.startswith('VmRSS')), 'VmRSS: 0 kB')
    return int(line.split()[1]) / 1024


def compare(samples: Sequence[Sample]) -> list[tuple[str, float, float]]:
    """Return what was in use after ``WARM_UP`` goals and at the end, by name.

    Raises:
        ConfigurationError: if there are too few goals.
    """
    if len(samples) <= WARM_UP:
        raise ConfigurationError(f'a soak has more than {WARM_UP} goals, not {len(samples)}')
    first, last = asdict(samples[WARM_UP - 1].usage), asdict(samples[-1].usage)
    return [(name, float(first[name]), float(last[name])) for name in first]


def leaks_of(samples: Sequence[Sample]) -> list[str]:
    """Return what has grown and should not have, a line each."""
    found = []
    for name, first, last in compare(samples):
        most = first * (1 + MOST_GROWTH) if name.endswith('_mib') else first
        if last > most + (POOL if name == 'threads' else 0):
            found.append(f'{name}: {first:g} after goal {WARM_UP}, {last:g} at the end')
    return found
