# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One round of learning: training tasks are done, and successful runs are kept.

See sections 4.2 and 5.1 of the paper. A round retrieves from the shipped experiences and from what
the store held when it began, never from what it has just learned: what a run reads depends neither
on which other runs have ended nor on interruptions. The runs that the world confirms are kept at
once, each before its trace: a crash between the two only repeats that run, under the same name,
which replaces the first.

A model that is trained starts each time from the recipe's model, on all successes so far, not from
the last adapter on the newest ones: so it does not drift away from what it could (STaR, Zelikman
et al. 2022).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from reactree_ros.core.futures import Future
from reactree_ros.core.model import Encoder, PlannerModel
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.dataset import Dataset, Header, counts_of, read_dataset
from reactree_ros.lab.dataset.remembered import remembered
from reactree_ros.lab.dataset.thinning import thinned
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.lab.evaluation.provenance import made_with
from reactree_ros.lab.evaluation.run_setup import options_of
from reactree_ros.lab.evaluation.runner import LocalRunner, Watch, loaded
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.lab.learning.folder import LearningFolder
from reactree_ros.lab.learning.plan import LearningPlan
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
from reactree_ros.planner.options import PlannerOptions, planner_options
from reactree_ros.planner.run import GoalRun


class Lessons:
    """What the runs of a round read, and what is kept of them.

    Args:
        plan: names the runs.
        learner: saves them.
        memory: the store that the round retrieves from; not the learner's.
        skills: name of the robot's skill library.
        kept: receives what was saved of each run.
    """

    def __init__(
        self,
        plan: LearningPlan,
        learner: Learner,
        memory: Path,
        skills: str,
        kept: dict[RunSpec, Saved],
    ) -> None:
        self._plan = plan
        self._learner = learner
        self._memory = memory
        self._skills = skills
        self._kept = kept

    def options(self, options: PlannerOptions) -> PlannerOptions:
        """Return the options of a run that is learned from."""
        memory = replace(options.memory, store=str(self._memory))
        if options.model.name == SOLVER:  # it reads no examples
            memory = replace(memory, store='', example_tokens=0)
        return replace(options, memory=memory)

    def learn(self, spec: RunSpec, options: PlannerOptions, run: GoalRun) -> Future[Saved]:
        """Save what a run went through that reached its goal."""
        origin = Origin(
            run=self._plan.run_name(spec),
            task=f'{spec.task_set} {spec.task}',
            skills=self._skills,
            strategy=options.strategy,
            model=spec.model,
            time=time.time(),
            verified=Verification.WORLD,
        )
        return self._learner.learn(origin, experiences_of(run))

    def learned(self, spec: RunSpec, saved: Saved) -> None:
        """Note what was saved of a run."""
        self._kept[spec] = saved


def do_round(
    folder: LearningFolder,
    plan: LearningPlan,
    number: int,
    specs: Sequence[RunSpec],
    workers: int,
    watch: Watch,
    kept: dict[RunSpec, Saved],
) -> None:
    """Carry out runs of a round until all are kept or it is stopped.

    Args:
        folder: where traces are kept, and what the round reads; locked.
        plan: what is to be done.
        number: of the round, from 1.
        specs: its runs that have not ended; at least one.
        workers: how many runs go on at the same time.
        watch: receives every event.
        kept: receives what was saved of each run that succeeded.

    Raises:
        ConfigurationError: if a planner cannot be made, or a file not be written.
        ModelError: if the model cannot be used.
    """
    most = plan.round(number).limits
    options = options_of(specs[0], most)
    with (
        loaded(specs[0], most, watch) as model,
        learning(Path(plan.memory), options, model) as learner,
    ):
        traces, before = folder.begin(plan, number), folder.memory_before(number)
        lessons = Lessons(plan, learner, before, library_of(options).name, kept)
        LocalRunner(traces, most, workers, watch, lessons).run_with(model, specs)


@contextmanager
def learning(memory: Path, options: PlannerOptions, model: PlannerModel) -> Iterator[Learner]:
    """Open a store, which is made if it is not there, and what saves runs in it.

    Raises:
        ConfigurationError: if the store cannot be used.
        ModelError: if the sentence encoder cannot be loaded.
    """
    name = options.model.encoder
    of_model = kind_of(options.model.name).encoder
    encoder: Encoder = model if of_model else LocalEncoder(name)
    limit = options.memory.max_experiences
    with closing(SqliteStore(memory, encoder_name(name), limit=limit)) as store:
        with closing(Learner(store, cached_encoder(encoder))) as learner:
            yield learner


def make_dataset(plan: LearningPlan, command: str = '') -> Dataset:
    """Make a data set of what was learned so far, and of the plan's own data set.

    Raises:
        ConfigurationError: if nothing was learned and there is no other data.
    """
    library = library_of(planner_options(read_planner(plan.planner).parameters))
    found = remembered(Path(plan.memory), (plan.planner,))
    kept = thinned(found.nodes, library, seed=plan.seed)
    given = read_dataset(Path(plan.data)).examples if plan.data else ()
    examples = tuple(dict.fromkeys([*(node.example for node in kept.nodes), *given]))
    if not examples:
        raise ConfigurationError(
            f'no run of {plan.model} has reached its goal, so there is nothing to train on: take '
            'easier or more tasks, a better model, or give a data set with --data'
        )
    own = len(kept.nodes)
    counts = {**counts_of(examples), 'made from': {'own': own, 'given': len(examples) - own}}
    return Dataset(Header(command, library.name, counts, made_with()), examples)
