# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Decisions are timed beside as many busy processes as were asked for."""

from __future__ import annotations

import os
from typing import Any

import pytest

from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer
from reactree_ros.lab.bench import shared_cores
from reactree_ros.lab.bench.shared_cores import Beside, time_beside
from reactree_ros.lab.bench.soak import children_of
from reactree_ros.lab.bench.workload import make_workload
from reactree_ros.models.options import ModelOptions


def test_busy_processes_run_while_it_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {*children_of(os.getpid())}
    beside: list[int] = []

    class Instant:
        def __init__(self, options: ModelOptions) -> None:
            pass

        def decide(self, request: Any) -> Future[Answer]:
            beside.append(len({*children_of(os.getpid())} - before))
            return ready(Answer('Act: done'))

        def forget(self) -> None:
            pass

        def close(self) -> None:
            pass

    monkeypatch.setattr(shared_cores, 'ModelProcess', Instant)
    workload = make_workload(len, decisions=2, example_tokens=0, skills=10)
    found = time_beside(ModelOptions(), workload, (0, 2))
    assert [one.busy for one in found] == [0, 2]
    assert beside == [0, 0, 0, 0, 2, 2], 'the first time warms up'
    assert {*children_of(os.getpid())} == before


def test_a_row_tells_how_much_slower_it_is() -> None:
    quiet, busy = Beside(0, (1.0, 0.5, 0.5)), Beside(2, (3.0, 1.0, 2.0))
    assert busy.row('model', quiet) == '| model | 2 | 3.00 | 1.500 | 6.0 | 3.0 |'
