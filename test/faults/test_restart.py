# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot that a resumed run is to take over always has somebody who would stop it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from reactree_ros.core.option import make
from reactree_ros.core.situation import Situation
from reactree_ros.errors import SkillError
from reactree_ros.ros.goals.journal import OpenGoal
from reactree_ros.ros.goals.restart import Restart
from reactree_ros.ros.goals.sent_goal import SentGoal
from reactree_ros.ros.nodes.planner_config import PlannerConfig
from reactree_ros.ros.skills.client import RosSkillExecutor

from .conftest import PatientClock
from .endings import LIMITS
from .pair import ACTION, PHRASE, Pair

pytestmark = pytest.mark.ros
GOAL_ID, WAITING, TYPE = '12' * 16, '34' * 16, 'reactree_interfaces/action/ExecuteSkill'
REQUEST = {'goal': 'say hello', 'strategy': '', 'conditions': []}


class Again:
    """The planner's restart after a kill; the robot waves, and the run that goes on knows it.

    Another goal waited for its turn.

    Args:
        clock: of the server.
        folder: for files.
        before: parameters of the killed planner that are not the new one's.
        parameters: of both.
    """

    def __init__(
        self,
        clock: PatientClock,
        folder: Path,
        before: Mapping[str, Any] = {},  # noqa: B006
        **parameters: Any,
    ) -> None:
        self.pair = Pair(clock)
        run, self.entry = self.pair.start()
        node = self.pair.lose_client()
        library = folder / 'waving.yaml'
        library.write_text(
            f'name: waving\naction: {ACTION}\nskills: {{wave: {{phrase: {PHRASE}}}}}\n'
        )
        given = {'restart.goals': 'resume', 'restart.skills': 'attach'}
        given |= {'restart.journal': str(folder / 'journal'), 'skills': str(library)}
        config = make(PlannerConfig, {**given, **parameters})
        earlier = make(PlannerConfig, {**given, **parameters, **before})
        group = MutuallyExclusiveCallbackGroup()
        killed = Restart(node, lambda: earlier, group)
        killed.journal.accepted(GOAL_ID, REQUEST)
        killed.journal.accepted(WAITING, REQUEST)
        killed.journal.begun(GOAL_ID, killed.about(False))
        killed.journal.sending(SentGoal('', f'/{ACTION}', TYPE, run.goal_id, PHRASE))
        killed.journal.input({'op': 'start', 'key': f': {PHRASE}'})
        killed.destroy()
        self.library = library
        self.robot = RosSkillExecutor(
            node, self.pair.library, 'nobody/observe', LIMITS, group, clock, journal=killed.journal
        )
        self.restart = Restart(node, lambda: config, group)

    def look(self) -> list[OpenGoal]:
        """Wait until it is known which goals go on."""
        found: list[OpenGoal] = []

        def known() -> bool:
            found.extend(self.restart.poll())
            return bool(self.restart.report) and not self.restart.busy

        self.pair.until(known, 'a report')
        return found

    def until(self, condition: Callable[[], Any], what: str) -> None:
        """Go on until a condition is true."""
        self.pair.until(lambda: (self.restart.poll(), condition())[1], what)

    def close(self) -> None:
        """Destroy all of it."""
        self.restart.destroy()
        self.robot.destroy()
        self.pair.close()


@pytest.fixture
def again(clock: PatientClock, tmp_path: Path) -> Iterator[Again]:
    again = Again(clock, tmp_path)
    yield again
    again.close()


def wait_for_stop(again: Again) -> None:
    again.until(lambda: not again.entry.moving, 'the robot has stopped')
    assert again.entry.cancels == 1


def test_a_run_that_ends_before_it_takes_the_robot_over_leaves_it_stopped(again: Again) -> None:
    assert [(one.goal_id, one.begun) for one in again.look()] == [(GOAL_ID, True), (WAITING, False)]
    assert again.entry.moving
    again.restart.still_running({'': again.robot})
    again.restart.ended(GOAL_ID)
    assert again.restart.busy
    wait_for_stop(again)


def test_a_skill_that_was_refused_is_not_taken_over_later(again: Again) -> None:
    again.look()
    (wave,) = again.pair.library.skills
    left = again.restart.still_running({'': again.robot})
    assert left.attach('', wave.ground())
    again.restart.ended(GOAL_ID)  # it was never started
    wait_for_stop(again)
    run = again.robot.start(wave.ground(), Situation())
    again.until(lambda: run._goal.accepted, 'it is sent anew')
    assert len(again.pair.server.ledger) == 2


def test_a_skill_that_the_door_refuses_is_stopped_at_once(
    again: Again, monkeypatch: pytest.MonkeyPatch
) -> None:
    again.look()
    (wave,) = again.pair.library.skills
    assert again.restart.still_running({'': again.robot}).attach('', wave.ground())

    def refuse(*_: object) -> None:
        raise SkillError('not there')

    monkeypatch.setattr(again.robot, '_check', refuse)
    run = again.robot.start(wave.ground(), Situation())
    assert 'not there' in run.poll().observation.text
    again.until(lambda: again.robot.look() or not again.entry.moving, 'the robot has stopped')
    assert again.entry.cancels == 1


def test_what_a_run_has_taken_over_is_its_own(again: Again) -> None:
    again.look()
    (wave,) = again.pair.library.skills
    assert again.restart.still_running({'': again.robot}).attach('', wave.ground())
    run = again.robot.start(wave.ground(), Situation())
    again.restart.ended(GOAL_ID)
    assert not again.restart.busy and again.entry.moving
    run.cancel()
    again.until(run.poll, 'it has ended')
    wait_for_stop(again)


@pytest.mark.parametrize(
    ('before', 'why'),
    [
        ({'agent.max_repetitions': 7}, 'parameters have changed: agent.max_repetitions'),
        ({'strategy': 'zsp'}, 'parameters have changed: strategy'),
    ],
)
def test_a_run_does_not_go_on_with_other_parameters(
    clock: PatientClock, tmp_path: Path, before: dict[str, Any], why: str
) -> None:
    again = Again(clock, tmp_path, before)
    try:
        assert [one.goal_id for one in again.look()] == [WAITING]
        assert f'is not resumed: {why}' in again.restart.report
        wait_for_stop(again)
    finally:
        again.close()


def test_what_is_only_reported_is_left_moving_for_as_long_as_a_goal_may_take(
    clock: PatientClock, tmp_path: Path
) -> None:
    most = {'limits.max_duration_sec': 2.0}
    again = Again(clock, tmp_path, **{'restart.goals': 'report'}, **most)
    try:
        begin = clock()
        assert again.look() == []
        assert clock() - begin >= 2.0
        wait_for_stop(again)
    finally:
        again.close()


def test_a_stop_before_goals_go_on_stops_the_robot_and_them(again: Again) -> None:
    assert again.restart.stop_all('all goals were stopped') == 2
    assert again.restart.stop_all('all goals were stopped') == 0
    assert again.look() == []
    assert 'is not resumed: all goals were stopped' in again.restart.report
    wait_for_stop(again)
    again.until(lambda: not again.restart.journal.path.read_text(), 'nothing is open')


def test_a_planner_that_leaves_stops_what_no_run_has_taken_over(again: Again) -> None:
    assert len(again.look()) == 2
    again.restart.stop_robots()
    again.restart.stop_robots()
    wait_for_stop(again)
    assert GOAL_ID in again.restart.journal.path.read_text(), 'the next planner resumes it'
