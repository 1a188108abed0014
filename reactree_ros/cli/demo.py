# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree demo``: starts everything, sends one goal and asks the world whether it is done."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from reactree_interfaces.srv import CheckGoal
from reactree_ros.cli.domain import private_domain
from reactree_ros.cli.film import check_name, make_film
from reactree_ros.cli.goal_view import GoalView, is_live, make_view, print_text
from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import DEFAULT_WORLD
from reactree_ros.cli.replay import latest_run
from reactree_ros.cli.send import FAILED, NOT_REACHABLE, SUCCEEDED, add_goal_arguments, follow
from reactree_ros.cli.up import READY_SEC, add_start_arguments, given_arguments
from reactree_ros.core.outcome import NodeCosts
from reactree_ros.core.settings import NONE, USER
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import data
from reactree_ros.ros.goals.client import GoalResult, PlannerClient
from reactree_ros.sim.household import Task, shipped_tasks

_FIRST_TASK = 1
_EXAMPLES = """\
examples:
  reactree demo
  reactree demo --goal "put the apple in the fridge"
  reactree demo --task 3 --viewer true --stay
  reactree demo --sim kitchen --goal "put the red block in the drawer" --film arm.webp

Exit code: 0 the goal succeeded and the world confirms it; 1 it did not;
2 it could not start; 130 canceled.
"""
_FILMED = 'kitchen'
_ADDRESS = re.compile(r'http://\S+')


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'demo',
        help='start everything, send one goal, let the world confirm it',
        description='Starts the planner, the model and the simulated household, sends a goal and '
        'asks the world, not the planner, whether it is done. It uses a ROS domain of its own.',
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument('--goal', help='a goal of your own, in plain language')
    what.add_argument('--task', type=int, metavar='ID',
                      help=f'a shipped task by its number (default: {_FIRST_TASK})')  # fmt: skip
    what.add_argument('--list', action='store_true', help='list the shipped tasks and end')
    parser.add_argument('--verbose', action='store_true', help='print what the nodes log')
    parser.add_argument('--report', metavar='FILE', help='write the outcome as JSON, too')
    parser.add_argument('--film', type=Path, metavar='FILE',
                        help='make a film of the arm and the tree (.webp or .gif)')  # fmt: skip
    parser.add_argument('--stay', action='store_true',
                        help='leave everything running after the result, until Ctrl-C')  # fmt: skip
    parser.add_argument('--memory', default=NONE, metavar='FILE',
                        help='memory of the planner, which it also adds to: a file, '
                        'or "user" for the user\'s own (default: none)')  # fmt: skip
    add_start_arguments(
        parser,
        without=(
            'task_set',
            'task',
            'memory',
            'namespace',
            'autostart',
            'observe_service',
            'check_service',
        ),
    )
    add_goal_arguments(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the demo and return its exit code."""
    console = Console()
    given = given_arguments(options)
    if options.list:
        if given.get('sim', DEFAULT_WORLD) != DEFAULT_WORLD:
            raise ConfigurationError(f'--list lists the tasks of the {DEFAULT_WORLD}')
        _list_tasks(console)
        return SUCCEEDED
    if options.report:
        _check_writable(Path(options.report), '--report')
    if options.film:
        check_name(options.film)
        _check_writable(options.film, '--film')
        if given.get('sim') != _FILMED:
            raise ConfigurationError(f'--film goes with --sim {_FILMED}')
    if given.get('sim') == NONE:
        raise ConfigurationError('a demo needs a simulated world; for a robot: reactree up')
    if options.goal is not None and not options.goal.strip():
        raise ConfigurationError('--goal is empty: say what the robot should do')
    goal = options.goal
    if goal is None and given.get('sim', DEFAULT_WORLD) != DEFAULT_WORLD:
        raise ConfigurationError(f'the tasks are in the {DEFAULT_WORLD}: with --sim, give a --goal')
    if goal is None:
        task = _task(options.task if options.task is not None else _FIRST_TASK)
        if options.scene:
            raise ConfigurationError('--scene goes with --goal: a task has its own scene')
        goal = task.instruction
        given['task'] = str(task.id)
    with private_domain() as number, Interrupts() as interrupts:
        return _run(console, given, goal, number, interrupts, options)


def _run(
    console: Console,
    given: dict[str, str],
    goal: str,
    domain: int,
    interrupts: Interrupts,
    options: argparse.Namespace,
) -> int:
    view: list[GoalView] = []
    began = time.time()

    def show(name: str, line: str) -> None:
        if options.verbose:
            print_text(console, f'{name} | {line}', 'dim')
        elif address := _ADDRESS.search(line):
            print_text(console, f'{name}: {address[0]}', 'bold')
        elif view:
            view[0].note(f'starting: {name}: {line.removeprefix("[INFO] ")}')

    print_text(console, f'Goal: {goal}', 'bold')
    print_text(console, f'ROS_DOMAIN_ID={domain}', 'dim')
    with ProcessGroup(given, show) as group, PlannerClient(options.answer) as client:
        with make_view(console) as starting:
            view.append(starting)
            starting.note('starting planner, model and world')
            ready = client.wait_for_planner(
                READY_SEC, lambda: not interrupts and not group.died(), bridge=True
            )
            view.clear()
        if interrupts:
            print('reactree demo: canceled; stopping what was started', file=sys.stderr)
            return CANCELED
        if not ready:
            print(f'reactree demo: {group.died() or "not ready in time"}', file=sys.stderr)
            return NOT_REACHABLE
        result = follow(client, console, interrupts, goal, options)
        if result is None:
            print('\n'.join(group.last_lines()), file=sys.stderr)
            return FAILED
        # a goal of one's own has no conditions but those that the model has read
        said = [one.text for one in result.conditions] or [goal]
        world = client.check_goal(said if options.goal else [])
        confirmed = _print_world(console, world)
        if options.film:
            _make_film(console, options.film, began, given['runs'])
        if options.stay and not interrupts:
            print_text(console, 'Everything is left running; Ctrl-C stops it.', 'dim')
            while not interrupts and not group.died():
                time.sleep(0.1)
        if is_live(console):
            with make_view(console) as view_of_end:
                view_of_end.note('stopping planner, model and world')
                group.stop()
    if options.report:
        _write_report(Path(options.report), goal, result, world)
    if result.status == 'canceled':
        return CANCELED
    return SUCCEEDED if result.status == 'succeeded' and confirmed else FAILED


def _make_film(console: Console, out: Path, began: float, runs: str) -> None:
    try:
        run = latest_run(None if runs in ('', USER) else Path(runs))
        if run.stat().st_mtime < began:
            raise ConfigurationError('the run was not recorded')
        make_film(run, data('motions'), out)
    except ConfigurationError as error:
        print_text(console, f'No film: {error}', 'yellow')
    else:
        print_text(console, f'Film: {out}')


def _check_writable(path: Path, option: str) -> None:
    there = path.exists()
    try:
        path.open('a', encoding='utf-8').close()
        if not there:
            path.unlink()
    except OSError as error:
        raise ConfigurationError(f'{option} cannot be written: {error}') from error


def _write_report(
    path: Path, goal: str, result: GoalResult, world: CheckGoal.Response | None
) -> None:
    report = {
        'goal': goal,
        'status': result.status,
        'message': result.message,
        'conditions': [asdict(one) for one in result.conditions],
        'unconfirmed': result.unconfirmed,
        'answer': result.answer,
        'costs': asdict(result.costs),
        'nodes': [_node(node) for node in result.nodes],
        'world': None if world is None else _fields(world),
    }
    path.write_text(json.dumps(report, indent=1) + '\n', encoding='utf-8')


def _fields(message: CheckGoal.Response) -> dict[str, Any]:
    return {name: getattr(message, name) for name in message.get_fields_and_field_types()}


def _node(node: NodeCosts) -> dict[str, Any]:
    reason = node.reason.value if node.reason else ''
    return {'path': node.path, 'reason': reason, 'costs': asdict(node.costs)}


def _print_world(console: Console, world: CheckGoal.Response | None) -> bool:
    """Print the world's check; return False if the goal is not reached or nothing answers."""
    if world is None:
        print_text(console, 'World: no answer; nothing is confirmed.', 'bold red')
        return False
    print_text(console, 'World:')
    for change in world.changes or ('nothing has changed',):
        print_text(console, f'  {change}', 'dim', hang=4)
    if not world.known:
        print_text(
            console,
            'There are no conditions of the goal that the world could check; '
            'only the planner says how it ended.',
            'yellow',
        )
        return True
    for condition in world.satisfied:
        print_text(console, f'  ✓ {condition}', 'green', hang=4)
    for condition in world.unsatisfied:
        print_text(console, f'  ✕ {condition}', 'red', hang=4)
    if world.holds:
        print_text(console, "The world's goal conditions hold.", 'bold green')
    else:
        print_text(console, "The world's goal conditions do not hold.", 'bold red')
    return bool(world.holds)


def _task(number: int) -> Task:
    for task in shipped_tasks():
        if task.id == number:
            return task
    known = ', '.join(str(task.id) for task in shipped_tasks())
    raise ConfigurationError(f'there is no task {number}, only {known}')


def _list_tasks(console: Console) -> None:
    rows = [(f'{one.id:4d}', one.scene, one.start, one.instruction) for one in shipped_tasks()]
    rows.insert(0, ('task', 'scene', 'starts in', 'instruction'))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for *cells, instruction in rows:
        begin = ''.join(f'{cell:{width}}  ' for cell, width in zip(cells, widths, strict=True))
        print_text(console, begin + instruction, hang=len(begin))
