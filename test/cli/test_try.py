# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree skills try`` with real servers in a process of their own."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .test_discover import RobotProcess

pytest.importorskip('nav2_msgs')
pytest.importorskip('control_msgs')
pytest.importorskip('test_msgs')
pytestmark = pytest.mark.ros

LIBRARY = """
name: bob
keep_out: [cellar]
world:
  start: dock
  places:
    dock: {pose: {x: 0, y: 0}}
    window: {pose: {x: 2, y: 1, yaw: 90}}
    far away: {pose: {x: 99, y: 0}}
    cellar: {pose: {x: 1, y: 0}}
  things: {cup: {on_top_of: dock}, ball: {on_top_of: window}}
skills:
  go_to:
    phrase: go to {place}
    arguments: {place: {affordance: furniture, here: false}}
    action: {name: navigate_to_pose, type: nav2_msgs/action/NavigateToPose}
    goal: {pose: "{place.pose}"}
    limits: {pose.pose.position.x: {min: -10, max: 10}}
    effects: {at: place}
  drive_slowly:
    phrase: drive slowly to {place}
    arguments: {place: {affordance: furniture, here: false}}
    action: {name: slow_navigation, type: nav2_msgs/action/NavigateToPose}
    goal: {pose: "{place.pose}"}
    effects: {at: place}
  grasp:
    phrase: grasp {item}
    arguments: {item: {affordance: grabbable, near: true, held: false}}
    when: {hands: free}
    action: {name: gripper/cmd, type: control_msgs/action/GripperCommand}
    goal: {command: {position: 0.0, max_effort: 5.0}}
    success_if: {stalled: true}
    effects: {holds: item}
  open_door:
    phrase: open the door
    approval: true
    service: {name: open_door, type: std_srvs/srv/Trigger}
    success_if: {success: true}
    success_text: "The door: {result.message}."
  shout:
    phrase: shout
    topic: {name: say, type: std_msgs/msg/String}
    message: {data: hello}
  ask:
    phrase: ask nobody
    service: {name: nobody, type: std_srvs/srv/Trigger}
"""


@pytest.fixture
def library(tmp_path: Path) -> str:
    file = tmp_path / 'bob.yaml'
    file.write_text(LIBRARY)
    return str(file)


@pytest.fixture
def robot(tmp_path: Path, domain: int) -> Iterator[Callable[[str], RobotProcess]]:
    started: list[RobotProcess] = []

    def start(kind: str = 'base') -> RobotProcess:
        started.append(RobotProcess(kind, tmp_path / f'{kind}.log'))
        return started[-1]

    yield start
    for one in started:
        one.end()


def tried(
    reactree: Any, library: str, *arguments: str, code: int = 0, typed: str | None = None
) -> str:
    command = reactree('skills', 'try', library, *arguments, typed=typed)
    ended, text = command.ends(), '\n'.join(command.lines)
    assert ended == code, text
    return text


def test_a_dry_run_shows_the_message_and_needs_no_server(reactree: Any, library: str) -> None:
    text = tried(reactree, library, 'Go  to window', '--dry-run')
    assert 'go to window 1: skill go_to, action navigate_to_pose' in text
    assert 'frame_id: map' in text and 'x: 2.0' in text and 'z: 0.707' in text
    assert text.endswith('Nothing was sent.')
    text = tried(reactree, library, 'grasp ball 1', '--dry-run')
    assert 'At the start it would be refused: {item} has to be grabbable and within reach' in text


def test_a_yes_sends_it_and_shows_what_the_model_and_memory_get(
    reactree: Any, library: str, robot: Any
) -> None:
    base = robot()
    text = tried(reactree, library, 'grasp cup 1', typed='y\n')
    assert 'Send it? [y/N]' in text
    assert 'The model reads: You grasp cup 1. You hold cup (1).' in text
    assert 'Working memory: cup (1) is held' in text
    (told,) = base.told
    assert told.startswith('gripper/cmd: ') and 'max_effort=5.0' in told


@pytest.mark.parametrize('typed', ['n\n', '\n', ''])
def test_anything_but_a_yes_sends_nothing(
    reactree: Any, library: str, robot: Any, typed: str
) -> None:
    base = robot()
    text = tried(reactree, library, 'go to window 1', typed=typed, code=1)
    assert text.endswith('Nothing was sent.')
    assert base.told == []


@pytest.mark.parametrize(
    ('phrase', 'why'),
    [
        ('grasp ball 1', '{item} has to be grabbable and within reach and not held'),
        ('go to dock 1', '{place} has to be furniture and elsewhere than the robot'),
        ('go to far away 1', 'pose.pose.position.x'),
        ('go to cellar 1', 'must keep away from cellar 1'),
    ],
)
def test_what_the_planner_would_refuse_is_refused(
    reactree: Any, library: str, robot: Any, phrase: str, why: str
) -> None:
    base = robot()
    text = tried(reactree, library, phrase, '--yes', code=1)
    assert 'Refused, nothing was sent: ' in text and why in text
    assert base.told == []


def test_it_is_told_where_the_robot_is_by_now(reactree: Any, library: str) -> None:
    text = tried(reactree, library, 'go to dock 1', '--dry-run', '--at', 'window')
    assert 'would be refused' not in text
    text = tried(reactree, library, 'go to dock 1', '--dry-run', '--at', 'moon', code=2)
    assert "--at: 'moon' is not one of dock 1, window 1, far away 1, cellar 1" in text


def test_an_interrupt_at_the_question_sends_nothing(
    reactree: Any, library: str, robot: Any
) -> None:
    base = robot()
    command = reactree('skills', 'try', library, 'go to window 1', silent=True)
    command.says('behavior_tree')
    time.sleep(0.5)  # the question has no line end, so that it cannot be waited for
    command.process.send_signal(signal.SIGINT)
    assert command.ends() == 130
    assert base.told == []


def test_an_unknown_phrase_gets_those_that_are_like_it(
    reactree: Any, library: str, robot: Any
) -> None:
    robot()
    text = tried(reactree, library, 'go to windows', '--yes', code=1)
    assert 'No skill is called "go to windows".' in text
    assert 'most like it: go to window 1; ' in text


def test_without_a_phrase_all_that_is_possible_is_listed(
    reactree: Any, library: str, robot: Any
) -> None:
    base = robot()
    text = tried(reactree, library)
    assert '\n  go to window 1\n' in text and '  grasp cup 1\n' in text
    assert 'go to dock 1' not in text and 'cellar' not in text.partition('Possible')[2]
    assert base.told == []


def test_services_topics_and_approval(reactree: Any, library: str, robot: Any) -> None:
    base = robot()
    text = tried(reactree, library, 'open the door', typed='y\n')
    assert 'It needs approval; "y" gives it. [y/N]' in text
    assert 'The model reads: The door: as you wish.' in text
    assert 'Working memory: nothing changed.' in text
    tried(reactree, library, 'shout', '--yes')
    assert [line.partition(':')[0] for line in base.told] == ['open_door', 'say']
    text = tried(reactree, library, 'ask nobody', '--yes', code=1)
    assert 'Failed after' in text and 'no service nobody was there' in text


def test_an_interrupt_cancels_it_and_says_whether_the_robot_stopped(
    reactree: Any, library: str, robot: Any
) -> None:
    base = robot()
    command = reactree('skills', 'try', library, 'drive slowly to window 1', '--yes')
    command.says('behavior_tree')
    while not base.told:
        assert command.process.poll() is None
    command.process.send_signal(signal.SIGINT)
    assert command.ends() == 130
    assert command.lines[-1] == 'The robot has stopped.'
    assert base.told[-1] == 'slow_navigation: canceled'


def test_what_is_perceived_is_asked_where_no_world_is_declared(
    reactree: Any, robot: Any, tmp_path: Path
) -> None:
    file = tmp_path / 'seeing.yaml'
    file.write_text("""
name: seeing
poses: {shelf: {x: 1, y: 2}}
skills:
  go_to:
    phrase: go to {place}
    arguments: {place: {affordance: furniture}}
    action: {name: navigate_to_pose, type: nav2_msgs/action/NavigateToPose}
    goal: {pose: "{place.pose}"}
""")
    text = tried(reactree, str(file), 'go to moon 1', '--dry-run', code=1)
    assert 'no pose is known of moon 1' in text
    text = tried(reactree, str(file), 'go to shelf 1', '--yes', code=2)
    assert 'service of reactree_interfaces/srv/Observe (--observe-service)' in text
    seeing = robot('seeing')
    text = tried(reactree, str(file), 'go to shelf 1', '--yes')
    assert text.startswith('Perceived: A shelf.')
    assert 'The model reads: You go to shelf 1. A shelf.' in text
    assert len(seeing.told) == 1
