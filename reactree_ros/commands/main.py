# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The ``reactree`` command line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from reactree_ros.commands import (
    agreement,
    bench,
    bench_decisions,
    bench_memory,
    bench_soak,
    bench_ticks,
    bench_viewer,
    bench_world,
    dataset,
    demo,
    evaluate,
    experiences,
    explain,
    learn,
    memory,
    models,
    replay,
    send,
    skills,
    tasks,
    train,
    up,
    view,
)
from reactree_ros.exceptions import ReactreeError

COMMANDS = (
    demo,
    up,
    send,
    view,
    replay,
    models,
    skills,
    tasks,
    experiences,
    memory,
    bench,
    bench_decisions,
    bench_soak,
    bench_ticks,
    bench_viewer,
    bench_world,
    bench_memory,
    agreement,
    evaluate,
    learn,
    dataset,
    train,
    explain,
)
"""Modules with ``add_parser(commands)``, whose parser has a ``run`` that gives the exit code."""

_EXAMPLES = """examples:
  reactree demo                                  one task from start to end
  reactree demo --goal "put the apple in the fridge"
  reactree demo --list                           the shipped tasks
  reactree up                                    planner and household, until Ctrl-C
  reactree send "put the apple in the fridge"    … and a goal, from another shell
"""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog='reactree',
        description='Goals in plain language for ROS 2 robots, worked out by an agent tree.',
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title='commands', metavar='COMMAND', required=True)
    for module in COMMANDS:
        module.add_parser(commands)
    return parser


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code; 2 if it was called or configured wrongly."""
    options = make_parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except ReactreeError as error:
        print(f'reactree: {error}', file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader (head, less) has seen enough; Python would complain at exit, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def main() -> None:
    """Run the command line as a process."""
    sys.exit(run())


if __name__ == '__main__':
    main()
