# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree bench-ticks``: whether the tree keeps its period while the model computes."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from reactree_ros.commands.domain import private_domain
from reactree_ros.commands.interrupts import Interrupts
from reactree_ros.commands.machine import machine
from reactree_ros.commands.process_group import ProcessGroup
from reactree_ros.commands.processes import PROCESSES
from reactree_ros.commands.send import CANCELED, NOT_REACHABLE, SUCCEEDED
from reactree_ros.commands.up import READY_SEC
from reactree_ros.evaluation.ticks import draw, lateness
from reactree_ros.models.embedded import DEFAULT_MODEL
from reactree_ros.ros.planner_client import PlannerClient, make_goal
from reactree_ros.ros.timed_planner import TICK_FILE
from reactree_ros.world import shipped_tasks

PERIOD_S = 0.05
"""Period of the planner's tick with its default parameters."""
LIMIT_MS = 10.0
CANCEL_SEC = 20.0


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-ticks',
        help='measure whether ticks are punctual while the model computes',
        description='Starts planner, model and household as separate processes, gives the planner '
        'one goal after another, and measures how late the ticks of its tree begin.',
    )
    parser.add_argument('--seconds', type=float, default=120.0, help='how long (default: 120)')
    parser.add_argument('--model', default='', help=f'language model (default: {DEFAULT_MODEL})')
    parser.add_argument('--picture', metavar='FILE', help='draw the histogram into a PNG file')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure, print the result, and return the exit code."""
    with tempfile.TemporaryDirectory() as folder, private_domain(), Interrupts() as interrupts:
        path = Path(folder) / 'ticks'
        os.environ[TICK_FILE] = str(path)
        timed = tuple(
            replace(one, module='reactree_ros.ros.timed_planner')
            if one.name == 'reactree_planner'
            else one
            for one in PROCESSES
        )
        given = {'model': options.model, 'scene': 'apartment_1'}
        with (
            ProcessGroup(given, lambda name, line: None, timed) as group,
            PlannerClient() as client,
        ):
            ready = client.wait_for_planner(
                READY_SEC, lambda: not interrupts and not group.died(), bridge=True
            )
            if not ready:
                print(f'reactree bench-ticks: {group.died() or "interrupted"}', file=sys.stderr)
                return NOT_REACHABLE
            goals = _give_goals(client, options.seconds, interrupts)
        if interrupts:
            return CANCELED
        late = lateness([int(line) for line in path.read_text().split()], PERIOD_S)
    model = options.model or DEFAULT_MODEL
    inside = 100 * float((late < LIMIT_MS).mean())
    print(f'{machine()}; {model}, {goals} goals in {options.seconds:g} s')
    print(
        f'{late.size} ticks at {1 / PERIOD_S:g} Hz: {inside:.2f} % less than {LIMIT_MS:g} ms late; '
        f'median {np.median(late):.2f} ms, 99 % within {np.percentile(late, 99):.2f} ms, '
        f'latest {late.max():.1f} ms'
    )
    if options.picture:
        title = f'Ticks at {1 / PERIOD_S:g} Hz while {model} decides: {inside:.2f} % in time'
        draw(late, title, Path(options.picture))
    return SUCCEEDED


def _give_goals(client: PlannerClient, seconds: float, interrupts: Interrupts) -> int:
    """Give goals until the time is over; return how many."""
    end = time.monotonic() + seconds
    given = 0
    instructions = itertools.cycle(task.instruction for task in shipped_tasks())
    while time.monotonic() < end and not interrupts:
        client.run_goal(
            make_goal(next(instructions), max_seconds=max(1.0, end - time.monotonic())),
            lambda event, tree: None,
            lambda: bool(interrupts),
            CANCEL_SEC,
        )
        given += 1
    return given
