# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Two robots for one planner, in one household under two namespaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reactree_interfaces.msg import Behaviour
from reactree_ros.cli import main
from reactree_ros.core.events import Event
from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.conversions import event_from_msg
from reactree_ros.ros.nodes.planner_config import robot_libraries, robot_names
from reactree_ros.ros.recording.run_file import RunFile

pytestmark = pytest.mark.ros

ACTS = ['Act: go to bathroom 1', 'Act: go to bedroom 1', 'Act: go to kitchen 1', 'Act: done']
SCRIPT = {
    'look everywhere': ['Expand: parallel ["first", "second", "third"]'],
    **{name: list(ACTS) for name in ('first', 'second', 'third')},
}
PLANNER = {}


@pytest.fixture(scope='module')
def recorded(
    start_system: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Any]]:
    runs = tmp_path_factory.mktemp('runs')
    bridge = {'room': 'living room 1', 'skill_duration_sec': 0.8}
    with start_system(SCRIPT, PLANNER, bridge, runs=str(runs), robots='anna,bert') as system:
        system.ready(bridge=False)
        handle = system.send(goal='look everywhere')
        result = system.result(handle).result
        system.logs('recorded in')
        (path,) = runs.glob('*.mcap')
        yield path, result


def events(path: Path) -> list[Event]:
    return [
        event_from_msg(one.message)
        for one in RunFile(path).messages
        if one.topic == 'reactree/events'
    ]


def test_both_robots_work_at_the_same_time(recorded: Any) -> None:
    path, result = recorded
    assert result.status == 'succeeded', result.message
    trees = [one.message for one in RunFile(path).messages if one.topic == 'reactree/tree']
    skills = [
        sum(
            one.kind == Behaviour.KIND_SKILL and one.status == Behaviour.STATUS_RUNNING
            for one in tree.behaviours
        )
        for tree in trees
    ]
    assert max(skills) == 2
    assert {one.robot for one in events(path)} == {'anna', 'bert'}


def test_no_robot_ever_has_two_agents(recorded: Any) -> None:
    agents: dict[str, list[int]] = {'anna': [], 'bert': []}
    skills: dict[str, int] = {}
    for one in events(recorded[0]):
        open_now = agents[one.robot]
        if one.kind == 'goal':
            # a new agent is below the one that works there, whose expansion it is part of
            assert not open_now or (one.robot, len(open_now)) == ('anna', 1)
            open_now.append(one.behaviour)
        elif one.kind in ('done', 'failure'):
            assert open_now.pop() == one.behaviour
        elif one.kind == 'act':
            assert one.robot not in skills
            assert open_now[-1] == one.behaviour
            skills[one.robot] = one.behaviour
        elif one.kind == 'observation':
            assert skills.pop(one.robot) == one.behaviour
    assert agents == {'anna': [], 'bert': []}
    assert skills == {}


def test_the_run_is_planned_again(recorded: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(['replay', '--recompute', str(recorded[0])]) == 0
    assert capsys.readouterr().out.startswith('the same: ')


def test_names_of_robots() -> None:
    assert robot_names(['']) == ('',)
    assert robot_names(['anna', '/hall/bert/']) == ('anna', 'hall/bert')
    for wrong in (['anna', 'anna'], ['anna', ''], ['1st'], ['a b']):
        with pytest.raises(ConfigurationError, match='parameter robots'):
            robot_names(wrong)


def test_libraries_of_robots() -> None:
    assert robot_libraries([''], 'household', ['']) == {'': 'household'}
    assert robot_libraries(['a', 'b'], 'household', ['']) == {'a': 'household', 'b': 'household'}
    of = robot_libraries(['a', 'b'], 'household', ['', 'base.yaml'])
    assert of == {'a': 'household', 'b': 'base.yaml'}
    with pytest.raises(ConfigurationError, match=r'3 libraries for 2 robots \(a, b\)'):
        robot_libraries(['a', 'b'], 'household', ['', 'x', 'y'])
