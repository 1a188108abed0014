# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One running run of an evaluation, from its world to its trace."""

from __future__ import annotations

import itertools
import traceback
from dataclasses import replace
from pathlib import Path

from reactree_ros.core.events import Event
from reactree_ros.core.futures import Future
from reactree_ros.core.option import values_of
from reactree_ros.core.outcome import Costs, Reason
from reactree_ros.errors import UNAVAILABLE, ModelError
from reactree_ros.lab.evaluation.lessons import Lessons
from reactree_ros.lab.evaluation.run_setup import ServiceFactory, options_of
from reactree_ros.lab.evaluation.trace import (
    Ending,
    RunSpec,
    Trace,
    TraceWriter,
    head_of,
    judged_run,
)
from reactree_ros.lab.watched_model import WatchedModel
from reactree_ros.memory.store import Saved
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.household import GoalCheck
from reactree_ros.sim.tasks import surroundings_of, task_of

_COUNT = itertools.count(1)


class ActiveRun:
    """A goal that is executed in a world of its own.

    A fault in the planner's code ends only this run; its trace then says so.

    Args:
        spec: which run.
        factory: makes the planner's services.
        path: file of its trace.
        lessons: stores its experiences if it succeeds and the world confirms it; None stores
            nothing.

    Raises:
        ConfigurationError: if the planner cannot be made.
    """

    def __init__(
        self,
        spec: RunSpec,
        factory: ServiceFactory,
        path: Path,
        lessons: Lessons | None = None,
    ) -> None:
        self.spec = spec
        self._task = task = task_of(spec.task_set, spec.task)
        self._surroundings = surroundings_of(task, spec.seed)
        self._lessons = lessons
        self._found: GoalCheck | None = None
        self._lesson: Future[Saved] | None = None
        library = self._surroundings.library
        options = options_of(spec, factory.limits)
        if library is not None:
            options = options.for_library(library)
        self._options = options = lessons.options(options) if lessons is not None else options
        instruction = task.wording(spec.seed)
        head = head_of(spec, instruction, values_of(options), through_ros=False)
        self._writer = TraceWriter(path, head)
        self._costs = Costs()
        self._fault = ''
        name = f'{spec.task_set} {spec.task}'
        services = factory.services(options, self._surroundings.executor, task, name, library)
        self._model = WatchedModel(services.model)
        self._run = GoalRun(
            instruction,
            replace(services, model=self._model),
            factory.limits,
            self._record,
            namespace=f'evaluation_{next(_COUNT)}',
        )

    @property
    def finished(self) -> bool:
        """Whether it has ended and its experiences are stored."""
        return self._found is not None and self._lesson is None

    @property
    def outage(self) -> ModelError | None:
        """The error of a model's server that was gone, for which it ended; None if it was not."""
        failure, outcome = self._model.failure, self._run.root.outcome
        is_gone = failure is not None and failure.kind == UNAVAILABLE
        ended = outcome is not None and outcome.reason is Reason.MODEL
        return failure if is_gone and ended else None

    def tick(self) -> bool:
        """Continue as far as possible without waiting; return whether there was progress.

        Raises:
            ReactreeError: if its experiences cannot be stored.
        """
        if self._found is None:
            before = len(self._writer.events), self._run.root.feedback_message
            self._tick_run()
            if not self._fault and not self._run.finished:
                return before != (len(self._writer.events), self._run.root.feedback_message)
            report = None if self._fault else self._run.report()
            self._found = judged_run(self._task, self._surroundings.check(), report)
            outcome = self._run.root.outcome
            succeeded = not self._fault and outcome is not None and outcome.success
            if self._lessons is not None and succeeded and self._found.holds:
                self._lesson = self._lessons.learn(self.spec, self._options, self._run)
        if self._lesson is not None:
            if self._lesson.poll() is None:
                return False
            self._lesson = None
        return True

    def close(self) -> Trace:
        """Write the trace of a finished run and return it."""
        assert self._found is not None
        if self._fault:
            ending = Ending.broken(self._fault, self._costs, self._found)
        else:
            ending = Ending.of(self._run.report(), self._found)
        self._run.close()
        return self._writer.close(ending)

    def abort(self) -> None:
        """Stop it without a trace."""
        if self._lesson is not None:
            self._lesson.cancel()
        if self._found is None:
            self._run.cancel()
        self._run.close()

    def _tick_run(self) -> None:
        try:
            self._run.tick()
        except Exception as error:  # whatever it is, it belongs into this run's trace
            place = traceback.extract_tb(error.__traceback__)[-1]
            self._fault = (
                f'{type(error).__name__}: {error} '
                f'({Path(place.filename).name}, line {place.lineno}, in {place.name})'
            )

    def _record(self, event: Event) -> None:
        self._costs = event.run
        self._writer.record(event)
