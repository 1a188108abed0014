# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A planner that is killed leaves a journal; the next one finds it, and leaves no robot moving."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from std_msgs.msg import String

from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.goals.journal import Journal, read_journal
from reactree_ros.ros.goals.sent_goal import SentGoal
from reactree_ros.ros.qos import LATEST
from reactree_ros.ros.recording.run_file import RunFile

pytestmark = pytest.mark.ros

GOAL = 'look around'
ROOT = ['Think: two rooms', 'Expand: sequence ["look into the bathroom", "come back"]']
SCRIPT = {
    GOAL: ROOT,
    'look into the bathroom': ['Act: go to bathroom 1', 'Act: done'],
    'come back': ['Act: go to kitchen 1', 'Act: done'],
}
PLANNER = {
    'robot.check_service': '',
}


def kill(system: Any, word: str) -> None:
    """Kill a process of a system, as the system's memory manager would."""
    (one,) = [one for one in system.group._running if word in one.spec.name]
    os.kill(one.process.pid, signal.SIGKILL)
    one.process.wait()


class Successor:
    """The planner that is started after the one that was killed."""

    def __init__(self, system: Any) -> None:
        self.system = system
        self.reports: list[str] = []
        system.spinner.node.create_subscription(
            String, 'reactree/restart_report', lambda told: self.reports.append(told.data), LATEST
        )

    def report(self) -> str:
        """Wait until it has said what it found."""
        self.system.spinner.until(lambda: self.reports, 'a report', seen=self.system.log)
        return self.reports[0]


@pytest.fixture
def killed(start_system: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    @contextmanager
    def begin(
        after: dict[str, list[str]],
        seconds: float,
        left: Callable[[str], str] = str,
        **parameters: str,
    ) -> Any:
        """Kill a planner in the middle of a skill, and start another one.

        Args:
            left: changes the journal in between.
        """
        journal = tmp_path / 'journal.jsonl'
        planner = {**PLANNER, 'restart.journal': str(journal)}
        runs = str(tmp_path / 'runs')
        bridge = {'room': 'kitchen 1', 'skill_duration_sec': seconds}
        with start_system(SCRIPT, planner, bridge, runs=runs) as first:
            first.ready()
            handle = first.send(goal=GOAL)
            first.happens('act', 'go to bathroom 1')
            first.logs('go to bathroom 1')
            kill(first, 'planner')
            journal.write_text(left(journal.read_text()))
            given = {**planner, **parameters}
            with start_system(after, given, sim='none', runs=runs) as second:
                second.ready(bridge=False)
                yield first, Successor(second), bytes(handle.goal_id.uuid).hex()

    return begin


def test_what_was_open_is_stopped_and_reported(killed: Any, tmp_path: Path) -> None:
    with killed({}, 3600.0) as (first, successor, _):
        report = successor.report()
        assert f'it was executing "{GOAL}" (3 decisions made)' in report
        assert '"go to bathroom 1" (/household/execute_skill) was stopped' in report
        assert 'is not resumed: the parameter restart.goals is report' in report
        first.logs('go to bathroom 1: canceled')
        assert first.send_skill('go_to', 'bedroom 1').accepted, 'the robot is free'
        assert (tmp_path / 'journal.jsonl').read_text() == ''


def test_a_run_continues_and_is_told_that_its_skill_was_stopped(killed: Any) -> None:
    again = {**SCRIPT, GOAL: []}
    with killed(again, 0.5, **{'restart.goals': 'resume'}) as (first, successor, goal_id):
        assert f'"{GOAL}" is resumed' in successor.report()
        successor.system.logs('recorded in')
        file = RunFile(sorted(first_runs(successor))[-1])
        assert file.began['goal_id'] == goal_id
        assert file.ended['status'] == 'succeeded'
        told = [one.message.text for one in file.messages if one.topic == 'reactree/events']
        assert 'two rooms' in told
        assert any('started again while it ran' in text for text in told)
        assert file.ended['costs']['decisions'] == 7, 'three before, four after'


def test_a_goal_whose_strategy_is_not_installed_any_more_is_reported(killed: Any) -> None:
    def left(journal: str) -> str:
        assert '"strategy": ""' in journal
        return journal.replace('"strategy": ""', '"strategy": "uninstalled"')

    with killed(SCRIPT, 0.5, left, **{'restart.goals': 'resume'}) as (_, successor, _):
        assert f'"{GOAL}" is not resumed' in successor.report()
        assert "'uninstalled'" in successor.report()


def first_runs(successor: Successor) -> list[Path]:
    """Return the files of all runs."""
    return [*Path(successor.system.group._given['runs']).glob('*.mcap')]


def test_a_run_continues_with_the_skill_that_the_robot_is_at(killed: Any) -> None:
    rest = {
        GOAL: [],
        'look into the bathroom': ['Act: done'],
        'come back': ['Act: go to kitchen 1', 'Act: done'],
    }
    parameters = {'restart.goals': 'resume', 'restart.skills': 'attach'}
    with killed(rest, 6.0, **parameters) as (first, successor, goal_id):
        successor.system.logs('recorded in')
        file = RunFile(sorted(first_runs(successor))[-1])
        told = [one.message.text for one in file.messages if one.topic == 'reactree/events']
        assert any('You enter the bathroom' in text for text in told), told
        assert (file.ended['status'], file.ended['costs']['decisions']) == ('succeeded', 6)
        done = [line for line in first.log if 'go to bathroom 1: You' in line]
        assert len(done) == 1, 'no skill is done twice'
        assert first.observe().room == 'kitchen 1'


def test_without_a_journal_nothing_is_found(
    start_system: Callable[..., Any], tmp_path: Path
) -> None:
    with start_system(SCRIPT, {**PLANNER, 'restart.journal': ''}) as system:
        system.ready()
        assert system.result(system.send(goal=GOAL)).result.status == 'succeeded'
    assert not [*tmp_path.iterdir()]


class Warned:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, line: str) -> None:
        self.lines.append(line)


SENT = SentGoal('', '/arm/pick', 'reactree_interfaces/action/ExecuteSkill', 'ab' * 16, 'pick up')


def test_a_journal_holds_what_is_open_and_nothing_else(tmp_path: Path) -> None:
    path, warned = tmp_path / 'deep' / 'journal', Warned()
    journal = Journal(path, warned)
    assert not journal.found
    for number in ('01', '02'):
        journal.accepted(number * 16, {'goal': f'do {number}'})
    journal.begun('01' * 16, {'skills': 'x'})
    journal.input({'op': 'start', 'key': ': pick up'})
    journal.sending(SENT)
    found = read_journal(path)
    assert [(goal.request['goal'], goal.begun) for goal in found.goals] == [
        ('do 01', True),
        ('do 02', False),
    ]
    assert found.goals[0].inputs == [{'op': 'start', 'key': ': pick up'}]
    assert found.sent == [SENT]
    journal.ended('01' * 16)
    journal.ended('02' * 16)
    assert read_journal(path).sent == [SENT], 'the robot may still be at it'
    journal.over(SENT.goal_id)
    assert path.read_text() == ''
    journal.accepted('03' * 16, {'goal': 'do 03'})
    assert [goal.request['goal'] for goal in read_journal(path).goals] == ['do 03']
    assert warned.lines == []


def test_a_line_that_was_cut_off_was_not_written(tmp_path: Path) -> None:
    path = tmp_path / 'journal'
    journal = Journal(path, Warned())
    journal.accepted('01' * 16, {'goal': 'tidy up'})
    first = path.read_text()
    journal.sending(SENT)
    whole = path.read_text()
    for end in range(len(whole)):
        path.write_text(whole[:end])
        found = read_journal(path)
        assert len(found.goals) == (end >= len(first.rstrip()))
        assert len(found.sent) == (end >= len(whole.rstrip()))
    journal.close()
    path.write_text(whole[: len(first) + 9])
    journal = Journal(path, Warned())
    journal.accepted('02' * 16, {'goal': 'go on'})
    assert [one.request['goal'] for one in read_journal(path).goals] == ['tidy up', 'go on']
    path.write_text(whole.replace('accepted', 'acc\x00', 1))
    with pytest.raises(ConfigurationError, match='line 2'):
        read_journal(path)


def test_a_journal_that_cannot_be_read_is_put_aside(tmp_path: Path) -> None:
    path, warned = tmp_path / 'journal.jsonl', Warned()
    path.write_text('what is this\nand that\n')
    journal = Journal(path, warned)
    journal.accepted('01' * 16, {'goal': 'tidy up'})
    assert len(read_journal(path).goals) == 1
    assert (tmp_path / 'journal.unreadable').read_text() == 'what is this\nand that\n'
    (line,) = warned.lines
    assert 'check that the robot is at rest' in line


def test_two_planners_do_not_share_a_journal(tmp_path: Path) -> None:
    path = tmp_path / 'journal'
    first = Journal(path, Warned())
    with pytest.raises(ConfigurationError, match='another planner of this name is running'):
        Journal(path, Warned())
    first.close()
    Journal(path, Warned()).close()


def test_a_journal_on_a_full_disk_says_so_once(tmp_path: Path) -> None:
    if not Path('/dev/full').exists():
        pytest.skip('no /dev/full here')
    warned = Warned()
    journal = Journal(tmp_path / 'journal', warned)
    journal._file = open('/dev/full', 'a', encoding='utf-8')  # noqa: SIM115
    for number in range(3):
        journal.accepted(f'0{number}' * 16, {'goal': 'tidy up'})
    journal.over(SENT.goal_id)
    assert len(warned.lines) == 1
    assert 'No space left on device' in warned.lines[0]


def test_what_is_played_again_is_not_written_twice(tmp_path: Path) -> None:
    path = tmp_path / 'journal'
    entries = [{'op': 'start', 'key': ': a'}, {'op': 'start', 'key': ': a'}]
    journal = Journal(path, Warned())
    journal.accepted('01' * 16, {'goal': 'x'})
    journal.begun('01' * 16, {})
    for entry in entries:
        journal.input(entry)
    journal.close()
    journal = Journal(path, Warned())
    journal.replay(journal.found.goals[0].inputs)
    journal.begun('01' * 16, {})
    for entry in [*entries, {'op': 'start', 'key': ': a'}]:
        journal.input(entry)
    assert len(read_journal(path).goals[0].inputs) == 3
    assert all(json.loads(line) for line in path.read_text().splitlines())
