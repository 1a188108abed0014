# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every strategy through the nodes, chosen by the goal or by parameter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.plugins import STRATEGIES as GROUP

pytestmark = pytest.mark.ros

KITCHEN = {'room': 'kitchen 1'}
OPEN = ['go to fridge 1', 'open fridge 1', 'done']
STOVE = ['go to stove 1', 'done']
SCRIPT = {
    'open the fridge': [f'Act: {line}' for line in OPEN],
    'look into the fridge': OPEN,
    'see the fridge': ['\n'.join(OPEN), '\n'.join(STOVE), 'Act: go to fridge 1'],
}
GOALS = [
    ('open the fridge', 'react', ['goal', 'act', 'observation', 'act', 'observation', 'done']),
    (
        'look into the fridge',
        'zsp',
        ['goal', 'plan', 'plan', 'plan', 'act', 'observation', 'act', 'observation', 'done'],
    ),
    (
        'see the fridge',
        'tree_planner',
        ['goal', 'plan', 'plan', 'act', 'observation', 'act', 'observation', 'done'],
    ),
]


def test_a_goal_names_its_strategy(start_system: Callable[..., Any]) -> None:
    planner = {'strategies.tree_planner.samples': 2}
    with start_system(SCRIPT, planner, KITCHEN) as system:
        system.ready()
        for goal, strategy, kinds in GOALS:
            system.events.clear()
            answer = system.result(system.send(goal=goal, strategy=strategy))
            assert answer.result.status == 'succeeded', answer.result.message
            system.happens('ended')
            assert [event.kind for event in system.events] == [*kinds, 'ended']
            assert 'fridge 1: closed -> open' in system.check().changes
            if strategy != 'tree_planner':  # the next one opens it again
                system.events.clear()
                closing = system.result(system.send(goal=f'close it after {strategy}'))
                assert closing.result.status == 'succeeded', closing.result.message
                system.happens('ended')  # not among the events of the next goal


SCRIPT |= {
    f'close it after {strategy}': ['Act: close fridge 1', 'Act: go to kitchen 1', 'Act: done']
    for _, strategy, _ in GOALS
}


def test_the_strategy_and_the_control_flows_are_parameters(
    start_system: Callable[..., Any],
) -> None:
    script = {
        'tidy up': ['Expand: parallel ["a", "b"]', 'Expand: fallback ["a", "b"]'],
        'a': ['Act: go to fridge 1', 'Act: done'],
    }
    planner = {'agent.control_flows': ['sequence', 'fallback']}
    with start_system(script, planner, KITCHEN) as system:
        system.ready()
        answer = system.result(system.send(goal='tidy up'))
        assert answer.result.status == 'succeeded'
        rejected = [event.text for event in system.events if event.kind == 'rejected']
        assert len(rejected) == 1
        assert "control flow 'parallel' is not allowed now" in rejected[0]


def test_a_broken_strategy_of_another_package_harms_its_own_goals_alone(
    start_system: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / 'broken-1.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n')
    (info / 'entry_points.txt').write_text(f'[{GROUP}]\nbroken = no_such_module:STRATEGY\n')
    monkeypatch.setenv('PYTHONPATH', str(tmp_path))
    with start_system({'rest': ['Act: done']}, {}) as system:
        system.ready()
        refused = system.result(system.send(goal='rest', strategy='broken')).result
        assert (refused.status, refused.reason) == ('failed', 'bad_goal')
        assert "the strategy 'broken' (no_such_module:STRATEGY): no_such" in refused.message
        answer = system.result(system.send(goal='rest'))
        assert answer.result.status == 'succeeded', answer.result.message
