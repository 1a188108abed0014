# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab learn``: do training tasks and keep what successful runs went through."""

from __future__ import annotations

import argparse
import shlex
import sys
from contextlib import closing
from pathlib import Path

from rich.console import Console
from rich.table import Table

from reactree_ros.cli.argument_types import store_file, whole_number
from reactree_ros.cli.interrupts import Interrupts
from reactree_ros.core.settings import USER
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli.argument_types import positive, texts
from reactree_ros.lab.cli.evaluation_view import EvaluationView
from reactree_ros.lab.cli.train import TrainingProgress
from reactree_ros.lab.dataset.dataset import check_dataset, read_dataset, write_dataset
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.lab.evaluation.progress import Progress
from reactree_ros.lab.evaluation.run_setup import check_runs
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.lab.learning.folder import LearningFolder
from reactree_ros.lab.learning.plan import LearningPlan
from reactree_ros.lab.learning.rounds import do_round, make_dataset
from reactree_ros.lab.report.statistics import Share
from reactree_ros.lab.teacher.kind import SOLVER
from reactree_ros.lab.training.recipe import Recipe, read_recipe, recipe_of
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Saved
from reactree_ros.models.kind import check_options
from reactree_ros.models.local.adapter import read_adapter
from reactree_ros.models.local.embedded import DEFAULT_MODEL
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
that was learned so far, and decides in the next one.
After an interruption the same command continues where it stopped."""
_EXAMPLES = """\
examples:
  reactree-lab learn --tasks wah_train:50 --rounds 2 --out learned
  reactree-lab learn --tasks wah_train:50 --rounds 2 --train config/training.yaml --out own
  reactree-lab learn --out learned                     continue, or show the table again
  reactree up --memory learned/memory.sqlite           use what was learned
  reactree up --model own/adapter_2                    use what was trained
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
    what.add_argument('--planner', metavar='PLANNER',
                      help=f'name, as for "reactree-lab evaluate" (default: {_PLANNER})'
                      )  # fmt: skip
    what.add_argument('--model', metavar='MODEL',
                      help=f'default: {DEFAULT_MODEL}; "{SOLVER}" for rules that know the goal '
                      'conditions, but not where things are')  # fmt: skip
    what.add_argument('--memory', metavar='FILE',
                      help='experience store that is learned into, and that the first round reads '
                      f'as it is; "{USER}" for yours (default: memory.sqlite in the folder '
                      'of --out)')  # fmt: skip
    what.add_argument('--rounds', type=positive(int), metavar='N',
                      help='how often all tasks are done, each time with the next seed '
                      '(default: 1); may be raised later')  # fmt: skip
    what.add_argument('--seed', type=whole_number, metavar='N',
                      help='of the first round: it chooses the wording, and is the seed of '
                      'retrieval and sampling (default: 0)')  # fmt: skip
    what.add_argument('--train', type=Path, metavar='RECIPE',
                      help='train after each round, by a recipe such as config/training.yaml; '
                      'its model (or the adapter that it starts with) is then the default of '
                      '--model')  # fmt: skip
    what.add_argument('--data', type=Path, metavar='FILE',
                      help='with --train: a data set of "reactree-lab dataset" to train on as well'
                      )  # fmt: skip
    how = parser.add_argument_group('how')
    how.add_argument('--out', type=Path, metavar='DIR', required=True,
                     help='folder of the traces, and of what each round could read')  # fmt: skip
    how.add_argument('--workers', type=positive(int), metavar='N', default=1,
                     help='runs at the same time, each in a world of its own (default: 1; with '
                     'more, the order of equal experiences, and the last bits of what models '
                     'answer, depend on which run is faster)')  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Learn and return the exit code."""
    folder = LearningFolder(options.out)
    asked = _asked(options) or folder.plan()
    if asked is None:
        raise ConfigurationError(
            f'nothing was learned in {folder.folder} yet: give the tasks to learn from, such as '
            '--tasks wah_train:50'
        )
    # A folder keeps what it was first asked for, so that must be something that can be done.
    asked.check()
    # Later rounds have a model that is not there yet.
    check_runs(asked.round(1).runs(), asked.round(1).limits, learned=True)
    _check_training(asked)
    folder.lock()
    try:
        return _learn(Console(), folder, folder.keep(asked), options.workers)
    finally:
        folder.unlock()


def _learn(console: Console, folder: LearningFolder, plan: LearningPlan, workers: int) -> int:
    specs = plan.runs()
    numbers = range(1, plan.rounds + 1)
    ended = [trace for number in numbers for trace in folder.traces(plan, number)]
    if ended and not Path(plan.memory).exists():
        raise ConfigurationError(
            f'{plan.memory} is missing, and runs of {folder.folder} were learned into it: bring '
            'it back, or begin again in another folder'
        )
    progress = Progress(specs, ended, workers)
    kept: dict[RunSpec, Saved] = {}
    with Interrupts() as interrupts:
        for number in numbers:
            left = [spec for spec in plan.round(number).runs() if spec in progress.left]
            with EvaluationView(
                console, progress, interrupts, lambda trace: _saved(kept.get(trace.spec))
            ) as view:
                if left and not interrupts:
                    do_round(folder, plan, number, left, workers, view, kept)
            if interrupts or not _train(console, plan, number, interrupts):
                done = len(specs) - len(progress.left)
                print(
                    f'Stopped. {done} of {len(specs)} runs have ended and are kept; the same '
                    f'command does the rest:\n  reactree-lab {shlex.join(sys.argv[1:])}',
                    file=sys.stderr,
                )
                return _CANCELED
    console.print(table_of(folder, plan))
    return 0


def _train(console: Console, plan: LearningPlan, number: int, interrupts: Interrupts) -> bool:
    """Train the adapter of a round, if one is asked for; return whether it is complete."""
    if plan.recipe is None:
        return True
    from reactree_ros.lab.training.train import train

    data, out = plan.data_set(number), plan.adapter(number)
    if not data.exists():  # later rounds add to what it is made from
        write_dataset(data, make_dataset(plan, f'reactree-lab {shlex.join(sys.argv[1:])}'))
    recipe = recipe_of(plan.recipe, str(out)).with_values(data=str(data))
    with TrainingProgress(console, interrupts) as view:
        return train(recipe, out, view)


def table_of(folder: LearningFolder, plan: LearningPlan) -> Table:
    """Return a table of the results of all rounds.

    Raises:
        ConfigurationError: if a trace or a store cannot be read.
    """
    title = f'{plan.planner}, {plan.model}, {", ".join(plan.tasks)}: {plan.memory}'
    caption = (
        'GSR: runs whose goal holds in the world, with a 95 % interval (Wilson). Kept: those of '
        'them that the planner, too, took for done. Stored: experiences after the round; '
        'near-duplicates are one.'
    )
    table = Table(title=title, caption=caption, box=None, title_justify='left', pad_edge=False)
    for name in ('round', 'runs', 'GSR %', 'kept', 'stored'):
        table.add_column(name, justify='right', no_wrap=True)
    for number in range(1, plan.rounds + 1):
        endings = [trace.ending for trace in folder.traces(plan, number)]
        share = Share.count(sum(ending.holds for ending in endings), len(endings))
        kept = sum(ending.holds and ending.status == 'succeeded' for ending in endings)
        after = folder.memory_before(number + 1)
        with closing(
            SqliteStore(after if after.exists() else Path(plan.memory), create=False)
        ) as store:
            stored = store.stats().records
        success = f'{100 * share.value:.0f} [{100 * share.low:.0f}–{100 * share.high:.0f}]'
        table.add_row(str(number), str(share.of), success, str(kept), f'{stored:,}')
    return table


def _saved(saved: Saved | None) -> str:
    """Return how many experiences of a run were saved; empty if it did not succeed."""
    if saved is None:
        return ''
    parts = [f'kept {saved.added} experience{"" if saved.added == 1 else "s"}']
    parts += [f'{saved.merged} merged'] if saved.merged else []
    parts += [f'{saved.forgotten} older ones forgotten'] if saved.forgotten else []
    return ', '.join(parts)


def _check_training(plan: LearningPlan) -> None:
    """Refuse before the first run what the first training would refuse."""
    if plan.recipe is None:
        return
    recipe = recipe_of(plan.recipe, 'the recipe')
    check_options(ModelOptions(recipe.model))
    recipe.check_base()
    if recipe.start:
        read_adapter(Path(recipe.start))
    if plan.data:
        check_dataset(read_dataset(Path(plan.data)).examples)


def _asked(options: argparse.Namespace) -> LearningPlan | None:
    """Return the plan of the command line; None if it asks for nothing."""
    names = ('tasks', 'planner', 'model', 'memory', 'rounds', 'seed', 'train', 'data')
    if all(getattr(options, name) is None for name in names):
        return None
    if not options.tasks:
        raise ConfigurationError('--tasks is missing: say what to learn from, or give only --out')
    if options.data and not options.train:
        raise ConfigurationError('--data is for training: give --train RECIPE, too')
    recipe: Recipe | None = read_recipe(options.train) if options.train else None
    first = recipe.start or recipe.model if recipe else DEFAULT_MODEL
    memory = store_file(options.memory) if options.memory else options.out / 'memory.sqlite'
    return LearningPlan(
        planner=read_planner(options.planner or _PLANNER).name,
        model=options.model or first,
        tasks=options.tasks,
        memory=str(memory.absolute()),
        folder=str(options.out.absolute()),
        rounds=options.rounds or 1,
        seed=options.seed or 0,
        recipe=recipe.to_json() if recipe else None,
        data=str(options.data.absolute()) if options.data else '',
    )
