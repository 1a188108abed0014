# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments while the arm moves: of planner, bridge and skill server.

A fifth as many moments as in ``test_kills``: ``make kills`` plays both.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from action_msgs.msg import GoalStatus
from std_msgs.msg import String

from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.ros.goals.journal import read_journal
from reactree_ros.ros.qos import LATEST

pytest.importorskip('mujoco')
pytest.importorskip('ompl')
pytest.importorskip('vision_msgs')
pytestmark = pytest.mark.ros

from ..arm_client import ARM_SKILLS, BRIDGE, Skills, Watch  # noqa: E402
from .test_kills import (  # noqa: E402
    END_SEC,
    LIMITS,
    READY_SEC,
    SEED,
    SEEDS,
    check_report,
    kill,
    pause,
    process_of,
)

SEEDS = SEEDS if SEED else SEEDS[: max(1, len(SEEDS) // 5)]
GOAL, NEXT = 'take the red block', 'go to the shelf'
SCRIPT = {
    GOAL: ['Act: go to kitchen table 1', 'Act: pick up red block 1', 'Act: failure'],
    NEXT: ['Act: go to shelf 1', 'Act: done'],
}
MOVING_SEC = 6.0
PLANNER = {
    'skills': 'kitchen_arm',
    'robot.observe_service': 'kitchen/observe',
    'robot.check_service': '',
    **LIMITS,
}
SPEED, FINGERS = 0.02, 0.005
"""What is slower is at rest: joints of arm and base (rad/s or m/s), fingers (m/s)."""


def rests(watch: Watch, killed: str = '') -> bool:
    """Whether nothing was faster than that for half a second, and no goal is active.

    Nobody says of a server that was killed that its goal has ended.
    """
    since = watch.time - 0.5
    active = [name for name in watch.active() if name != killed]
    return not active and watch.moved_last(since, SPEED, FINGERS) == since


@pytest.mark.parametrize('seed', SEEDS)
def test_after_the_death_of_the_planner_the_next_one_stops_the_arm(
    start_system: Callable[..., Any], tmp_path: Path, seed: int
) -> None:
    moment = random.Random(f'kitchen planner {seed}').uniform(0.0, MOVING_SEC)
    journal = tmp_path / 'journal'
    planner = {**PLANNER, 'restart.journal': str(journal)}
    then = {'restart.goals': 'report', 'restart.skills': 'stop'}
    with start_system(SCRIPT, planner, kitchen={'pace': 1.0}, sim='kitchen') as first:
        watch, skills = Watch(first.spinner), Skills(first.spinner, first.log)
        skills.ready()
        first.ready(bridge=False, seconds=READY_SEC)
        first.send(goal=GOAL)
        pause(first, moment)
        kill(process_of(first, 'planner'))
        died, found = watch.time, read_journal(journal)
        with start_system(SCRIPT, {**planner, **then}, sim='none') as second:
            reports: list[str] = []
            second.spinner.node.create_subscription(
                String, 'reactree/restart_report', lambda told: reports.append(told.data), LATEST
            )
            second.ready(bridge=False, seconds=READY_SEC)
            first.spinner.until(lambda: rests(watch), 'the arm rests', END_SEC, seen=first.log)
            print(
                f'\nplanner, seed {seed}: at rest {watch.time - 0.5 - died:.1f} s after its death'
            )
            if found:
                second.spinner.until(lambda: reports, 'a report', seen=second.log)
                check_report(reports[0], found, then)
            answer = second.result(second.send(goal=NEXT), END_SEC)
            assert answer.result.status == 'succeeded', answer.result.message
            assert 'You hold' not in skills.observe() or skills.holds('red block held')


@pytest.mark.thorough
@pytest.mark.parametrize('seed', SEEDS)
def test_after_the_death_of_the_bridge_the_planner_continues(
    start_system: Callable[..., Any], seed: int
) -> None:
    moment = random.Random(f'kitchen bridge {seed}').uniform(0.0, MOVING_SEC)
    with start_system(SCRIPT, PLANNER, kitchen={'pace': 1.0}, sim='kitchen') as system:
        skills = Skills(system.spinner, system.log)
        skills.ready()
        system.ready(bridge=False, seconds=READY_SEC)
        handle = system.send(goal=GOAL)
        pause(system, moment)
        kill(process_of(system, 'bridge'))
        assert system.result(handle, END_SEC).result.status == 'failed'
        with ProcessGroup(
            system.group._given, lambda name, line: system.log.append(line), (BRIDGE,)
        ) as again:
            system.group._running[0] = again._running[0]
            system.spinner.until(
                lambda: sum('bridge is ready' in line for line in system.log) == 2,
                'it is there',
                READY_SEC,
            )
            pause(system, 1.0)  # the planner discovers it
            answer = system.result(system.send(goal=NEXT), END_SEC)
            assert answer.result.status == 'succeeded', answer.result.message
            system.group._running.pop(0)


@pytest.mark.thorough
@pytest.mark.parametrize('seed', SEEDS)
def test_after_the_death_of_the_skill_server_the_arm_rests_and_the_next_one_works(
    spinner: Any, tmp_path: Path, seed: int
) -> None:
    draw = random.Random(f'skill server {seed}')
    path, log = tmp_path / 'params.yaml', list[str]()
    values = {'ros__parameters': {'skills': False, 'pace': 1.0}}
    path.write_text(yaml.safe_dump({'/**/kitchen_bridge': values}))
    given = {'sim': 'kitchen', 'params_file': str(path)}
    watch, skills = Watch(spinner), Skills(spinner, log)

    def start(*processes: Any) -> ProcessGroup:
        return ProcessGroup(given, lambda name, line: log.append(line), processes)

    with start(BRIDGE), start(ARM_SKILLS) as server:
        skills.ready()
        skill = draw.choice([('go_to', 'kitchen table 1'), ('open', 'drawer 1')])
        if skill[0] == 'open':
            skills.do('go_to', 'drawer 1')
        skills.start(*skill)
        begin, moment = watch.time, draw.uniform(0.0, 8.0 if skill[0] == 'open' else 2.3)
        spinner.until(lambda: watch.time >= begin + moment, 'it is time', END_SEC)
        kill(server._running[0].process)
        died = watch.time
        gone = 'kitchen/execute_skill'
        spinner.until(lambda: rests(watch, gone), 'the arm rests', END_SEC, seen=log)
        print(
            f'\nskill server, seed {seed}: at rest {watch.time - 0.5 - died:.1f} s after its death'
        )
        with start(ARM_SKILLS):
            spinner.until(
                lambda: sum('skills of the arm are ready' in line for line in log) == 2,
                'it is there',
                READY_SEC,
                seen=log,
            )
            skills.ready()
            status, text = skills.end(skills.start('go_to', 'shelf 1'))
            assert status == GoalStatus.STATUS_SUCCEEDED, text
