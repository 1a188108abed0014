# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Losses and gradients of rows, computed in this process or by the workers of a cluster.

A cluster computes the rows of one step side by side, and their gradients are added in the order of
the rows: on processors of one kind, with as many threads, the adapter is the same to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import torch

from reactree_ros.lab.cluster import Cluster, Shared, Workers
from reactree_ros.lab.training.lora import LoraNetwork
from reactree_ros.lab.training.packing import Row
from reactree_ros.lab.training.recipe import Recipe
from reactree_ros.models.local.source import local_folder
from reactree_ros.models.local.transformers_model import choose_dtype

_Result = tuple[float, list[torch.Tensor]]
_AT_ONCE = 8
"""Rows that a GPU computes at once: fewer leave it waiting for the CPU."""


@dataclass(frozen=True, eq=False)
class RowJob:
    """A row to be computed.

    Args:
        row: which.
        seed: of dropout.
        targets: what the sum of the row's losses is divided by, the same for all rows of a step; 0
            computes no gradient.
    """

    row: Row
    seed: int = 0
    targets: float = 0.0


class Rows(Protocol):
    """Computes rows."""

    def learn(self, jobs: Sequence[RowJob]) -> Iterator[float]:
        """Add the gradients of the rows to those of the network, and yield losses of them all."""

    def measure(self, rows: Sequence[Row]) -> Iterator[float]:
        """Yield losses of all rows, without dropout."""


class OwnRows:
    """Computes rows in this process, some at once.

    Args:
        network: computes.
        at_once: how many; 0 takes 8 on a GPU, and 1 on a CPU.
    """

    def __init__(self, network: LoraNetwork, at_once: int = 0) -> None:
        self._network = network
        self._at_once = at_once or (_AT_ONCE if network.device.type == 'cuda' else 1)

    def learn(self, jobs: Sequence[RowJob]) -> Iterator[float]:
        """Add the gradient of the rows to those of the network, and yield losses."""
        for begin in range(0, len(jobs), self._at_once):
            some = jobs[begin : begin + self._at_once]
            torch.manual_seed(some[0].seed)
            self._network.train(True)
            loss = self._network.loss(*(job.row for job in some)) / some[0].targets
            loss.backward()  # type: ignore[no-untyped-call]
            yield float(loss.detach())

    def measure(self, rows: Sequence[Row]) -> Iterator[float]:
        """Yield losses without dropout."""
        for begin in range(0, len(rows), self._at_once):
            self._network.train(False)
            with torch.inference_mode():
                loss = float(self._network.loss(*rows[begin : begin + self._at_once]))
            yield loss


@dataclass(frozen=True, eq=False)
class _SharedJob:
    job: RowJob
    state: Shared

    def __str__(self) -> str:
        return f'a row of {self.job.row.length} tokens'


class ClusterRows:
    """Computes rows on a cluster, until it is closed.

    Args:
        cluster: where.
        recipe: how the network is trained; every worker makes one.
        network: takes the gradients.
    """

    def __init__(self, cluster: Cluster, recipe: Recipe, network: LoraNetwork) -> None:
        self._cluster = cluster
        self._network = network
        start = partial(_RowWorker, replace(recipe, start=''))  # the weights come with the jobs
        self._workers: Workers[_SharedJob, _Result] = cluster.workers_of(start, gpus=True)

    def close(self) -> None:
        """End the workers."""
        self._workers.close()

    def learn(self, jobs: Sequence[RowJob]) -> Iterator[float]:
        """Add the gradient of each row to those of the network, and yield its loss."""
        for loss, gradients in self._computed(jobs):
            for parameter, gradient in zip(self._network.parameters(), gradients, strict=True):
                there = gradient.to(parameter.device)
                parameter.grad = there if parameter.grad is None else parameter.grad + there
            yield loss

    def measure(self, rows: Sequence[Row]) -> Iterator[float]:
        """Yield the loss of each row without dropout."""
        for loss, _ in self._computed([RowJob(row) for row in rows]):
            yield loss

    def _computed(self, jobs: Sequence[RowJob]) -> Iterator[_Result]:
        state = {name: one.detach().cpu() for name, one in self._network.state().items()}
        shared = self._cluster.share(state)
        return self._workers.in_order([_SharedJob(job, shared) for job in jobs])


class _RowWorker:
    """Computes one row after another on a machine of the cluster."""

    def __init__(self, recipe: Recipe, threads: int) -> None:
        torch.set_num_threads(recipe.threads or threads)
        self._network = network_of(recipe)
        self._rows = OwnRows(self._network, recipe.rows_at_once)

    def __call__(self, shared: _SharedJob) -> _Result:
        self._network.load(shared.state.get())
        job = shared.job
        if not job.targets:
            return next(self._rows.measure([job.row])), []
        for parameter in self._network.parameters():
            parameter.grad = None
        loss = next(self._rows.learn([job]))
        gradients = [one.grad for one in self._network.parameters() if one.grad is not None]
        return loss, [one.cpu() for one in gradients]


def network_of(recipe: Recipe) -> LoraNetwork:
    """Return the network that a recipe trains, on this machine's device.

    Raises:
        ModelError: if its base cannot be loaded.
        ConfigurationError: if the adapter to begin with does not fit.
    """
    device = recipe.device or ('cuda' if torch.cuda.is_available() else 'cpu')
    dtype = choose_dtype(recipe.dtype, device)
    if dtype is torch.float16:  # a GPU without bfloat16; small gradients would vanish
        dtype = torch.float32
    return LoraNetwork(local_folder(recipe.model, lambda _: None), recipe, dtype, device)
