# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a planner holds on to from goal to goal: memory, threads, files, processes, DDS entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reactree_ros.errors import ConfigurationError

SETTLED = 30
"""After so many goals caches are warm, and what grows from then on is a leak."""
MOST_GROWTH = 0.10
POOL = 4
"""The executor of a node starts the threads of its pool as it needs them, so many at most."""
_MIB = 1024.0


@dataclass(frozen=True)
class Held:
    """What the planner and the processes that it has started hold.

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
    """One goal and what was held after it.

    Args:
        number: from 1.
        goal: its text.
        fault: what was done to it; empty for nothing.
        status: how it ended.
        seconds: how long it took.
        held: after it.
    """

    number: int
    goal: str
    fault: str
    status: str
    seconds: float
    held: Held


def held_by(pid: int, node: Any, name: str, namespace: str = '/') -> Held:
    """Measure a planner.

    Args:
        pid: of its process.
        node: any node, which asks the graph.
        name: of the planner's node.
        namespace: of the planner's node.
    """
    children = children_of(pid)
    asked = (
        node.get_publisher_names_and_types_by_node,
        node.get_subscriber_names_and_types_by_node,
        node.get_service_names_and_types_by_node,
        node.get_client_names_and_types_by_node,
    )
    return Held(
        planner_mib=_resident_mib(pid),
        model_mib=sum(map(_resident_mib, children)),
        threads=len([*Path(f'/proc/{pid}/task').iterdir()]),
        files=len([*Path(f'/proc/{pid}/fd').iterdir()]),
        processes=len(children),
        entities=sum(len(ask(name, namespace)) for ask in asked),
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
    return int(line.split()[1]) / _MIB


def compare(samples: Sequence[Sample]) -> list[tuple[str, float, float]]:
    """Return what was held after ``SETTLED`` goals and at the end, by name.

    Raises:
        ConfigurationError: if there are too few goals.
    """
    if len(samples) <= SETTLED:
        raise ConfigurationError(f'a soak has more than {SETTLED} goals, not {len(samples)}')
    first, last = asdict(samples[SETTLED - 1].held), asdict(samples[-1].held)
    return [(name, float(first[name]), float(last[name])) for name in first]


def faults_of(samples: Sequence[Sample]) -> list[str]:
    """Return what has grown and should not have, a line each."""
    found = []
    for name, first, last in compare(samples):
        most = first * (1 + MOST_GROWTH) if name.endswith('_mib') else first
        if name == 'threads':
            most += POOL
        if last > most:
            found.append(f'{name}: {first:g} after goal {SETTLED}, {last:g} at the end')
    return found
