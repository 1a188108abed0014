# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab bench``: runs the demo for shipped tasks in turn and prints a table."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from reactree_ros.lab.console import machine
from reactree_ros.models.local.embedded import DEFAULT_MODEL, trained_from
from reactree_ros.sim.household import Task, shipped_tasks

_HEAD = (
    '| task | instruction | world | planner | decisions | skills | tokens in (reused) '
    '| tokens out | seconds (model: queued + prefill + decode) |\n'
    '|---|---|---|---|---|---|---|---|---|'
)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench',
        help='run shipped tasks in turn and measure',
        description='Runs "reactree demo --task N" for each task in turn, each with new '
        'processes, and prints a Markdown table of how it ended and what it cost.',
        epilog='Exit code: 0 if every task ran to an end, whatever that was; 1 if one did not.',
    )
    parser.add_argument(
        '--tasks', type=_task_numbers, metavar='N,N,…', help='which tasks (default: all)'
    )
    parser.add_argument('--model', default='', help=f'language model (default: {DEFAULT_MODEL})')
    parser.add_argument('--params-file', default='', help='file with node parameters')
    parser.add_argument('--memory', default='', metavar='FILE',
                        help='memory that the planner reads and extends from '
                        'task to task (default: none)')  # fmt: skip
    parser.add_argument('--max-seconds', type=float, default=600.0, help='time limit of a task')
    parser.set_defaults(run=run)


def _task_numbers(text: str) -> set[int]:
    known = {task.id for task in shipped_tasks()}
    try:
        numbers = {int(word) for word in text.split(',')}
    except ValueError as error:
        raise argparse.ArgumentTypeError(f'{text!r} is not a list of numbers') from error
    if not numbers <= known:
        raise argparse.ArgumentTypeError(f'the tasks are {", ".join(map(str, sorted(known)))}')
    return numbers


def run(options: argparse.Namespace) -> int:
    """Run the tasks, print the table, and return the exit code."""
    tasks = [task for task in shipped_tasks() if not options.tasks or task.id in options.tasks]
    rows, missing = [], 0
    reports = []
    for number, task in enumerate(tasks, start=1):
        print(f'[{number}/{len(tasks)}] {task.instruction}', file=sys.stderr, flush=True)
        begin = time.monotonic()
        report = _demo(task, options)
        missing += report is None
        reports.append(report)
        rows.append(_row(task, report))
        print(f'  {time.monotonic() - begin:.0f} s: {rows[-1]}', file=sys.stderr, flush=True)
    model = options.model or DEFAULT_MODEL
    print(f'{machine()}; {model}, {"trained" if trained_from(model) else "few-shot"}', end='\n\n')
    print(_HEAD, *rows, sep='\n')
    held = sum(bool(report and report['world'] and report['world']['holds']) for report in reports)
    print(f'\nThe goal conditions of {held} of {len(tasks)} tasks hold in the world.')
    return 1 if missing else 0


def _demo(task: Task, options: argparse.Namespace) -> dict[str, Any] | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'report.json'
        command = [sys.executable, '-m', 'reactree_ros.cli.main', 'demo']
        command += ['--task', str(task.id), '--report', str(path)]
        command += ['--model', options.model] if options.model else []
        command += ['--params-file', options.params_file] if options.params_file else []
        command += ['--memory', options.memory] if options.memory else []
        command += ['--max-seconds', str(options.max_seconds)]
        done = subprocess.run(command, capture_output=True, text=True)
        if not path.is_file():
            print(done.stdout[-2000:], done.stderr[-2000:], sep='\n', file=sys.stderr)
            return None
        report: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
        return report


def _row(task: Task, report: dict[str, Any] | None) -> str:
    if report is None:
        return f'| {task.id} | {task.instruction} | did not run | | | | | | |'
    costs = report['costs']
    holds = 'holds' if report['world'] and report['world']['holds'] else 'does not hold'
    return (
        f'| {task.id} | {task.instruction} | {holds} | {report["status"]} '
        f'| {costs["decisions"]} | {costs["skills"]} '
        f'| {costs["tokens_in"]} ({costs["tokens_reused"]}) | {costs["tokens_out"]} '
        f'| {costs["total_seconds"]:.0f} ({costs["model_seconds"]:.0f}: '
        f'{costs["queued_seconds"]:.0f} + {costs["prefill_seconds"]:.0f} '
        f'+ {costs["decode_seconds"]:.0f}) |'
    )
