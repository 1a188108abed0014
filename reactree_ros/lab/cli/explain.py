# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab explain``: one run step by step, or which runs of an evaluation failed and how."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.nodes import NodeSpan, failed_leaves, read_nodes
from reactree_ros.lab.evaluation.trace import Trace, conditions_read, read_trace
from reactree_ros.lab.report.failures import KINDS, MISREAD, failure_of
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.tasks import task_of

WIDTH = 100
"""Characters of a line, unless everything is wanted."""
TREE_LINES = 24
RUN_LINES = 40
_LABEL = 10
_HERE = '  <── failed here'
_DESCRIPTION = """\
Shows a run that "reactree-lab evaluate" kept: what was asked, how it was understood, the tree,
where it failed first, what does not hold. For a folder it lists the runs that failed."""
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
    task = task_of(trace.spec.task_set, trace.spec.task)
    for line in narrate(trace, task, whole=whole):
        console.print(Text(line.text, style=line.style), soft_wrap=True)
    console.print()


def _list(console: Console, paths: list[Path]) -> None:
    """Print the runs that failed, by how they did, and how many there are of each."""
    found: dict[str, list[tuple[Path, str]]] = {kind: [] for kind in KINDS}
    unread = 0
    for path in paths:
        try:
            trace = read_trace(path)
        except ConfigurationError as error:
            console.print(Text(f'left out: {error}'), soft_wrap=True)
            unread += 1
            continue
        kind = failure_of(trace, task_of(trace.spec.task_set, trace.spec.task))
        if kind:
            found[kind].append((path, '; '.join(trace.ending.unsatisfied)))
    found = {kind: runs for kind, runs in found.items() if runs}
    for kind, runs in found.items():
        console.print(Text(kind, style='bold'))
        for path, missed in runs:
            console.print(Text(f'  {path}'), soft_wrap=True)
            console.print(Padding(Text(missed, style='dim'), (0, 0, 0, 6)))
    failed = sum(map(len, found.values()))
    count = len(paths) - unread
    console.print(f'{count} runs: {count - failed} reached their goal, {failed} did not')
    for kind, runs in found.items():
        console.print(f'{len(runs):6d}  {kind}')


class Line(NamedTuple):
    """One line, and its style for ``rich``."""

    text: str
    style: str = ''


def narrate(trace: Trace, task: Task, *, whole: bool = False) -> list[Line]:
    """Describe a run of a task; ``whole``: all events, and nothing cut."""
    failure = failure_of(trace, task)
    root = read_nodes(trace.events)
    first = (*failed_leaves(root), root)[0]
    turn = -1 if not failure else len(trace.events) - 1 if first.end is None else first.end
    tree = [Line('The tree', 'bold'), *_page(list(_tree(root, turn)), TREE_LINES, whole), Line('')]
    run = [
        _line(f'#{index:<4} {"  " * (len(event.path) - 1)}{event.kind} {event.text}', index == turn)
        for index, event in enumerate(trace.events)
    ]
    return [
        *_head(trace, task, failure),
        Line(''),
        *(tree if root.children else []),
        Line('The run', 'bold'),
        *_page(run, RUN_LINES, whole),
    ]


def _head(trace: Trace, task: Task, failure: str) -> Iterator[Line]:
    spec, ending, costs = trace.spec, trace.ending, trace.ending.costs
    marks = [task.type, *(['ambiguous'] if task.ambiguous else []), f'start in {task.start}']
    marks += ['unseen apartment'] if task.unseen else []
    marks += [f'a plan has {task.steps} skills'] if task.steps else []
    yield Line(f'"{trace.instruction}"', 'bold')
    yield from _field('task', f'{spec.task_set} {spec.task}, seed {spec.seed}: {", ".join(marks)}')
    yield from _field('planner', f'{spec.planner} with {spec.model}')
    read = conditions_read(trace.events)
    if read:
        yield from _field('read as', read)
    if failure == MISREAD:
        yield from _field('meant', task.condition_line)
    yield from _field('ended', f'{ending.status} ({ending.reason.value}): {ending.message}')
    yield from _field('failure', failure or 'none', 'red' if failure else 'green')
    for line in ending.satisfied:
        yield from _field('world', f'✓ {line}', 'green')
    for line in ending.unsatisfied:
        yield from _field('world', f'✕ {line}', 'red')
    longest = max((event.decision.tokens_in for event in trace.events), default=0)
    yield from _field(
        'costs',
        f'{costs.decisions} decisions, {costs.skills} skills, {costs.tokens_in:,} tokens in '
        f'({costs.reused:.0%} reused), {costs.tokens_out:,} out, {costs.total_seconds:.0f} s '
        f'({costs.model_seconds:.0f} s model); longest prompt {longest:,} tokens',
    )


def _field(name: str, text: str, style: str = '') -> Iterator[Line]:
    indent = ' ' * _LABEL
    for line in textwrap.wrap(f'{name:{_LABEL}}{text}', WIDTH, subsequent_indent=indent):
        yield Line(line, style)


def _tree(span: NodeSpan, turn: int) -> Iterator[Line]:
    indent = '  ' * (len(span.path) - 1)
    mark = '✓' if span.success else '✕' if span.end is not None else '-'
    made = span.expansions[-1:]
    own = ''.join(f' ({one.control_flow} of {len(one.subgoals)})' for one in made)
    yield _line(f'{indent}{mark} {span.goal}{own}', turn in span.events)
    begun = [child.goal for child in span.children]
    for child in span.children:
        yield from _tree(child, turn)
    for goal in made[0].subgoals if made else ():
        if goal not in begun:
            yield Line(f'{indent}  - {goal} (never started)', 'dim')


def _line(text: str, here: bool) -> Line:
    return Line(f'{text}{_HERE}', 'bold yellow') if here else Line(text)


def _page(lines: list[Line], most: int, whole: bool) -> Iterator[Line]:
    """Yield the lines around where it failed, or all of them."""
    if whole:
        yield from lines
        return
    here = [index for index, line in enumerate(lines) if line.text.endswith(_HERE)]
    first = max(0, min((here or [len(lines)])[0] - most // 2, len(lines) - most))
    shown = lines[first : first + most]
    if first:
        yield Line(f'… {first} lines before (--all-events shows them)', 'dim')
    for text, style in shown:
        mark = _HERE if text.endswith(_HERE) else ''
        fits = len(text) <= WIDTH
        yield Line(text if fits else f'{text[: WIDTH - 1 - len(mark)].rstrip()}…{mark}', style)
    if first + most < len(lines):
        yield Line(f'… {len(lines) - first - most} lines after (--all-events shows them)', 'dim')
