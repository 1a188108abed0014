# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Learning by doing training tasks, in rounds (paper, sections 4.2 and 5.1).

A round retrieves from the shipped experiences and from what the store held when it began, never
from what it has just learned: what a run reads depends neither on which other runs have ended nor
on interruptions. The runs that the world confirms are kept at once, each before its trace: a
crash between the two only repeats that run, under the same name, which replaces the first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from reactree_ros.core.futures import Future
from reactree_ros.core.model import PlannerModel
from reactree_ros.lab.evaluation.runner import LocalRunner, Watch
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.lab.learning.folder import LearningFolder
from reactree_ros.lab.learning.plan import LearningPlan
from reactree_ros.lab.teacher.kind import SOLVER
from reactree_ros.memory.experience import Origin, Verification
from reactree_ros.memory.learning import Learner
from reactree_ros.memory.store import Saved
from reactree_ros.planner.experiences import experiences_of
from reactree_ros.planner.options import PlannerOptions
from reactree_ros.planner.run import GoalRun


class Lessons:
    """What one round reads, and what becomes of its runs.

    Args:
        plan: names the runs.
        learner: keeps them.
        memory: the store that the round retrieves from; not the learner's.
        skills: name of the robot's skill library.
        on_saved: called with each run that is kept, and what became of its experiences.
    """

    def __init__(
        self,
        plan: LearningPlan,
        learner: Learner,
        memory: Path,
        skills: str,
        on_saved: Callable[[RunSpec, Saved], None],
    ) -> None:
        self._plan = plan
        self._learner = learner
        self._memory = memory
        self._skills = skills
        self._on_saved = on_saved

    def options(self, options: PlannerOptions) -> PlannerOptions:
        """Return the options of a run that is learned from."""
        memory = replace(options.memory, store=str(self._memory))
        if options.model.name == SOLVER:  # it reads no examples
            memory = replace(memory, store='', example_tokens=0)
        return replace(options, memory=memory)

    def learn(self, spec: RunSpec, options: PlannerOptions, run: GoalRun) -> Future[Saved]:
        """Ask to keep what a run went through that reached its goal."""
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
        """Hear that it is kept."""
        self._on_saved(spec, saved)


class LearningRunner:
    """Carries out the rounds of a plan.

    Args:
        folder: where traces are kept, and what each round reads.
        plan: what is to be done.
        learner: keeps successful runs in the store of the plan.
        skills: name of the robot's skill library.
        workers: how many runs are on their way at the same time.
        watch: receives every event.
        on_saved: called with each run that is kept, and what became of its experiences.
    """

    def __init__(
        self,
        folder: LearningFolder,
        plan: LearningPlan,
        learner: Learner,
        skills: str,
        workers: int,
        watch: Watch,
        on_saved: Callable[[RunSpec, Saved], None] = lambda spec, saved: None,
    ) -> None:
        self._folder = folder
        self._plan = plan
        self._learner = learner
        self._skills = skills
        self._workers = workers
        self._watch = watch
        self._on_saved = on_saved

    def run(self, model: PlannerModel, left: Iterable[RunSpec]) -> None:
        """Carry out runs, a round after the other, until all are kept or it is stopped.

        Args:
            model: decides; it is loaded.
            left: the runs that have not ended.

        Raises:
            ModelError: if the model does not come back.
            ConfigurationError: if a planner cannot be made, or a file not be written.
        """
        waiting = set(left)
        for number in range(1, self._plan.rounds + 1):
            specs = [spec for spec in self._plan.round(number).runs() if spec in waiting]
            if not specs:
                continue
            if self._watch.stop():
                return
            store = self._folder.begin(self._plan, number)
            before = self._folder.memory_before(number)
            lessons = Lessons(self._plan, self._learner, before, self._skills, self._on_saved)
            LocalRunner(store, self._plan.limits, self._workers, self._watch, lessons).run_with(
                model, specs
            )
