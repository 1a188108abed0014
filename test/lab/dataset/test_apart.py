# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""No generated robot that training may have is one of those that planners are judged by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_ros.lab.dataset.apart import (
    fault_of_robot,
    judged_libraries,
)
from reactree_ros.lab.dataset.held_back import (
    has_test_wording,
    is_judged_wording,
    judged_wordings,
)
from reactree_ros.memory.exchange import read_runs
from reactree_ros.memory.experience import Origin
from reactree_ros.paths import share
from reactree_ros.sim.made.make import DEV, TEST, TRAIN, made_robot
from reactree_ros.sim.robots.tasks import robot_tasks

pytest.importorskip('unified_planning')


def test_made_up_robots_are_apart() -> None:
    for name, last in ((TRAIN, 60), (DEV, 20)):
        for seed in range(1, last + 1):
            assert not fault_of_robot(made_robot(name, seed))


def test_robots_of_tests_are_not_learned_from() -> None:
    assert 'robot of tests' in fault_of_robot(made_robot(TEST, 1))
    names = {library.name for library in judged_libraries()}
    assert {'office base', 'inspection rover', 'warehouse picker', 'household'} <= names


def test_a_copy_of_a_judged_robot_is_found() -> None:
    robot, judged = made_robot(TRAIN, 1), judged_libraries()[0]
    for changed in (
        {'name': judged.name},
        {'objects': sorted(judged.objects), 'places': sorted(judged.places)},
    ):
        document = {**robot.document, **changed}
        document.pop('predicates')
        document.pop('kinds', None)
        copy = replace(robot, document=document)
        assert judged.name in fault_of_robot(copy)


def test_a_wording_of_a_test_is_found() -> None:
    said = robot_tasks('office')[0].instruction
    assert is_judged_wording(said.upper())
    assert not is_judged_wording(f'{said} twice')
    assert len(judged_wordings()) > 1000


@pytest.mark.parametrize('name', ['learned.jsonl.gz', 'plans.txt', 'household.txt'])
def test_no_experience_that_is_shipped_has_the_wording_of_a_test(name: str) -> None:
    runs = read_runs(share('resource', 'experiences', name), Origin('', strategy=''))
    texts = [record.experience.text for run in runs for record in run.records]
    assert texts
    assert not [text for text in texts if has_test_wording(text)]
