# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs that fail on purpose, each in one way of section 5.6 of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.core.budget import Limits
from reactree_ros.core.outcome import Reason
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.lab.failures.failures import KINDS, UNCLASSED, classify, kind_of
from reactree_ros.lab.failures.nodes import read_nodes
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.tasks import task_of

Run = Callable[..., Trace]

APPLE, PUDDING, WINE_AND_JUICE, SALMON = 1, 2, 6, 9


def go(*names: str) -> list[str]:
    return [f'Act: go to {name}' for name in names]


TAKE_APPLE = [*go('kitchen 1', 'kitchen counter 1'), 'Act: pick up apple 1']
FETCH_AND_PUT = (
    'Expand: sequence ["find and pick up the apple", "put down the apple in the fridge"]'
)
INTO_FRIDGE = [*go('fridge 1'), 'Act: open fridge 1', 'Act: put down apple 1']

FAILING: dict[str, tuple[int, str, dict[str, Sequence[str]], dict[str, Any], str]] = {
    'the wrong thing was put where the right one should be': (
        APPLE,
        'confusion',
        {
            '': [
                *go('kitchen 1', 'kitchen table 1'),
                'Act: pick up bananas 1',
                *go('fridge 1'),
                'Act: open fridge 1',
                'Act: put down bananas 1',
                'Act: done',
            ]
        },
        {},
        'act: pick up bananas 1',
    ),
    'the right thing was put in the wrong place': (
        APPLE,
        'confusion',
        {'': [*TAKE_APPLE, *go('kitchen table 1'), 'Act: put down apple 1', 'Act: done']},
        {},
        'act: put down apple 1',
    ),
    'a node said done with another thing in the hand': (
        APPLE,
        'confusion',
        {
            '': [FETCH_AND_PUT, 'Act: failure'],
            'find and pick up the apple': [
                *go('kitchen 1', 'kitchen table 1'),
                'Act: pick up plate 1',
                'Act: done',
            ],
            'put down the apple in the fridge': ['Act: failure'],
        },
        {},
        'act: pick up plate 1',
    ),
    'what was reached was undone': (
        APPLE,
        'confusion',
        {'': [*TAKE_APPLE, *INTO_FRIDGE, 'Act: pick up apple 1', 'Act: done']},
        {},
        'act: pick up apple 1',
    ),
    'something else was switched on': (
        SALMON,
        'confusion',
        {
            '': [
                *go('kitchen 1', 'kitchen counter 2'),
                'Act: pick up salmon 1',
                *go('microwave oven 1'),
                'Act: open microwave oven 1',
                'Act: put down salmon 1',
                *go('dishwasher 1'),
                'Act: turn on dishwasher 1',
                'Act: done',
            ]
        },
        {},
        'act: turn on dishwasher 1',
    ),
    'the loop guard ended it': (
        APPLE,
        'repeat',
        {'': [*go('kitchen 1', 'kitchen table 1', 'kitchen counter 1') * 4]},
        {'agent.max_repetitions': 3},
        'act: go to kitchen table 1',
    ),
    'nothing new came of its last decisions': (
        APPLE,
        'repeat',
        {'': [*TAKE_APPLE, *go('fridge 1', 'kitchen table 1') * 6, 'Act: failure']},
        {},
        'act: go to kitchen table 1',
    ),
    'it thought in circles': (
        APPLE,
        'repeat',
        {'': ['Think: I look for the apple.'] * 12},
        {'limits': Limits(max_decisions=10)},
        'think: I look for the apple.',
    ),
    'it went on until a limit': (
        PUDDING,
        'limits',
        {
            '': go(
                'kitchen 1',
                'kitchen table 1',
                'kitchen counter 1',
                'sink 2',
                'stove 1',
                'toaster 1',
            )
        },
        {'limits': Limits(max_decisions=5)},
        'failure: ',
    ),
    'the model failed': (APPLE, 'limits', {'': TAKE_APPLE}, {}, 'failure: the script has no'),
    'it saw the thing and gave up': (
        APPLE,
        'skipping',
        {'': [*go('kitchen 1', 'kitchen counter 1'), 'Act: failure']},
        {},
        'act: go to kitchen counter 1',
    ),
    'it saw the thing and said done': (
        APPLE,
        'skipping',
        {
            '': [FETCH_AND_PUT, 'Act: failure'],
            'find and pick up the apple': [*go('kitchen 1', 'kitchen counter 1'), 'Act: done'],
            'put down the apple in the fridge': ['Act: failure'],
        },
        {},
        'done: the agent said done',
    ),
    'it never put the thing down': (
        APPLE,
        'skipping',
        {'': [*TAKE_APPLE, *go('fridge 1'), 'Act: done']},
        {},
        'done: the agent said done',
    ),
    'it left a step out': (
        SALMON,
        'skipping',
        {
            '': [
                *go('kitchen 1', 'kitchen counter 2'),
                'Act: pick up salmon 1',
                *go('microwave oven 1'),
                'Act: open microwave oven 1',
                'Act: put down salmon 1',
                'Act: done',
            ]
        },
        {},
        'done: the agent said done',
    ),
    'it left rooms out': (
        WINE_AND_JUICE,
        'incomplete',
        {'': [*go('kitchen 1', 'fridge 1'), 'Act: failure']},
        {},
        'failure: the agent gave up',
    ),
    'it said done without a search': (APPLE, 'incomplete', {'': ['Act: done']}, {}, 'done: '),
    'the first room of several was given up early': (
        PUDDING,
        'incomplete',
        {
            '': [
                'Expand: sequence ["find and pick up the pudding",'
                ' "put the pudding on the coffee table"]'
            ],
            'find and pick up the pudding': [
                'Expand: fallback ["find the pudding in kitchen 1",'
                ' "find the pudding in living room 1"]'
            ],
            'find the pudding in kitchen 1': [*go('kitchen 1', 'fridge 1'), 'Act: failure'],
            'find the pudding in living room 1': [*go('living room 1', 'sofa 1'), 'Act: failure'],
        },
        {},
        'failure: the agent gave up',
    ),
    'it kept to one room': (
        WINE_AND_JUICE,
        'same_room',
        {
            '': [
                *go('bookshelf 1', 'coffee table 1', 'sofa 1', 'desk 2', 'tv stand 1'),
                *go('cabinet 2'),
                'Act: open cabinet 2',
                'Act: failure',
            ]
        },
        {},
        'act: open cabinet 2',
    ),
    'it went back more than on': (
        APPLE,
        'revisit',
        {
            '': [
                *go('bathroom counter 1', 'living room 1', 'sofa 1', 'desk 2'),
                *go('bathroom counter 1', 'sofa 1', 'desk 2', 'bathroom counter 1', 'sofa 1'),
                'Act: failure',
            ]
        },
        {},
        'act: go to bathroom counter 1',
    ),
    'a subgoal was left out': (
        WINE_AND_JUICE,
        'missing',
        {
            '': ['Expand: sequence ["move the juice to the coffee table"]'],
            'move the juice to the coffee table': ['Act: failure'],
        },
        {},
        'expand: sequence: move the juice to the coffee table',
    ),
    'it expanded a goal into itself': (
        APPLE,
        'wrong',
        {'': ['Expand: sequence ["Put the apple in the fridge"]'] * 3},
        {},
        'rejected: Expand: sequence',
    ),
    'the loop guard ended a search': (
        PUDDING,
        'revisit',
        {'': [*go('bed 1', 'desk 1') * 3]},
        {'agent.max_repetitions': 3},
        'act: go to bed 1',
    ),
    'a subgoal took the place of another': (
        WINE_AND_JUICE,
        'wrong',
        {
            '': [
                'Expand: parallel ["move the milk to the coffee table",'
                ' "move the juice to the coffee table"]'
            ],
            'move the milk to the coffee table': ['Act: failure'],
            'move the juice to the coffee table': ['Act: failure'],
        },
        {},
        'expand: parallel: move the milk',
    ),
}


PLANS: dict[str, tuple[str, str, list[str], dict[str, Any], str]] = {
    'the plan looks in the wrong place': (
        'zsp',
        'incomplete',
        ['go to living room 1', 'go to sofa 1', 'pick up pudding', 'go to coffee table 1', 'done'],
        {},
        'done: the plan was carried out',
    ),
    'the plan passes by': (
        'zsp',
        'skipping',
        ['go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'go to living room 1', 'done'],
        {},
        'act: open fridge 1',
    ),
    'the plan goes in circles': (
        'zsp',
        'repeat',
        ['go to sofa 1', 'go to bed 1'] * 8,
        {'agent.max_repetitions': 3},
        'plan: go to bed 1',
    ),
    'every plan ends in a refusal': (
        'tree-planner',
        'incomplete',
        ['go to sofa 1\npick up pudding\ndone', 'go to bed 1\npick up pudding\ndone']
        + ['Act: go to sofa 1'],
        {'samples': 2},
        'failure: no way through the plans is left',
    ),
}


@pytest.mark.parametrize('name', PLANS)
def test_whole_plans_fail_in_the_same_ways(name: str, traced: Run) -> None:
    planner, kind, script, settings, turn = PLANS[name]
    trace = traced(PUDDING, {'': script}, planner=planner, **settings)
    failure = classify(trace)
    assert failure is not None, trace.ending.tree
    assert failure.kind == kind, failure.detail
    event = trace.events[failure.event]
    assert f'{event.kind}: {event.text}'.startswith(turn), failure.detail


@pytest.mark.parametrize('name', FAILING)
def test_every_way_to_fail_is_told_apart(name: str, traced: Run) -> None:
    task_id, kind, script, options, turn = FAILING[name]
    trace = traced(task_id, script, **options)
    failure = classify(trace)
    assert failure is not None, trace.ending.tree
    assert failure.kind == kind, failure.detail
    event = trace.events[failure.event]
    assert f'{event.kind}: {event.text}'.startswith(turn), failure.detail
    assert len(failure.missed) == len(trace.ending.unsatisfied)


def test_the_last_of_several_tries_is_classed_by_what_it_did(traced: Run) -> None:
    tries = [*go('bed 1', 'desk 1') * 3]
    trace = traced(
        PUDDING, {'': tries * 2}, None, 'try-again+wm', max_repetitions=3, max_attempts=2
    )
    root = read_nodes(trace.events)
    assert [child.path for child in root.children] == [root.path] * 2
    assert [trace.events[one.end].kind for one in (root, *root.children)] == ['failure'] * 3
    failure = classify(trace)
    assert failure is not None
    assert failure.kind == 'revisit'


def test_a_goal_that_holds_is_no_failure_whatever_the_planner_says(traced: Run) -> None:
    trace = traced(APPLE, {'': [*TAKE_APPLE, *INTO_FRIDGE, 'Act: failure']})
    assert trace.ending.status == 'failed'
    assert classify(trace) is None
    assert kind_of(trace) == ''


def kind(trace: Trace, task: Task) -> str:
    failure = classify(trace, task)
    return failure.kind if failure else ''


def test_an_ambiguous_instruction_is_to_blame_for_what_it_leaves_open(traced: Run) -> None:
    task = replace(task_of('household', PUDDING), ambiguous=True)
    wrong_dessert = [
        *go('kitchen 1', 'kitchen table 1'),
        'Act: pick up bananas 1',
        *go('living room 1', 'coffee table 1'),
        'Act: put down bananas 1',
        'Act: done',
    ]
    trace = traced(PUDDING, {'': wrong_dessert})
    open_wording = replace(trace, instruction='Put something sweet on the coffee table.')
    assert kind(open_wording, task) == 'ambiguous'
    # The same task in a wording that names the pudding: the planner is to blame.
    assert kind(trace, task) == 'confusion'
    # The instruction is as open, but the task is not marked.
    unmarked = replace(task, ambiguous=False)
    assert kind(open_wording, unmarked) == 'confusion'


def test_a_word_for_several_places_leaves_open_which(traced: Run) -> None:
    task = replace(task_of('household', PUDDING), ambiguous=True)
    other_table = [
        *go('kitchen 1', 'fridge 1'),
        'Act: open fridge 1',
        'Act: pick up pudding 1',
        *go('kitchen table 1'),
        'Act: put down pudding 1',
        'Act: done',
    ]
    trace = traced(PUDDING, {'': other_table})
    open_wording = replace(trace, instruction='Put the pudding on the table.')
    assert kind(open_wording, task) == 'ambiguous'
    assert kind(trace, task) == 'confusion'


def test_what_comes_after_a_failed_search_is_no_failure_of_its_own(traced: Run) -> None:
    # The juice is on the way and is left for later; the wine is never found.
    script = {
        '': ['Expand: sequence ["move the wine to the coffee table", "move the juice there"]'],
        'move the wine to the coffee table': [
            *go('kitchen 1', 'fridge 1'),
            'Act: open fridge 1',
            'Act: failure',
        ],
    }
    trace = traced(WINE_AND_JUICE, script)
    failure = classify(trace)
    assert failure is not None
    assert failure.kind in ('incomplete', 'missing')
    script[''] = [
        'Expand: sequence ["move the wine to the coffee table",'
        ' "move the juice to the coffee table"]'
    ]
    failure = classify(traced(WINE_AND_JUICE, script))
    assert failure is not None and failure.kind == 'incomplete'
    assert 'wine 1 was inside cabinet 1 (closed) in bedroom 1' in failure.detail
    assert 'bedroom 1 was never entered' in failure.detail


def test_what_was_missed_is_told_from_the_truth(traced: Run) -> None:
    failure = classify(traced(PUDDING, {'': [*go('kitchen 1', 'fridge 1'), 'Act: failure']}))
    assert failure is not None
    assert failure.missed == (
        'pudding on coffee table: 0 of 1 - pudding 1 was inside fridge 1 (closed) in kitchen 1, '
        'and fridge 1 was never opened; pudding 2 was inside cabinet 2 (closed) in living room 1, '
        'and living room 1 was never entered',
    )


def test_a_failure_of_the_planners_own_code_is_none_of_the_papers(traced: Run) -> None:
    trace = traced(APPLE, {'': ['Act: failure']})
    ending = replace(trace.ending, status='error', reason=Reason.ERROR, message='KeyError')
    failure = classify(replace(trace, ending=ending))
    assert failure is not None and failure.kind == 'other'
    assert 'KeyError' in failure.detail


def test_a_trace_of_another_world_is_refused(traced: Run) -> None:
    trace = traced(APPLE, {'': [*TAKE_APPLE, 'Act: failure']})
    events = [
        replace(event, text='You see nothing.') if event.kind == 'observation' else event
        for event in trace.events
    ]
    other = replace(trace, events=tuple(events))
    with pytest.raises(ConfigurationError, match='cannot be replayed'):
        classify(other)
    assert kind_of(other) == UNCLASSED


def test_the_classes_are_those_of_the_paper() -> None:
    groups = {shown.partition(':')[0] for shown in KINDS.values()}
    assert groups == {'ambiguous', 'execution', 'search', 'expand', 'limits', 'other'}
    assert set(KINDS) >= {kind for _, kind, *_ in FAILING.values()}
