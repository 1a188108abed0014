# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded runs (MCAP).

What opens can be shown and read for the viewer to its end, and is audited and recomputed, or
refused.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from random import Random

from rich.console import Console

from reactree_ros.cli.replay import audit, show
from reactree_ros.errors import ConfigurationError
from reactree_ros.planner.replay import recompute
from reactree_ros.ros.recording.recorded_run import read_recorded_run, services_of
from reactree_ros.ros.recording.run_file import RunFile
from reactree_ros.ros.viewer.recorded import read_history

from .contract import Target, scratch, told
from .made_run import made_run
from .mcap_files import file_of, mutate_file, records_of

_LIMIT_S = 4.0
# A whole run is planned again.


@cache
def seeds() -> list[bytes]:
    """Return a run that was recorded here, as it was written and without chunks."""
    run = made_run(scratch() / 'seeds')
    return [run, file_of(records_of(run))]


def mutate(random: Random, data: bytes, among: Sequence[bytes]) -> bytes:
    """Change records, messages and what is said in them."""
    return mutate_file(random, data, among)


def check(data: bytes) -> bool:
    """Check an input against the contract; see the module."""
    path = scratch() / 'run.mcap'
    path.write_bytes(data)
    try:
        return _run(path)
    except ConfigurationError as error:
        return told(error)


def _run(path: Path) -> bool:
    file = RunFile(path)
    history = read_history(path)
    json.dumps([history.about(), history.frames])
    shown = Console(file=io.StringIO(), width=100)
    for look in (
        lambda: show(path, shown),
        lambda: _account(path),
        lambda: recompute(read_recorded_run(file), services_of(file)),
    ):
        try:
            look()
        except ConfigurationError as error:
            told(error)
    return True


def _account(path: Path) -> None:
    with redirect_stdout(io.StringIO()):
        audit(path)


TARGET = Target('runs', seeds, mutate, check, limit_s=_LIMIT_S)
