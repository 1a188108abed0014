# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A whole run: its events, its displayed tree, its cancel, and that nothing starts twice."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import py_trees
import pytest
from py_trees.common import Status

from reactree_ros.behaviours.control_flow import build_control_flow
from reactree_ros.core.budget import Limits
from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.events import KINDS
from reactree_ros.core.outcome import Reason
from reactree_ros.core.vote import VotePolicy
from reactree_ros.errors import GoalError
from reactree_ros.models.scripted import ENDLESS
from reactree_ros.planner.in_process import run_goal
from reactree_ros.planner.run import checked_goal

DONE, FAILURE = 'Act: done', 'Act: failure'
ERRAND = {
    'bring the apple': ['Expand: sequence ["get it", "bring it"]'],
    'get it': [
        'Think: on the counter',
        'Act: recall location of apple',
        'Act: go to kitchen counter 1',
        'Act: pick up apple 1',
        DONE,
    ],
    'bring it': ['Act: go to kitchen table 1', 'Act: put down apple 1', DONE],
}

# kind, depth, decisions and skills so far
EVENTS = """
    goal 1 0 0
    expand 1 1 0
    goal 2 1 0
    think 2 2 0
    recall 2 3 0
    observation 2 3 0
    act 2 4 0
    observation 2 4 1
    act 2 5 1
    observation 2 5 2
    done 2 6 2
    goal 2 6 2
    act 2 7 2
    observation 2 7 3
    act 2 8 3
    observation 2 8 4
    done 2 9 4
    done 1 9 4
    ended 1 9 4
"""


def script() -> dict[str, list[str]]:
    return {goal: list(lines) for goal, lines in ERRAND.items()}


def tree_lines(tree: str) -> list[str]:
    """Return the tree's lines without colours and without the observations after the status."""
    plain = re.sub(r'\x1b\[[0-9;]*m', '', tree)
    return [line.partition(' -- ')[0] for line in plain.splitlines() if line.strip()]


def test_events_come_in_order_with_counts_and_paths(play: Any) -> None:
    played = play(script())
    report = played.end()
    told = [f'{e.kind} {e.depth} {e.run.decisions} {e.run.skills}' for e in played.events]
    assert told == [line.strip() for line in EVENTS.strip().splitlines()]
    assert {e.kind for e in played.events} <= set(KINDS)
    assert [e.path for e in played.events if e.kind == 'act'] == [
        ('bring the apple', 'get it'),
        ('bring the apple', 'get it'),
        ('bring the apple', 'bring it'),
        ('bring the apple', 'bring it'),
    ]
    words = [len(request.prompt.text().split()) for request in played.model.requests]
    assert report.costs.tokens_in == sum(words) == played.events[-1].run.tokens_in
    assert report.costs.tokens_out == 9 == played.events[-1].run.tokens_out
    assert played.events[-1].text == f'succeeded: {report.message}'


def test_a_report_can_be_read_again_without_a_second_ending(play: Any) -> None:
    played = play({'root': [DONE]})
    assert played.end() == played.run.report()
    assert [event.kind for event in played.events].count('ended') == 1


def test_a_report_before_the_end_is_refused(play: Any) -> None:
    with pytest.raises(RuntimeError, match='has not ended'):
        play({'root': [DONE]}).run.report()


TREE = """
bring the apple [S]
    sequence of 2 [S]
        get it [S]
            recall location of apple [S]
            go to kitchen counter 1 [S]
            pick up apple 1 [S]
        bring it [S]
            go to kitchen table 1 [S]
            put down apple 1 [S]
"""


def normal(tree: str) -> list[str]:
    """Return indentation, name and status letter of each line."""
    letters = {'✓': 'S', 'o': 'S', '✕': 'F', 'x': 'F', '-': '-', '*': 'R'}
    lines = []
    for line in tree_lines(tree):
        match = re.fullmatch(r'( *)(?:\{.\}|\[.\]|/_/|-->|-\^-) (.*) \[(.)\]', line)
        assert match, line
        lines.append(f'{match.group(1)}{match.group(2)} [{letters[match.group(3)]}]')
    return lines


def test_every_past_act_stays_readable_in_the_displayed_tree(play: Any) -> None:
    report = play(script()).end()
    assert normal(report.tree) == TREE.strip().splitlines()
    assert 'You pick up apple (1).' in report.tree


CANCELED_TREE = """
bring the apple [-]
    sequence of 2 [-]
        get it [-]
            recall location of apple [S]
            go to kitchen counter 1 [S]
            pick up apple 1 [-]
        bring it [-]
"""


def test_a_tree_that_grows_always_has_a_tip(play: Any) -> None:
    script = {
        'all': ['Expand: sequence ["one", "two"]'],
        'one': ['Act: go to bathroom 1', 'Act: done'],
        'two': ['Expand: parallel ["two a", "two b"]'],
        'two a': ['Act: done'],
        'two b': ['Act: failure'],
    }
    run = play(script).run
    tips = []
    while not run.finished:
        run.tick()
        tips.append(run.root.tip())
    assert None not in tips
    assert {'all', 'one'} <= {tip.name for tip in tips}


def test_the_tree_as_text_has_no_colours(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    played = play({'one': ['Act: go to bathroom 1', 'Act: done']})
    played.run.tick()
    monkeypatch.setattr(
        py_trees.display,
        'unicode_tree',
        lambda *_, **__: '\x1b[1m-->\x1b[0m one [\x1b[34m*\x1b[0m]',
    )
    assert played.run.tree_text() == '--> one [*]'


def test_a_cancel_in_the_middle_of_a_skill_waits_for_the_robot(play: Any, robot: Any) -> None:
    played = play(script(), robot=robot)
    played.tick_until(lambda: len(robot.running) == 1)
    robot.running[0].finish()
    played.tick_until(lambda: len(robot.running) == 2)
    requests = len(played.model.requests)
    played.run.cancel()
    played.run.cancel()
    for _ in range(3):
        played.run.tick()
        assert not played.run.finished
    assert [run.cancels for run in robot.running] == [0, 1]
    robot.running[1].come_to_rest()
    assert played.run.finished
    report = played.run.report()
    assert (report.status, report.reason) == ('canceled', Reason.CANCELED)
    assert report.costs.skills == 2, 'a skill that was cut short was executed all the same'
    assert normal(report.tree) == CANCELED_TREE.strip().splitlines()
    assert [run.cancels for run in robot.running] == [0, 1]
    assert len(played.model.requests) == requests
    assert played.events[-1].kind == 'ended'


def test_a_cancel_in_the_middle_of_a_model_request(play: Any, robot: Any) -> None:
    played = play(
        {'root': ['Expand: parallel ["a", "b"]'], 'a': ['Think: hm', ENDLESS]}, robot=robot
    )
    played.tick_until(lambda: played.asked().count('a') == 2)
    played.run.tick()
    played.run.cancel()
    played.run.cancel()
    assert played.model.canceled == 1
    assert played.run.finished
    assert played.run.report().status == 'canceled'
    played.run.tick()
    assert len(played.model.requests) == 3
    assert played.statuses() == {'root': '-', 'a': '-', 'b': '-'}


def test_a_cancel_keeps_what_had_ended_in_the_tree(play: Any) -> None:
    played = play({'root': ['Expand: fallback ["a", "b"]'], 'a': ['Act: failure'], 'b': [ENDLESS]})
    played.tick_until(lambda: 'b' in played.asked())
    played.run.cancel()
    assert played.statuses() == {'root': '-', 'a': 'F', 'b': '-'}


def test_a_cancel_before_the_first_tick(play: Any) -> None:
    played = play({'root': [DONE]})
    played.run.cancel()
    report = played.end()
    assert (report.status, report.costs.decisions) == ('canceled', 0)
    assert played.model.requests == []


def test_a_cancel_after_the_end_changes_nothing(play: Any) -> None:
    played = play({'root': [DONE]})
    played.tick_until(lambda: played.run.finished)
    played.run.cancel()
    assert played.run.report().status == 'succeeded'


def test_a_finished_tree_stays_as_it_is_when_ticked_again(play: Any) -> None:
    played = play(script())
    played.tick_until(lambda: played.run.finished)
    tree, requests, events = played.run.tree_text(), len(played.model.requests), len(played.events)
    for _ in range(3):
        played.run.root.tick_once()
    py_trees.trees.BehaviourTree(played.run.root).tick()
    assert played.run.tree_text() == tree
    assert len(played.model.requests) == requests
    assert len(played.events) == events


def test_a_canceled_tree_does_not_start_again_when_a_host_ticks_it(play: Any) -> None:
    played = play({'root': ['Think: hm', ENDLESS]})
    played.tick_until(lambda: len(played.model.requests) == 2)
    played.run.cancel()
    played.run.root.tick_once()
    assert len(played.events) == 2
    assert played.run.root.status is Status.INVALID


def test_children_that_ended_are_not_planned_anew_when_their_control_flow_is_ticked(
    play: Any,
) -> None:
    played = play({'root': ['Expand: parallel ["a", "b"]'], 'a': [DONE], 'b': ['Act: failure']})
    played.tick_until(lambda: played.run.finished)
    (control_flow,) = played.run.root.children
    control_flow.tick_once()
    assert played.asked() == ['root', 'a', 'b']
    assert played.statuses() == {'root': 'F', 'a': 'S', 'b': 'F'}


def test_a_tick_never_waits_for_the_robot_or_the_model(play: Any, robot: Any) -> None:
    # 1. R - [R], again and again, until the robot has answered.
    played = play({'root': ['Act: go to fridge 1', ENDLESS]}, robot=robot)
    played.tick_until(lambda: bool(robot.running))
    for _ in range(3):
        played.run.tick()
        assert played.run.root.status is Status.RUNNING
        assert played.run.root.children[0].status is Status.RUNNING
    robot.running[0].finish()
    played.tick_until(lambda: len(played.model.requests) == 2)
    for _ in range(3):
        played.run.tick()
        assert played.run.root.status is Status.RUNNING
        assert played.run.root.children[0].status is Status.SUCCESS


MAPPING = [
    (ControlFlow.SEQUENCE, py_trees.composites.Sequence, 'sequence of 2'),
    (ControlFlow.FALLBACK, py_trees.composites.Selector, 'fallback of 2'),
    (ControlFlow.PARALLEL, py_trees.composites.Parallel, 'parallel of 2'),
]


@pytest.mark.parametrize(('flow', 'composite', 'name'), MAPPING)
def test_a_control_flow_is_the_composite_that_viewers_know(
    flow: ControlFlow, composite: type, name: str
) -> None:
    children = [py_trees.behaviours.Success('a'), py_trees.behaviours.Failure('b')]
    node = build_control_flow(flow, children, VotePolicy.MAJORITY)
    assert isinstance(node, composite)
    assert node.name == name
    assert [child.parent for child in node.children] == [node, node]


class Counting(py_trees.behaviour.Behaviour):
    """Ends as it is told to, after some ticks, and counts them."""

    def __init__(self, name: str, ends: list[Status]) -> None:
        super().__init__(name)
        self._ends = ends
        self.ticks = 0

    def update(self) -> Status:
        self.ticks += 1
        return self._ends[min(self.ticks, len(self._ends)) - 1]


AT_WORK = [Status.RUNNING, Status.RUNNING, Status.SUCCESS]
REVISITS = [
    (ControlFlow.SEQUENCE, Status.SUCCESS),
    (ControlFlow.FALLBACK, Status.FAILURE),
    (ControlFlow.PARALLEL, Status.SUCCESS),
    (ControlFlow.PARALLEL, Status.FAILURE),
]


@pytest.mark.parametrize(('flow', 'first'), REVISITS)
def test_a_child_that_has_ended_is_not_ticked_again(flow: ControlFlow, first: Status) -> None:
    # 1. R - [first, R]   2. R - [first, R]   3. the end
    children = [Counting('first', [first, Status.INVALID]), Counting('second', list(AT_WORK))]
    node = build_control_flow(flow, children, VotePolicy.ANY)
    seen = []
    for _ in range(3):
        node.tick_once()
        seen.append(node.status)
    assert seen == AT_WORK
    assert [child.ticks for child in children] == [1, 3]


GOALS = [
    # goal, longest, line or part of the error
    ('put the apple\n in the  fridge ', 40, 'put the apple in the fridge'),
    ('', 40, 'the goal is empty'),
    (' \n\t ', 40, 'the goal is empty'),
    ('x' * 40, 40, 'x' * 40),
    ('x' * 41, 40, 'the goal has 41 characters, at most 40 are allowed'),
    ('x' * 100_000, 500, 'the goal has 100000 characters, at most 500 are allowed'),
]


@pytest.mark.parametrize(('goal', 'longest', 'expected'), GOALS)
def test_a_goal_is_one_line_of_bounded_length(goal: str, longest: int, expected: str) -> None:
    if 'the goal ' in expected:
        with pytest.raises(GoalError, match=expected):
            checked_goal(goal, longest)
    else:
        assert checked_goal(goal, longest) == expected


def test_two_runs_in_different_namespaces_do_not_share_their_memory(play: Any) -> None:
    first = play({'root': ['Act: go to fridge 1', ENDLESS]}, namespace='first')
    second = play({'root': ['Act: go to kitchen table 1', ENDLESS]}, namespace='second')
    for played in (first, second):
        played.tick_until(lambda p=played: len(p.model.requests) == 2)
    storage = py_trees.blackboard.Blackboard.storage
    assert storage['/first/place'] == 'fridge 1'
    assert storage['/second/place'] == 'kitchen table 1'


def test_a_run_lets_go_of_the_blackboard_once_and_for_all(play: Any) -> None:
    played = play({'root': [DONE]}, namespace='closed')
    played.end()
    played.run.close()
    played.run.close()
    assert not any(key.startswith('/closed/') for key in py_trees.blackboard.Blackboard.storage)


def test_nodes_name_the_keys_of_the_blackboard_that_they_read(play: Any) -> None:
    played = play({'root': ['Act: go to fridge 1', DONE]}, namespace='read')
    played.end()
    (board,) = played.run.root.blackboards
    assert {'/read/room', '/read/fridge'} <= board.read
    assert not board.write


FAILURES = [
    # script, the node that failed, the beginning of what it observed last
    ({'root': ['Act: go to bathroom 1', 'Act: failure']}, 'root', 'You enter the bathroom (1).'),
    ({'root': ['Expand: fallback ["a", "b"]'], 'a': [FAILURE], 'b': [FAILURE]}, 'b', ''),
    ({'root': ['Expand: parallel ["a", "b"]'], 'a': [FAILURE], 'b': [DONE]}, 'a', ''),
    (
        {
            'root': ['Expand: sequence ["a"]', FAILURE],
            'a': [FAILURE],
        },
        'root',
        'sequence of 1 failed (a: the agent gave up)',
    ),
    (
        {'root': ['Expand: sequence ["a", "b"]', FAILURE], 'a': [DONE], 'b': ['Act: nonsense'] * 4},
        'root',
        'sequence of 2 failed (b: ',
    ),
]


@pytest.mark.parametrize(('script', 'node', 'seen'), FAILURES)
def test_a_failure_names_the_node_its_subgoal_and_what_it_observed_last(
    play: Any, script: dict[str, list[str]], node: str, seen: str
) -> None:
    played = play(script, replan_after_failure=FAILURE in script['root'])
    report = played.end()
    (number,) = {event.behaviour for event in played.events if event.path[-1] == node}
    assert report.failed_at.startswith(
        f'node {number} failed at "{node}"; it last observed "{seen}'
    )


def test_only_a_failure_names_a_node(play: Any) -> None:
    assert play({'root': [DONE]}).end().failed_at == ''
    played = play({'root': [ENDLESS]})
    played.run.tick()
    played.run.cancel()
    assert played.end().failed_at == ''


def test_a_fault_of_the_caller_stops_the_robot(play: Any, robot: Any) -> None:
    played = play({'root': ['Act: go to fridge 1']})
    services = replace(played.run._state.services, executor=robot)

    def fault() -> bool:
        if robot.running:
            raise ZeroDivisionError
        return False

    with pytest.raises(ZeroDivisionError):
        run_goal('root', services, Limits(), canceled=fault)
    assert robot.running[0].cancels == 1
