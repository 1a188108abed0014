# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree skills discover`` against real servers in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.cli.skills.dialogue import read_fields
from reactree_ros.cli.skills.questions import read_choice
from reactree_ros.errors import ConfigurationError
from reactree_ros.skills import document
from reactree_ros.skills.reader import read_library

pytest.importorskip('nav2_msgs')
pytest.importorskip('control_msgs')
pytest.importorskip('test_msgs')
pytestmark = pytest.mark.ros

PROGRAM = Path(__file__).with_name('robot.py')


class RobotProcess:
    """A robot that runs."""

    def __init__(self, kind: str, log: Path) -> None:
        log.touch()
        self._log = log
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), kind, str(log)], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == 'ready\n'

    @property
    def told(self) -> list[str]:
        """What it was sent."""
        return self._log.read_text().splitlines()

    def weaken(self) -> None:
        self.process.send_signal(signal.SIGUSR1)

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=30.0)


@pytest.fixture
def robot(tmp_path: Path, domain: int) -> Iterator[Callable[[str], RobotProcess]]:
    started: list[RobotProcess] = []

    def start(kind: str) -> RobotProcess:
        started.append(RobotProcess(kind, tmp_path / f'{kind}.log'))
        return started[-1]

    yield start
    for one in started:
        one.end()


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / 'robot.yaml'


def discovered(reactree: Any, *arguments: str, code: int = 0, typed: str | None = None) -> str:
    command = reactree('skills', 'discover', *arguments, typed=typed)
    ended, text = command.ends(), '\n'.join(command.lines)
    assert ended == code, text
    return text


def test_a_busy_graph_becomes_a_library_that_checks_and_nothing_is_sent(
    reactree: Any, robot: Any, out: Path
) -> None:
    busy = robot('busy')
    text = discovered(reactree, '--yes', '--out', str(out))
    library = read_library(out)
    skills = {skill.name: skill for skill in library.skills}
    assert f'my robot: {len(skills)} skills, no errors' in text
    assert skills['grasp_left'].phrase == 'grasp {item} with left'
    assert skills['grasp_right'].phrase == 'grasp {item} with right'
    assert skills['go_to_robot1'].call.name == 'robot1/navigate_to_pose'
    assert skills['go_to_robot1'].call.limit_sec == 180.0
    (posture,) = (one for one in library.skills if one.name.startswith('take_posture'))
    trajectory = posture.call.fields['trajectory']
    assert trajectory['joint_names'] == ['panda_joint1', 'panda_joint2']
    assert trajectory['points'][0]['positions'] == [0.25, -0.5]
    assert {'lamp_on', 'lamp_off', 'open_door', 'station_7_call', 'skill_on', 'skill_null'} <= {
        *skills
    }
    assert skills['failure'].phrase == 'call failure'
    calls = {skill.call.name for skill in library.skills}
    for name in ('is_active', 'stop', 'cmd_vel', 'odom', 'wheel', 'get_map', 'count_up', 'say'):
        assert not [one for one in calls if name in one], name
    for name in ('count_up', 'A__b9/X_2', 'say', 'volume', 'look_at'):
        assert name in text.partition('less likely')[2].partition('Left out')[0]
    assert 'reactree skills try' in text
    assert busy.told == []


def test_every_name_and_every_unknown_type_becomes_a_skill_that_checks(
    reactree: Any, robot: Any, out: Path
) -> None:
    busy = robot('busy')
    text = discovered(reactree, '--yes', '--only', '*', '--out', str(out))
    skills = {skill.name: skill for skill in read_library(out).skills}
    assert skills['a_b9_x_2'].call.name == 'A__b9/X_2'
    assert skills['call_done'].phrase == 'call done'
    assert skills['count_up'].approval
    assert '    # order: 0  # int32\n' in out.read_text()
    assert '    # pose: ...  # geometry_msgs/Pose;' in out.read_text()
    assert text.count('\nok     ') == len(skills) >= 40
    assert busy.told == []


def test_answers_at_the_terminal_make_the_library(reactree: Any, robot: Any, out: Path) -> None:
    (out.parent / 'more.yaml').write_text('hall: [3, 4]\nShelf "A": {x: 1, y: 2.5, yaw: -90}\n')
    base = robot('base')
    answers = [
        *('9-1', 'x', '1,2-3'),
        'Bob',
        *('1', 'drive to', 'drive to {place}', ''),
        *('dock 0 0 90', 'moon', 'more.yaml', ''),
        *('cup on dock', 'ball on moon', 'ball', ''),
        '',
    ]
    discovered(reactree, typed='\n'.join(answers) + '\n')
    library = read_library(out.parent / 'bob.yaml')
    assert library.name == 'Bob'
    phrases = [skill.phrase for skill in library.skills]
    assert 'drive to {place}' in phrases and 'grasp {item}' in phrases
    assert library.declared is not None and library.declared.start == 'dock 1'
    names = {item.name: item for item in library.declared.objects}
    assert {*names} == {'dock 1', 'hall 1', 'shelf "a" 1', 'cup 1', 'ball 1'}
    assert names['cup 1'].receptacle == 'dock 1'
    assert library.poses['shelf "a" 1'].position == (1.0, 2.5, 0.0)
    assert base.told == []


def test_fields_of_an_unknown_type_are_given_at_the_terminal(
    reactree: Any, robot: Any, out: Path
) -> None:
    robot('busy')
    answers = ['', '', '1', 'count at {place}', '2', 'orders: 3', 'order: 3', '', 'dock 0 0', '']
    text = discovered(
        reactree, '--only', 'count_up', '--out', str(out), typed='\n'.join(answers) + '\n'
    )
    assert 'no such field' in text
    (skill,) = read_library(out).skills
    assert skill.phrase == 'count at {place}'
    assert skill.call.fields == {'order': 3}
    assert skill.arguments['place'][0].affordance == {'furniture'}


@pytest.mark.parametrize(
    ('typed', 'fields'),
    [
        ('order: 3, target: {place.pose}', {'order': 3, 'target': '{place.pose}'}),
        ('data: say {item}', {'data': 'say {item}'}),
        ('data: "say, {item}", mode: on', {'data': 'say, {item}', 'mode': 'on'}),
        ('pose: {position: {item.pose}}', {'pose': {'position': '{item.pose}'}}),
    ],
)
def test_fields_are_typed_in(typed: str, fields: dict[str, Any]) -> None:
    assert document.load(read_fields(typed), 'here') == fields


def test_a_robot_that_sees_declares_no_world(reactree: Any, robot: Any, out: Path) -> None:
    seeing = robot('seeing')
    text = discovered(reactree, '--yes', '--out', str(out))
    library = read_library(out)
    assert library.declared is None
    assert '--observe-service /eyes/observe' in text
    assert 'kitchen/execute_skill is what the library kitchen_arm of this package is for' in text
    assert seeing.told == []


def test_a_type_that_is_not_installed_is_left_out_with_the_reason(
    reactree: Any,
    robot: Any,
    out: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    robot('base')
    shadow = tmp_path / 'shadow' / 'nav2_msgs'
    shadow.mkdir(parents=True)
    (shadow / '__init__.py').write_text(
        "raise ModuleNotFoundError('No module named nav2_msgs', name='nav2_msgs')\n"
    )
    monkeypatch.setenv(
        'PYTHONPATH', os.pathsep.join([str(shadow.parent), os.environ.get('PYTHONPATH', '')])
    )
    text = discovered(reactree, '--yes', '--only', 'nav*,open_door', '--out', str(out))
    assert 'go_to is a comment: the package nav2_msgs is not installed (apt install' in text
    assert [skill.name for skill in read_library(out).skills] == ['open_door']
    assert '  # go_to:\n  #   phrase: go to {place}\n' in out.read_text()
    text = discovered(
        reactree, '--yes', '--only', 'navigate*', '--out', str(out), '--force', code=2
    )
    assert 'nothing that was chosen can be used, so no file is written (go_to: the package' in text
    assert [skill.name for skill in read_library(out).skills] == ['open_door']


def test_a_server_that_dies_while_it_looks_is_left_out(
    reactree: Any, robot: Any, out: Path
) -> None:
    weak = robot('weak')
    command = reactree('skills', 'discover', '--yes', '--out', str(out), '--seconds', '8')
    command.says('Looking')
    # it takes some time until both have discovered each other
    time.sleep(4.0)
    weak.weaken()
    assert command.ends() == 0
    text = '\n'.join(command.lines)
    assert 'action /weak_arm was there and went away; it is left out' in text
    assert [skill.name for skill in read_library(out).skills] == ['go_to']


def test_a_server_that_dies_while_it_asks_is_told(reactree: Any, robot: Any, out: Path) -> None:
    base = robot('base')
    command = reactree('skills', 'discover', '--out', str(out), silent=True)
    command.says('Found')
    base.end()
    command.process.stdin.write('all\n\n\ndock 0 0\n\n\n')
    command.process.stdin.close()
    assert command.ends() == 0, command.lines
    assert '  go_to: action navigate_to_pose is not there any more' in command.lines
    assert len(read_library(out).skills) > 3


def test_without_any_server_it_is_told_what_to_do(reactree: Any, out: Path, domain: int) -> None:
    text = discovered(reactree, '--yes', '--out', str(out), '--seconds', '1', code=2)
    assert f'was found in ROS domain {domain}, and no node at all' in text
    assert 'ROS_DOMAIN_ID' in text
    assert not out.exists()


def test_only_insides_of_a_robot_are_told_apart_from_nothing(
    reactree: Any, robot: Any, out: Path
) -> None:
    robot('idle')
    text = discovered(reactree, '--yes', '--out', str(out), code=2)
    assert 'nothing is for skills' in text and 'sensor data and other streams' in text


def test_names_are_relative_to_the_namespace_that_is_looked_at(
    reactree: Any, robot: Any, out: Path
) -> None:
    robot('busy')
    text = discovered(reactree, '--yes', '--namespace', 'robot2', '--out', str(out))
    (skill,) = read_library(out).skills
    assert (skill.name, skill.call.name) == ('go_to', 'navigate_to_pose')
    assert '--namespace robot2' in text


@pytest.mark.parametrize('typed', ['', 'all\n', 'all\nBob\n\ndock 0 0\n'])
def test_an_input_that_ends_leaves_nothing_behind(
    reactree: Any, robot: Any, out: Path, typed: str
) -> None:
    robot('base')
    before = {*out.parent.iterdir()}
    text = discovered(reactree, '--out', str(out), typed=typed, code=2)
    assert 'the input ended before all was answered; nothing is written' in text
    assert {*out.parent.iterdir()} == before


def test_an_interrupt_leaves_nothing_behind(reactree: Any, robot: Any, out: Path) -> None:
    robot('base')
    before = {*out.parent.iterdir()}
    command = reactree('skills', 'discover', '--out', str(out), silent=True)
    command.says('Left out')
    command.process.send_signal(signal.SIGINT)
    assert command.ends() == 130
    assert {*out.parent.iterdir()} == before


def test_a_file_is_replaced_only_by_force(reactree: Any, robot: Any, out: Path) -> None:
    robot('base')
    out.write_text('mine')
    text = discovered(reactree, '--yes', '--out', str(out), code=2)
    assert 'robot.yaml is there already; --force replaces it' in text
    assert out.read_text() == 'mine'
    discovered(reactree, '--yes', '--out', str(out), '--force')
    assert read_library(out).skills


@pytest.mark.parametrize(
    ('arguments', 'fault'),
    [
        (['--only', 'nothing'], '--only: there is no nothing, only '),
        (['--places', 'places.yaml'], 'cannot read the places in places.yaml'),
        (['--out', 'robot.txt'], 'the name of a library ends with .yaml'),
        (['--namespace', 'a-b'], "'a-b' is not a ROS name"),
    ],
)
def test_wrong_arguments_are_told(
    reactree: Any, robot: Any, out: Path, arguments: list[str], fault: str
) -> None:
    robot('base')
    text = discovered(reactree, '--yes', '--seconds', '2', *arguments, code=2)
    assert fault in text
    assert not [*out.parent.glob('*.yaml')]


@pytest.mark.parametrize(
    ('text', 'chosen'),
    [
        ('1', [0]),
        ('1,3-5', [0, 2, 3, 4]),
        ('3 - 4 1', [0, 2, 3]),
        ('ALL', [0, 1, 2, 3, 4]),
        ('none', []),
    ],
)
def test_choices_are_read(text: str, chosen: list[int]) -> None:
    assert read_choice(text, 5) == chosen


@pytest.mark.parametrize('text', ['0', '6', '2-1', 'x', '1-', '-1', '1;2'])
def test_what_is_no_choice_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match='is not understood'):
        read_choice(text, 5)
