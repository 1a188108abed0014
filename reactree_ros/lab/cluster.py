# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Spreads independent jobs over a cluster with Ray; https://docs.ray.io/en/latest/ray-core.

Workers are Ray actors, each with the processors that it was given, and work on one job at a time.
Only this process writes anything down. A worker that dies (its process, its machine, its memory)
loses the job that it worked on, which another does again from the beginning.
"""

from __future__ import annotations

import os
import re
import socket
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Generic, TypeVar

from reactree_ros.errors import ConfigurationError, ReactreeError
from reactree_ros.lab.evaluation.provenance import made_with

J = TypeVar('J', bound=Hashable)
R = TypeVar('R')

LOCAL = 'local'
"""The address that stands for a cluster of this machine alone, which ends with this process."""
MOST_DEATHS = 3
"""A job during which workers died so often ends everything: it would kill every worker."""
LOOK_SEC = 0.2
CONNECT_SEC = 10.0
STORE_BYTES = 128 << 20
"""Ray's shared memory on this machine; results are small."""
_COLOUR = re.compile(r'\x1b\[[\d;]*m')


class Cluster:
    """Workers on a cluster; a context manager, of which a process has one at a time.

    Args:
        address: ``HOST:PORT`` of a Ray cluster, ``auto`` for the one that this machine belongs
            to, or ``local``.
        workers: how many; 0 takes as many as the cluster has processors.

    Raises:
        ConfigurationError: if Ray is not installed, or there is no cluster at the address.
    """

    def __init__(self, address: str, workers: int = 0) -> None:
        os.environ.setdefault('RAY_USAGE_STATS_ENABLED', '0')  # it would report to its makers
        try:
            import ray
        except ImportError as error:
            raise ConfigurationError(
                f"--ray needs Ray: pip install 'reactree_ros[ray]' on every machine ({error})"
            ) from error
        self._ray: Any = ray
        _check_reachable(address)
        here = {}
        if address == LOCAL:
            cpus = max(workers, len(os.sched_getaffinity(0)))
            here = {'num_cpus': cpus, 'object_store_memory': STORE_BYTES}
        try:
            ray.init(
                address,
                include_dashboard=False,
                log_to_driver=False,
                logging_level='WARNING',
                **here,
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ConfigurationError(
                f'--ray {address}: there is no Ray cluster that can be used: {error}'
            ) from error
        nodes = [node['Resources'] for node in ray.nodes() if node['Alive']]
        each = [int(node.get('CPU', 0)) for node in nodes]
        self._gpus = sum(int(node.get('GPU', 0)) for node in nodes)
        self.workers = min(workers, sum(each)) or sum(each)
        """How many there are when all have been started."""
        self._cpus = max(1, min(sum(each) // self.workers, max(each)))

    def __enter__(self) -> Cluster:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all workers."""
        self._ray.shutdown()

    def workers_of(
        self, start: Callable[[int], Callable[[J], R]], jobs: int = 0, *, gpus: bool = False
    ) -> Workers[J, R]:
        """Return workers, which are started by the first jobs and ended by ``close``.

        Args:
            start: called once by every worker, with the number of its processors; returns what
                does a job. It is pickled.
            jobs: no more workers than so many; 0 for all.
            gpus: if the cluster has any, each worker has one of them.
        """
        most = min(jobs, self.workers) or self.workers
        each = {'num_cpus': self._cpus, 'max_restarts': 0}
        if gpus and self._gpus:
            most, each = min(most, self._gpus), {**each, 'num_gpus': 1}
        remote = self._ray.remote(_Worker).options(**each).remote
        return Workers(self._ray, partial(remote, start, self._cpus), most)

    def share(self, value: object) -> Shared:
        """Return a value that many jobs have; it is sent to every machine once."""
        return Shared(self._ray.put(value))


class Shared:
    """A value on the cluster."""

    def __init__(self, reference: Any) -> None:
        self._reference = reference

    def get(self) -> Any:
        """Return it, on a worker or here."""
        import ray

        return ray.get(self._reference)


class Workers(Generic[J, R]):
    """Some workers of a cluster, until they are closed."""

    def __init__(self, ray: Any, remote: Callable[[], Any], count: int) -> None:
        self._ray = ray
        self._remote = remote
        self._count = count
        self._open: dict[Any, tuple[Any, J | None]] = {}
        self._free: list[Any] = []
        self._deaths: Counter[J | None] = Counter()

    def close(self) -> None:
        """End all of them."""
        for worker in (*self._free, *(worker for worker, _ in self._open.values())):
            self._ray.kill(worker)

    def each(
        self,
        jobs: Sequence[J],
        started: Callable[[J], None] = lambda job: None,
        stop: Callable[[], bool] = lambda: False,
        note: Callable[[str], None] = lambda text: None,
    ) -> Generator[tuple[J, R], None, None]:
        """Do different jobs and yield each with its result, as they end.

        Args:
            jobs: begun in this order.
            started: called with a job when it is given to a worker.
            stop: polled; once it says so, nothing more is yielded, and the workers are to be ended.
            note: called with a line when a worker has died.

        Raises:
            ConfigurationError: if the package is another one on a machine of the cluster.
            ReactreeError: if a job fails with one, or kills every worker that works on it.
        """
        waiting, left = deque(jobs), len(jobs)

        def give() -> None:
            while waiting and self._free:
                job, worker = waiting.popleft(), self._free.pop()
                self._open[worker.do.remote(job)] = worker, job
                started(job)

        while len(self._open) + len(self._free) < self._count:
            self._add()
        give()
        while left and not stop():
            ended: list[tuple[J, R]] = []
            for ref in self._ray.wait([*self._open], timeout=LOOK_SEC)[0]:
                worker, done = self._open.pop(ref)
                try:
                    result = self._ray.get(ref)
                except self._ray.exceptions.RayTaskError as error:
                    raise _own(error) from error
                except self._ray.exceptions.RayError as error:
                    note(self._died(done, error))
                    self._ray.kill(worker)  # it may only be out of reach
                    waiting.extendleft([] if done is None else [done])
                    self._add()
                    continue
                self._free.append(worker)
                self._deaths.pop(done, None)
                if done is not None:
                    ended.append((done, result))
                elif result != made_with():
                    raise ConfigurationError(
                        f'a machine of the cluster has another reactree_ros ({result}) than '
                        f'this one ({made_with()}): install the same on all'
                    )
            give()
            left -= len(ended)
            yield from ended

    def in_order(
        self, jobs: Sequence[J], stop: Callable[[], bool] = lambda: False
    ) -> Generator[R, None, None]:
        """Do different jobs and yield their results in the order of the jobs; see ``each``."""
        found: dict[J, R] = {}
        order = iter(jobs)
        following = next(order, None)
        for job, result in self.each(jobs, stop=stop):
            found[job] = result
            while following is not None and following in found:
                yield found.pop(following)
                following = next(order, None)

    def _add(self) -> None:
        worker = self._remote()
        self._open[worker.made_with.remote()] = worker, None

    def _died(self, job: J | None, error: Exception) -> str:
        """Return what to say of a worker that has died.

        Raises:
            ReactreeError: if this job has killed too many.
        """
        self._deaths[job] += 1
        what = 'before it was ready' if job is None else f'during {job}'
        if self._deaths[job] == MOST_DEATHS:
            raise ReactreeError(
                f'a worker of the cluster died {what}, {MOST_DEATHS} times; the last: '
                f'{" ".join(_COLOUR.sub("", str(error)).split())}'
            ) from error
        return f'a worker of the cluster died {what}, another takes its place'


class _Worker:
    """What runs on the cluster."""

    def __init__(self, start: Callable[[int], Callable[[Any], Any]], cpus: int) -> None:
        self._do = start(cpus)

    def made_with(self) -> str:
        return made_with()

    def do(self, job: Any) -> Any:
        return self._do(job)


def _check_reachable(address: str) -> None:
    """Refuse an address at which nobody answers, for which Ray would wait many minutes.

    Raises:
        ConfigurationError: if nobody does.
    """
    host, _, port = address.removeprefix('ray://').rpartition(':')
    if not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), CONNECT_SEC).close()
    except OSError as error:
        raise ConfigurationError(f'--ray {address}: nobody answers there: {error}') from error


def _own(error: Any) -> ReactreeError:
    """Return the error of a job as this package raises it."""
    cause = error.cause
    if isinstance(cause, ReactreeError):
        return cause
    return ReactreeError(f'a worker of the cluster failed: {cause!r}')
