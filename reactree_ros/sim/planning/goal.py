# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a planner has to reach."""

from __future__ import annotations

from dataclasses import dataclass, field

from reactree_ros.sim.planning.facts import Fact, State

Literal = tuple[Fact, bool]
"""A fact, and whether it must hold."""
Way = tuple[Literal, ...]


@dataclass
class PlanningGoal:
    """What a planner has to reach.

    Args:
        literals: what must hold in the end.
        rules: facts that hold in the end if all of some literals do; one head may have several.
    """

    literals: list[Literal] = field(default_factory=list)
    rules: list[tuple[Fact, Way]] = field(default_factory=list)

    def holds(self, state: State) -> bool:
        """Return whether all of it holds in a state."""
        found = {*state}
        # What a rule is made of comes before it.
        for head, way in self.rules:
            if all((fact in found) == holds for fact, holds in way):
                found.add(head)
        return all((fact in found) == holds for fact, holds in self.literals)
