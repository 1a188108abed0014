# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab explain``: the story of one run, or which runs of an evaluation failed and how."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.trace import Trace, read_trace
from reactree_ros.lab.failures.failures import KINDS, UNCLASSED, Failure, classify
from reactree_ros.lab.failures.story import narrate
from reactree_ros.sim.tasks import task_of

_STYLES = {
    'head': 'bold',
    'turn': 'bold yellow',
    'good': 'green',
    'bad': 'red',
    'dim': 'dim',
    '': '',
}
_DESCRIPTION = """\
Tells the story of a run that "reactree-lab evaluate" kept: what was asked, the tree, where it took
its wrong turn, what it missed. Of a folder it lists the runs that failed, each with its class."""
_EXAMPLES = """examples:
  reactree-lab explain results                       every run that failed, and how
  reactree-lab explain results --kind incomplete     those that failed in one way
  reactree-lab explain results/runs/react/gemma/wah_test-3-0.jsonl
  reactree-lab explain results wah_test-3-0          the same run by every planner and model
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'explain',
        help='why a run failed: its story on a page',
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('path', type=Path, help='a trace, or a folder of traces')
    parser.add_argument('name', nargs='?', default='', metavar='SET-TASK-SEED',
                        help='tell the story of these runs of the folder')  # fmt: skip
    parser.add_argument('--kind', choices=KINDS, metavar='CLASS',
                        help=f'list only one class: {", ".join(KINDS)}')  # fmt: skip
    parser.add_argument('--all-events', action='store_true', help='show every event, uncut')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain and return the exit code."""
    console = Console()
    if not options.path.is_dir():
        if options.name or options.kind:
            raise ConfigurationError(
                f'{options.path} is not a folder: runs and classes can be looked up in folders only'
            )
        _tell(console, options.path, whole=options.all_events)
        return 0
    if options.name and options.kind:
        raise ConfigurationError('--kind lists the runs of a folder: leave the name of a run away')
    paths = sorted(options.path.rglob('*.jsonl'))
    if options.name:
        paths = [path for path in paths if path.stem == options.name]
    if not paths:
        what = f'no run {options.name}' if options.name else 'no trace of a run'
        raise ConfigurationError(f'there is {what} in {options.path}')
    if options.name:
        for path in paths:
            _tell(console, path, whole=options.all_events)
    else:
        _list(console, paths, options.kind or '')
    return 0


def _tell(console: Console, path: Path, *, whole: bool) -> None:
    trace = read_trace(path)
    failure, note = _classed(trace)
    task = task_of(trace.spec.task_set, trace.spec.task)
    for line in narrate(trace, task, failure, note=note, whole=whole):
        console.print(Text(line.text, style=_STYLES[line.style]), soft_wrap=True)
    console.print()


def _list(console: Console, paths: list[Path], kind: str) -> None:
    """Print the runs that failed, by class, and how many there are of each."""
    found: dict[str, list[tuple[Path, str]]] = {shown: [] for shown in (*KINDS.values(), UNCLASSED)}
    held = 0
    for path in paths:
        trace = read_trace(path)
        if trace.ending.holds:
            held += 1
            continue
        failure, note = _classed(trace)
        shown = KINDS[failure.kind] if failure else UNCLASSED
        found[shown].append((path, failure.detail if failure else note))
    for shown, runs in found.items():
        if not runs or (kind and shown != KINDS[kind]):
            continue
        console.print(Text(shown, style='bold'))
        for path, why in runs:
            console.print(Text(f'  {path}'), soft_wrap=True)
            console.print(Padding(Text(why, style='dim'), (0, 0, 0, 6)))
    console.print(f'{len(paths)} runs: {held} reached their goal, {len(paths) - held} did not')
    for shown, runs in found.items():
        if runs:
            console.print(f'{len(runs):6d}  {shown}')


def _classed(trace: Trace) -> tuple[Failure | None, str]:
    """Return why a run failed, or why that cannot be said."""
    try:
        return classify(trace), ''
    except ConfigurationError as error:
        return None, str(error)
