# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Does the runs of an evaluation in this process: several at once, ticked in turn."""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from reactree_ros.core.budget import Limits
from reactree_ros.core.model import PlannerModel
from reactree_ros.errors import ModelError
from reactree_ros.lab.evaluation.active_run import ActiveRun
from reactree_ros.lab.evaluation.lessons import Lessons, lessons
from reactree_ros.lab.evaluation.run_setup import ServiceFactory, options_of
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.evaluation.trace import RunSpec, Trace
from reactree_ros.lab.teacher.kind import SOLVER
from reactree_ros.models.kind import kind_of
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.models.start import start_model
from reactree_ros.models.threads import default_threads
from reactree_ros.planner.in_process import IDLE_SEC

LOAD_SEC = 3600.0
"""Seconds that a model may take to load; one from a hub is downloaded first."""
_LOOK_SEC = 0.05


class Watch(Protocol):
    """Observer of an evaluation."""

    def note(self, text: str) -> None:
        """Called with what is being waited for."""

    def started(self, spec: RunSpec) -> None:
        """Called when a run starts."""

    def ended(self, trace: Trace) -> None:
        """Called when a run has ended and its trace is written."""

    def stop(self) -> bool:
        """Return whether to stop; active runs are then discarded."""


class Unwatched:
    """Nobody looks on."""

    def note(self, text: str) -> None:
        """Do nothing."""

    def started(self, spec: RunSpec) -> None:
        """Do nothing."""

    def ended(self, trace: Trace) -> None:
        """Do nothing."""

    def stop(self) -> bool:
        """Return False."""
        return False


class LocalRunner:
    """Runs with the world and the tree in this process, and the model in others.

    Each worker has a process of the model for itself, and every run begins with an empty prompt
    cache, so that its result does not depend on other runs. Workers share a server, which works on
    several requests at once; its answers may then depend on all of them in their last bits.

    Args:
        store: keeps the traces.
        limits: of every run.
        workers: how many runs are active at the same time.
        watch: is called with every event.
        memory: store that the experiences of successful runs are kept in; None keeps nothing.
    """

    def __init__(
        self,
        store: Store,
        limits: Limits,
        workers: int,
        watch: Watch,
        memory: Path | None = None,
    ) -> None:
        self._store = store
        self._limits = limits
        self._workers = workers
        self._watch = watch
        self._memory = memory

    def run(self, specs: Sequence[RunSpec]) -> None:
        """Do runs, in this order as far as workers allow, until all have a trace.

        Raises:
            ModelError: if a model cannot be loaded or does not come back. Runs that have ended by
                then have a trace; a run that ended for this reason has none.
            ConfigurationError: if a planner cannot be made, or the memory not be used.
        """
        for options, group in itertools.groupby(
            specs, lambda one: options_of(one, self._limits).model
        ):
            of_model = tuple(group)
            if self._watch.stop():
                return
            alone = kind_of(options.name).one_at_a_time
            processes = min(self._workers, len(of_model)) if alone else 1
            if processes > 1 and not options.threads:
                options = replace(options, threads=max(1, default_threads() // processes))
            with ExitStack() as stack:
                start = [loaded(options, self._watch) for _ in range(processes)]
                models = [stack.enter_context(one) for one in start]
                kept = None
                if self._memory is not None:
                    planner = options_of(of_model[0], self._limits)
                    kept = stack.enter_context(
                        lessons(self._memory, self._store.folder, planner, models[0])
                    )
                self.run_with(models, of_model, kept)

    def run_with(
        self,
        models: Sequence[PlannerModel],
        specs: Sequence[RunSpec],
        kept: Lessons | None = None,
    ) -> None:
        """Do runs with models that are loaded, all of them or one for each worker.

        Raises:
            ModelError: as ``run`` does.
            ConfigurationError: as ``run`` does.
        """
        waiting = deque(specs)
        factories = [ServiceFactory(model, self._limits) for model in models]
        free = deque(itertools.islice(itertools.cycle(range(len(models))), self._workers))
        running: dict[ActiveRun, int] = {}
        try:
            while (waiting or running) and not self._watch.stop():
                while waiting and free:
                    number = free.popleft()
                    if len(models) == self._workers:
                        models[number].forget()
                    spec = waiting.popleft()
                    path = self._store.path(spec)
                    running[ActiveRun(spec, factories[number], path, kept)] = number
                    self._watch.started(spec)
                progress = [one.tick() for one in running]
                for one in [one for one in running if one.finished]:
                    if one.outage is not None:
                        raise one.outage
                    number = running.pop(one)
                    models[number].poll_ready()  # a run without a model says nothing about it
                    free.append(number)
                    self._watch.ended(one.close())
                if not any(progress):
                    time.sleep(IDLE_SEC)  # the model works in another process
        finally:
            for one in running:
                one.abort()
            for factory in factories:
                factory.close()


@contextmanager
def loaded(options: ModelOptions, watch: Watch) -> Iterator[PlannerModel]:
    """Start a model and wait until it is loaded, or until all is stopped.

    Raises:
        ModelError: if it cannot be loaded.
    """
    if options.name == SOLVER:
        yield ScriptedModel({})  # each run has a solver of its own
        return
    model = start_model(options)
    try:
        end = time.monotonic() + LOAD_SEC
        while not model.poll_ready() and not watch.stop():
            watch.note(model.progress)
            if time.monotonic() > end:
                raise ModelError(f'{options.name} was not loaded within {LOAD_SEC:g} s')
            time.sleep(_LOOK_SEC)
        yield model
    finally:
        model.close()
