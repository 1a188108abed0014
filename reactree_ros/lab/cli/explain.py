# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab explain``: one run step by step, or which runs of an evaluation failed and how."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.trace import Trace, read_trace
from reactree_ros.lab.failures.case import Failure
from reactree_ros.lab.failures.failures import KINDS, UNCLASSED, classify
from reactree_ros.lab.failures.story import narrate
from reactree_ros.sim.tasks import task_of

_DESCRIPTION = """\
Shows a run that "reactree-lab evaluate" kept: what was asked, the tree, where it took its wrong
turn, what it missed. For a folder it lists the runs that failed, by failure class."""
_EXAMPLES = """examples:
  reactree-lab explain results                       every run that failed, and how
  reactree-lab explain results/runs/react/gemma/wah_test-3-0.jsonl
  reactree-lab explain results wah_test-3-0          the same run by every planner and model
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'explain',
        help='show why runs failed',
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('path', type=Path, help='a trace, or a folder of traces')
    parser.add_argument('name', nargs='?', default='', metavar='SET-TASK-SEED',
                        help='show these runs of the folder')  # fmt: skip
    parser.add_argument('--all-events', action='store_true', help='show every event, uncut')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain and return the exit code."""
    console = Console()
    paths = [options.path]
    if options.path.is_dir():
        paths = sorted(options.path.rglob(f'{options.name or "*"}.jsonl'))
    elif options.name:
        raise ConfigurationError(f'{options.path} is not a folder, in which runs have names')
    if not paths:
        what = f'no run {options.name}' if options.name else 'no trace of a run'
        raise ConfigurationError(f'there is {what} in {options.path}')
    if options.path.is_dir() and not options.name:
        _list(console, paths)
    else:
        for path in paths:
            _show(console, path, whole=options.all_events)
    return 0


def _show(console: Console, path: Path, *, whole: bool) -> None:
    trace = read_trace(path)
    failure, note = _classify(trace)
    task = task_of(trace.spec.task_set, trace.spec.task)
    for line in narrate(trace, task, failure, note=note, whole=whole):
        console.print(Text(line.text, style=line.style), soft_wrap=True)
    console.print()


def _list(console: Console, paths: list[Path]) -> None:
    """Print the runs that failed, by class, and how many there are of each."""
    found: dict[str, list[tuple[Path, str]]] = {shown: [] for shown in (*KINDS.values(), UNCLASSED)}
    for path in paths:
        trace = read_trace(path)
        if not trace.ending.holds:
            failure, note = _classify(trace)
            shown = KINDS[failure.kind] if failure else UNCLASSED
            found[shown].append((path, failure.detail if failure else note))
    found = {shown: runs for shown, runs in found.items() if runs}
    for shown, runs in found.items():
        console.print(Text(shown, style='bold'))
        for path, why in runs:
            console.print(Text(f'  {path}'), soft_wrap=True)
            console.print(Padding(Text(why, style='dim'), (0, 0, 0, 6)))
    failed = sum(map(len, found.values()))
    console.print(f'{len(paths)} runs: {len(paths) - failed} reached their goal, {failed} did not')
    for shown, runs in found.items():
        console.print(f'{len(runs):6d}  {shown}')


def _classify(trace: Trace) -> tuple[Failure | None, str]:
    """Return why a run failed, or why its class is unknown."""
    try:
        return classify(trace), ''
    except ConfigurationError as error:
        return None, str(error)
