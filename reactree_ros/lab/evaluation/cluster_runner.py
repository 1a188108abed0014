# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Does the runs of an evaluation on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from reactree_ros.core.budget import Limits
from reactree_ros.core.model import PlannerModel
from reactree_ros.errors import ModelError
from reactree_ros.lab.cluster import Cluster
from reactree_ros.lab.evaluation.run_setup import options_of
from reactree_ros.lab.evaluation.runner import LocalRunner, Unwatched, Watch, loaded
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.evaluation.trace import RunSpec, read_trace
from reactree_ros.models.options import ModelOptions


class ClusterRunner:
    """Runs each of which has world, tree and model on one worker of a cluster.

    A worker does what a ``LocalRunner`` with one worker does, so the results are the same; only
    this process writes into the store.

    Args:
        store: keeps the traces.
        limits: of every run.
        cluster: where they run.
        watch: is called with every event.
    """

    def __init__(self, store: Store, limits: Limits, cluster: Cluster, watch: Watch) -> None:
        self._store = store
        self._limits = limits
        self._cluster = cluster
        self._watch = watch

    def run(self, specs: Sequence[RunSpec]) -> None:
        """Do runs until all have a trace.

        Raises:
            ReactreeError: as ``LocalRunner.run`` and ``Workers.each``. Runs that have ended by
                then have a trace.
        """
        start, watch = partial(_RunWorker, self._limits), self._watch
        with closing(self._cluster.workers_of(start, len(specs))) as workers:
            for spec, content in workers.each(specs, watch.started, watch.stop, watch.note):
                path = self._store.path(spec)
                path.parent.mkdir(parents=True, exist_ok=True)
                self._store.write(str(path.relative_to(self._store.folder)), content)
                watch.ended(read_trace(path))


class _RunWorker:
    """Does one run after another, and keeps the model as long as they have the same."""

    def __init__(self, limits: Limits, threads: int) -> None:
        self._limits = limits
        self._threads = threads
        self._options: ModelOptions | None = None
        self._model: PlannerModel | None = None
        self._stack = ExitStack()

    def __call__(self, spec: RunSpec) -> bytes:
        """Do a run and return its trace."""
        watch = Unwatched()
        try:
            options = options_of(spec, self._limits).model
            if self._model is None or options != self._options:
                self._stack.close()
                own = replace(options, threads=options.threads or self._threads)
                self._model = self._stack.enter_context(loaded(own, watch))
                self._options = options
            with TemporaryDirectory() as folder:
                store = Store(Path(folder))
                LocalRunner(store, self._limits, 1, watch).run_with([self._model], [spec])
                return store.path(spec).read_bytes()
        except ModelError as error:
            raise ModelError(str(error)) from None  # some kinds of it cannot be pickled
