# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab agreement``: how often models decide as the solver does."""

from __future__ import annotations

import argparse
import itertools
from contextlib import closing

from reactree_ros.cli.counting import counting
from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli.argument_types import texts
from reactree_ros.lab.dataset.agreement import Compared, compare, table
from reactree_ros.lab.dataset.collect import runs_of

_DESCRIPTION = """\
Lets the solver of "reactree-lab dataset" carry out tasks and asks a model what it would
decide after each prompt: which kinds of decisions it has learned, and whether it
splits goals that the solver does not. No run depends on the model. Prints Markdown."""
_EXAMPLE = """\
example:
  reactree-lab agreement --tasks made_dev:20 --models gemma-3-270m-household,runs/adapter
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'agreement',
        help='compare the decisions of models with those of the solver',
        description=_DESCRIPTION,
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--tasks', type=texts, metavar='SET[:PART],…', required=True,
                        help='training and development sets, whole, the first (:20) or some '
                        '(:11-20)')  # fmt: skip
    parser.add_argument('--models', type=texts, metavar='MODEL,…', required=True,
                        help='names or folders, as for "reactree-lab evaluate"')  # fmt: skip
    parser.add_argument('--planner', default='reactree+wm', metavar='NAME',
                        help='planner that the prompts are of (default: %(default)s)'
                        )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare, print a table for each model, and return the exit code."""
    runs = {
        model: runs_of([options.planner], options.tasks, wordings=1, student=model, is_judged=True)
        for model in options.models
    }
    if not any(runs.values()):
        raise ConfigurationError('--tasks: there is no such task')
    with Interrupts() as interrupts:
        for model, some in runs.items():
            found: list[Compared] = []
            with counting('runs of the solver', len(some)) as advance:
                with closing(compare(some)) as compared:
                    for decisions in itertools.takewhile(lambda one: not interrupts, compared):
                        found += decisions
                        advance(1)
            if interrupts:
                return CANCELED
            print(f'{model}, {len(some)} runs\n\n{table(found)}\n', flush=True)
    return 0
