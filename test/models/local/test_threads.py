# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A model leaves one core to the rest of the robot, unless it is told how many threads it has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip('torch')

from reactree_ros.models.threads import default_threads  # noqa: E402

MACHINES = [
    # which CPUs the process may use, which of them are hyper-threads of one core, threads
    ({0}, [[0]], 1),
    ({0, 1}, [[0], [1]], 1),
    ({0, 1}, [[0, 1]], 1),
    ({0, 1, 2, 3}, [[0], [1], [2], [3]], 3),
    ({*range(8)}, [[0, 4], [1, 5], [2, 6], [3, 7]], 3),
    ({0, 1, 4}, [[0, 4], [1, 5], [2, 6], [3, 7]], 1),
    ({0, 1, 2, 3}, [], 3),  # a container that does not show the cores
]


@pytest.mark.parametrize(('allowed', 'cores', 'threads'), MACHINES)
def test_one_physical_core_is_left_free(
    allowed: set[int],
    cores: list[list[int]],
    threads: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for core in cores:
        for cpu in core:
            folder = tmp_path / f'cpu{cpu}' / 'topology'
            folder.mkdir(parents=True)
            (folder / 'thread_siblings_list').write_text(','.join(map(str, core)) + '\n')
    monkeypatch.setattr(os, 'sched_getaffinity', lambda _: allowed)
    assert default_threads(tmp_path) == threads
