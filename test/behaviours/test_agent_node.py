# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Algorithm 1: an agent node decides step by step, and ends."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.core.futures import Future, ready
from reactree_ros.core.outcome import Reason

DONE, FAILURE = 'Act: done', 'Act: failure'

ENDINGS = [
    # lines, status, reason, decisions
    ([DONE], 'succeeded', Reason.DONE, 1),
    ([FAILURE], 'failed', Reason.GAVE_UP, 1),
    (['Think: first', 'Think: second', DONE], 'succeeded', Reason.DONE, 3),
    (['Act: go to fridge 1', FAILURE], 'failed', Reason.GAVE_UP, 2),
    (['Act: recall location of mug', DONE], 'succeeded', Reason.DONE, 2),
    ([], 'failed', Reason.MODEL, 0),
    (['Think: then the model fails'], 'failed', Reason.MODEL, 1),
]


@pytest.mark.parametrize(('lines', 'status', 'reason', 'decisions'), ENDINGS)
def test_an_agent_node_ends(
    play: Any, lines: list[str], status: str, reason: Reason, decisions: int
) -> None:
    report = play({'root': lines}).end()
    assert (report.status, report.reason, report.costs.decisions) == (status, reason, decisions)


def test_a_model_error_is_told_with_its_text(play: Any) -> None:
    report = play({'root': []}).end()
    assert report.message == "the script has no further line for 'root'"


def test_a_child_whose_model_fails_gives_the_run_its_reason(play: Any) -> None:
    played = play({'root': ['Expand: sequence ["a", "b"]'], 'b': [DONE]})
    assert played.end().reason is Reason.MODEL
    assert played.statuses() == {'root': 'F', 'a': 'F', 'b': '-'}


def test_a_robot_that_is_gone_ends_the_node(play: Any, robot: Any) -> None:
    robot.failure = 'no answer from household/observe within 5 s'
    played = play({'root': [DONE]}, robot=robot)
    report = played.end()
    assert (report.status, report.reason) == ('failed', Reason.ROBOT)
    assert report.message == 'no answer from household/observe within 5 s'
    assert played.model.requests == []


def test_a_robot_that_goes_away_between_two_nodes(play: Any, robot: Any) -> None:
    played = play({'root': ['Expand: fallback ["a", "b"]']}, robot=robot)
    played.tick_until(lambda: 'fallback of 2' in played.names())
    robot.failure = 'the robot is gone'
    assert played.end().reason is Reason.ROBOT
    assert played.statuses() == {'root': 'F', 'a': 'F', 'b': 'F'}


def test_a_trajectory_is_what_was_decided_and_observed(play: Any) -> None:
    played = play(
        {
            'fetch the pudding': [
                'Think: it may be in the fridge',
                'Act: go to fridge 1',
                'Act: open fridge 1',
                'Act: pick up pudding 1',
                DONE,
            ]
        }
    )
    report = played.end()
    assert played.agents()['fetch the pudding'].trajectory.text().splitlines()[2:] == [
        'Think: it may be in the fridge',
        'Act: go to fridge 1',
        'You are at the fridge (1). It is closed. You see nothing there.',
        'Act: open fridge 1',
        'You open fridge (1). You see: chicken (1), juice (1), milk (1), pudding (1), tomato (1).',
        'Act: pick up pudding 1',
        'You pick up pudding (1). You hold pudding (1).',
        'Act: done',
    ]
    assert (report.costs.decisions, report.costs.skills) == (5, 3)


def test_experiences_are_asked_for_when_a_node_begins(play: Any) -> None:
    asked = []

    class Experiences:
        def retrieve(self, goal: str, root: bool, token_budget: int) -> Future[tuple[str, ...]]:
            asked.append((goal, root))
            return ready(())

    script = {
        'root': ['Expand: sequence ["take", "go"]'],
        'take': [
            'Act: go to kitchen counter 1',
            'Act: pick up apple 1',
            'Act: go to bedroom 1',
            DONE,
        ],
        'go': [DONE],
    }
    play(script, experiences=Experiences(), example_tokens=700).end()
    assert asked == [('root', True), ('take', False), ('go', False)]


def test_a_prompt_is_system_experiences_message_goal_observation_and_steps(play: Any) -> None:
    class Experiences:
        def retrieve(self, goal: str, root: bool, token_budget: int) -> Future[tuple[str, ...]]:
            return ready((f'best for {goal}, {root}, {token_budget}\n', 'second\n'))

    script = {'root': ['Think: hm', 'Expand: parallel ["a", "b, too"]'], 'a': [DONE]}
    played = play(script, experiences=Experiences(), example_tokens=700)
    played.tick_until(lambda: len(played.model.requests) == 3)
    scene = played.agents()['root'].trajectory.first_observation
    assert played.model.requests[1].prompt.text() == (
        'You steer a robot.\n\nExamples of earlier work:\n\nsecond\n\nbest for root, True, 700\n\n'
        f'Now it is your turn.\n\nGoal: root\n{scene}\nThink: hm\n'
    )
    assert (
        played.model.requests[2]
        .prompt.text()
        .endswith(
            'best for a, False, 700\n\nNow it is your turn.\n\nPrimary goal: root\n'
            'Subgoals (parallel, independently of each other): a; b, too\n'
            f'Goal: a\n{scene}\n'
        )
    )


@pytest.mark.parametrize(
    ('flow', 'together'),
    [
        ('sequence', 'one after another; all must succeed'),
        ('fallback', 'until one succeeds'),
        ('parallel', 'independently of each other'),
    ],
)
def test_a_child_is_told_primary_goal_control_flow_and_siblings(
    play: Any, flow: str, together: str
) -> None:
    played = play(
        {
            'Tidy "up", please': [f'Expand: {flow} ["the apple, the pear", "Müll wegräumen"]'],
            'the apple, the pear': [DONE],
            'Müll wegräumen': [DONE],
        }
    )
    played.end()
    message = (
        'Primary goal: Tidy "up", please\n'
        f'Subgoals ({flow}, {together}): the apple, the pear; Müll wegräumen\n'
        'Goal: '
    )
    assert 'Primary goal' not in played.model.requests[0].prompt.text()
    for request in played.model.requests[1:]:
        assert message in request.prompt.text()


def test_a_child_is_told_of_its_parent_only(play: Any) -> None:
    played = play(
        {
            'root': ['Expand: sequence ["middle"]'],
            'middle': ['Think: secret', 'Expand: sequence ["leaf"]'],
            'leaf': [DONE],
        }
    )
    played.end()
    prompt = played.model.requests[-1].prompt.text()
    assert 'Primary goal: middle\n' in prompt
    assert 'root' not in prompt
    assert 'secret' not in prompt


@pytest.mark.parametrize(
    ('bad', 'why'),
    [
        ('I would go to the fridge', 'begin with "Think: ", "Act: " or "Expand: "'),
        ('Act: fly to the moon', "'fly to the moon' cannot be done now"),
        ('Expand: sequence ["root"]', '"root" is a goal that is being worked on already'),
        ('Expand: parallel ["a", "A."]', '"A." is given more than once'),
        ('Expand: fallback ["a", "A.", "A."]', '"A." is given more than once'),
        ('Expand: loop ["a"]', "control flow 'loop' is not allowed now"),
    ],
)
def test_an_invalid_decision_is_answered_with_what_was_wrong(play: Any, bad: str, why: str) -> None:
    played = play({'root': [bad, DONE]})
    report = played.end()
    assert (report.reason, report.costs.decisions) == (Reason.DONE, 2)
    told = played.model.requests[1].prompt.text().splitlines()[-1]
    assert told.startswith('Not possible: ') and told.count(why) == 1
    assert played.names() == ['root']


@pytest.mark.parametrize(
    ('lines', 'max_invalid', 'reason', 'decisions'),
    [
        (['x', DONE], 1, Reason.MODEL, 1),
        (['x', 'y', 'z', DONE], 3, Reason.MODEL, 3),
        (['x', 'y', DONE], 3, Reason.DONE, 3),
        # a valid decision in between begins the count anew
        (['x', 'y', 'Think: hm', 'x', 'y', DONE], 3, Reason.DONE, 6),
    ],
)
def test_invalid_decisions_in_a_row_are_bounded(
    play: Any, lines: list[str], max_invalid: int, reason: Reason, decisions: int
) -> None:
    report = play({'root': lines}, max_invalid_answers=max_invalid).end()
    assert (report.reason, report.costs.decisions) == (reason, decisions)
    if reason is Reason.MODEL:
        assert f'{max_invalid} invalid decisions in a row' in report.message


def test_a_sequence_may_repeat_a_step(play: Any) -> None:
    played = play({'root': ['Expand: sequence ["a", "b", "a"]'], 'a': [DONE, DONE], 'b': [DONE]})
    assert played.end().status == 'succeeded'
    assert played.asked() == ['root', 'a', 'b', 'a']


def test_what_repeats_itself_or_an_ancestor_is_only_rejected_if_that_is_wanted(play: Any) -> None:
    script = {'root': ['Expand: parallel ["a", "A", "b"]'], 'a': [DONE], 'b': [DONE], 'A': [DONE]}
    assert play(script, reject_recursion=False).end().costs.decisions == 4


def test_a_subgoal_may_not_repeat_an_ancestor(play: Any) -> None:
    played = play(
        {
            'root': ['Expand: sequence ["a"]'],
            'a': ['Expand: sequence ["b", " ROOT!"]', DONE],
        }
    )
    assert played.end().status == 'succeeded'
    assert played.names() == ['root', 'sequence of 1', 'a']


@pytest.mark.parametrize(
    ('replan', 'status', 'decisions'), [(False, 'failed', 2), (True, 'succeeded', 4)]
)
def test_a_node_continues_after_its_expansion_failed_only_if_told_to(
    play: Any, replan: bool, status: str, decisions: int
) -> None:
    played = play(
        {
            'root': ['Expand: sequence ["a"]', 'Expand: sequence ["b"]'],
            'a': [FAILURE],
            'b': [DONE],
        },
        replan_after_failure=replan,
    )
    report = played.end()
    assert (report.status, report.costs.decisions) == (status, decisions)
    told = 'sequence of 1 failed (a: the agent gave up)'
    if replan:
        assert played.model.requests[2].prompt.text().endswith(f'{told}\n')
        assert played.statuses() == {'root': 'S', 'a': 'F', 'b': 'S'}
    else:
        assert report.message == told


TO_AND_FRO = ['Act: go to fridge 1', 'Act: go to kitchen table 1']
REPETITIONS = [
    # max_repetitions, reason, decisions
    (0, Reason.DONE, 9),
    (2, Reason.REPETITION, 4),
    (3, Reason.REPETITION, 6),
    (5, Reason.DONE, 9),
]


@pytest.mark.parametrize(('most', 'reason', 'decisions'), REPETITIONS)
def test_a_node_that_repeats_itself_is_stopped(
    play: Any, most: int, reason: Reason, decisions: int
) -> None:
    report = play({'root': [*TO_AND_FRO * 4, DONE]}, max_repetitions=most).end()
    assert (report.reason, report.costs.decisions) == (reason, decisions)
    if reason is Reason.REPETITION:
        assert report.message == f'"go to kitchen table 1" had the same result {most} times'


def test_passing_a_place_again_with_the_next_thing_is_no_repetition(play: Any) -> None:
    carry = ['Act: go to kitchen counter 1', 'Act: pick up apple 1', 'Act: put down apple 1']
    lines = [TO_AND_FRO[0], *carry, TO_AND_FRO[0], DONE]
    report = play({'root': lines}, max_repetitions=2).end()
    assert (report.reason, report.costs.skills) == (Reason.DONE, 5)


def test_taking_the_same_thing_up_and_down_is_repetition(play: Any) -> None:
    lines = ['Act: go to kitchen counter 1', *['Act: pick up apple 1', 'Act: put down apple 1'] * 4]
    report = play({'root': [*lines, DONE]}, max_repetitions=2).end()
    assert (report.reason, report.costs.skills) == (Reason.REPETITION, 4)


def test_the_same_with_another_result_is_no_repetition(play: Any) -> None:
    lines = ['Act: go to fridge 1', 'Act: open fridge 1', 'Act: go to kitchen table 1']
    played = play({'root': [*lines, lines[0], DONE]}, max_repetitions=2)
    report = played.end()
    assert (report.reason, report.costs.skills) == (Reason.DONE, 4)
    assert not played.kinds('rejected')
