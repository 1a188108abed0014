# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What distinguishes experiences of equal key in a search: few values, so computed once each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reactree_ros.core.decision import ControlFlow
from reactree_ros.memory.experience import Verification
from reactree_ros.memory.store import Query

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Facet:
    """What the weights and filters of a query look at; see ``Record`` and ``Origin``."""

    root: bool
    things: int
    held: int | None
    room: str
    strategy: str
    skills: str
    verified: Verification
    control_flows: frozenset[ControlFlow]


class FacetColumns:
    """The facets, one array for each of their fields.

    Args:
        facets: the facets; None for that of what is not there any more.
    """

    def __init__(self, facets: Sequence[Facet | None]) -> None:
        here = [facet for facet in facets if facet is not None]
        self._gone = np.array([facet is None for facet in facets])
        blank = Facet(False, -1, None, '', '', '', Verification.REPORTED, frozenset())
        all_of = [blank if facet is None else facet for facet in facets]
        self._names = {
            name: code
            for code, name in enumerate(
                {''} | {name for one in here for name in (one.room, one.strategy, one.skills)}
            )
        }
        self._root = np.array([one.root for one in all_of])
        self._things = np.array([one.things for one in all_of])
        self._held = np.array([-1 if one.held is None else one.held for one in all_of])
        self._room = np.array([self._names[one.room] for one in all_of])
        self._strategy = np.array([self._names[one.strategy] for one in all_of])
        self._skills = np.array([self._names[one.skills] for one in all_of])
        self._reported = np.array([one.verified is Verification.REPORTED for one in all_of])
        self._flows = np.array([_bits(one.control_flows) for one in all_of])

    def bonus(self, query: Query) -> Floats:
        """Return what each facet adds to the cosine; -inf where a filter excludes it."""
        shape = (self._root == query.root).astype(float) + (self._things == query.things)
        situation = np.zeros(len(self._root))
        if query.held is not None:
            situation += self._held == query.held
        if query.room:
            situation += self._room == self._names.get(query.room, -1)
        bonus: Floats = query.shape_weight * shape + query.situation_weight * situation
        excluded = self._gone | (self._flows & ~_bits(query.control_flows) != 0)
        if query.strategy:
            excluded |= self._strategy != self._names.get(query.strategy, -1)
        if query.skills:
            excluded |= self._skills != self._names.get(query.skills, -1)
        if query.verified_only:
            excluded |= self._reported
        bonus[excluded] = -np.inf
        return bonus


def _bits(flows: frozenset[ControlFlow]) -> int:
    return sum(1 << place for place, flow in enumerate(ControlFlow) if flow in flows)
