# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree learn``: do training tasks and keep what successful runs went through."""

from __future__ import annotations

import argparse
import shlex
import sys
from contextlib import closing
from pathlib import Path

from rich.console import Console, RenderableType

from reactree_ros.behaviours.assembly import library_of
from reactree_ros.behaviours.memory_setup import cached_encoder, goal_key_of
from reactree_ros.behaviours.option_table import USER_MEMORY
from reactree_ros.commands.argument_types import positive, store_file, texts, whole_number
from reactree_ros.commands.evaluation_view import EvaluationView
from reactree_ros.commands.interrupts import Interrupts
from reactree_ros.evaluation.learning_folder import LearningFolder
from reactree_ros.evaluation.learning_plan import LearningPlan
from reactree_ros.evaluation.learning_runs import LearningRunner
from reactree_ros.evaluation.learning_table import rounds_of, table_of
from reactree_ros.evaluation.plan import limits
from reactree_ros.evaluation.planners import read_planner
from reactree_ros.evaluation.progress import Progress
from reactree_ros.evaluation.run_setup import check_runs, options_of
from reactree_ros.evaluation.runner import loaded
from reactree_ros.evaluation.trace import RunSpec
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.memory.learning import Learner
from reactree_ros.memory.sqlite_store import SqliteStore
from reactree_ros.memory.store import Saved, StoreStats
from reactree_ros.models.embedded import DEFAULT_MODEL
from reactree_ros.models.factory import encoder_name
from reactree_ros.models.interface import Encoder
from reactree_ros.models.local_encoder import LocalEncoder
from reactree_ros.models.start import SOLVER, has_encoder
from reactree_ros.world.task_sets import TASK_SETS, TEST_SETS

_CANCELED = 130
_PLANNER = 'reactree+wm'
_DESCRIPTION = """\
Does training tasks with a planner, and keeps what the agent nodes of those
runs went through whose goal the world confirms: experiences, which the planner
then shows its model as examples. In the next round the planner retrieves from
what the rounds before have learned, never from its own round, and never from
the same task. After an interruption the same command goes on where it stopped."""
_EXAMPLES = """\
examples:
  reactree learn --tasks wah_train:50 --rounds 2 --out learned
  reactree learn --out learned                     go on after an interruption
  reactree learn --out learned --report-only       the table again
  reactree up --memory learned/memory.sqlite       use what was learned
  reactree explain learned/round_1                 what went wrong, run by run

task sets: {task_sets}
Exit code: 0 all runs ended, whatever the outcome; 130 interrupted;
2 it could not go on.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    training = ', '.join(name for name in TASK_SETS if name not in TEST_SETS)
    parser = commands.add_parser(
        'learn',
        help='do training tasks and learn from those that succeed',
        description=_DESCRIPTION,
        epilog=_EXAMPLES.format(task_sets=training),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group('what is learned')
    what.add_argument('--tasks', type=texts, metavar='SET[:PART],…',
                      help='training sets, whole, the first (:20) or some (:11-20)')  # fmt: skip
    what.add_argument('--types', type=texts, metavar='T,…', help='only these types of task')
    what.add_argument('--planner', metavar='PLANNER',
                      help=f'as "reactree evaluate" takes it (default: {_PLANNER})')  # fmt: skip
    what.add_argument(
        '--model',
        metavar='MODEL',
        help=f'default: {DEFAULT_MODEL}; "{SOLVER}" for rules that '
        'know the goal conditions, but not where things are',
    )
    what.add_argument('--memory', metavar='FILE',
                      help='experience store that is learned into, and that the first round reads '
                      f'as it is; "{USER_MEMORY}" for yours (default: memory.sqlite in the folder '
                      'of --out)')  # fmt: skip
    what.add_argument('--rounds', type=positive(int), metavar='N',
                      help='how often it goes through all tasks, each time with the next seed '
                      '(default: 1); may be raised later')  # fmt: skip
    what.add_argument('--seed', type=whole_number, metavar='N',
                      help='of the first round: it chooses the wording, and is the seed of '
                      'retrieval and sampling (default: 0)')  # fmt: skip
    what.add_argument('--max-decisions', type=positive(int), metavar='N',
                      help='most decisions of a run (default: 200)')  # fmt: skip
    what.add_argument('--max-depth', type=positive(int), metavar='N',
                      help='greatest depth of a subgoal (default: 8)')  # fmt: skip
    what.add_argument('--max-seconds', type=positive(float), metavar='S',
                      help='time limit of a run (default: none)')  # fmt: skip
    how = parser.add_argument_group('how')
    how.add_argument('--out', type=Path, metavar='DIR', required=True,
                     help='folder of the traces, and of what each round could read')  # fmt: skip
    how.add_argument('--workers', type=positive(int), metavar='N', default=1,
                     help='runs at the same time, each in a world of its own (default: 1; with '
                     'more, the order of equal experiences, and the last bits of what models '
                     'answer, depend on which run is faster)')  # fmt: skip
    how.add_argument('--report-only', action='store_true', help='report what is there, and end')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Learn and return the exit code."""
    console = Console()
    folder = LearningFolder(options.out)
    asked = _asked(options)
    if options.report_only:
        console.print(_table(folder, _known(folder)))
        return 0
    asked = asked or _known(folder)
    # A folder keeps what it was first asked for, so that must be something that can be done.
    asked.check()
    check_runs(asked.runs(), asked.limits, learned=True)
    folder.lock()
    try:
        return _learn(console, folder, folder.keep(asked), options.workers)
    finally:
        folder.unlock()


def _learn(console: Console, folder: LearningFolder, plan: LearningPlan, workers: int) -> int:
    specs = plan.runs()
    ended = [trace for number in range(1, plan.rounds + 1) for trace in folder.traces(plan, number)]
    progress = Progress(specs, ended, workers)
    if ended and not Path(plan.memory).exists():
        raise ConfigurationError(
            f'{plan.memory} is not there any more, and runs of {folder.folder} were learned into '
            'it: bring it back, or begin again in another folder'
        )
    kept: dict[RunSpec, Saved] = {}
    with (
        Interrupts() as interrupts,
        EvaluationView(
            console, progress, interrupts, lambda trace: _said(kept.get(trace.spec))
        ) as view,
    ):
        if progress.left and not view.stop():
            _go_on(folder, plan, workers, view, progress, kept)
    if progress.left:
        print(
            f'Stopped. {len(specs) - len(progress.left)} of {len(specs)} runs have ended and are '
            f'kept; the same command does the others:\n  reactree {shlex.join(sys.argv[1:])}',
            file=sys.stderr,
        )
        return _CANCELED
    console.print(_table(folder, plan))
    return 0


def _go_on(
    folder: LearningFolder,
    plan: LearningPlan,
    workers: int,
    view: EvaluationView,
    progress: Progress,
    kept: dict[RunSpec, Saved],
) -> None:
    options = options_of(progress.left[0], plan.limits)
    library = library_of(options)
    with (
        closing(
            SqliteStore(
                Path(plan.memory), encoder_name(options.encoder), limit=options.memory_limit
            )
        ) as store,
        loaded(progress.left[0], plan.limits, view) as model,
    ):
        of_model = has_encoder(options.model_options, options.acting_options)
        encoder: Encoder = model if of_model else LocalEncoder(options.encoder)
        with closing(Learner(store, cached_encoder(encoder), goal_key_of(library))) as learner:
            LearningRunner(
                folder, plan, learner, library.name, workers, view, kept.__setitem__
            ).run(model, progress.left)


def _said(saved: Saved | None) -> str:
    """Say what became of a run that was learned from; empty for one that was not."""
    if saved is None:
        return ''
    parts = [f'kept {saved.added} experience{"" if saved.added == 1 else "s"}']
    parts += [f'{saved.merged} merged'] if saved.merged else []
    parts += [f'{saved.forgotten} older ones forgotten'] if saved.forgotten else []
    return ', '.join(parts)


def _table(folder: LearningFolder, plan: LearningPlan) -> RenderableType:
    return table_of(rounds_of(folder, plan, _stats), plan)


def _stats(path: Path) -> StoreStats:
    with closing(SqliteStore(path, create=False)) as store:
        return store.stats()


def _known(folder: LearningFolder) -> LearningPlan:
    plan = folder.plan()
    if plan is None:
        raise ConfigurationError(
            f'nothing was learned in {folder.folder} yet: say from which tasks, such as '
            '--tasks wah_train:50'
        )
    return plan


def _asked(options: argparse.Namespace) -> LearningPlan | None:
    """Return the plan of the command line; None if it asks for nothing."""
    names = ('tasks', 'types', 'planner', 'model', 'memory', 'rounds', 'seed', 'max_decisions',
             'max_depth', 'max_seconds')  # fmt: skip
    if all(getattr(options, name) is None for name in names):
        return None
    if not options.tasks:
        raise ConfigurationError('--tasks is missing: say what to learn from, or give only --out')
    return LearningPlan(
        planner=read_planner(options.planner or _PLANNER).name,
        model=options.model or DEFAULT_MODEL,
        tasks=options.tasks,
        memory=str(_memory(options.memory, options.out)),
        limits=limits(options.max_decisions, options.max_depth, options.max_seconds),
        types=options.types or (),
        rounds=options.rounds or 1,
        seed=options.seed or 0,
    )


def _memory(given: str | None, out: Path) -> Path:
    return (out / 'memory.sqlite' if given is None else store_file(given)).absolute()
