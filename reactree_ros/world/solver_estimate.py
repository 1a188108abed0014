# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How many skills a goal needs at least: the estimate that guides the solver."""

from __future__ import annotations

from reactree_ros.world.solver_problem import HAND, Problem, State


class Estimate:
    """Never more than the skills that are needed, so that the first plan found is a shortest.

    Args:
        problem: the goal and what can matter for it.
    """

    def __init__(self, problem: Problem) -> None:
        self._p = problem

    def __call__(self, state: State) -> int:
        """How many skills at least lead from a state to the goal."""
        p = self._p
        total = 0.0
        for want in p.wants:
            missing = p.missing(want, state)
            if not missing:
                continue
            if want.nodes:
                total += missing
                continue
            costs = []
            for item in want.items:
                if p.counts(want, state, item):
                    continue
                cost = 0.0 if state.spots[item] == HAND else 1.0
                costs.append(cost + want.puts)
            costs.sort()
            total += sum(costs[:missing])
        return int(total)
