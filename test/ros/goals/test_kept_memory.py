# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a planner remembers of the goal before, by its parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.ros

SCRIPT = {
    'look into the fridge': [
        'Act: go to fridge 1',
        'Act: open fridge 1',
        'Act: go to bedroom 1',
        'Act: done',
    ],
    'where is the milk': ['Act: recall location of milk', 'Act: done'],
}


@pytest.mark.parametrize(
    ('keep', 'answer'),
    [(True, 'milk: milk 1 inside fridge 1 in kitchen 1.'), (False, 'milk: not seen so far.')],
)
def test_the_next_goal_remembers_what_the_last_one_saw_if_it_is_asked_to(
    start_system: Callable[..., Any], keep: bool, answer: str
) -> None:
    planner = {'memory.keep_working': keep}
    with start_system(SCRIPT, planner, {'room': 'kitchen 1'}) as system:
        system.ready()
        for goal in SCRIPT:
            del system.events[:]
            handle = system.send(goal=goal)
            system.happens('ended')
            assert system.result(handle).result.status == 'succeeded'
        told = [event.text for event in system.events if event.kind == 'observation']
        assert told == [answer]
