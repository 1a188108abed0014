# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab evaluate``: success rates and costs of planners."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from reactree_ros.cli.argument_types import store_file
from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.baselines import BASELINES, with_baselines
from reactree_ros.lab.cli.argument_types import positive, texts, whole_numbers
from reactree_ros.lab.cli.evaluation_view import EvaluationView
from reactree_ros.lab.cluster import Cluster
from reactree_ros.lab.evaluation.cluster_runner import ClusterRunner
from reactree_ros.lab.evaluation.lessons import check_learning
from reactree_ros.lab.evaluation.plan import Experiment, Plan, limits, read_plan
from reactree_ros.lab.evaluation.planners import PLANNERS, planners_of, split_planners
from reactree_ros.lab.evaluation.progress import Progress
from reactree_ros.lab.evaluation.run_setup import check_runs
from reactree_ros.lab.evaluation.runner import LocalRunner
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.report.report import write_report
from reactree_ros.lab.report.summary import summarise
from reactree_ros.lab.report.tables import to_markdown
from reactree_ros.models.local.embedded import DEFAULT_MODEL
from reactree_ros.sim.household.wah_file import is_wah_file
from reactree_ros.sim.pddl.shipped import PDDL_SETS
from reactree_ros.sim.robots.tasks import ROBOT_SETS, ROBOTS
from reactree_ros.sim.tasks import ALL_SETS, task_of
from reactree_ros.sim.textcraft.tasks import TEXTCRAFT_SETS

_DESCRIPTION = """\
Runs every planner with every model on every task with every seed, lets the world evaluate the
outcome, keeps a trace of every run, and reports. After an interruption the same command continues
where it stopped."""
_EXAMPLES = f"""\
examples:
  reactree-lab evaluate --planners reactree+wm,react --tasks wah_test:20 --out results
  reactree-lab evaluate --strategies all --tasks wah_test:5 --out results
  reactree-lab evaluate --plan config/evaluation.yaml --out results
  reactree-lab evaluate --plan config/evaluation.yaml --ray head:6379 --out results
  reactree-lab evaluate --out results                  continue after an interruption
  reactree-lab evaluate --out results --report-only    the tables again
  reactree-lab evaluate --planners reactree+wm --tasks wah_train:50 --learn own.sqlite --out own

planners: {', '.join(PLANNERS)};
  each may have settings: "reactree+wm[control_flows=sequence+fallback,reject_recursion=false]"
task sets: {', '.join(ALL_SETS)},
  and files of Watch-And-Help or WAH-NL (*.json)
Exit code: 0 all runs ended, whatever the outcome; 130 interrupted; 2 error.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'evaluate',
        help='compare planners and models on tasks',
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group('what is evaluated')
    what.add_argument('--plan', metavar='FILE', type=Path,
                      help='YAML file in place of the options below')  # fmt: skip
    what.add_argument('--planners', type=split_planners, metavar='A,B',
                      help='planners to compare, named below')  # fmt: skip
    what.add_argument('--strategies', type=texts, metavar='S,T|all',
                      help='planners by strategy, with working memory if it is used')  # fmt: skip
    what.add_argument('--models', type=texts, metavar='M,N', help=f'default: {DEFAULT_MODEL}')
    what.add_argument('--tasks', type=texts, metavar='SET[:PART],…',
                      help='task sets, whole, the first tasks (:20) or some (:11-20)')  # fmt: skip
    what.add_argument('--seeds', type=whole_numbers, metavar='0,1,…',
                      help='one run for each: it selects the wording, and is the seed of retrieval '
                      'and sampling (default: 0)')  # fmt: skip
    what.add_argument('--max-decisions', type=positive, metavar='N',
                      help='most decisions of a run (default: 200)')  # fmt: skip
    what.add_argument('--no-baselines', action='store_true',
                      help=f'without {" and ".join(BASELINES)}, which do every task without a '
                      'language model, by chance and by a rule')  # fmt: skip
    how = parser.add_argument_group('how')
    how.add_argument('--out', type=Path, metavar='DIR', required=True,
                     help='folder of traces and reports')  # fmt: skip
    how.add_argument('--extend', action='store_true',
                     help='add runs to the plan of the folder')  # fmt: skip
    how.add_argument('--workers', type=positive, metavar='N',
                     help='runs at the same time, each with a local model in a process of its own, '
                     'or all with the same server (default: 1; with --ray the processors of the '
                     'cluster)')  # fmt: skip
    how.add_argument('--ray', metavar='ADDRESS',
                     help='on a Ray cluster: HOST:PORT, auto for that of this machine, or local; '
                     'with the same results')  # fmt: skip
    how.add_argument('--ros', action='store_true',
                     help='through planner node and bridge, one run at a time and recorded, with '
                     'the same results for the same seed')  # fmt: skip
    how.add_argument('--learn', metavar='FILE',
                     help='experience store for the runs on training tasks whose goal holds; they '
                     'retrieve from it as it was at the start'
                     )  # fmt: skip
    how.add_argument(
        '--report-only', action='store_true', help='print the report of the finished runs, and exit'
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Evaluate and return the exit code."""
    store = Store(options.out)
    if options.report_only:
        _report(store, _known(store))
        return 0
    asked = _asked(options)
    if asked is None:
        asked = _known(store)
    elif not (options.no_baselines or options.learn or asked.learn):
        asked = with_baselines(asked)
    if options.learn:
        asked = replace(asked, learn=str(store_file(options.learn).absolute()))
    asked = replace(asked, through_ros=asked.through_ros or options.ros)
    # A folder keeps its first plan, so that must be one that can be done.
    if asked.learn:
        check_learning(asked)
    check_runs(asked.runs(), asked.limits, learned=bool(asked.learn))
    in_process = (*PDDL_SETS, *TEXTCRAFT_SETS)
    if asked.through_ros and any(
        spec.task_set in in_process or is_wah_file(spec.task_set) for spec in asked.runs()
    ):
        raise ConfigurationError(
            'tasks of PDDL domains, of TextCraft and of files do not run through ROS: omit --ros'
        )
    if not asked.through_ros and any(spec.task_set in ROBOT_SETS for spec in asked.runs()):
        raise ConfigurationError(f'tasks of {", ".join(ROBOTS)} run through ROS only: add --ros')
    if asked.through_ros and ((options.workers or 1) > 1 or options.ray):
        raise ConfigurationError(
            '--workers and --ray are for runs in one process: a robot has one planner'
        )
    if asked.learn and options.ray:
        raise ConfigurationError('--learn keeps experiences on this machine: omit --ray')
    store.lock()
    try:
        plan = store.keep(asked, extend=options.extend)
        if not options.ray:
            return _evaluate(store, plan, options.workers or 1)
        with Cluster(options.ray, options.workers or 0) as cluster:
            return _evaluate(store, plan, cluster.workers, cluster)
    finally:
        store.unlock()


def _evaluate(store: Store, plan: Plan, workers: int, cluster: Cluster | None = None) -> int:
    specs = plan.runs()
    progress = Progress(specs, store.traces(specs), workers)
    with Interrupts() as interrupts, EvaluationView(Console(), progress, interrupts) as view:
        if cluster is not None:
            ClusterRunner(store, plan.limits, cluster, view).run(progress.left)
        elif plan.through_ros:
            from reactree_ros.lab.cli.evaluate_ros import RosRunner

            RosRunner(store, plan.limits, view).run(progress.left)
        else:
            memory = Path(plan.learn) if plan.learn else None
            LocalRunner(store, plan.limits, workers, view, memory).run(progress.left)
    if progress.left:
        command = f'reactree-lab {shlex.join(sys.argv[1:])}'
        print(
            f'Stopped. {len(specs) - len(progress.left)} of {len(specs)} runs have ended and are '
            f'kept; the same command does the others:\n  {command}',
            file=sys.stderr,
        )
        return CANCELED
    _report(store, plan)
    return 0


def _report(store: Store, plan: Plan) -> None:
    specs = plan.runs()
    summary = summarise(store.traces(specs), task_of=task_of)
    print(to_markdown(summary))
    if len(summary.runs) < len(specs):
        print(f'{len(specs) - len(summary.runs)} of {len(specs)} runs have not ended yet.')
    for path in write_report(summary, store.folder):
        print(f'written: {path}')


def _known(store: Store) -> Plan:
    plan = store.plan()
    if plan is None:
        raise ConfigurationError(
            f'{store.folder} holds no evaluation: give --plan, or --planners and --tasks'
        )
    return plan


def _asked(options: argparse.Namespace) -> Plan | None:
    """Return the plan of the command line; None if there is none."""
    names = ('planners', 'strategies', 'models', 'tasks', 'seeds', 'max_decisions')
    given = [f'--{name.replace("_", "-")}' for name in names if getattr(options, name) is not None]
    if options.plan is not None:
        if given:
            raise ConfigurationError(f'--plan replaces {", ".join(given)}: omit one or the other')
        return read_plan(options.plan)
    if not given:
        return None
    planners = (*(options.planners or ()), *planners_of(options.strategies or ()))
    if not planners or not options.tasks:
        raise ConfigurationError('give both --planners (or --strategies) and --tasks, or --plan')
    experiment = Experiment(
        planners=tuple(dict.fromkeys(planners)),
        models=options.models or (DEFAULT_MODEL,),
        tasks=options.tasks,
        seeds=options.seeds or (0,),
    )
    return Plan((experiment,), limits(options.max_decisions))
