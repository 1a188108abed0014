# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree replay``: shows a recorded run again."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from reactree_ros.cli.goal_view import make_view, print_outcome, print_text
from reactree_ros.cli.interrupts import Interrupts
from reactree_ros.cli.tree_text import tree_text
from reactree_ros.core.outcome import Costs, NodeCosts, Reason
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import data

DIFFERENT = 1
STOPPED = 130
_LOOK_SEC = 0.05


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'replay',
        help='show a recorded run again',
        description='Shows a run from its file (MCAP): every decision and observation, the tree as '
        'it grew, how it ended and what it cost. Foxglove and "ros2 bag play" open the file, too.',
        epilog='Exit code: 0 shown, or recomputed and the same, 1 recomputed and not the same, '
        'or a record does not fit its prompt, 2 the file cannot be read, 130 interrupted.',
    )
    parser.add_argument(
        'run_file', type=Path, nargs='?', metavar='FILE', help='the file (default: the latest run)'
    )
    parser.add_argument(
        '--list', action='store_true', help='list the recorded runs of the user and end'
    )
    parser.add_argument(
        '--speed',
        type=_speed,
        default=0.0,
        metavar='X',
        help='times as fast as it was (default: at once)',
    )
    parser.add_argument(
        '--audit',
        action='store_true',
        help='list the record of every decision, and check its prompt against the recorded one',
    )
    parser.add_argument(
        '--recompute',
        action='store_true',
        help='plan the run again with the recorded answers of model, robot and memory, and say '
        'where that differs first',
    )
    parser.add_argument(
        '--skills',
        default='',
        metavar='LIBRARY',
        help='skill library for --recompute (default: the one that was used)',
    )
    parser.set_defaults(run=run)


def _speed(text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f'{text!r} is not a number') from error
    if not 0 < value <= 1000:
        raise argparse.ArgumentTypeError(f'{text} is not above 0 and at most 1000')
    return value


def run(options: argparse.Namespace) -> int:
    """Show the run and return the exit code."""
    if options.list:
        return _list()
    path = options.run_file or _latest()
    console = Console()
    if options.audit:
        from reactree_ros.cli.audit_view import show_audit

        return show_audit(path)
    if options.recompute:
        return _recompute(path, options.skills)
    with Interrupts() as interrupts:
        return show(path, console, options.speed, lambda: bool(interrupts))


def show(path: Path, console: Console, speed: float, stopped: Callable[[], bool]) -> int:
    """Show a run.

    Args:
        path: its file.
        console: where it is shown.
        speed: times as fast as it was; 0 at once.
        stopped: asked again and again; it ends when that says so.

    Returns:
        The exit code.

    Raises:
        ConfigurationError: if the file cannot be read.
    """
    from reactree_ros.ros.conversions import behaviour_from_msg, event_from_msg
    from reactree_ros.ros.recording.run_file import RunFile
    from reactree_ros.ros.recording.run_publisher import EVENT_TOPIC, TREE_TOPIC

    file = RunFile(path)
    print_text(console, f'goal: {file.began["goal"]}')
    tree, last = '', 0
    with make_view(console) as view:
        for one in file.messages:
            if speed and last:
                _wait((one.nanoseconds - last) / 1e9 / speed, stopped)
            last = one.nanoseconds
            if stopped():
                return STOPPED
            if one.topic == TREE_TOPIC:
                tree = tree_text(map(behaviour_from_msg, one.message.behaviours))
            elif one.topic == EVENT_TOPIC:
                view.event(event_from_msg(one.message), tree)
    ended = file.ended
    if not ended:
        console.print('the file ends here: the run was cut off', style='bold yellow')
        return 0
    try:
        nodes = [_node(node) for node in ended['nodes']]
        shown = (str(ended['status']), str(ended['message']), tree or str(ended['tree']))
        print_outcome(console, *shown, _costs(ended['costs']), nodes)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ConfigurationError(
            f'{path} is damaged where it says how the run ended: {error!r}'
        ) from error
    return 0


def _node(values: dict[str, Any]) -> NodeCosts:
    reason = Reason(values['reason']) if values['reason'] else None
    return NodeCosts(tuple(map(str, values['path'])), reason, _costs(values['costs']))


def _costs(values: dict[str, Any]) -> Costs:
    if not all(isinstance(value, (int, float)) for value in values.values()):
        raise TypeError(f'costs are numbers, not {values!r}')
    return Costs(**values)


def _recompute(path: Path, skills: str) -> int:
    from reactree_ros.planner.replay import recompute
    from reactree_ros.ros.recording.recorded_run import read_recorded_run, services_of
    from reactree_ros.ros.recording.run_file import RunFile

    file = RunFile(path)
    recorded = read_recorded_run(file)
    found = recompute(recorded, services_of(file, skills))
    if found.difference:
        print(f'not the same after {found.same} events; {found.difference}')
        return DIFFERENT
    end = ', up to where it was cut short' if recorded.cut else ', and the same final tree'
    print(f'the same: {found.same} of {len(recorded.events)} events{end}')
    return 0


def _wait(seconds: float, stopped: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not stopped() and (left := end - time.monotonic()) > 0:
        time.sleep(min(_LOOK_SEC, left))


def _files() -> list[Path]:
    return sorted(data('runs').glob('*.mcap'))


def _latest() -> Path:
    files = _files()
    if not files:
        raise ConfigurationError(f'no run is recorded in {data("runs")}; name a file')
    return files[-1]


def _list() -> int:
    from reactree_ros.ros.recording.run_file import RunFile

    for path in _files():
        file = RunFile(path)
        status = file.ended.get('status', 'cut off')
        print(f'{path.name}: {status}: {file.began["goal"]}')
    return 0
