# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Solves tasks under full knowledge of the world, with as few skills as it can find."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from reactree_ros.errors import WorldError
from reactree_ros.lab.solver.estimate import Estimate
from reactree_ros.lab.solver.moves import Move, Moves, Step
from reactree_ros.lab.solver.problem import MARKS, Problem, State
from reactree_ros.sim.household.effects import is_food
from reactree_ros.sim.household.goal import Condition
from reactree_ros.sim.household.world import World

Plan = tuple[tuple[str, tuple[str, ...]], ...]
"""Skills with the names of what they are about, in order."""

# The first search is exact; where it grows too large the estimate is given more weight, which
# finds longer plans sooner.
_SEARCHES = ((1.0, 30_000), (1.6, 30_000), (4.0, 60_000))


class _Exhausted(Exception):
    """There is no plan: all states were seen, or it is clear without a search."""


def solve(world: World, conditions: Sequence[Condition]) -> Plan:
    """Find skills that make goal conditions hold, by a search (A*) with full knowledge.

    The plan is one that ``World.execute`` carries out: it enters a room before it goes to what
    stands there, opens what hides things, fetches a knife to slice. It is the shortest one that
    handles only what the goal is about, except for goals of many objects, for which it may be
    somewhat longer. The same world and conditions always give the same plan.

    Args:
        world: the world, taken as new: of rooms other than its own the robot has seen nothing.
            It is not changed.
        conditions: what must hold.

    Returns:
        The skills with their arguments; empty if the conditions hold already.

    Raises:
        WorldError: no plan was found.
    """
    problem = Problem(world, conditions)
    try:
        _check_possible(problem)
        for weight, limit in _SEARCHES:
            steps = _search(problem, weight, limit)
            if steps is not None:
                nodes = world.scene.nodes
                return tuple((skill, tuple(nodes[i].name for i in ids)) for skill, ids in steps)
    except _Exhausted:
        pass
    keys = ', '.join(f'{c.key}: {c.count}' for c in conditions)
    raise WorldError(
        f'found no way to make {{{keys}}} hold in {world.scene.source}; check that the objects can '
        'be reached, and that the states can be brought about'
    )


def _check_possible(problem: Problem) -> None:
    """Notice goals that no search can reach, because nothing can be done about a condition."""
    state = problem.start
    vessels = {problem.items[i].id for i in problem.vessel_numbers}
    for want in problem.wants:
        if not want.items:
            continue
        somewhere = bool(problem.put_places(want)) or bool(vessels & want.targets)
        able = sum(
            _can_have(problem, item, want.marks)
            and (not want.loads or any(_can_have(problem, i, want.load_marks) for i in want.loads))
            and (not want.puts or somewhere or problem.lies(want, state, item))
            for item in want.items
            if not problem.counts(want, state, item)
        )
        if able < problem.missing(want, state):
            raise _Exhausted


def _can_have(problem: Problem, item: int, marks: int) -> bool:
    """Whether an item has some states or can be given them."""
    node = problem.items[item]
    can = sum(mark for mark, devices in problem.devices.items() if devices)
    if not is_food(node):
        can &= ~MARKS['COOKED']
    if 'cuttable' in node.affordances:
        if any('cutter' in other.affordances for other in problem.items):
            can |= MARKS['SLICED']
    return not marks & ~problem.start.marks[item] & ~can


def _search(problem: Problem, weight: float, limit: int) -> list[Step] | None:
    """Weighted A*; None if it comes upon more states than the limit."""
    moves, estimate = Moves(problem), Estimate(problem)
    costs: dict[State, int] = {problem.start: 0}
    came: dict[State, tuple[State, Move]] = {}
    # Among equal sums, the state that is farther on; then the one that was found first.
    heap = [(weight * estimate(problem.start), 0, 0, problem.start)]
    closed: set[State] = set()
    number = 0
    while heap and number < limit:
        _, _, _, state = heapq.heappop(heap)
        if state in closed:
            continue
        closed.add(state)
        if not any(problem.missing(want, state) for want in problem.wants):
            return _steps(came, state)
        for move in moves.after(state):
            cost = costs[state] + len(move.steps)
            if cost >= costs.get(move.state, cost + 1):
                continue
            costs[move.state] = cost
            came[move.state] = state, move
            closed.discard(move.state)
            number += 1
            order = cost + weight * estimate(move.state)
            heapq.heappush(heap, (order, -cost, number, move.state))
    if not heap:
        raise _Exhausted
    return None


def _steps(came: dict[State, tuple[State, Move]], state: State) -> list[Step]:
    steps: list[Step] = []
    while state in came:
        state, move = came[state]
        steps[:0] = move.steps
    return steps
