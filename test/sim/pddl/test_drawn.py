# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""PDDL domains drawn at random: parsed, unlike those of tests, with goals that can be reached."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.pddl.drawn.domain import DEV, TRAIN, drawn_domain
from reactree_ros.sim.pddl.problem import PddlProblem
from reactree_ros.sim.pddl.shipped import PDDL_SETS, shipped_problem
from reactree_ros.sim.pddl.world import PddlWorld
from reactree_ros.sim.tasks import select_tasks, surroundings_of

from ...thorough import thorough

pytest.importorskip('unified_planning')
if find_spec('up_fast_downward') is None:
    pytest.skip('Fast Downward is not installed', allow_module_level=True)

DOMAINS = [(TRAIN, n) for n in range(1, thorough(200, 25))] + [(DEV, n) for n in range(1, 6)]


@pytest.mark.parametrize(('name', 'number'), DOMAINS)
def test_a_domain_in_pddl_is_what_was_drawn(name: str, number: int) -> None:
    domain = drawn_domain(name, number)
    problem, start = domain.problem, frozenset(domain.sketch.initial)
    assert PddlWorld(problem).state == start
    assert not all(fact in start for fact in domain.goal)
    mine = {(one.skill, *one.arguments) for one in domain.actions if one.is_possible(start)}
    theirs = {one for one in problem.applicable(start) if len({*one[1:]}) == len(one[1:])}
    assert mine == theirs
    action = min(
        (one for one in domain.actions if one.is_possible(start)),
        key=lambda one: (one.skill, one.arguments),
    )
    assert problem.after(start, action.skill, action.arguments) == action.after(start)


@pytest.mark.parametrize(('name', 'number'), DOMAINS)
def test_a_plan_reaches_the_goal(name: str, number: int) -> None:
    domain = drawn_domain(name, number)
    world = PddlWorld(domain.problem)
    steps = domain.plan(world.state)
    assert steps
    for step in steps:
        world.execute(step.skill, [domain.problem.name_of(one) for one in step.arguments])
    assert world.check().holds


def test_domains_are_the_same_each_time_and_differ() -> None:
    texts = set()
    for number in range(1, 20):
        domain = drawn_domain(TRAIN, number)
        drawn_domain.cache_clear()
        again = drawn_domain(TRAIN, number)
        assert again == domain
        texts.add(domain.sketch.domain_text('x') + domain.sketch.problem_text('x', domain.goal))
    assert len(texts) == 19


def structure(problem: PddlProblem) -> Counter[tuple[int, int, int]]:
    """Return how many parameters, needs and effects the actions have."""
    actions = problem._problem.actions
    return Counter(
        (
            len(one.parameters),
            sum(len(need.args) if need.is_and() else 1 for need in one.preconditions),
            len(one.effects),
        )
        for one in actions
    )


def test_no_domain_is_that_of_a_test() -> None:
    tests = [structure(shipped_problem(name, 1)) for name in PDDL_SETS]
    for number in range(1, thorough(1000, 100)):
        assert structure(drawn_domain(TRAIN, number).problem) not in tests


def test_a_task_is_a_problem_of_its_own() -> None:
    ((name, task),) = select_tasks(f'{TRAIN}:7-7')
    around = surroundings_of(task)
    assert name == TRAIN
    assert around.library is not None
    assert not around.check().holds
    with pytest.raises(ConfigurationError, match='no PDDL domain 0'):
        drawn_domain(TRAIN, 0)
