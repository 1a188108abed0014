# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a planner remembers of the goal before, by its parameter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_interfaces.srv import ContinueRun
from reactree_ros.ros.recording.run_file import RunFile

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
    start_system: Callable[..., Any], tmp_path: Path, keep: bool, answer: str
) -> None:
    planner = {'memory.keep_between_goals': keep, 'recording.runs_dir': str(tmp_path)}
    with start_system(SCRIPT, planner, {'room': 'kitchen 1'}) as system:
        system.ready()
        for goal in SCRIPT:
            del system.events[:]
            handle = system.send(goal=goal)
            system.happens('ended')
            assert system.result(handle).result.status == 'succeeded'
        told = [event.text for event in system.events if event.kind == 'observation']
        assert told == [answer]
        began = [RunFile(path).began for path in tmp_path.glob('*.mcap')]
        assert {one['goal']: one['remembers'] for one in began} == {
            'look into the fridge': False,
            'where is the milk': keep,
        }
        service = system.spinner.node.create_client(ContinueRun, 'reactree/continue_run')
        first = next(one['goal_id'] for one in began if not one['remembers'])
        request = ContinueRun.Request(run=first, decision=1, by_person=1)
        request.goal_id.uuid[0] = 1
        future = service.call_async(request)
        system.spinner.until(future.done, 'the planner says whether it continues the run')
        assert future.result().accepted is not keep
        assert ('keeps working memory' in future.result().message) is keep
