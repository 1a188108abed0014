# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps what runs on training tasks went through that reached their goal.

See sections 4.2 and 5.1 of the paper. The runs of an evaluation retrieve from what the store held
when the first of them began, never from what they have just learned: what a run reads depends
neither on which other runs have ended nor on interruptions. Experiences are kept before the trace
of their run: a crash between the two only repeats that run, under the same name, which replaces the
first.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from reactree_ros.core.futures import Future
from reactree_ros.core.model import Encoder, PlannerModel
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.held_back import has_test_wording
from reactree_ros.lab.evaluation.plan import Plan
from reactree_ros.lab.evaluation.planners import PLANNERS, read_planner
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.lab.teacher.kind import SOLVER
from reactree_ros.memory.experience import Origin, Verification
from reactree_ros.memory.learning import Learner
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Saved
from reactree_ros.models.kind import kind_of
from reactree_ros.models.local.encoder import LocalEncoder, encoder_name
from reactree_ros.planner.assembly import library_of
from reactree_ros.planner.experiences import experiences_of
from reactree_ros.planner.memory_setup import cached_encoder
from reactree_ros.planner.options import PlannerOptions
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.household.task_sets import TRAINING_SETS
from reactree_ros.strategies.registry import strategy

BEFORE = 'memory_before.sqlite'
"""File in the folder of an evaluation: the store as it was when the first run began."""


class Lessons:
    """What the runs of an evaluation read, and what is kept of them.

    Args:
        learner: saves them.
        folder: of the evaluation.
    """

    def __init__(self, learner: Learner, folder: Path) -> None:
        self._learner = learner
        self._folder = folder.absolute()

    def options(self, options: PlannerOptions) -> PlannerOptions:
        """Return the options of a run that is learned from."""
        memory = replace(options.memory, store=str(self._folder / BEFORE))
        if options.model.name == SOLVER:  # it reads no examples
            memory = replace(memory, store='', example_tokens=0)
        return replace(options, memory=memory)

    def learn(self, spec: RunSpec, options: PlannerOptions, run: GoalRun) -> Future[Saved]:
        """Save what a run went through that reached its goal, but no wording of a test task."""
        origin = Origin(
            run=self._name(spec),
            task=f'{spec.task_set} {spec.task}',
            skills=library_of(options).name,
            strategy=options.strategy,
            model=spec.model,
            time=time.time(),
            verified=Verification.WORLD,
        )
        read = [one for one in experiences_of(run) if not has_test_wording(one.text)]
        return self._learner.learn(origin, read)

    def _name(self, spec: RunSpec) -> str:
        """Return the name of a run in the store; a run that is done again has the same."""
        where = hashlib.sha256(f'{self._folder} {spec.planner} {spec.model}'.encode())
        return f'learn-{where.hexdigest()[:8]}-{spec.task_set}-{spec.task}-seed-{spec.seed}'


def check_learning(plan: Plan) -> None:
    """Refuse a plan whose runs cannot or must not be learned from.

    Raises:
        ConfigurationError: if a task is not for training, or a planner does not exist, does not
            learn, or names a memory of its own.
    """
    for spec in plan.runs():
        if spec.task_set not in TRAINING_SETS:
            raise ConfigurationError(
                f'{spec.task_set!r} is not a training set: who learned from a set cannot be judged '
                f'by it. Give one of {", ".join(TRAINING_SETS)}'
            )
        chosen = read_planner(spec.planner).parameters
        if not strategy(str(chosen['strategy'])).learns:
            able = [name for name, one in PLANNERS.items() if strategy(str(one['strategy'])).learns]
            raise ConfigurationError(
                f'the planner {spec.planner!r} learns nothing: it has no agent nodes. Give one of '
                f'{", ".join(able)}'
            )
        if 'memory.store' in chosen:
            raise ConfigurationError(f'planner {spec.planner!r}: memory.store is set by --learn')
    if plan.through_ros:
        raise ConfigurationError('--learn is for runs in this process: omit --ros')


@contextmanager
def lessons(
    memory: Path, folder: Path, options: PlannerOptions, model: PlannerModel
) -> Iterator[Lessons]:
    """Open a store, which is made if it is not there, and what saves runs in it.

    Args:
        memory: the store.
        folder: of the evaluation.
        options: of a planner that is learned from.
        model: its model, if it has an encoder.

    Raises:
        ConfigurationError: if the store cannot be used or copied, or has been lost.
        ModelError: if the sentence encoder cannot be loaded.
    """
    before = folder / BEFORE
    if before.exists() and not memory.exists():
        raise ConfigurationError(
            f'{memory} is missing, and runs of {folder} were learned into it: bring it back, or '
            'begin again in another folder'
        )
    name = options.model.encoder
    own = kind_of(options.model.name).encoder
    encoder: Encoder = model if own else LocalEncoder(name)
    limit = options.memory.max_experiences
    with closing(SqliteStore(memory, encoder_name(name), limit=limit)) as store:
        try:
            if not before.exists():
                _copy(memory.absolute(), before)
        except (OSError, sqlite3.Error) as error:
            raise ConfigurationError(f'{memory} cannot be copied to {before}: {error}') from error
        with closing(Learner(store, cached_encoder(encoder))) as learner:
            yield Lessons(learner, folder)


def _copy(store: Path, target: Path) -> None:
    """Copy a store that others may be writing to; the copy is there as a whole or not at all."""
    part = target.with_suffix('.part')
    part.unlink(missing_ok=True)
    with closing(sqlite3.connect(f'{store.as_uri()}?mode=ro', uri=True)) as source:
        with closing(sqlite3.connect(part)) as copy:
            source.backup(copy)
    part.replace(target)
