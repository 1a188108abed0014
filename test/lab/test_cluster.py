# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Evaluations and data sets on a cluster: Ray on this machine, one of whose workers is killed."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from reactree_ros.errors import ConfigurationError, ReactreeError
from reactree_ros.lab.cluster import MOST_DEATHS, Cluster
from reactree_ros.lab.dataset.collect import collect, runs_of, teacher
from reactree_ros.lab.evaluation.cluster_runner import ClusterRunner
from reactree_ros.lab.evaluation.plan import Experiment, Plan, limits
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.evaluation.trace import RunSpec

from .evaluation.test_runner import evaluate, timeless
from .evaluation.watcher import Watcher


class Killer(Watcher):
    """Kills a worker of this process's cluster while it does a run, once."""

    killed = 0

    def started(self, spec: RunSpec) -> None:
        super().started(spec)
        if len(self.traces) >= 3 and not self.killed:
            self.killed = worker()
            os.kill(self.killed, signal.SIGKILL)


def worker(wanted: bytes = b'ray::_Worker.do') -> int:
    """Return the process of a worker that does a job: Ray writes into its title what it does."""
    end = time.monotonic() + 30.0
    while time.monotonic() < end:
        for folder in Path('/proc').glob('[0-9]*'):
            try:
                title = (folder / 'cmdline').read_bytes()
                if title.startswith(wanted) and _parent(_parent(folder)) == _OWN:
                    return int(folder.name)
            except OSError:
                continue  # it has ended
    raise AssertionError('there is no such worker')


_OWN = Path('/proc') / str(os.getpid())


def _parent(folder: Path) -> Path:
    fields = (folder / 'stat').read_text().rpartition(')')[2].split()
    return folder.parent / fields[1]


@pytest.mark.thorough
def test_a_killed_worker_costs_one_run(cluster: Cluster, tmp_path: Path) -> None:
    experiment = Experiment(('reactree+wm',), ('none-rule',), ('household:3',), seeds=(0, 1, 2))
    plan = Plan((experiment,), limits())
    serial, spread = Store(tmp_path / 'serial'), Store(tmp_path / 'spread')
    evaluate(serial, plan)
    killer = Killer()
    ClusterRunner(spread, plan.limits, cluster, killer).run(plan.runs())
    assert killer.killed
    assert len(killer.begins) == len(plan.runs()) + 1, 'one run was done again'
    assert timeless(spread, plan) == timeless(serial, plan)


@pytest.mark.thorough
def test_what_was_stopped_continues(cluster: Cluster, tmp_path: Path) -> None:
    experiment = Experiment(('reactree+wm',), ('none-rule',), ('household:3',))
    plan, store = Plan((experiment,), limits()), Store(tmp_path / 'out')
    ClusterRunner(store, plan.limits, cluster, Watcher(most=1)).run(plan.runs())
    left = [spec for spec in plan.runs() if not store.path(spec).exists()]
    assert len(left) == 2
    rest = Watcher()
    ClusterRunner(store, plan.limits, cluster, rest).run(left)
    assert {trace.spec for trace in store.traces(plan.runs())} == {*plan.runs()}
    assert len(rest.traces) == 2


@pytest.mark.thorough
def test_a_data_set_is_the_same(cluster: Cluster) -> None:
    runs = runs_of(('reactree+wm',), ['wah_train:2'], wordings=2)
    with closing(cluster.workers_of(teacher, len(runs))) as workers:
        assert list(workers.in_order(runs)) == list(collect(runs, workers=1))


@pytest.mark.thorough
def test_errors_of_a_run_arrive(cluster: Cluster, tmp_path: Path) -> None:
    spec = RunSpec('no such planner', 'none-rule', 'household', 1, 0)
    with pytest.raises(ConfigurationError, match='there is no planner'):
        ClusterRunner(Store(tmp_path), limits(), cluster, Watcher()).run([spec])


@pytest.mark.thorough
def test_a_job_that_kills_every_worker_ends_it(cluster: Cluster) -> None:
    given: list[int] = []
    deadly = lambda cpus: lambda job: os.kill(os.getpid(), job)  # noqa: E731, it is pickled
    with (
        closing(cluster.workers_of(deadly, 1)) as workers,
        pytest.raises(ReactreeError, match='a worker of the cluster died during 9, 3 times'),
    ):
        list(workers.each([9], started=given.append))
    assert len(given) == MOST_DEATHS


def test_an_address_without_a_cluster_is_refused_at_once() -> None:
    pytest.importorskip('ray', reason='requirements/ray.txt is not installed')
    with socket.create_server(('127.0.0.1', 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ConfigurationError, match=f'--ray 127.0.0.1:{port}: nobody answers'):
        Cluster(f'127.0.0.1:{port}')


def test_without_ray_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'ray', None)
    with pytest.raises(ConfigurationError, match=r'pip install .reactree_ros\[ray\]'):
        Cluster('local')
