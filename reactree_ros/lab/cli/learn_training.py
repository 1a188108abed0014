# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab learn --train``: between its rounds the model is trained, and measured."""

from __future__ import annotations

import shlex
import sys

from rich.console import Console

from reactree_ros.cli.interrupts import Interrupts
from reactree_ros.lab.cli.evaluation_view import EvaluationView
from reactree_ros.lab.cli.learn_rounds import do_rounds, say_stopped
from reactree_ros.lab.cli.training_view import TrainingProgress
from reactree_ros.lab.dataset.dataset import write_dataset
from reactree_ros.lab.dataset.own_runs import make_dataset
from reactree_ros.lab.evaluation.progress import Progress
from reactree_ros.lab.evaluation.runner import LocalRunner
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.learning.folder import LearningFolder
from reactree_ros.lab.learning.plan import LearningPlan, RoundTraining
from reactree_ros.lab.training.recipe import recipe_of
from reactree_ros.lab.training.train import train


def learn_and_train(
    console: Console,
    folder: LearningFolder,
    plan: LearningPlan,
    training: RoundTraining,
    workers: int,
) -> bool:
    """Measure, run, train, and measure again, round by round; what is done is not done again.

    Returns:
        Whether all is done; if not, it was interrupted, and has said so.

    Raises:
        ConfigurationError: if there is nothing to train on, or a file cannot be used.
        ModelError: if a model cannot be used.
    """
    for number in range(plan.rounds + 1):
        if number and not _train(console, plan, training, number):
            return False
        if not _measure(console, plan, training, number, workers):
            return False
        if number < plan.rounds and not do_rounds(console, folder, plan, workers, (number + 1,)):
            return False
    return True


def _train(console: Console, plan: LearningPlan, training: RoundTraining, number: int) -> bool:
    data, out = training.data_set(number), training.adapter(number)
    if not data.exists():  # later rounds add to what it is made from
        command = f'reactree {shlex.join(sys.argv[1:])}'
        write_dataset(data, make_dataset(plan, training, command))
    recipe = recipe_of(training.recipe, str(out)).with_values(data=str(data))
    with Interrupts() as interrupts, TrainingProgress(console, interrupts) as view:
        done = train(recipe, out, view)
    if not done:
        say_stopped(f'{number - 1} of {plan.rounds} adapters are trained, the steps of the next')
    return done


def _measure(
    console: Console, plan: LearningPlan, training: RoundTraining, number: int, workers: int
) -> bool:
    store, asked = Store(training.measured(number)), plan.measuring(number)
    specs = asked.runs()
    store.lock()
    try:
        store.keep(asked, extend=False)
        progress = Progress(specs, store.traces(specs), workers)
        with Interrupts() as interrupts, EvaluationView(console, progress, interrupts) as view:
            LocalRunner(store, asked.limits, workers, view).run(progress.left)
    finally:
        store.unlock()
    if progress.left:
        say_stopped(f'{len(specs) - len(progress.left)} of {len(specs)} held-out runs have ended')
    return not progress.left
