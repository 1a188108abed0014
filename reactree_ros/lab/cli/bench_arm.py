# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab bench-arm``: how often the arm's skills work, without a model."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from reactree_ros.cli.argument_types import whole_number
from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli.argument_types import positive
from reactree_ros.lab.console import machine, say
from reactree_ros.sim.physics.tasks import ARM_SETS, arm_tasks, needs_physics


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-arm',
        help="measure how often the arm's skills work, without a model",
        description="Carries out the known plans of the arm's tasks in the physics simulator, and "
        'prints a table of how many goals the physics confirms. Things stand elsewhere with every '
        'seed.',
    )
    parser.add_argument(
        '--set',
        choices=ARM_SETS,
        default=ARM_SETS[0],
        help=f'task set (default: {ARM_SETS[0]})',
    )
    parser.add_argument(
        '--tasks', type=_numbers, default=(), metavar='1,3-5,…', help='their numbers (default: all)'
    )
    parser.add_argument('--seeds', type=positive, default=10, help='how many (default: 10)')
    parser.add_argument(
        '--errors',
        type=_lengths,
        default=(0.0,),
        metavar='M,…',
        help='standard deviations of the positions that the camera reports, in metres, such as '
        '0,0.005,0.01 (default: 0)',
    )
    parser.add_argument(
        '--retries',
        type=whole_number,
        default=0,
        help='how often a skill that fails is done again, with what is seen then (default: 0)',
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure, print the table, and return the exit code."""
    try:
        from reactree_ros.lab.bench.kitchen import PlanRuns, do_plan
    except ImportError as missing:
        raise ConfigurationError(needs_physics(missing)) from missing
    tasks = arm_tasks(options.set)
    known = {task.id for task in tasks}
    wrong = [number for number in options.tasks if number not in known]
    if wrong:
        raise ConfigurationError(f'{options.set} has no task {wrong[0]}')
    titles = [f'{1000 * error:g} mm' for error in options.errors]
    print(f'{machine()}; {options.seeds} seeds, {options.retries} retries')
    print(f'| task | skills | {" | ".join(titles)} | repeated | simulated s | s |')
    print(f'| --- | ---: |{" ---: |" * len(titles)} ---: | ---: | ---: |')
    every = PlanRuns()
    with Interrupts() as interrupts:
        for task in tasks:
            if options.tasks and task.id not in options.tasks:
                continue
            whole, reached = PlanRuns(), []
            for error in options.errors:
                made = PlanRuns()
                for seed in range(options.seeds):
                    if interrupts:
                        return CANCELED
                    made.add(do_plan(replace(task, error=error), seed, options.retries))
                for failure in made.failures:
                    say(f'{1000 * error:g} mm, {failure}')
                reached.append(f'{made.reached} of {made.runs}')
                whole.add(made)
            print(
                f'| {task.instruction} | {task.steps} | {" | ".join(reached)} | {whole.repeated} '
                f'| {whole.simulated_sec / whole.runs:.1f} | {whole.wall_sec / whole.runs:.1f} |',
                flush=True,
            )
            every.add(whole)
    print(f'\n{every.reached} of {every.runs} runs reached their goals')
    return 0


def _numbers(text: str) -> Sequence[int]:
    found: list[int] = []
    for part in text.split(','):
        first, _, last = part.partition('-')
        numbers = range(int(first), int(last or first) + 1)
        if not numbers:
            raise argparse.ArgumentTypeError(f'{part} is an empty range')
        found += numbers
    return found


def _lengths(text: str) -> Sequence[float]:
    found = tuple(float(part) for part in text.split(','))
    if not all(0 <= one <= 0.2 for one in found):
        raise argparse.ArgumentTypeError('errors are from 0 to 0.2 m')
    return found
