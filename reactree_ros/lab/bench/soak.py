# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a planner uses from goal to goal: memory, threads, files, processes, DDS entities."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from reactree_ros.errors import ConfigurationError

WARM_UP = 30
"""After so many goals caches are warm, and what grows from then on is a leak."""
MOST_GROWTH = 0.10
SPAN = 10
"""Goals before each end of a soak of which the median counts."""
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
        entities: its publishers, subscriptions, services and clients, as others discover them;
            of services, with those of other nodes of the same names.
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
    return ResourceUsage(
        planner_mib=_resident_mib(pid),
        model_mib=sum(map(_resident_mib, children)),
        threads=len([*Path(f'/proc/{pid}/task').iterdir()]),
        files=len([*Path(f'/proc/{pid}/fd').iterdir()]),
        processes=len(children),
        entities=_entities(node, name),
    )


def _entities(node: Any, name: str) -> int:
    """Count what a node has: one name may have several."""
    topics = (
        (node.get_publisher_names_and_types_by_node, node.get_publishers_info_by_topic),
        (node.get_subscriber_names_and_types_by_node, node.get_subscriptions_info_by_topic),
    )
    count = sum(
        one.node_name == name
        for names, about in topics
        for topic, _ in names(name, '/')
        for one in about(topic)
    )
    # those of services do not say whose they are; another node's do not grow
    services = node.get_service_names_and_types_by_node(name, '/')
    clients = node.get_client_names_and_types_by_node(name, '/')
    count += sum(node.count_services(service) for service, _ in services)
    return int(count + sum(node.count_clients(service) for service, _ in clients))


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

    Both are medians over ``SPAN`` goals, for the model is killed at times.

    Raises:
        ConfigurationError: if there are too few goals.
    """
    if len(samples) <= WARM_UP + SPAN:
        least = WARM_UP + SPAN
        raise ConfigurationError(f'a soak has more than {least} goals, not {len(samples)}')
    first, last = samples[WARM_UP - SPAN : WARM_UP], samples[-SPAN:]

    def middle(of: Sequence[Sample], name: str) -> float:
        return float(statistics.median_high(getattr(one.usage, name) for one in of))

    names = (field.name for field in fields(ResourceUsage))
    return [(name, middle(first, name), middle(last, name)) for name in names]


def leaks_of(samples: Sequence[Sample]) -> list[str]:
    """Return what has grown and should not have, a line each."""
    found = []
    for name, first, last in compare(samples):
        most = first * (1 + MOST_GROWTH) if name.endswith('_mib') else first
        if last > most + (POOL if name == 'threads' else 0):
            found.append(f'{name}: {first:g} after goal {WARM_UP}, {last:g} at the end')
    return found
