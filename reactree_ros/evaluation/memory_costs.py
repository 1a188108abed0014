# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is measured of a store of experiences, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from reactree_ros.evaluation.memory_workload import Workload

NEAREST = 20
"""How many experiences a search returns."""
CHECKED = 20
"""How many searches are compared with the exact answer."""
RUN = 8
"""Experiences of one run, which is stored in one transaction."""


@dataclass(frozen=True)
class Case:
    """One measurement.

    Args:
        contender: name of ``CONTENDERS``.
        size: how many experiences are stored.
        searches: how many searches are timed.
        seed: of the workload.
        encode: whether searches with the sentence encoder are timed, too.
    """

    contender: str
    size: int
    searches: int = 100
    seed: int = 0
    encode: bool = False

    @property
    def workload(self) -> Workload:
        """What is stored."""
        return Workload(self.size, self.seed)


@dataclass(frozen=True)
class Filled:
    """What it takes to store all experiences.

    Args:
        per_second: experiences that are imported in a second, many at a time.
        run_seconds: median time to store one run of ``RUN`` experiences.
        file_bytes: size of all files in the end.
    """

    per_second: float
    run_seconds: float
    file_bytes: int


@dataclass(frozen=True)
class Searched:
    """What searches take.

    Args:
        open_seconds: from nothing to the first answer; the files are not in the page cache.
        memory_bytes: what the process takes more than before it opened the store.
        seconds: each timed search for the ``NEAREST`` by the cosine.
        weighed_seconds: each timed search as the planner does it; our store only.
        inexact: how many of the checked searches did not return the exact answer.
    """

    open_seconds: float
    memory_bytes: int
    seconds: tuple[float, ...]
    weighed_seconds: tuple[float, ...]
    inexact: int


@dataclass(frozen=True)
class Encoded:
    """What a search takes from the words of a goal on.

    Args:
        seconds: for each goal, embedding it and searching as the planner does.
        encoder_seconds: for each goal, embedding it alone.
    """

    seconds: tuple[float, ...]
    encoder_seconds: tuple[float, ...]


@dataclass(frozen=True)
class Speed:
    """All that was measured in one case.

    Args:
        case: what was measured.
        filled: of storing.
        searched: of searching.
        encoded: of searching with the sentence encoder; None if that was not asked for.
    """

    case: Case
    filled: Filled
    searched: Searched
    encoded: Encoded | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return asdict(self)

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Speed:
        """Return what ``to_dict`` made JSON data of."""
        filled, searched, encoded = (
            _with_tuples(data[part]) for part in ('filled', 'searched', 'encoded')
        )
        return Speed(
            Case(**data['case']),
            Filled(**filled),
            Searched(**searched),
            Encoded(**encoded) if encoded else None,
        )


def _with_tuples(part: dict[str, Any] | None) -> dict[str, Any]:
    """Return it with tuples, of which JSON makes lists."""
    items = (part or {}).items()
    return {name: tuple(value) if isinstance(value, list) else value for name, value in items}
