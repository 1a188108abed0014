# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab bench``: runs the demo for the shipped tasks and prints a table."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from reactree_ros.lab.console import machine, say
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
        help='run the shipped tasks one after another and measure',
        description='Runs "reactree demo --task N" for each task, each with new processes, and '
        'prints a Markdown table of results and costs.',
        epilog='Exit code: 0 if every task ended, whatever the result; 1 if one did not.',
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
    rows, ended, satisfied = [], 0, 0
    for number, task in enumerate(tasks, start=1):
        say(f'[{number}/{len(tasks)}] {task.instruction}')
        report = _demo(task, options)
        ended += bool(report)
        satisfied += bool(report and report['world'] and report['world']['holds'])
        rows.append(_row(task, report))
        say(rows[-1])
    model = options.model or DEFAULT_MODEL
    print(f'{machine()}; {model}, {"trained" if trained_from(model) else "few-shot"}', end='\n\n')
    print(_HEAD, *rows, sep='\n')
    print(f'\nThe goals of {satisfied} of {len(tasks)} tasks are satisfied in the world.')
    return 0 if ended == len(tasks) else 1


def _demo(task: Task, options: argparse.Namespace) -> dict[str, Any]:
    """Return the report of a demo; empty if it did not end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'report.json'
        command = [sys.executable, '-m', 'reactree_ros.cli.main', 'demo', '--task', str(task.id)]
        command += ['--report', str(path), '--max-seconds', str(options.max_seconds)]
        for name in ('model', 'params_file', 'memory'):
            value = getattr(options, name)
            command += [f'--{name.replace("_", "-")}', value] if value else []
        done = subprocess.run(command, capture_output=True, text=True)
        if not path.is_file():
            print(done.stdout[-2000:], done.stderr[-2000:], sep='\n', file=sys.stderr)
            return {}
        report: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
        return report


def _row(task: Task, report: dict[str, Any]) -> str:
    if not report:
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
