# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One run of an evaluation on its way, from its world to its trace."""

from __future__ import annotations

import itertools
import traceback
from dataclasses import asdict
from pathlib import Path

from reactree_ros.behaviours.run import GoalRun
from reactree_ros.core.events import Event
from reactree_ros.core.outcome import Costs
from reactree_ros.evaluation.local import WorldExecutor
from reactree_ros.evaluation.run_setup import ServiceFactory, options_of
from reactree_ros.evaluation.tasks import task_of
from reactree_ros.evaluation.trace import Ending, RunSpec, Trace, TraceWriter, head_of
from reactree_ros.world import check
from reactree_ros.world.task_sets import world_of

_COUNT = itertools.count(1)


class ActiveRun:
    """A goal that is worked out in a world of its own.

    A fault in the planner's code ends only this run; its trace then says so.

    Args:
        spec: which run.
        factory: makes what the planner works with.
        path: where its trace will lie.

    Raises:
        ConfigurationError: if the planner cannot be made.
    """

    def __init__(self, spec: RunSpec, factory: ServiceFactory, path: Path) -> None:
        self.spec = spec
        self._task = task_of(spec.task_set, spec.task)
        self._world = world_of(self._task)
        self._instruction = self._task.wording(spec.seed)
        options = options_of(spec, factory.limits)
        head = head_of(spec, self._instruction, asdict(options), through_ros=False)
        self._writer = TraceWriter(path, head)
        self._heard = 0
        self._costs = Costs()
        self._fault = ''
        self._run = GoalRun(
            self._instruction,
            factory.services(options, WorldExecutor(self._world)),
            factory.limits,
            self._hear,
            namespace=f'evaluation_{next(_COUNT)}',
        )

    @property
    def finished(self) -> bool:
        """Whether it has ended."""
        return bool(self._fault) or self._run.finished

    def tick(self) -> bool:
        """Go on as far as possible without waiting; return whether it got anywhere."""
        heard, told = self._heard, self._run.root.feedback_message
        try:
            self._run.tick()
        except Exception as error:  # whatever it is, it belongs into this run's trace
            place = traceback.extract_tb(error.__traceback__)[-1]
            self._fault = (
                f'{type(error).__name__}: {error} '
                f'({Path(place.filename).name}, line {place.lineno}, in {place.name})'
            )
        return self.finished or (heard, told) != (self._heard, self._run.root.feedback_message)

    def keep(self) -> Trace:
        """Write the trace of a finished run and return it."""
        found = check(self._world, self._task.goal)
        if self._fault:
            ending = Ending.broken(self._fault, self._costs, found)
        else:
            ending = Ending.of(self._run.report(), found)
        self._run.close()
        return self._writer.close(ending)

    def give_up(self) -> None:
        """Stop it without a trace."""
        if not self.finished:
            self._run.cancel()
        self._run.close()

    def _hear(self, event: Event) -> None:
        self._heard += 1
        self._costs = event.run
        self._writer.hear(event)
