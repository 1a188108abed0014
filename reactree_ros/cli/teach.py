# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree teach``: a person decides in the place of the model, and the robot learns from it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

from reactree_ros.cli.goal_view import GoalView, make_view, print_text
from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import world_node
from reactree_ros.cli.send import (
    FAILED,
    NOT_REACHABLE,
    SUCCEEDED,
    add_goal_arguments,
    ask_verdict,
    follow,
)
from reactree_ros.cli.terminal_operator import TerminalOperator, TypedLines
from reactree_ros.cli.up import READY_SEC, add_start_arguments, given_arguments
from reactree_ros.core.option import parameters_of
from reactree_ros.core.plain_text import one_line
from reactree_ros.core.settings import NONE
from reactree_ros.core.wire import Values
from reactree_ros.errors import ConfigurationError
from reactree_ros.models.person import PERSON
from reactree_ros.paths import data, make_private
from reactree_ros.planner.first_inputs import decisions_of, first_inputs, write_first_inputs
from reactree_ros.planner.options import PlannerOptions, planner_options
from reactree_ros.ros.goals.client import PlannerClient
from reactree_ros.ros.nodes.planner_config import resume_parameters
from reactree_ros.ros.recording.recorded_run import read_recorded_run
from reactree_ros.ros.recording.run_file import RunFile

_LIST = -1
_AGAIN = 'reactree teach --resume'
_TOLD = ('kept ', 'learned nothing', 'forgot ', 'recorded in', 'cannot write to episodic memory')


@dataclass(frozen=True)
class _Kept:
    """What is kept of a recorded run.

    Args:
        file: the run's.
        goal: its goal.
        inputs: what had reached it from outside, all of it.
        conditions: what had to hold.
        decisions: so many are kept.
    """

    file: RunFile
    goal: str
    inputs: Sequence[Values]
    conditions: tuple[str, ...]
    decisions: int


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'teach',
        help='decide yourself, in the place of the model; the robot learns from it',
        description='Starts what "reactree up" starts, with you in the place of the model: you '
        'choose each decision among those that are possible, here or in the web page (--viewer '
        'true). A run that reaches its goal becomes experience of this robot (docs/teaching.md).',
        epilog='With --run or --resume: in a simulated world, which starts again, the kept '
        'decisions are carried out again, and the run ends if anything is perceived otherwise '
        'than then; give --sim, --scene and --task as they were (--resume remembers them). With '
        '--sim none nothing is carried out again: the robot stands where it stands, and the run '
        'continues as if that were where it was after the last decision that is kept. Put it there '
        'first. Exit code: 0 the goal succeeded, 1 it did not, 2 it could not start, 130 canceled.',
    )
    parser.add_argument('goal', nargs='?', help='what the robot should do, in plain language')
    recorded = parser.add_mutually_exclusive_group()
    recorded.add_argument('--run', type=Path, metavar='FILE', dest='run_file',
                          help='correct a recorded run, of a model or of a person')  # fmt: skip
    recorded.add_argument('--resume', action='store_true',
                          help='continue what was shown last and did not come to its '
                          'end')  # fmt: skip
    parser.add_argument('--at', type=int, nargs='?', const=_LIST, metavar='N',
                        help='decision of the run at which you take over; without N, list '
                        'them (default: after the last)')  # fmt: skip
    parser.add_argument('--verbose', action='store_true', help='print what the nodes log')
    add_start_arguments(parser, without=('model', 'autostart', 'runs'))
    add_goal_arguments(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Let a person show how a goal is reached, and return the exit code."""
    console = Console()
    if options.at is not None and options.run_file is None and not options.resume:
        raise ConfigurationError('--at goes with --run or --resume: which run is it?')
    if options.goal and (options.run_file or options.resume):
        raise ConfigurationError('a recorded run has its goal: leave the goal away')
    given = given_arguments(options)
    kept = None
    if options.resume:
        goal, given = _last_start()
        kept = _kept(_last_run(goal), options.at)
    elif options.run_file is not None:
        kept = _kept(options.run_file, options.at)
    if kept is not None and options.at == _LIST:
        _list(console, kept)
        return SUCCEEDED
    goal = kept.goal if kept is not None else one_line(options.goal or '', len(options.goal or ''))
    if not goal:
        raise ConfigurationError('say what the robot should do: reactree teach "…"')
    _put_start(goal, given)
    if kept is not None:
        options.strategy = kept.file.began['strategy']
        options.condition = list(kept.conditions)
        given['params_file'] = str(_parameters(kept, given))
    options.answer = True
    with Interrupts() as interrupts:
        return _run(console, {**given, 'model': PERSON}, goal, kept, interrupts, options)


def _run(
    console: Console,
    given: dict[str, str],
    goal: str,
    kept: _Kept | None,
    interrupts: Interrupts,
    options: argparse.Namespace,
) -> int:
    def show(name: str, line: str) -> None:
        text = line.partition('] ')[2]
        if options.verbose:
            print_text(console, f'{name} | {line}')
        elif (text.startswith(_TOLD) and ' so far: ' not in text) or 'http://' in text:
            print_text(console, text)

    world = world_node(given['sim'])
    has_page = given.get('viewer') == 'true'
    warned = False

    def leaving(view: GoalView, operator: TerminalOperator | None) -> bool:
        nonlocal warned
        if operator is not None and operator.left and not has_page:
            return True
        if interrupts and not warned and not interrupts.insisted:
            warned = True
            view.say(f'\nCtrl-C again ends the goal; what was shown stays recorded, and "{_AGAIN}" '
                     'continues from here.')  # fmt: skip
        return interrupts.insisted

    print_text(console, f'Goal: {goal}')
    if kept is not None:
        print_text(console, f'{kept.decisions} decisions of {kept.file.path.name} are kept')
    with ProcessGroup(given, show) as group:
        with PlannerClient(answers=True, namespace=given['namespace']) as client:
            with make_view(console) as starting:
                starting.note('starting')
                ready = client.wait_for_planner(
                    READY_SEC,
                    lambda: not interrupts and not group.died(),
                    bridge=world is not None and bool(world.check_service),
                )
            if interrupts:
                return CANCELED
            if not ready:
                print(f'reactree teach: {group.died() or "not ready in time"}', file=sys.stderr)
                return NOT_REACHABLE
            lines = TypedLines.of_stdin()
            result = follow(client, console, interrupts, goal, options, lines, leaving)
            if result is None:
                print(f'reactree teach: {group.died()}; what was shown is recorded: {_AGAIN}',
                      file=sys.stderr)  # fmt: skip
                return FAILED
            if result.status == 'succeeded':
                return ask_verdict(client, console, interrupts, result, lines)
    print_text(console, f'What was shown is recorded; "{_AGAIN}" continues from there.')
    return CANCELED if result.status == 'canceled' else FAILED


def _kept(path: Path, at: int | None) -> _Kept:
    """Return what is kept of a run when a person takes over.

    Raises:
        ConfigurationError: if the file cannot be read, or has no such decision.
    """
    file = RunFile(path)
    recorded = read_recorded_run(file)
    count = len(decisions_of(recorded.inputs))
    if at not in (None, _LIST) and not 1 <= at <= count + 1:
        raise ConfigurationError(f'{path.name} has {count} decisions: --at takes 1 to {count + 1}')
    decisions = count if at in (None, _LIST) else at - 1
    return _Kept(file, recorded.goal, recorded.inputs, recorded.conditions, decisions)


def _list(console: Console, kept: _Kept) -> None:
    print_text(console, f'{kept.file.path.name}: {kept.goal}')
    for number, entry in enumerate(decisions_of(kept.inputs), start=1):
        goal = entry['prompt']['task'].rpartition('Goal: ')[2].partition('\n')[0]
        print_text(console, f'{number:4d} {entry["answer"]["text"]}    ({goal})')


def _parameters(kept: _Kept, given: dict[str, str]) -> Path:
    """Write the parameters of a run and its kept inputs for the planner; return the former's file.

    What the run's decisions depend on is as it was: only so is every prompt the same again.
    """
    if given.get('params_file'):
        raise ConfigurationError(
            '--params-file does not go with a recorded run, whose own parameters are taken'
        )
    folder = data('teaching')
    make_private(folder)
    inputs = folder / 'first_inputs.jsonl'
    again = given['sim'] != NONE
    write_first_inputs(inputs, first_inputs(kept.inputs, kept.decisions, again=again))
    recorded: dict[str, Any] = kept.file.began['parameters']
    given['skills'] = given.get('skills') or recorded['skills']
    values = {name: recorded[name] for name in resume_parameters() if name in recorded}
    known = {row.name for row in parameters_of(PlannerOptions)} & {*recorded}
    options = planner_options(
        {name: tuple(one) if isinstance(one := recorded[name], list) else one for name in known}
    )
    has_read = any(one['op'] == 'retrieve' for one in kept.inputs)
    values['memory.example_tokens'] = options.resolved.memory.example_tokens if has_read else 0
    values['restart.recorded_inputs'] = str(inputs)
    file = folder / 'parameters.yaml'
    text = yaml.safe_dump({'/**/reactree_planner': {'ros__parameters': values}})
    file.write_text(text, encoding='utf-8')
    return file


def _start_file() -> Path:
    return data('teaching') / 'start.json'


def _put_start(goal: str, given: dict[str, str]) -> None:
    """Remember what was started, for ``--resume``."""
    file = _start_file()
    make_private(file.parent)
    file.write_text(json.dumps({'goal': goal, 'given': given}), encoding='utf-8')


def _last_start() -> tuple[str, dict[str, str]]:
    """Return the goal that was shown last, and the arguments of its start."""
    try:
        last = json.loads(_start_file().read_text(encoding='utf-8'))
        return str(last['goal']), {str(key): str(value) for key, value in last['given'].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ConfigurationError('there is nothing to resume: nothing was shown yet') from error


def _last_run(goal: str) -> Path:
    """Return the latest recorded run of a goal, which did not reach it.

    Raises:
        ConfigurationError: if there is none, or it did.
    """
    for path in sorted(data('runs').glob('*.mcap'), reverse=True):
        try:
            file = RunFile(path)
        except ConfigurationError:  # "reactree replay --list" says why
            continue
        if file.began['goal'] != goal:
            continue
        if file.ended.get('status') == 'succeeded':
            raise ConfigurationError(
                f'"{goal}" came to its end; correct it with --run {path} --at N'
            )
        return path
    raise ConfigurationError(f'no run of "{goal}" is recorded: nothing was decided yet')
