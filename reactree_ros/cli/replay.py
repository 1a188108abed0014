# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree replay``: shows a recorded run again."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console

from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.cli.goal_view import GoalView, print_outcome, print_text
from reactree_ros.core.events import DecisionRecord
from reactree_ros.core.outcome import ConditionState, Costs, NodeCosts, Reason
from reactree_ros.core.plain_text import one_line
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import data

DIFFERENT = 1
_EXAMPLES = """\
examples:
  reactree replay                     the latest run
  reactree replay --list              all recorded runs
  reactree replay RUN.mcap --audit
  reactree replay RUN.mcap --export run.html

Exit code: 0 shown, or recomputed and the same; 1 recomputed and not the same, or
a record does not fit its prompt; 2 the file cannot be read.
"""
_SHORT = 12
_MOST_CHARS = 4000
_MARKS = {'sequence': '{-}', 'fallback': '{o}', 'parallel': '/_/'}
_STATUSES = {'running': '*', 'succeeded': '✓', 'failed': '✕'}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'replay',
        help='show a recorded run again',
        description='Shows a run from its file (MCAP): every decision and observation, the tree as '
        'it grew, how it ended and what it cost. Foxglove and "ros2 bag play" open the file, too.',
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        'run_file', type=Path, nargs='?', metavar='FILE', help='the file (default: the latest run)'
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        '--list', action='store_true', help='list the recorded runs of the user and end'
    )
    mode.add_argument(
        '--audit',
        action='store_true',
        help='list the record of every decision, and check its prompt against the recorded one',
    )
    mode.add_argument(
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
    mode.add_argument(
        '--export',
        type=Path,
        metavar='PAGE',
        help='write the run as one web page (HTML) that opens without a server',
    )
    parser.add_argument(
        '--beside',
        type=Path,
        action='append',
        default=[],
        metavar='FILE',
        help='with --export, another run that can be put beside it; may be given again',
    )
    mode.add_argument(
        '--gallery',
        type=Path,
        metavar='FOLDER',
        help='write an index.html of all exported runs in a folder, and end',
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show the run and return the exit code."""
    if options.skills and not options.recompute:
        raise ConfigurationError('--skills goes with --recompute')
    if options.beside and options.export is None:
        raise ConfigurationError('--beside goes with --export')
    if options.list:
        return _list()
    if options.gallery is not None:
        return _gallery(options.gallery)
    path = options.run_file or latest_run()
    if options.export is not None:
        return _export([path, *options.beside], options.export)
    if options.audit:
        return audit(path)
    if options.recompute:
        return _recompute(path, options.skills)
    return show(path, Console())


def show(path: Path, console: Console) -> int:
    """Show a run and return the exit code.

    Args:
        path: its file.
        console: where it is shown.

    Raises:
        ConfigurationError: if the file cannot be read.
    """
    from reactree_ros.ros.conversions import behaviour_from_msg, event_from_msg
    from reactree_ros.ros.goals.client import GoalResult
    from reactree_ros.ros.recording.run_file import RunFile
    from reactree_ros.ros.recording.run_publisher import EVENT_TOPIC, TREE_TOPIC

    file = RunFile(path)
    print_text(console, f'goal: {file.began["goal"]}')
    tree = ''
    view = GoalView(console)
    for one in file.messages:
        if one.topic == TREE_TOPIC:
            tree = tree_text(map(behaviour_from_msg, one.message.behaviours))
        elif one.topic == EVENT_TOPIC:
            view.event(event_from_msg(one.message), tree)
    ended = file.ended
    if not ended:
        console.print('the file ends here: the run was cut off', style='bold yellow')
        return 0
    try:
        result = GoalResult(
            status=str(ended['status']),
            reason='',
            message=str(ended['message']),
            tree=tree or str(ended['tree']),
            costs=_costs(ended['costs']),
            nodes=tuple(map(_node, ended['nodes'])),
            conditions=tuple(ConditionState(**one) for one in ended.get('conditions', ())),
            unconfirmed=ended.get('unconfirmed', False),
            answer=str(ended.get('answer', '')),
        )
        print_outcome(console, result)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ConfigurationError(
            f'{path} is damaged where it says how the run ended: {error!r}'
        ) from error
    return 0


def audit(path: Path) -> int:
    """Print the record of every decision, and whether their prompts stand in the file.

    Args:
        path: the run's file.

    Returns:
        The exit code.

    Raises:
        ConfigurationError: if the file cannot be read, or is damaged.
    """
    from reactree_ros.ros.recording.recorded_run import read_audit
    from reactree_ros.ros.recording.run_file import RunFile

    file = RunFile(path)
    records, prompts = read_audit(file)
    print(_plain(f'goal {file.began.get("goal_id", "of no id")}: {file.began["goal"]}'))
    for record in records:
        print(_formatted(record))
    unknown = [one.index for one in records if one.prompt_sha256 not in prompts]
    if unknown:
        numbers = ', '.join(map(str, unknown))
        print(f'the prompts of these decisions do not stand in the file: {numbers}')
        return DIFFERENT
    print(f'{len(records)} decisions; the file has the prompt of each')
    return 0


def tree_text(behaviours: Iterable[BehaviourState]) -> str:
    """Draw a tree as py_trees does, one line a behaviour, indented by depth.

    Args:
        behaviours: each before those below it; below nothing that is there, it is at the top.
    """
    depths = {0: -1}
    lines = []
    for one in behaviours:
        depths[one.number] = depth = depths.get(one.parent, -1) + 1
        mark = _MARKS.get(one.kind, '-->')
        feedback = f' -- {one.feedback}' if one.feedback else ''
        status = _STATUSES.get(one.status, '-')
        lines.append(f'{"    " * depth}{mark} {one.name} [{status}]{feedback}')
    return '\n'.join([*lines, ''])


def _formatted(record: DecisionRecord) -> str:
    robot = f'[{record.robot}] ' if record.robot else ''
    node = f'node {record.behaviour}, {" ".join(record.path[-1:])}'
    prompt = record.prompt_sha256[:_SHORT]
    lines = [record.decision]
    if record.robot_goal_id:
        lines.append(f'sent: {record.robot_action} {record.robot_goal_id}')
    lines.append(record.outcome if record.accepted else f'rejected: {record.outcome}')
    first = _plain(f'{robot}{node} ({record.model}, prompt {prompt})')
    return '\n'.join([f'{record.index:3d}. {first}', *(f'     {_plain(one)}' for one in lines)])


def _plain(text: str) -> str:
    """Return a text of a file, whoever wrote that, as one a terminal may be given."""
    return one_line(text, _MOST_CHARS)


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


def _export(paths: list[Path], page: Path) -> int:
    from reactree_ros.ros.viewer.recorded import read_history
    from reactree_ros.viewer.document import page_with

    if page.suffix not in ('.html', '.htm'):
        raise ConfigurationError(f'--export {page}: give a file that ends with .html')
    text = page_with([read_history(path) for path in paths])
    try:
        page.write_text(text, encoding='utf-8')
    except OSError as error:
        raise ConfigurationError(f'cannot write {page}: {error.strerror}') from error
    print(f'{page}: {page.stat().st_size / 1000:,.0f} kB; open it in a browser')
    return 0


def _gallery(folder: Path) -> int:
    from reactree_ros.viewer.gallery import INDEX, write_gallery

    count = write_gallery(folder)
    print(f'{folder / INDEX}: {count} run{"s" if count != 1 else ""}')
    return 0


def _files(folder: Path | None = None) -> list[Path]:
    return sorted((folder or data('runs')).glob('*.mcap'))


def latest_run(folder: Path | None = None) -> Path:
    """Return the file of the latest recorded run.

    Args:
        folder: of the runs; None for the user's.

    Raises:
        ConfigurationError: none is recorded.
    """
    files = _files(folder)
    if not files:
        raise ConfigurationError(f'no run is recorded in {folder or data("runs")}; name a file')
    return files[-1]


def _list() -> int:
    from reactree_ros.ros.recording.run_file import RunFile

    if not _files():
        print(f'no run is recorded in {data("runs")}')
    for path in _files():
        try:
            file = RunFile(path)
        except ConfigurationError as error:
            print(f'{path.name}: {error}')
            continue
        status = file.ended.get('status', 'cut off')
        print(f'{path.name}: {status}: {file.began["goal"]}')
    return 0
