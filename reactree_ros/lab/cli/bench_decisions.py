# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab bench-decisions``: what a decision costs, compared with guidance."""

from __future__ import annotations

import argparse
import gc
import itertools
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reactree_ros.cli.argument_types import number
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli.argument_types import positive, whole_numbers
from reactree_ros.lab.console import machine, say
from reactree_ros.models.local.embedded import MODELS, prepare
from reactree_ros.models.options import ModelOptions

if TYPE_CHECKING:
    from reactree_ros.lab.bench.decision_speed import Timing


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-decisions',
        help='measure what a decision costs',
        description='Times the decisions of one agent node whose prompt grows, with and without '
        'caches, and those of the guidance library if there is an environment with it '
        '("make bench-decisions" makes one). Prints Markdown.',
    )
    parser.add_argument(
        '--models',
        default='gemma-3-270m,qwen2.5-coder-1.5b',
        metavar='NAME,NAME,…',
        help='packaged models (default: %(default)s)',
    )
    parser.add_argument('--repeats', type=positive, default=3, help='runs of each (default: 3)')
    parser.add_argument('--decisions', type=number(int, 10_000, 2), default=30, metavar='N',
                        help='of a run (default: 30)')  # fmt: skip
    parser.add_argument('--skills', type=int, default=120, help='on offer (default: 120)')
    parser.add_argument(
        '--example-tokens', type=int, default=1200, help='of experiences (default: 1200)'
    )
    parser.add_argument(
        '--guidance',
        nargs=2,
        metavar=('PYTHON', 'SCRIPT'),
        help='Python of an environment with requirements/bench-guidance.txt, and '
        'scripts/bench_guidance.py',
    )
    parser.add_argument(
        '--busy',
        type=whole_numbers,
        metavar='0,1,…',
        help='instead: time a model process beside so many busy processes; begin with 0',
    )
    parser.add_argument(
        '--niceness',
        type=whole_numbers,
        metavar='N,N,…',
        default=(ModelOptions().niceness,),
        help='model.niceness of these (default: that of the planner)',
    )
    parser.add_argument(
        '--threads',
        type=whole_numbers,
        metavar='N,N,…',
        default=(0,),
        help='model.threads of these (default: that of the planner)',
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure, print the tables, and return the exit code."""
    # These imports take seconds; --help must not.
    from reactree_ros.lab.bench.decision_speed import HEAD, SAMPLE

    names = options.models.split(',')
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        raise ConfigurationError(
            f'there is no packaged model {unknown[0]!r}, only {", ".join(MODELS)}'
        )
    if options.busy:
        if options.busy[0] != 0:
            raise ConfigurationError('--busy begins with 0: the others are compared with that')
        return _beside(names, options)
    if options.decisions <= SAMPLE:
        raise ConfigurationError(f'--decisions is at least {SAMPLE + 1}: one in {SAMPLE} is timed')
    rows, notes = [], []
    for name in names:
        timings, versions = _time(name, options)
        rows += [timing.row() for timing in timings]
        notes += [versions] if versions and versions not in notes else []
    print(
        f'{machine()}; medians of {options.repeats} runs of {options.decisions} decisions, '
        f'{options.skills} skills, up to {options.example_tokens} tokens of experiences\n'
    )
    print(HEAD, *rows, sep='\n')
    for note in notes:
        print(f'\nguidance ran with {note}.')
    return 0


def _beside(names: Sequence[str], options: argparse.Namespace) -> int:
    from reactree_ros.lab.bench.shared_cores import HEAD, time_beside
    from reactree_ros.lab.bench.workload import make_workload

    workload = make_workload(
        lambda text: len(text) // 4, options.decisions, options.example_tokens, options.skills
    )
    print(f'{machine()}; one run of {options.decisions} decisions\n\n{HEAD}', flush=True)
    for name, niceness, threads in itertools.product(names, options.niceness, options.threads):
        model = ModelOptions(name, chat_template='never', niceness=niceness, threads=threads)
        shown = f'{name}, niceness {niceness}'
        shown += f', {threads} threads' if threads else ''
        say(shown)
        quiet, *others = time_beside(model, workload, options.busy)
        for one in (quiet, *others):
            print(one.row(shown, quiet), flush=True)
    return 0


def _time(name: str, options: argparse.Namespace) -> tuple[list[Timing], str]:
    from reactree_ros.lab.bench.decision_speed import time_decisions, time_guidance
    from reactree_ros.lab.bench.workload import make_workload
    from reactree_ros.models.local.transformers_model import TransformersModel

    threads = len(os.sched_getaffinity(0))
    folder = prepare(MODELS[name], say)
    say(f'{name}: loading')
    model = TransformersModel(folder, ModelOptions(name, chat_template='never', threads=threads))
    workload = make_workload(model.count, options.decisions, options.example_tokens, options.skills)
    timings = time_decisions(model, name, workload, options.repeats, say)
    del model
    gc.collect()  # guidance needs the memory
    versions = ''
    if options.guidance:
        say(f'{name}: guidance, {options.repeats} runs')
        timing, versions = time_guidance(
            options.guidance, folder, name, workload, options.repeats, threads
        )
        timings.append(timing)
    return timings, versions
