# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an evaluation retrieves: the user's own memory never, and nothing of the same task."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.behaviours.services import ExperienceSource, RunServices
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.plan import limits
from reactree_ros.lab.evaluation.run_setup import ServiceFactory, check_runs, options_of
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.memory.experience import Experience, Origin, Termination
from reactree_ros.memory.goal_key import describe, goal_key
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.sim.tasks import task_of
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

GOAL = 'put the plum in the fridge'


class Model:
    """Embeds and counts; decides nothing."""

    def __init__(self, encoder: Any) -> None:
        self.encoder_name = encoder.encoder_name
        self.embed, self.count = encoder.embed, encoder.count


@pytest.fixture
def model(word_encoder: Any) -> Any:
    return Model(word_encoder('put thing in the place'))


@pytest.fixture
def memory(tmp_path: Path, model: Any, household: SkillLibrary) -> Path:
    """A store with an experience of each of two tasks, with both strategies."""
    path = tmp_path / 'memory.sqlite'
    store = SqliteStore(path, model.encoder_name)
    for number, strategy in ((1, 'reactree'), (2, 'reactree'), (3, 'react')):
        text = f'Goal: {GOAL}\nIt is task {number}.\nAct: go to fridge {number}\nAct: done\n'
        experience = Experience(f'{GOAL} {number}', text, Termination.SUCCESS, True)
        (vector,) = model.embed((goal_key(experience.goal),)).poll()
        origin = Origin(f'run {number}', f'household {number}', 'household', strategy)
        store.add_run(origin, [describe(experience, vector)])
    store.close()
    return path


@pytest.fixture
def factory(model: Any) -> Iterator[ServiceFactory]:
    factory = ServiceFactory(model, limits())
    yield factory
    factory.close()


def spec(planner: str) -> RunSpec:
    return RunSpec(planner, 'some_model', 'household', 1, 0)


def seen(source: ExperienceSource | None) -> set[str]:
    """Return which tasks an experience was shown of."""
    assert source is not None
    pending = source.retrieve(GOAL, True, 100_000)
    while (texts := pending.poll()) is None:
        pass  # the store is searched on another thread
    return {n for n in '123' for text in texts if f'It is task {n}.' in text}


def services(factory: ServiceFactory, world: Any, planner: str, task: int) -> RunServices:
    options = options_of(spec(planner), factory.limits)
    return factory.services(
        options, WorldExecutor(world), task_of('household', task), f'household {task}'
    )


def test_nothing_of_the_same_task_is_retrieved(
    factory: ServiceFactory, memory: Path, world: Any
) -> None:
    planner = f'reactree+wm[store={memory},similarity_margin=10]'
    for task, expected in ((1, {'2'}), (2, {'1'}), (4, {'1', '2'}), (1, {'2'})):
        assert seen(services(factory, world, planner, task).experiences) == expected
    flat = f'react+wm[store={memory},similarity_margin=10]'
    assert seen(services(factory, world, flat, 1).experiences) == {'3'}


def test_the_user_s_own_memory_is_left_out(
    factory: ServiceFactory, memory: Path, world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = memory.parent / 'reactree_ros'
    own.mkdir()
    memory.rename(own / 'memory.sqlite')
    monkeypatch.setenv('XDG_DATA_HOME', str(memory.parent))
    planner = 'reactree+wm[similarity_margin=10]'
    assert options_of(spec(planner), limits()).memory.store == ''
    assert seen(services(factory, world, planner, 4).experiences) == set()
    asked_for = 'reactree+wm[store=user,similarity_margin=10]'
    assert seen(services(factory, world, asked_for, 4).experiences) == {'1', '2'}


def test_a_memory_that_is_not_there_is_refused_and_not_made(tmp_path: Path) -> None:
    path = tmp_path / 'no.sqlite'
    with pytest.raises(ConfigurationError, match=f'memory.store is .*no experience store {path}'):
        check_runs([spec(f'reactree+wm[store={path}]')], limits())
    assert not path.exists()
