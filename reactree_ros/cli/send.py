# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree send``: sends one goal to a running planner and shows the tree as it grows."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from rich.console import Console

from reactree_ros.cli.argument_types import namespace, number
from reactree_ros.cli.goal_view import GoalView, make_view, print_outcome, print_text
from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.cli.terminal_operator import TerminalOperator, TypedLines
from reactree_ros.errors import GoalError
from reactree_ros.ros.conversions import goal_to_msg
from reactree_ros.ros.goals.client import GoalResult, PlannerClient
from reactree_ros.strategies.registry import strategy_names

SUCCEEDED = 0
FAILED = 1
NOT_REACHABLE = 2
_CODES = {'succeeded': SUCCEEDED, 'canceled': CANCELED}
_CANCEL_SEC = 30.0
_EXAMPLES = """\
examples:
  reactree send "put the apple in the fridge"
  reactree send "find my keys" --namespace robot1 --max-duration 300
  reactree send "clear the table" --condition "plate inside dishwasher" --ask

Exit code: 0 the goal succeeded; 1 it failed or was rejected (another goal runs),
or with --ask you said that it was not reached; 2 no planner; 130 canceled.
"""
_LOOK_SEC = 0.05
_SILENT_SEC = 1.0
_MOST = 2**31 - 1
_WORDS = {'y': True, 'yes': True, 'n': False, 'no': False}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'send',
        help='send a goal to a running planner',
        description='Sends a goal, shows the tree as it grows, and ends with the outcome, the '
        'final tree and what it cost. Ctrl-C cancels the goal.',
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('goal', help='what the robot should do, in plain language')
    parser.add_argument('--wait', type=number(float, 86400), default=10.0, metavar='SECONDS',
                        help='how long to wait for a planner (default: 10)')  # fmt: skip
    parser.add_argument('--ask', action='store_true',
                        help='ask afterwards whether it did what you wanted; the planner learns '
                        'from that')  # fmt: skip
    parser.add_argument('--namespace', default='', type=namespace, metavar='NAME',
                        help='namespace of the planner, such as robot1')  # fmt: skip
    add_goal_arguments(parser)
    parser.set_defaults(run=run)


def add_goal_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what goes with a goal, as options: strategy, limits, and whether somebody answers."""
    parser.add_argument('--strategy', default='', choices=strategy_names(),
                        help="how to plan (default: the planner's parameter strategy)")  # fmt: skip
    parser.add_argument('--max-decisions', type=number(int, 1_000_000), default=0, metavar='N',
                        help="most decisions (default: the planner's parameter)")  # fmt: skip
    parser.add_argument('--max-depth', type=number(int, 100), default=0, metavar='N',
                        help="greatest depth of a subgoal (default: the planner's)")  # fmt: skip
    parser.add_argument('--max-duration', type=number(float, 86_400), default=0.0, metavar='S',
                        help="time limit in seconds (default: the planner's)")  # fmt: skip
    parser.add_argument('--max-tokens', type=number(int, 1_000_000_000), default=0, metavar='N',
                        help="most tokens read and written (default: the planner's)")  # fmt: skip
    parser.add_argument('--priority', type=number(int, _MOST, -_MOST), default=0, metavar='N',
                        help='where goals are queued, higher ones start first '
                        '(default: 0)')  # fmt: skip
    parser.add_argument('--condition', action='append', default=[], metavar='TEXT',
                        help='condition, in predicates of the skill library, that must hold before '
                        '"done" is accepted; may be given several times')  # fmt: skip
    parser.add_argument('--answer', action='store_true',
                        help='answer questions and approval requests at this terminal (the model '
                        'asks questions only if operator.ask is true)')  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Send the goal and return the exit code of how it ended."""
    console = Console()
    with Interrupts() as interrupts, PlannerClient(options.answer, options.namespace) as client:
        begin = time.monotonic()
        with make_view(console) as view:

            def patient() -> bool:
                if time.monotonic() - begin > _SILENT_SEC:
                    view.note(f'waiting for a planner, {options.wait:g} s at most')
                return not interrupts

            ready = client.wait_for_planner(options.wait, patient)
        if not ready:
            if interrupts:
                return CANCELED
            why = why_no_planner(client, options.wait, options.namespace)
            print(f'reactree send: {why}', file=sys.stderr)
            return NOT_REACHABLE
        lines = TypedLines.of_stdin()
        result = follow(client, console, interrupts, options.goal, options, lines)
        if result is None:
            return FAILED
        if options.ask and result.status == 'succeeded':
            return ask_verdict(client, console, interrupts, result, lines)
    return _CODES.get(result.status, FAILED)


def why_no_planner(client: PlannerClient, seconds: float, namespace: str) -> str:
    """Return, for the user, that no planner answered within some seconds, and what to do."""
    where = f' in the namespace {namespace!r}' if namespace else ''
    missing = f'no planner answered within {seconds:g} s{where}. '
    others = [name.strip('/') for name in client.namespaces()]
    if others:
        found = ', '.join(f'--namespace {name}' if name else 'no --namespace' for name in others)
        return f'{missing}There is one elsewhere: {found}'
    return (
        f'{missing}Is one running (reactree up, ros2 launch), with the same ROS_DOMAIN_ID and in '
        'this namespace (--namespace)?'
    )


def ask_verdict(
    client: PlannerClient,
    console: Console,
    interrupts: Interrupts,
    result: GoalResult,
    lines: TypedLines,
) -> int:
    """Ask the user whether the goal was reached, send the verdict, and return the exit code."""
    lines.discard()
    word: str | None = '?'
    while word not in ('', *_WORDS):
        console.print('Did it do what you wanted? [y/n] ', end='', markup=False, highlight=False)
        while (word := lines.next()) is None and not interrupts:
            time.sleep(_LOOK_SEC)
        word = (word or '').casefold()
    if not word:
        print_text(console, 'no answer: nothing is recorded', 'dim')
        return SUCCEEDED
    reply = client.confirm_goal(result.goal_id, _WORDS[word])
    taken, message = reply or (False, 'the planner does not answer')
    text = message if taken else f'the verdict is not recorded: {message}'
    print_text(console, text)
    return SUCCEEDED if _WORDS[word] else FAILED


def follow(
    client: PlannerClient,
    console: Console,
    interrupts: Interrupts,
    goal: str,
    options: argparse.Namespace,
    lines: TypedLines | None = None,
    leaving: Callable[[GoalView, TerminalOperator | None], bool] | None = None,
) -> GoalResult | None:
    """Send a goal, show it on its way, print how it ended, and return that.

    Args:
        client: the open client.
        console: where it is shown.
        interrupts: cancels the goal when one comes.
        goal: the goal.
        options: has the limits, and whether questions are answered.
        lines: where answers come from; None for standard input.
        leaving: whether the goal is to be canceled, asked again and again; None: after an
            interrupt.

    Returns:
        How it ended; None if the planner did not say.
    """
    message = goal_to_msg(
        goal,
        options.strategy,
        options.max_decisions,
        options.max_depth,
        options.max_duration,
        options.max_tokens,
        options.priority,
        options.condition,
    )
    try:
        with make_view(console) as view:
            view.note('sent to the planner')

            operator = None
            if client.operator is not None:
                typed = lines or TypedLines.of_stdin()
                operator = TerminalOperator(client.operator, view, typed)

            def interrupted() -> bool:
                if operator is not None:
                    operator.update()
                over = leaving(view, operator) if leaving is not None else bool(interrupts)
                if over:
                    view.note('canceling …')
                return over

            try:
                result = client.run_goal(message, view.event, interrupted, _CANCEL_SEC)
            finally:
                if operator is not None:
                    operator.close()
    except GoalError as error:
        print(f'reactree: {error}', file=sys.stderr)
        return None
    print_outcome(console, result)
    return result
