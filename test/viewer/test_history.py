# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run in frames: what the page puts together again is what was true."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.core.events import Event
from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.outcome import Costs
from reactree_ros.viewer import document
from reactree_ros.viewer.history import RunHistory


def state(number: int, parent: int, status: str = 'running') -> BehaviourState:
    return BehaviourState(number, parent, 'agent', f'node {number}', status, '')


def put_together(frames: list[dict[str, Any]]) -> list[BehaviourState]:
    """Do what the page does with the frames of a tree."""
    tree: dict[int, BehaviourState] = {}
    for frame in frames:
        tree = {} if frame['whole'] else tree
        tree.update({one['number']: BehaviourState(**one) for one in frame['changed']})
    return list(tree.values())


def below(tree: list[BehaviourState], parent: int) -> list[int]:
    return [one.number for one in tree if one.parent == parent]


TREES = {
    'grows at its end': [
        [state(1, 0)],
        [state(1, 0), state(2, 1)],
        [state(1, 0), state(2, 1, 'succeeded'), state(3, 1), state(4, 3)],
    ],
    'grows in its middle': [
        [state(1, 0), state(2, 1), state(3, 1)],
        [state(1, 0), state(2, 1), state(4, 2), state(3, 1)],
    ],
    'gets a sibling before another': [
        [state(1, 0), state(2, 1), state(3, 1)],
        [state(1, 0), state(4, 1), state(2, 1), state(3, 1)],
    ],
    'changes places': [
        [state(1, 0), state(2, 1), state(3, 1)],
        [state(1, 0), state(3, 1), state(2, 1)],
    ],
    'loses one': [[state(1, 0), state(2, 1), state(3, 1)], [state(1, 0), state(3, 1)]],
    'moves one': [
        [state(1, 0), state(2, 1), state(3, 2)],
        [state(1, 0), state(2, 1), state(3, 1)],
    ],
}


@pytest.mark.parametrize('trees', TREES.values(), ids=TREES)
def test_a_tree_is_the_same_when_it_is_put_together(trees: list[list[BehaviourState]]) -> None:
    history = RunHistory('run')
    for count, tree in enumerate(trees, 1):
        history.tree(float(count), tree)
        shown = put_together(history.frames)
        assert sorted(shown, key=lambda one: one.number) == sorted(tree, key=lambda one: one.number)
        for parent in {one.parent for one in tree}:
            assert below(shown, parent) == below(tree, parent)


def test_only_what_has_changed_is_told() -> None:
    history = RunHistory('run')
    history.tree(1.0, [state(1, 0), state(2, 1)])
    frame = history.tree(2.0, [state(1, 0), state(2, 1, 'failed')])
    assert frame['whole'] is False
    assert [one['number'] for one in frame['changed']] == [2]
    assert frame['t'] == 1.0


def test_an_event_tells_what_it_cost() -> None:
    history = RunHistory('run')
    costs = Costs(decisions=3, model_seconds=0.12345)
    frame = history.event(5.0, Event('think', 'so', ('goal', 'sub'), costs, Costs(), behaviour=4))
    assert frame == {
        't': 0.0,
        'kind': 'event',
        'what': 'think',
        'text': 'so',
        'behaviour': 4,
        'run': {'decisions': 3, 'model_seconds': 0.123},
        'node': {},
    }
    assert history.goal == 'goal'
    assert history.ended == ''
    history.event(6.0, Event('ended', 'succeeded: done', ('goal',), costs, Costs()))
    assert history.ended == 'succeeded: done'


def test_memory_tells_where_things_are() -> None:
    table = ObservedObject('table', 1, 'kitchen 1', affordances=frozenset({'furniture'}))
    apple = ObservedObject('apple', 2, 'kitchen 1', 'table 1', 'on', frozenset({'sliced'}))
    cup = ObservedObject('cup', 1, held=True)
    frame = RunHistory('run').memory(1.0, Observation('', 'kitchen 1', '', (), (table, apple, cup)))
    assert [(one['name'], one['where'], one['furniture']) for one in frame['objects']] == [
        ('table 1', '', True),
        ('apple 2', 'on table 1', False),
        ('cup 1', 'held', False),
    ]
    assert frame['objects'][1]['states'] == ['sliced']


def test_poses_tell_what_has_moved_and_an_export_has_fewer(monkeypatch: Any) -> None:
    history = RunHistory('run')
    assert history.pose(1.0, [0.0, 1.0])['changed'] == [0, 0.0, 1, 1.0]
    assert history.pose(2.0, [0.0, 1.00049])['changed'] == []
    assert history.pose(3.0, [0.5, 2.0])['changed'] == [0, 0.5, 1, 2.0]
    for wrong in (['x'], [float('inf')], 1):
        with pytest.raises((ValueError, TypeError)):
            history.pose(3.0, wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        history.scene(3.0, {'bodies': [float('nan')]})
    history.tree(3.0, [state(1, 0)])
    history.pose(4.0, [0.25, 2.0])
    history.pose(5.0, [0.25, 3.0])
    monkeypatch.setattr(document, '_MOST_POSES', 3)
    fewer = document._fewer_poses(history.frames)
    assert [frame.get('changed') for frame in fewer if frame['kind'] == 'pose'] == [
        [0, 0.0, 1, 1.0],
        [0, 0.25, 1, 2.0],
        [1, 3.0],
    ]
    assert [frame['t'] for frame in fewer] == [1.0, 2.0, 3.0, 4.0]
