# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Several robots bring things that have to be found."""

from __future__ import annotations

import pytest

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import DecisionRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.lab.bench.team import (
    THINGS,
    Fetching,
    FetchingRules,
    drawn_goals,
    fetch,
)


@pytest.fixture(scope='module')
def goal() -> Fetching:
    (goal,) = drawn_goals(['apartment_1'])
    return goal


def test_goals_are_drawn_by_the_seed() -> None:
    assert drawn_goals(['home_1'], 1) == drawn_goals(['home_1'], 1) != drawn_goals(['home_1'], 2)


@pytest.mark.parametrize('robots', [1, 3])
def test_each_thing_is_brought_once(goal: Fetching, robots: int) -> None:
    found = fetch(goal, robots, 0.0)
    assert found.holds, found.report.tree
    assert found.taken_again == ()
    assert len(found.taken) == THINGS
    assert len(found.skills) == robots
    assert all(found.skills.values())


def test_without_one_of_the_robots_the_goal_holds(goal: Fetching) -> None:
    found = fetch(goal, 2, 0.0, leaves_after=4)
    assert found.lost == ('robot2',)
    assert found.holds, found.report.tree
    assert any(node.reason and node.reason.value == 'robot' for node in found.report.nodes)


def test_a_thing_whose_name_begins_like_anothers_is_another() -> None:
    apart = ('wine', 'wine glass', 'mug', 'plate')
    goal = Fetching('apartment_1', 'kitchen 1', apart, 'desk 1', 'bedroom 1', ('kitchen 1',))
    rules = FetchingRules(goal)
    taken = {}
    for thing in ('wine', 'wine glass'):
        task = f'Goal: take {thing} to desk 1\nYou see: wine glass (1), wine (1).\n'
        offered = ('pick up wine glass 1', 'pick up wine 1')
        request = DecisionRequest(Prompt('', (), task), Choices(offered), 1.0)
        answer = rules.decide(request).poll()
        assert answer is not None
        taken[thing] = answer.text
    assert taken == {
        'wine': 'Act: pick up wine 1',
        'wine glass': 'Act: pick up wine glass 1',
    }
