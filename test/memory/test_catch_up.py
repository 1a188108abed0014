# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's file and the store of its fleet catch up with each other, whatever the store is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from reactree_ros.core.model import Vectors
from reactree_ros.memory.catch_up import add_missing, forget_too
from reactree_ros.memory.experience import Experience, Origin, Termination, Verification
from reactree_ros.memory.goal_key import describe
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Choice, ExperienceStore, NewExperience, Saved

from .conftest import Opening

RUN = Origin('run 1', time=10.0, verified=Verification.WORLD, robot='ann')


def embed(texts: Sequence[str]) -> Vectors:
    vectors = np.stack([np.random.default_rng(len(text)).normal(size=8) for text in texts])
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def new(number: int) -> NewExperience:
    text = f'Goal: find {number}\nAct: done\n'
    experience = Experience(f'find {"x" * number}', text, Termination.SUCCESS, True)
    return describe(experience, embed([experience.goal])[0])


def no_embedding(texts: Sequence[str]) -> Vectors:
    raise AssertionError('nothing is missing')


@pytest.fixture
def robot() -> Iterator[ExperienceStore]:
    with closing(SqliteStore(':memory:', 'words', 8)) as made:
        yield made


@pytest.fixture
def fleet(open_here: Opening) -> ExperienceStore:
    return open_here('words', 8)


def everything(store: ExperienceStore) -> set[tuple[str, str]]:
    return {(one.origin.run, one.experience.text) for one in store.records()}


def test_both_know_all_and_who_learned_it(robot: ExperienceStore, fleet: ExperienceStore) -> None:
    robot.add_run(replace(RUN, robot=''), [new(1), new(2)])
    fleet.add_run(replace(RUN, run='run 2', robot='bob'), [new(2), new(3)])
    assert add_missing(robot, fleet, embed, Choice(), robot='ann') == Saved(1, merged=1)
    assert add_missing(fleet, robot, embed, Choice()) == Saved(1, merged=1, known=1)
    assert {one.origin.robot for one in fleet.records()} == {'ann', 'bob'}
    assert [one.origin.robot for one in robot.records(Choice(run='run 2'))] == ['bob']
    assert fleet.stats().counts['robot'] == {'bob': 2, 'ann': 1}
    assert fleet.count(Choice(robot='ann')) == 1
    # Nothing is left to do, and nothing is embedded to find that out.
    for source, target in ((robot, fleet), (fleet, robot)):
        before = everything(target)
        assert add_missing(source, target, no_embedding, Choice()) == Saved(0, known=3)
        assert everything(target) == before


def test_what_the_fleet_forgot_is_forgotten_by_all(
    robot: ExperienceStore, fleet: ExperienceStore
) -> None:
    robot.add_run(RUN, [new(1), new(2)])
    add_missing(robot, fleet, embed, Choice())
    # Merged into the fleet's own, which has another run now.
    fleet.add_run(replace(RUN, run='later', time=20.0), [replace(new(2), outline=new(2).outline)])
    assert fleet.forget(Choice(goal='xx')) == 1
    assert forget_too(fleet, robot) == 1
    assert everything(robot) == everything(fleet) != set()


def test_what_one_run_took_over_is_not_forgotten_with_it(
    robot: ExperienceStore, fleet: ExperienceStore
) -> None:
    robot.add_run(RUN, [new(1), new(2)])
    add_missing(robot, fleet, embed, Choice())
    fleet.add_run(replace(RUN, run='later', time=20.0), [new(2)])
    assert fleet.forget(Choice(run='later')) == 1
    assert forget_too(fleet, robot) == 0
    assert add_missing(robot, fleet, embed, Choice()) == Saved(1, known=1)


def test_what_two_stores_send_each_other_is_counted_once(
    robot: ExperienceStore, fleet: ExperienceStore
) -> None:
    for day in range(12):
        for store, name in ((robot, 'robot'), (fleet, 'fleet')):
            learned = new(1)
            other = replace(learned.experience, text=f'Goal: find {day} {name}\nAct: done\n')
            origin = replace(RUN, run=f'{name} {day}', time=float(day))
            store.add_run(origin, [replace(learned, experience=other)])
            store.note_retrieved([record.number for record in store.records()])
        add_missing(robot, fleet, embed, Choice())
        add_missing(fleet, robot, embed, Choice())
    for store in (robot, fleet):
        (record,) = store.records()
        assert 12 <= record.merged <= 24 and record.retrieved <= 24


def test_what_another_run_had_learned_comes_back_after_one_was_forgotten(
    robot: ExperienceStore, fleet: ExperienceStore
) -> None:
    with closing(SqliteStore(':memory:', 'words', 8)) as second:
        second.add_run(replace(RUN, run='good'), [new(1)])
        add_missing(second, fleet, embed, Choice())
        add_missing(fleet, robot, embed, Choice())
        sure = replace(RUN, run='bad', time=20.0, verified=Verification.PERSON)
        robot.add_run(sure, [new(1)])
        add_missing(robot, fleet, embed, Choice())
        assert fleet.forget(Choice(run='bad')) == 1
        add_missing(second, fleet, embed, Choice())
    forget_too(fleet, robot)
    add_missing(fleet, robot, embed, Choice())
    assert [one.origin.run for one in robot.records()] == ['good']


def test_what_was_forgotten_does_not_come_back_unasked(
    robot: ExperienceStore, fleet: ExperienceStore
) -> None:
    robot.add_run(RUN, [new(1), new(2)])
    add_missing(robot, fleet, embed, Choice())
    assert fleet.forget(Choice(goal='xx')) == 1
    assert add_missing(robot, fleet, embed, Choice()) == Saved(0, known=1, left_out=1)
    robot.forget(Choice(goal='xx'))
    fleet.import_experiences([(RUN, new(2))])  # somebody asks for it
    assert fleet.forgotten() == set()
    assert add_missing(fleet, robot, embed, Choice()) == Saved(0, known=1, left_out=1)
    assert robot.count() == 1 and fleet.count() == 2


def test_an_interrupted_push_is_continued(
    robot: ExperienceStore, fleet: ExperienceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('reactree_ros.memory.catch_up._AT_ONCE', 2)
    robot.add_run(RUN, [new(number) for number in range(1, 6)])
    done: list[int] = []
    first = add_missing(robot, fleet, embed, Choice(), done.append, lambda: len(done) == 1)
    assert first == Saved(2)
    assert add_missing(robot, fleet, embed, Choice(), done.append) == Saved(3, known=2)
    assert done == [2, 2, 2, 1]
