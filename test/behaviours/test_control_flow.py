# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Algorithm 2: which children run in which order, and how their results become one."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.outcome import Reason
from reactree_ros.core.vote import VotePolicy

# How each child would end -> how the control flow ends: how each child did end ('-': never began).
TABLE = """
    would   sequence  fallback  parallel
    S       S:S       S:S       S:S
    F       F:F       F:F       F:F
    SS      S:SS      S:S-      S:SS
    SF      F:SF      S:S-      F:SF
    FS      F:F-      S:FS      F:FS
    FF      F:F-      F:FF      F:FF
    SSS     S:SSS     S:S--     S:SSS
    SSF     F:SSF     S:S--     S:SSF
    SFS     F:SF-     S:S--     S:SFS
    SFF     F:SF-     S:S--     F:SFF
    FSS     F:F--     S:FS-     S:FSS
    FSF     F:F--     S:FS-     F:FSF
    FFS     F:F--     S:FFS     F:FFS
    FFF     F:F--     F:FFF     F:FFF
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
CASES = [
    (flow, row[0], row[column])
    for row in ROWS[1:]
    for column, flow in enumerate(ROWS[0][1:], start=1)
]
ENDINGS = {'S': 'Act: done', 'F': 'Act: failure'}


def script_of(flow: str, would: str) -> dict[str, list[str]]:
    goals = [f'subgoal {letter}' for letter in 'abcd'[: len(would)]]
    listed = ', '.join(f'"{goal}"' for goal in goals)
    script = {'root': [f'Expand: {flow} [{listed}]']}
    script |= {goal: [ENDINGS[letter]] for goal, letter in zip(goals, would, strict=True)}
    return script


@pytest.mark.parametrize(('flow', 'would', 'expected'), CASES)
def test_children_run_in_order_and_their_results_become_one(
    play: Any, flow: str, would: str, expected: str
) -> None:
    status, ends = expected.split(':')
    played = play(script_of(flow, would))
    report = played.end()
    statuses = played.statuses()
    assert statuses.pop('root') == status
    assert ''.join(statuses.values()) == ends
    began = [goal for goal, end in statuses.items() if end != '-']
    assert [goal for _, goal in played.kinds('goal')] == ['root', *began]
    assert played.asked() == ['root', *began]
    assert report.status == ('succeeded' if status == 'S' else 'failed')
    assert report.reason is Reason.EXPANSION
    assert report.costs.decisions == 1 + len(began)


POLICIES = [
    # would  majority all any
    ('S', 'SSS'),
    ('F', 'FFF'),
    ('SF', 'FFS'),
    ('FFS', 'FFS'),
    ('SFS', 'SFS'),
    ('FSSF', 'FFS'),
    ('SSSF', 'SFS'),
    ('SSSS', 'SSS'),
    ('FFFF', 'FFF'),
]


@pytest.mark.parametrize(('would', 'expected'), POLICIES)
@pytest.mark.parametrize('column', range(3))
def test_each_vote_policy_runs_every_child_and_then_counts(
    play: Any, would: str, expected: str, column: int
) -> None:
    policy = (VotePolicy.MAJORITY, VotePolicy.ALL, VotePolicy.ANY)[column]
    played = play(script_of('parallel', would), vote_policy=policy)
    played.end()
    statuses = played.statuses()
    assert statuses.pop('root') == expected[column]
    assert ''.join(statuses.values()) == would


def test_only_one_child_of_a_parallel_is_at_work_at_a_time(play: Any) -> None:
    script = script_of('parallel', 'SS')
    script['subgoal a'].insert(0, 'Act: recall location of apple')
    played = play(script)
    seen = set()
    while not played.run.finished:
        played.run.tick()
        statuses = played.statuses()
        seen.add(''.join(statuses[goal] for goal in sorted(statuses) if goal != 'root'))
    # Never RR; S- is over within one tick.
    assert seen == {'', '--', 'R-', 'SR', 'SS'}


NESTED = {
    # root: sequence
    #   fetch: fallback            first of its children that succeeds
    #     look here: parallel      2 of 3 succeed
    #     look there               never begins
    #   deliver: parallel          1 of 2 succeeds: a tie fails
    #   say so                     never begins
    'root': ['Expand: sequence ["fetch", "deliver", "say so"]'],
    'fetch': ['Think: here first', 'Expand: fallback ["look here", "look there"]'],
    'look here': ['Expand: parallel ["left", "middle", "right"]'],
    'left': ['Act: done'],
    'middle': ['Act: failure'],
    'right': ['Act: done'],
    'look there': ['Act: done'],
    'deliver': ['Expand: parallel ["carry", "put"]'],
    'carry': ['Act: done'],
    'put': ['Act: failure'],
    'say so': ['Act: done'],
}
# What happened, at which node, at which depth, after how many decisions.
NESTED_TRACE = """
    goal root 1 0
    expand root 1 1
    goal fetch 2 1
    think fetch 2 2
    expand fetch 2 3
    goal look_here 3 3
    expand look_here 3 4
    goal left 4 4
    done left 4 5
    goal middle 4 5
    failure middle 4 6
    goal right 4 6
    done right 4 7
    done look_here 3 7
    done fetch 2 7
    goal deliver 2 7
    expand deliver 2 8
    goal carry 3 8
    done carry 3 9
    goal put 3 9
    failure put 3 10
    failure deliver 2 10
    failure root 1 10
    ended root 1 10
"""


def test_three_levels_share_one_decision_count_and_end_from_the_inside_out(play: Any) -> None:
    played = play(NESTED)
    report = played.end()
    trace = [
        f'{event.kind} {event.path[-1].replace(" ", "_")} {event.depth} {event.run.decisions}'
        for event in played.events
    ]
    assert trace == [line.strip() for line in NESTED_TRACE.strip().splitlines()]
    assert played.statuses() == {
        'root': 'F',
        'fetch': 'S',
        'look here': 'S',
        'left': 'S',
        'middle': 'F',
        'right': 'S',
        'look there': '-',
        'deliver': 'F',
        'carry': 'S',
        'put': 'F',
        'say so': '-',
    }
    assert report.message == (
        'sequence of 3 failed (deliver: parallel of 2 failed (put: the agent gave up))'
    )
    (put,) = {event.behaviour for event in played.events if event.path[-1] == 'put'}
    assert report.failed_at.startswith(f'node {put} failed at "put"; it last observed "')


def test_an_event_tells_the_whole_path(play: Any) -> None:
    played = play(NESTED)
    played.end()
    (event,) = [event for event in played.events if event.path[-1] == 'right'][:1]
    assert event.path == ('root', 'fetch', 'look here', 'right')


DEEP = [
    # flows from the root inwards, how the two leaves would end, how the nodes end
    (('sequence', 'fallback', 'parallel'), 'SF', 'FFFSF'),
    (('sequence', 'fallback', 'parallel'), 'SS', 'SSSSS'),
    (('parallel', 'sequence', 'fallback'), 'FS', 'SSSFS'),
    (('fallback', 'parallel', 'sequence'), 'FS', 'FFFF-'),
    (('fallback', 'parallel', 'sequence'), 'SS', 'SSSSS'),
    (('parallel', 'fallback', 'sequence'), 'SF', 'FFFSF'),
    (('sequence', 'parallel', 'fallback'), 'SF', 'SSSS-'),
]


@pytest.mark.parametrize(('flows', 'would', 'expected'), DEEP)
def test_results_pass_through_three_control_flows(
    play: Any, flows: tuple[str, str, str], would: str, expected: str
) -> None:
    played = play(
        {
            'root': [f'Expand: {flows[0]} ["second"]'],
            'second': [f'Expand: {flows[1]} ["third"]'],
            'third': [f'Expand: {flows[2]} ["left", "right"]'],
            'left': [ENDINGS[would[0]]],
            'right': [ENDINGS[would[1]]],
        }
    )
    played.end()
    assert ''.join(played.statuses().values()) == expected
