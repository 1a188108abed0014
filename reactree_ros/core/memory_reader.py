# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Working memory as agent nodes see it: they read, and only observations write."""

from __future__ import annotations

from typing import Any, Protocol

from reactree_ros.core.observation import Observation
from reactree_ros.core.situation import Situation


class MemoryReader(Protocol):
    """Read access to the working memory of one robot."""

    @property
    def board(self) -> Any:
        """The ``py_trees.blackboard.Client`` that reads; shown among a behaviour's blackboards."""

    def situation(self) -> Situation:
        """Return what is known now."""

    def situation_after(self, observation: Observation) -> Situation:
        """Return what would be known after an observation, without storing it."""

    def recall(self, class_name: str) -> str:
        """Answer "recall location of …": where each one was last seen, or that none was."""

    def seen_by(self, class_name: str) -> frozenset[str]:
        """Return which robots saw objects of a class last; this one's name is empty."""
