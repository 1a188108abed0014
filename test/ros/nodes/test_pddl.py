# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A PDDL domain on a robot: simulated by its bridge, or with action servers of any type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from reactree_interfaces.srv import CheckGoal
from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.paths import share
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.ros.skills.run import Timeouts
from reactree_ros.skills.reader import read_library

pytest.importorskip('unified_planning')
pytestmark = pytest.mark.ros

GOAL = 'Reach that block 4 is on block 2; block 1 is on block 4; block 3 is on block 1'
STACKING = [
    'pick up block 4 from the table',
    'stack block 4 on block 2',
    'unstack block 3 from block 1',
    'put down block 3 on the table',
    'pick up block 1 from the table',
    'stack block 1 on block 4',
    'pick up block 3 from the table',
    'stack block 3 on block 1',
]


def test_a_tree_solves_a_problem_that_its_bridge_simulates(
    start_system: Callable[..., Any],
) -> None:
    lower, upper = 'free block 1', 'build the tower'
    script = {
        GOAL: [f'Expand: sequence ["{lower}", "{upper}"]'],
        lower: [*(f'Act: {step}' for step in STACKING[:4]), 'Act: done'],
        upper: [*(f'Act: {step}' for step in STACKING[4:]), 'Act: done'],
    }
    with start_system(script, sim='pddl', skills='blocksworld') as system:
        asking = system.spinner.node.create_client(CheckGoal, 'pddl/check_goal')
        system.spinner.until(asking.service_is_ready, 'the bridge is there')
        system.ready(bridge=False)
        system.logs(f'its goal: {GOAL}')

        def check(*conditions: str) -> Any:
            future = asking.call_async(CheckGoal.Request(conditions=list(conditions)))
            system.spinner.until(future.done, 'the world has answered')
            return future.result()

        before = check()
        assert (before.known, before.holds, before.met, before.wanted) == (True, False, 1, 3)
        assert not check('stack everything').known
        answer = system.result(system.send(goal=GOAL))
        assert answer.result.status == 'succeeded', answer.result.message
        after = check(GOAL)
        assert (after.holds, after.met) == (True, 3)
        assert 'Block 4 is on block 2.' in ' '.join(after.changes)
        seen = [event.text for event in system.events if event.kind == 'observation']
        assert seen[0].startswith('The arm holds block 4. Not any more: Block 4 is on the table.')
        assert seen[0].count('The arm holds block 4') == 1, 'told by the robot, not again'


def test_a_library_without_a_problem_is_refused(start_system: Callable[..., Any]) -> None:
    with start_system({}, sim='pddl', skills='household') as system:
        system.logs("parameter skills is 'household': that library names no PDDL problem")


def test_servers_of_any_type_do_actions_and_the_state_is_kept(
    tmp_path: Path, serve: Any, spinner: Any
) -> None:
    fibonacci = pytest.importorskip('test_msgs.action').Fibonacci
    folder = share('resource', 'pddl', 'blocksworld')
    library = tmp_path / 'arm.yaml'
    library.write_text(
        f"""
name: arm
pddl: {{domain: {folder}/domain.pddl, problem: {folder}/p01.pddl, words: {folder}/words.yaml}}
action: arm/other
skills:
  pick-up:
    action: {{name: arm/pick, type: test_msgs/action/Fibonacci}}
    goal: {{order: "{{x.number}}"}}
    success_if: {{sequence.0: 1}}
    failure_text: "it slipped"
"""
    )
    skills = read_library(library)
    group = MutuallyExclusiveCallbackGroup()
    long = Timeouts(20.0, 20.0, 20.0)
    robot = RosSkillExecutor(spinner.node, skills, 'nobody', long, group)

    def do(phrase: str) -> Any:
        items = {item.name: item for item in robot.observe().poll().objects}
        offered = skills.executable(Situation(objects=items))
        (skill,) = (one for one in offered if one.phrase == phrase)
        return spinner.until(robot.start(skill, Situation(objects=items)).poll, phrase)

    server = serve('arm/pick', 'succeed', fibonacci, fibonacci.Result(sequence=[2]))
    before = robot.observe().poll()
    slipped = do('pick up block 4 from the table')
    assert slipped.status is SkillStatus.FAILED
    assert 'it slipped' in slipped.observation.text
    assert robot.observe().poll() == before
    server.answer(fibonacci.Result(sequence=[1]))
    done = do('pick up block 4 from the table')
    assert done.status is SkillStatus.SUCCEEDED
    assert done.observation.text.startswith(
        'You pick up block 4 from the table. The arm holds block 4. Not any more: Block 4 is on'
    )
    assert [goal.order for goal in server.goals] == [4, 4]
    other = serve('arm/other', 'succeed')
    assert do('stack block 4 on block 2').status is SkillStatus.SUCCEEDED
    assert [(goal.skill, list(goal.arguments)) for goal in other.goals] == [
        ('stack', ['block 4', 'block 2'])
    ]
    assert 'Block 4 is on block 2' in robot.observe().poll().text
    robot.destroy()
