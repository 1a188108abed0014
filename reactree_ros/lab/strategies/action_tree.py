# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plans merged by what they begin with (Hu et al., *Tree-Planner*, 2024, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass
class ActionTree:
    """One step and what can come after it, in the order in which plans named it.

    Args:
        phrase: the step; empty for the root.
        above: the step before; None for the root.
        below: the steps after it, by phrase.
        struck_out: it failed, or everything below it did.
    """

    phrase: str = ''
    above: ActionTree | None = None
    below: dict[str, ActionTree] = field(default_factory=dict)
    struck_out: bool = False

    @classmethod
    def merge(cls, plans: Iterable[Sequence[str]]) -> ActionTree:
        """Return the tree of plans: steps that several plans begin with are one."""
        root = cls()
        for plan in plans:
            node = root
            for phrase in plan:
                node = node.below.setdefault(phrase, cls(phrase, node))
        return root

    def options(self) -> tuple[ActionTree, ...]:
        """Return the steps that may come next."""
        return tuple(node for node in self.below.values() if not node.struck_out)

    def back(self) -> ActionTree | None:
        """Strike out what has no option left, and return the nearest step above that has one."""
        node: ActionTree | None = self
        while node is not None and not node.options():
            node.struck_out = True
            node = node.above
        return node

    def size(self) -> tuple[int, int]:
        """Return how many steps the tree has, and how many of them are forks."""
        nodes = [self]
        for node in nodes:  # grows on the way: a plan may be longer than calls may be nested
            nodes += node.below.values()
        return len(nodes) - 1, sum(len(node.below) > 1 for node in nodes)
