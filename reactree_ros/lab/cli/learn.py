# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab learn``: do training tasks and keep what successful runs went through."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from rich.console import Console

from reactree_ros.cli.argument_types import positive, store_file, texts, whole_number
from reactree_ros.core.settings import USER
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli.learn_rounds import do_rounds
from reactree_ros.lab.dataset.dataset import check_dataset, read_dataset
from reactree_ros.lab.dataset.own_runs import measured, measured_table
from reactree_ros.lab.evaluation.plan import limits
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.lab.evaluation.run_setup import check_runs
from reactree_ros.lab.learning.folder import LearningFolder
from reactree_ros.lab.learning.plan import LearningPlan, RoundTraining
from reactree_ros.lab.learning.table import rounds_of, table_of
from reactree_ros.lab.teacher.kind import SOLVER
from reactree_ros.lab.training.recipe import read_recipe, recipe_of
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import StoreStats
from reactree_ros.models.factory import check_options
from reactree_ros.models.local.adapter import read_adapter
from reactree_ros.models.local.embedded import DEFAULT_MODEL, trained_from
from reactree_ros.models.options import ModelOptions
from reactree_ros.sim.household.task_sets import TRAINING_SETS

_CANCELED = 130
_PLANNER = 'reactree+wm'
_DESCRIPTION = """\
Does training tasks with a planner, and keeps what the agent nodes of those
runs went through whose goal the world confirms: experiences, which the planner
then shows its model as examples. In the next round the planner retrieves from
what the rounds before have learned, never from its own round, and never from
the same task. With --train the model itself is trained after each round, on all
that was learned so far, and decides in the next one; how often it succeeds is
measured before and after on tasks that nothing is learned from.
After an interruption the same command continues where it stopped."""
_EXAMPLES = """\
examples:
  reactree-lab learn --tasks wah_train:50 --rounds 2 --out learned
  reactree-lab learn --tasks wah_train:50 --rounds 2 --train config/training.yaml \\
      --held-out wah_train:201-220 --out trained
  reactree-lab learn --out learned                     continue after an interruption
  reactree-lab learn --out learned --report-only       the table again
  reactree up --memory learned/memory.sqlite       use what was learned
  reactree up --model trained/adapter_2            use what was trained
  reactree-lab explain learned/round_1                 what went wrong, run by run

task sets: {task_sets}
Exit code: 0 all runs ended, whatever the outcome; 130 interrupted;
2 error.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'learn',
        help='do training tasks and learn from those that succeed',
        description=_DESCRIPTION,
        epilog=_EXAMPLES.format(task_sets=', '.join(TRAINING_SETS)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group('what is learned')
    what.add_argument('--tasks', type=texts, metavar='SET[:PART],…',
                      help='training sets, whole, the first (:20) or some (:11-20)')  # fmt: skip
    what.add_argument('--types', type=texts, metavar='T,…', help='only these types of task')
    what.add_argument(
        '--planner',
        metavar='PLANNER',
        help=f'name, as for "reactree-lab evaluate" (default: {_PLANNER})',
    )
    what.add_argument(
        '--model',
        metavar='MODEL',
        help=f'default: {DEFAULT_MODEL}; "{SOLVER}" for rules that '
        'know the goal conditions, but not where things are',
    )
    what.add_argument('--memory', metavar='FILE',
                      help='experience store that is learned into, and that the first round reads '
                      f'as it is; "{USER}" for yours (default: memory.sqlite in the folder '
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
    trained = parser.add_argument_group('training')
    trained.add_argument('--train', type=Path, metavar='RECIPE',
                         help='train after each round, by a recipe such as config/training.yaml; '
                         'its model (or the adapter that it starts with) is then the default of '
                         '--model')  # fmt: skip
    trained.add_argument('--data', type=Path, metavar='FILE',
                         help='a data set of "reactree-lab dataset", trained on, too')  # fmt: skip
    trained.add_argument('--held-out', type=texts, metavar='SET[:PART],…',
                         help='training tasks on which success is measured, and that nothing is '
                         'learned from')  # fmt: skip
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
        _report(console, folder, _known(folder))
        return 0
    asked = asked or _known(folder)
    # A folder keeps what it was first asked for, so that must be something that can be done.
    asked.check()
    # Later rounds have a model that is not there yet.
    check_runs(asked.round(1).runs(), asked.limits, learned=True)
    if asked.training is not None:
        _check_training(asked.training)
    folder.lock()
    try:
        return _learn(console, folder, folder.keep(asked), options.workers)
    finally:
        folder.unlock()


def _learn(console: Console, folder: LearningFolder, plan: LearningPlan, workers: int) -> int:
    if plan.training is not None:
        from reactree_ros.lab.cli.learn_training import learn_and_train

        if not learn_and_train(console, folder, plan, plan.training, workers):
            return _CANCELED
    elif not do_rounds(console, folder, plan, workers, range(1, plan.rounds + 1)):
        return _CANCELED
    _report(console, folder, plan)
    return 0


def _report(console: Console, folder: LearningFolder, plan: LearningPlan) -> None:
    console.print(table_of(rounds_of(folder, plan, _stats), plan))
    if plan.training is not None:
        console.print(measured_table(measured(plan, plan.training), plan.training))


def _check_training(training: RoundTraining) -> None:
    """Refuse before the first run what the first training would refuse."""
    recipe = recipe_of(training.recipe, 'the recipe')
    check_options(ModelOptions(recipe.model))
    if trained_from(recipe.model):
        raise ConfigurationError(
            f"the recipe's model is {recipe.model!r}, which is trained itself: name its base "
            "model, and as the recipe's start the folder of its adapter"
        )
    if recipe.start:
        read_adapter(Path(recipe.start))
    if training.data:
        check_dataset(read_dataset(Path(training.data)).examples)


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
             'max_depth', 'max_seconds', 'train', 'data', 'held_out')  # fmt: skip
    if all(getattr(options, name) is None for name in names):
        return None
    if not options.tasks:
        raise ConfigurationError('--tasks is missing: say what to learn from, or give only --out')
    training, first = _training(options)
    return LearningPlan(
        planner=read_planner(options.planner or _PLANNER).name,
        model=options.model or first,
        tasks=options.tasks,
        memory=str(_memory(options.memory, options.out)),
        limits=limits(options.max_decisions, options.max_depth, options.max_seconds),
        types=options.types or (),
        rounds=options.rounds or 1,
        seed=options.seed or 0,
        training=training,
    )


def _training(options: argparse.Namespace) -> tuple[RoundTraining | None, str]:
    """Return how the model is trained between rounds, and which one decides in the first."""
    if options.train is None:
        given = [name for name in ('data', 'held_out') if getattr(options, name) is not None]
        if given:
            raise ConfigurationError(
                f'--{given[0].replace("_", "-")} is for training: give --train RECIPE, too'
            )
        return None, DEFAULT_MODEL
    recipe = read_recipe(options.train)
    training = RoundTraining(
        recipe=recipe.to_json(),
        data=str(options.data.absolute()) if options.data else '',
        held_out=options.held_out or (),
        folder=str(options.out.absolute()),
    )
    return training, recipe.start or recipe.model


def _memory(given: str | None, out: Path) -> Path:
    return (out / 'memory.sqlite' if given is None else store_file(given)).absolute()
