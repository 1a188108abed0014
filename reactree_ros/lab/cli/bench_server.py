# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab bench-server``: many planners on one model server."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from reactree_ros.cli.argument_types import whole_number
from reactree_ros.lab.cli.argument_types import positive, positives, seconds
from reactree_ros.lab.console import machine, say
from reactree_ros.models.options import ModelOptions


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-server',
        help='measure how many planners one model server carries',
        description='Lets planners ask one language model for the decisions of growing nodes, all '
        'at the same time and each for the next as soon as it has one. Prints Markdown.',
    )
    parser.add_argument('--planners', type=positives, default=(1, 4, 16), metavar='N,…',
                        help='how many (default: 1,4,16)')  # fmt: skip
    parser.add_argument('--model', metavar='MODEL', default='',
                        help='address of a server, or a model that one process has for all '
                        '(default: a server of scripted speed)')  # fmt: skip
    parser.add_argument('--seconds', type=seconds, default=60.0,
                        help='for each number of planners (default: 60)')  # fmt: skip
    parser.add_argument('--decisions', type=positive, default=10, help='of a goal (default: 10)')
    parser.add_argument('--skills', type=positive, default=60, help='on offer (default: 60)')
    parser.add_argument('--example-tokens', type=whole_number, default=600,
                        help='of experiences, which all share (default: 600)')  # fmt: skip
    parser.add_argument('--limit-sec', type=seconds, default=60.0,
                        help='time limit of a decision (default: 60)')  # fmt: skip
    scripted = parser.add_argument_group('the server of scripted speed')
    scripted.add_argument('--slots', type=positive, default=8,
                          help='requests at the same time (default: 8)')  # fmt: skip
    scripted.add_argument('--service-sec', type=seconds, default=0.5,
                          help='seconds of each (default: 0.5)')  # fmt: skip
    scripted.add_argument('--queue', type=whole_number, default=1000,
                          help='requests that wait; further ones are refused with 429 '
                          '(default: 1000)')  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure, print a table, and return the exit code."""
    # These imports take a second; --help must not.
    from reactree_ros.lab.bench.shared_server import HEAD, ScriptedServer, row, serve
    from reactree_ros.lab.bench.workload import make_workload

    workload = make_workload(
        lambda text: len(text) // 4, options.decisions, options.example_tokens, options.skills
    )
    lost: list[str] = []
    with ExitStack() as stack:
        name, what = options.model, options.model
        if not name:
            server = stack.enter_context(
                ScriptedServer(options.slots, options.service_sec, options.queue)
            )
            name = server.address
            what = f'scripted: {options.slots} slots, {options.service_sec:g} s a decision'
        print(
            f'{machine()}; {what}; {options.seconds:g} s each, {options.decisions} decisions a '
            f'goal, {options.skills} skills\n\n{HEAD}',
            flush=True,
        )
        for planners in options.planners:
            say(f'{planners} planners')
            served = serve(
                ModelOptions(name), workload, planners, options.seconds, options.limit_sec
            )
            print(row(served, options.seconds), flush=True)
            lost += [reason for one in served for reason in one.lost]
        if not options.model and server.refused:
            print(f'\nRefused with 429 and asked again: {server.refused}.')
    for reason in dict.fromkeys(lost):
        print(f'\nLost ({lost.count(reason)}): {reason}')
    return 0
