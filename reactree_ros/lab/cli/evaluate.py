# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab evaluate``: how often planners succeed, at what cost, compared with each other."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from reactree_ros.cli.interrupts import Interrupts
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli.argument_types import positive, texts, whole_numbers
from reactree_ros.lab.cli.evaluation_view import EvaluationView
from reactree_ros.lab.console import duration
from reactree_ros.lab.evaluation.plan import Experiment, Plan, limits, read_plan
from reactree_ros.lab.evaluation.planners import PLANNERS, planners_of, split_planners
from reactree_ros.lab.evaluation.progress import Progress
from reactree_ros.lab.evaluation.run_setup import check_runs
from reactree_ros.lab.evaluation.runner import LocalRunner
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.failures.failures import kind_of
from reactree_ros.lab.report.report import write_report
from reactree_ros.lab.report.summary import summarise
from reactree_ros.lab.report.tables import to_markdown
from reactree_ros.models.local.embedded import DEFAULT_MODEL
from reactree_ros.sim.household.task_sets import TASK_SETS
from reactree_ros.sim.pddl.shipped import PDDL_SETS
from reactree_ros.sim.tasks import task_of

_CANCELED = 130
_DESCRIPTION = """\
Runs every planner with every model on every task with every seed, asks the world for the outcome,
keeps a trace of every run, and reports. After an interruption the same command continues where it
stopped."""
_EXAMPLES = """\
examples:
  reactree-lab evaluate --planners reactree+wm,react --tasks wah_test:20 --out results
  reactree-lab evaluate --strategies all --tasks wah_test:5 --out results
  reactree-lab evaluate --plan config/evaluation.yaml --out results
  reactree-lab evaluate --out results                  continue after an interruption
  reactree-lab evaluate --out results --report-only    the table again

planners: {planners};
  each may have settings: "reactree+wm[control_flows=sequence+fallback,check_decisions=false]"
task sets: {task_sets}
Exit code: 0 all runs ended, whatever the outcome; 130 interrupted; 2 error.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'evaluate',
        help='compare planners and models on tasks',
        description=_DESCRIPTION,
        epilog=_epilog(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_arguments(parser)


def _epilog() -> str:
    task_sets = ', '.join((*TASK_SETS, *PDDL_SETS))
    return _EXAMPLES.format(planners=', '.join(PLANNERS), task_sets=task_sets)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group('what is evaluated')
    what.add_argument('--plan', metavar='FILE', type=Path,
                      help='a YAML file that says it, in place of the options below')  # fmt: skip
    what.add_argument('--planners', type=split_planners, metavar='A,B',
                      help='planners to compare, named below')  # fmt: skip
    what.add_argument('--strategies', type=texts, metavar='S,T|all',
                      help='the same by strategy; working memory is asked')  # fmt: skip
    what.add_argument('--models', type=texts, metavar='M,N', help=f'default: {DEFAULT_MODEL}')
    what.add_argument('--tasks', type=texts, metavar='SET[:PART],…',
                      help='task sets, whole, the first tasks (:20) or some (:11-20)')  # fmt: skip
    what.add_argument('--types', type=texts, metavar='T,…', help='only these types of task')
    what.add_argument('--seeds', type=whole_numbers, metavar='0,1,…',
                      help='one run for each: it chooses the wording, and is the seed of retrieval '
                      'and sampling (default: 0)')  # fmt: skip
    what.add_argument('--max-decisions', type=positive(int), metavar='N',
                      help='most decisions of a run (default: 200)')  # fmt: skip
    what.add_argument('--max-depth', type=positive(int), metavar='N',
                      help='greatest depth of a subgoal (default: 8)')  # fmt: skip
    what.add_argument('--max-seconds', type=positive(float), metavar='S',
                      help='time limit of a run (default: none, for results must not depend on '
                      'the machine)')  # fmt: skip
    how = parser.add_argument_group('how')
    how.add_argument(
        '--out',
        type=Path,
        metavar='DIR',
        help='folder of traces and reports; required except with --dry-run',
    )
    how.add_argument('--extend', action='store_true',
                     help='add to what the folder was made for')  # fmt: skip
    how.add_argument('--workers', type=positive(int), metavar='N', default=1,
                     help='runs at the same time (default: 1; with more, answers depend in their '
                     'last bits on the other runs)')  # fmt: skip
    how.add_argument('--ros', action='store_true',
                     help='through planner node and household bridge, one run at a time, with '
                     'the same results for the same seed')  # fmt: skip
    how.add_argument('--dry-run', action='store_true', help='say what would be done, and end')
    how.add_argument('--report-only', action='store_true', help='report what is there, and end')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Evaluate and return the exit code."""
    console = Console()
    asked = _asked(options)
    if options.dry_run:
        return _dry_run(console, asked, options)
    if options.out is None:
        raise ConfigurationError('--out is missing: name a folder for traces and reports')
    store = Store(options.out)
    if options.report_only:
        plan = _known(store)
        _report(console, store, plan)
        return 0
    asked = asked or _how(_known(store), options)
    # A folder keeps what it was first asked for, so that must be something that can be done.
    check_runs(asked.runs(), asked.limits)
    if asked.through_ros and any(spec.task_set in PDDL_SETS for spec in asked.runs()):
        raise ConfigurationError('PDDL problems are worked on in this process: leave --ros away')
    if asked.through_ros and options.workers > 1:
        raise ConfigurationError('--workers is for runs in one process: a robot has one planner')
    store.lock()
    try:
        plan = store.keep(asked, extend=options.extend)
        return _evaluate(console, store, plan, options)
    finally:
        store.unlock()


def _evaluate(console: Console, store: Store, plan: Plan, options: argparse.Namespace) -> int:
    specs = plan.runs()
    progress = Progress(specs, store.traces(specs), options.workers)
    with Interrupts() as interrupts, EvaluationView(console, progress, interrupts) as view:
        if plan.through_ros:
            from reactree_ros.lab.cli.evaluate_ros import RosRunner

            RosRunner(store, plan.limits, view).run(progress.left)
        else:
            LocalRunner(store, plan.limits, options.workers, view).run(progress.left)
    if progress.left:
        command = f'reactree-lab {shlex.join(sys.argv[1:])}'
        print(
            f'Stopped. {len(specs) - len(progress.left)} of {len(specs)} runs have ended and are '
            f'kept; the same command does the others:\n  {command}',
            file=sys.stderr,
        )
        return _CANCELED
    _report(console, store, plan)
    return 0


def _report(console: Console, store: Store, plan: Plan) -> None:
    specs = plan.runs()
    summary = summarise(store.traces(specs), task_of=task_of, failure_of=kind_of)
    print(to_markdown(summary))
    missing = len(specs) - len(summary.runs)
    if missing:
        console.print(f'{missing} of {len(specs)} runs have not ended yet.', style='yellow')
    for path in write_report(summary, store.folder):
        console.print(f'written: {path}', markup=False, highlight=False, soft_wrap=True)


def _dry_run(console: Console, asked: Plan | None, options: argparse.Namespace) -> int:
    store = Store(options.out) if options.out is not None else None
    plan = asked or (_known(store) if store is not None else None)
    if plan is None:
        raise ConfigurationError('nothing is asked for: give --plan, or --planners and --tasks')
    specs = plan.runs()
    check_runs(specs, plan.limits)
    ended = store.traces(specs) if store is not None else ()
    progress = Progress(specs, ended, options.workers)
    left = set(progress.left)
    for spec in specs:
        console.print(
            f'{"to do" if spec in left else "ended"}  {spec.planner}  {spec.model}  '
            f'{spec.task_set} {spec.task}  seed {spec.seed}',
            markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip
    seconds = progress.seconds_left()
    time = 'nothing was measured yet' if seconds is None else f'about {duration(seconds)}'
    console.print(f'{len(specs)} runs, {len(left)} to do: {time}', highlight=False)
    return 0


def _known(store: Store) -> Plan:
    plan = store.plan()
    if plan is None:
        raise ConfigurationError(
            f'{store.folder} holds no evaluation: give --plan, or --planners and --tasks'
        )
    return plan


def _asked(options: argparse.Namespace) -> Plan | None:
    """Return the plan of the command line; None if it asks for nothing."""
    names = ('planners', 'strategies', 'models', 'tasks', 'types', 'seeds', 'max_decisions',
             'max_depth', 'max_seconds')  # fmt: skip
    given = [f'--{name.replace("_", "-")}' for name in names if getattr(options, name) is not None]
    if options.plan is not None:
        if given:
            raise ConfigurationError(f'--plan says it all: leave {", ".join(given)} away')
        return _how(read_plan(options.plan), options)
    if not given:
        return None
    planners = (*(options.planners or ()), *planners_of(options.strategies or ()))
    if not planners or not options.tasks:
        raise ConfigurationError('give both --planners (or --strategies) and --tasks, or --plan')
    experiment = Experiment(
        planners=tuple(dict.fromkeys(planners)),
        models=options.models or (DEFAULT_MODEL,),
        tasks=options.tasks,
        types=options.types or (),
        seeds=options.seeds or (0,),
    )
    most = limits(options.max_decisions, options.max_depth, options.max_seconds)
    return _how(Plan((experiment,), most), options)


def _how(plan: Plan, options: argparse.Namespace) -> Plan:
    return replace(plan, through_ros=True) if options.ros else plan
