# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab bench-ticks``: whether the tree keeps its period while the model computes."""

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
from rclpy.node import Node

from reactree_ros.cli.domain import private_domain
from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import processes_of
from reactree_ros.cli.send import NOT_REACHABLE, SUCCEEDED
from reactree_ros.cli.up import READY_SEC
from reactree_ros.lab.bench.ticks import lateness
from reactree_ros.lab.console import machine
from reactree_ros.models.local.embedded import DEFAULT_MODEL
from reactree_ros.ros.conversions import goal_to_msg
from reactree_ros.ros.goals.client import PlannerClient
from reactree_ros.ros.goals.goal_server import GoalServer
from reactree_ros.ros.nodes.node_main import run_node
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.nodes.planner_node import PlannerNode
from reactree_ros.ros.nodes.tree_host import TreeHost
from reactree_ros.sim.tasks import select_tasks

TICK_FILE = 'REACTREE_TICK_FILE'
"""Environment variable with the file to be written: a line for each goal, with the time of every
tick while it ran, in nanoseconds of the monotonic clock."""
PERIOD_S = 0.05
"""Period of the planner's tick with its default parameters."""
LIMIT_MS = 10.0
CANCEL_SEC = 20.0
HOUSEHOLD, KITCHEN = 'household', 'kitchen'
"""Worlds, and the sets of their tasks."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-ticks',
        help='measure whether ticks are punctual while the model computes',
        description='Starts planner, model and world as separate processes, gives the planner one '
        'goal after another, and measures how late the ticks of its tree begin, and how much of a '
        'core the world takes.',
    )
    parser.add_argument('--sim', default=HOUSEHOLD, choices=(HOUSEHOLD, KITCHEN),
                        help=f'the world (default: {HOUSEHOLD})')  # fmt: skip
    parser.add_argument('--pace', default='1.0', help='of the arm in the kitchen (default: 1.0)')
    parser.add_argument('--seconds', type=float, default=120.0, help='how long (default: 120)')
    parser.add_argument('--model', default='', help=f'language model (default: {DEFAULT_MODEL})')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure, print the result, and return the exit code."""
    with tempfile.TemporaryDirectory() as folder, private_domain(), Interrupts() as interrupts:
        path = Path(folder) / 'ticks'
        os.environ[TICK_FILE] = str(path)
        timed = tuple(
            replace(one, module=__name__) if one.name == 'reactree_planner' else one
            for one in processes_of(options.sim)
        )
        given = {'model': options.model, 'sim': options.sim}
        given |= {'pace': options.pace} if options.sim == KITCHEN else {'scene': 'apartment_1'}
        with (
            ProcessGroup(given, lambda name, line: None, timed) as group,
            PlannerClient() as client,
        ):
            ready = client.wait_for_planner(
                READY_SEC, lambda: not interrupts and not group.died(), bridge=True
            )
            if not ready:
                print(f'reactree-lab bench-ticks: {group.died() or "interrupted"}', file=sys.stderr)
                return NOT_REACHABLE
            began, before = time.monotonic(), _cpu_sec(group.pids[0])
            goals = _give_goals(client, options, interrupts)
            share = (_cpu_sec(group.pids[0]) - before) / (time.monotonic() - began)
        if interrupts:
            return CANCELED
        ticks = [[*map(int, line.split())] for line in path.read_text().splitlines()]
        late = np.concatenate([np.zeros(0), *(lateness(times, PERIOD_S) for times in ticks)])
        if not late.size:
            print('reactree-lab bench-ticks: no goal has run', file=sys.stderr)
            return NOT_REACHABLE
    model = options.model or DEFAULT_MODEL
    inside = 100 * float((late < LIMIT_MS).mean())
    print(f'{machine()}; {model}, {goals} goals in {options.seconds:g} s')
    print(
        f'{late.size} ticks at {1 / PERIOD_S:g} Hz: {inside:.2f} % less than {LIMIT_MS:g} ms late; '
        f'median {np.median(late):.2f} ms, 99 % within {np.percentile(late, 99):.2f} ms, '
        f'latest {late.max():.1f} ms; the world took {100 * share:.0f} % of a core'
    )
    return SUCCEEDED


def _cpu_sec(pid: int) -> float:
    """Return the seconds of a core that a process has taken so far."""
    fields = Path(f'/proc/{pid}/stat').read_text(encoding='utf-8').rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def _give_goals(client: PlannerClient, options: argparse.Namespace, interrupts: Interrupts) -> int:
    """Give goals until the time is over; return how many."""
    end = time.monotonic() + options.seconds
    given = 0
    tasks = select_tasks(options.sim)
    instructions = itertools.cycle(task.instruction for _, task in tasks)
    while time.monotonic() < end and not interrupts:
        client.run_goal(
            goal_to_msg(next(instructions), max_duration_sec=max(1.0, end - time.monotonic())),
            lambda event, tree: None,
            lambda: bool(interrupts),
            CANCEL_SEC,
        )
        given += 1
    return given


class TimedPlanner(GoalServer):
    """A planner that records when its ticks began."""

    def __init__(self, node: Node, config: PlannerConfig, host: TreeHost) -> None:
        self._started: list[list[int]] = [[]]
        super().__init__(node, config, host)

    def _tick(self) -> None:
        if self._current is not None:
            self._started[-1].append(time.monotonic_ns())
        elif self._started[-1]:
            self._started.append([])
        super()._tick()

    def close(self) -> None:
        """Write the times and release everything."""
        lines = (' '.join(map(str, times)) for times in self._started)
        Path(os.environ[TICK_FILE]).write_text('\n'.join(lines), encoding='utf-8')
        super().close()


class TimedPlannerNode(PlannerNode):
    """The node of such a planner."""

    planner_type = TimedPlanner


def main() -> None:
    """Run the planner as a process."""
    sys.exit(run_node('reactree_planner', TimedPlannerNode.load, TimedPlannerNode))
