# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The runs of ``reactree-lab learn``: done, shown and kept."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from rich.console import Console

from reactree_ros.cli.interrupts import Interrupts
from reactree_ros.core.model import Encoder
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli.evaluation_view import EvaluationView
from reactree_ros.lab.evaluation.progress import Progress
from reactree_ros.lab.evaluation.run_setup import options_of
from reactree_ros.lab.evaluation.runner import loaded
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.lab.learning.folder import LearningFolder
from reactree_ros.lab.learning.plan import LearningPlan
from reactree_ros.lab.learning.runs import LearningRunner
from reactree_ros.memory.learning import Learner
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Saved
from reactree_ros.models.factory import encoder_name
from reactree_ros.models.local.encoder import LocalEncoder
from reactree_ros.models.start import has_encoder
from reactree_ros.planner.assembly import library_of
from reactree_ros.planner.memory_setup import cached_encoder, goal_key_of


def do_rounds(
    console: Console,
    folder: LearningFolder,
    plan: LearningPlan,
    workers: int,
    numbers: Sequence[int],
) -> bool:
    """Do the runs of rounds with one model, as far as they have not ended.

    Args:
        console: where they are shown.
        folder: of the plan; locked.
        plan: what was asked.
        workers: how many runs are on their way at the same time.
        numbers: of the rounds, which have the same model.

    Returns:
        Whether all have ended; if not, it was interrupted, and has said so.

    Raises:
        ConfigurationError: if what was learned is lost, or a file cannot be written.
        ModelError: if the model cannot be used.
    """
    specs = [spec for number in numbers for spec in plan.round(number).runs()]
    ended = [trace for number in numbers for trace in folder.traces(plan, number)]
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
        say_stopped(f'{len(specs) - len(progress.left)} of {len(specs)} runs have ended')
    return not progress.left


def say_stopped(done: str) -> None:
    """Say on stderr that it was interrupted, and how to resume."""
    print(
        f'Stopped. {done} and are kept; the same command does the others:\n'
        f'  reactree {shlex.join(sys.argv[1:])}',
        file=sys.stderr,
    )


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
                Path(plan.memory),
                encoder_name(options.model.encoder),
                limit=options.memory.max_experiences,
            )
        ) as store,
        loaded(progress.left[0], plan.limits, view) as model,
    ):
        of_model = has_encoder(options.model, options.acting_options)
        encoder: Encoder = model if of_model else LocalEncoder(options.model.encoder)
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
