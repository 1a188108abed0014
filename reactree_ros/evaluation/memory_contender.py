# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the benchmark asks of a way to keep experiences and to find the nearest ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from reactree_ros.evaluation.memory_workload import CHUNK, Workload
from reactree_ros.memory.store import NewExperience
from reactree_ros.models.interface import Vectors


@dataclass(frozen=True)
class Batch:
    """Experiences that are stored together.

    Args:
        begin: index of the first in the workload.
        experiences: the experiences, n.
        vectors: their embeddings, (n, dimension).
    """

    begin: int
    experiences: Sequence[NewExperience]
    vectors: Vectors


class Contender(ABC):
    """One way to keep experiences; first filled, then opened by another process and searched.

    Args:
        folder: where its files are; empty when it is to be filled.
        workload: what it is filled with.
    """

    title: ClassVar[str]
    """As the table names it."""
    modules: ClassVar[tuple[str, ...]] = ()
    """What must be installed."""
    most: ClassVar[int] = 10**9
    """It is left out with more experiences than this."""
    batch: ClassVar[int] = CHUNK
    """How many are stored together where many are imported."""
    durable: ClassVar[bool] = True
    """Whether what was added survives the loss of power."""
    texts: ClassVar[bool] = True
    """Whether a search returns the trajectories, too."""

    def __init__(self, folder: Path, workload: Workload) -> None:
        self.folder = folder
        self.workload = workload

    @classmethod
    def missing(cls) -> tuple[str, ...]:
        """Return which of its modules are not installed."""
        return tuple(name for name in cls.modules if find_spec(name) is None)

    @classmethod
    def versions(cls) -> dict[str, str]:
        """Return the versions of what it consists of."""
        return {name: version(name) for name in ('numpy', *cls.modules)}

    @abstractmethod
    def create(self) -> None:
        """Make it, empty, and get ready to add."""

    @abstractmethod
    def add(self, batch: Batch) -> None:
        """Store experiences, in one transaction where it has any."""

    @abstractmethod
    def open(self) -> None:
        """Get ready to search."""

    @abstractmethod
    def search(self, vector: Vectors, limit: int) -> list[int]:
        """Return the indices of the nearest by the cosine, the nearest first.

        Args:
            vector: embedding of a goal, (dimension,), of length 1.
            limit: how many.
        """

    def finish(self) -> None:
        """Bring the files into the form that is searched, after the last addition."""
        self.close()

    def close(self) -> None:  # noqa: B027 - many have nothing to do
        """Let go of the files."""
