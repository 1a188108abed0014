# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is kept of runs on training tasks: the real trees, worlds and store, a scripted model."""

from __future__ import annotations

import hashlib
import itertools
import json
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Vectors
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.lab.evaluation import lessons
from reactree_ros.lab.evaluation.lessons import BEFORE, check_learning
from reactree_ros.lab.evaluation.plan import Experiment, Plan, limits
from reactree_ros.lab.evaluation.runner import LocalRunner
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.evaluation.trace import RunSpec, Trace
from reactree_ros.lab.solver.fulfil import fulfil
from reactree_ros.memory.experience import Termination, Verification
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Record, StoreStats
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.assembly import library_of
from reactree_ros.planner.options import PlannerOptions, planner_options
from reactree_ros.sim.household import shipped_tasks
from reactree_ros.sim.household.task_world import TaskWorld

PLANNER = 'reactree+wm'
DIMENSION = 16
KILLS = 3
PATIENCE_SEC = 60.0


class HashEncoder:
    """Embeds a text as the sum of vectors drawn for its words."""

    encoder_name = 'hashed words'

    def __init__(self, fails_after: int = 10_000) -> None:
        self._left = fails_after

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        self._left -= 1
        if self._left < 0:
            raise ModelError('the model server ended too often')
        sums = [sum(map(_vector, text.split()), np.full(DIMENSION, 1e-3)) for text in texts]
        rows = np.array(sums, dtype=np.float32)
        return ready(rows / np.linalg.norm(rows, axis=1, keepdims=True))

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        return ready(tuple(len(text.split()) for text in texts))


def _vector(word: str) -> Any:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], 'big')
    return np.random.default_rng(seed).normal(size=DIMENSION)


class Watcher:
    """Takes note of everything; stops after so many runs, if it is told to."""

    def __init__(self, most: int = 1000) -> None:
        self.traces: list[Trace] = []
        self._most = most

    def note(self, text: str) -> None:
        pass

    def started(self, spec: RunSpec) -> None:
        pass

    def ended(self, trace: Trace) -> None:
        self.traces.append(trace)
        print(len(self.traces), flush=True)

    def stop(self) -> bool:
        return len(self.traces) >= self._most


def learn(
    asked: Plan, folder: Path, workers: int = 1, most: int = 1000, **encoder: int
) -> tuple[Store, Watcher]:
    check_learning(asked)
    words = HashEncoder(**encoder)
    store = Store(folder)
    store.lock()
    try:
        plan, watcher = store.keep(asked, extend=False), Watcher(most)
        left = [spec for spec in plan.runs() if not store.path(spec).exists()]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lessons, 'LocalEncoder', lambda _: words)
            patch.setattr(lessons, 'cached_encoder', lambda encoder: encoder)
            patch.setattr(lessons, 'encoder_name', lambda _: words.encoder_name)
            LocalRunner(store, plan.limits, workers, watcher, Path(plan.learn)).run(left)
        return store, watcher
    finally:
        store.unlock()


def records(path: str | Path) -> tuple[Record, ...]:
    with closing(SqliteStore(Path(path), create=False)) as store:
        return store.records()


def stats(path: Path) -> StoreStats:
    with closing(SqliteStore(path, create=False)) as store:
        return store.stats()


@pytest.fixture(scope='module')
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A script: of three tasks it does one with a subgoal that fails, one flat, one not at all.

    Of the last task it says that it is done.
    """
    library = library_of(planner_options({'skills': 'household'}))
    script: dict[str, list[str]] = {}
    for task in shipped_tasks():
        world = TaskWorld(task)
        steps = fulfil(world, world.conditions)
        skills = {skill.name: skill for skill in library.skills}
        acts = [f'Act: {skills[name].ground(*names).phrase}' for name, names in steps]
        if task.id == 10:
            script[task.instruction] = ['Act: done']
        elif task.id % 3 == 0:
            script[task.instruction] = ['Act: failure']
        elif task.id % 3 == 1:
            subgoals = [f'look around for task {task.id}', f'do task {task.id}']
            script[task.instruction] = [f'Expand: fallback {json.dumps(subgoals)}']
            script[subgoals[0]] = ['Think: It is not here.', 'Act: failure']
            script[subgoals[1]] = [*acts, 'Act: done']
        else:
            script[task.instruction] = [*acts, 'Act: done']
    path = tmp_path_factory.mktemp('script') / 'script.yaml'
    path.write_text(yaml.safe_dump(script))
    return f'scripted:{path}'


SUCCEED = (1, 2, 4, 5, 7, 8)


def plan_of(model: str, memory: Path, seed: int = 0, **changed: Any) -> Plan:
    given = {'planners': (PLANNER,), 'models': (model,), 'tasks': ('household',), **changed}
    return Plan((Experiment(**given, seeds=(seed,)),), limits(), learn=str(memory))


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return tmp_path / 'memory.sqlite'


@pytest.fixture
def asked(model: str, memory: Path) -> Plan:
    return plan_of(model, memory)


def what_is_there(path: str | Path) -> list[tuple[Any, ...]]:
    """Return what a store holds, without numbers, times and names of runs."""
    return sorted(
        (r.origin.task, r.experience.goal, r.experience.text, r.experience.termination.value)
        for r in records(path)
    )


def test_runs_that_the_world_confirms_become_experiences(
    tmp_path: Path, asked: Plan, memory: Path
) -> None:
    _, watcher = learn(asked, tmp_path / 'out')
    assert len(watcher.traces) == 10
    found = records(memory)
    assert {record.origin.task for record in found} == {f'household {n}' for n in SUCCEED}
    assert all(record.origin.verified is Verification.WORLD for record in found)
    of_first = {r.experience.goal: r.experience for r in found if r.origin.task == 'household 1'}
    assert {goal: one.termination for goal, one in of_first.items()} == {
        'Put the apple in the fridge.': Termination.EXPAND,
        'look around for task 1': Termination.FAILURE,
        'do task 1': Termination.SUCCESS,
    }
    assert of_first['Put the apple in the fridge.'].root
    origin = found[0].origin
    assert (origin.skills, origin.strategy) == ('household', 'reactree')
    assert origin.model == asked.runs()[0].model
    assert origin.run.startswith('learn-') and ' ' not in origin.run, 'one word for a shell'


def test_what_is_read_is_what_was_known_before(tmp_path: Path, model: str, memory: Path) -> None:
    for number in (1, 2):
        store, watcher = learn(plan_of(model, memory, seed=number), tmp_path / f'{number}')
        before = store.folder / BEFORE
        assert stats(before).records == (0, 12)[number - 1]
        assert {one.settings['memory.store'] for one in watcher.traces} == {str(before)}
    # The second time the same was done, which adds nothing new.
    assert len(records(memory)) == 12
    assert {record.merged for record in records(memory)} == {2}
    assert stats(before).counts['termination'] == {'success': 6, 'failure': 3, 'expand': 3}


class Reading(ScriptedModel):
    """A script that has an encoder, so that its runs retrieve."""

    encoder_name = HashEncoder.encoder_name
    embed = HashEncoder().embed
    count = HashEncoder().count


def test_what_other_tasks_taught_is_read_the_next_time_only(
    tmp_path: Path, model: str, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = yaml.safe_load(Path(model.partition(':')[2]).read_text())
    reading = Reading({goal: lines * 2 for goal, lines in script.items()})
    monkeypatch.setattr('reactree_ros.lab.evaluation.runner.start_model', lambda *_: reading)
    as_written = 'read_conditions=false,explain_endings=false'
    planner = f'{PLANNER}[{as_written},similarity_margin=10,example_tokens=100000]'
    for seed in (0, 1):
        asked = plan_of('some_model', memory, seed, planners=(planner,))
        learn(asked, tmp_path / f'{seed}')
    read: dict[str, list[str]] = {}
    for request in reading.requests:
        examples, _, _ = request.prompt.text().rpartition('Goal: ')
        read.setdefault(request.prompt.goal, []).append(examples)
    first, *_, last = read['Could you place a bowl on the coffee table?']
    assert 'do task 1' not in first
    assert 'do task 1' in last
    of_itself = read['Put the apple in the fridge.'][-1]
    assert 'do task 4' in of_itself
    assert 'do task 1' not in of_itself


def test_what_was_stopped_continues(tmp_path: Path, model: str, asked: Plan, memory: Path) -> None:
    whole = tmp_path / 'whole.sqlite'
    learn(plan_of(model, whole), tmp_path / 'whole')
    done = [len(learn(asked, tmp_path / 'out', 3, most)[1].traces) for most in (2, 20, 20)]
    assert sum(done) == 10 and done[-1] == 0, 'no run is repeated or lost'
    assert what_is_there(memory) == what_is_there(whole)
    memory.unlink()
    with pytest.raises(ConfigurationError, match='is missing'):
        with lessons.lessons(memory, tmp_path / 'out', PlannerOptions(), ScriptedModel({})):
            pass


def test_a_run_whose_experiences_are_not_kept_has_not_ended(
    tmp_path: Path, asked: Plan, memory: Path
) -> None:
    with pytest.raises(ModelError, match='ended too often'):
        learn(asked, tmp_path / 'out', fails_after=3)
    learned = {record.origin.task for record in records(memory)}
    store = Store(tmp_path / 'out')
    held = [trace for trace in store.traces(asked.runs()) if trace.ending.holds]
    assert learned == {f'household {trace.spec.task}' for trace in held}
    assert learned == {'household 1', 'household 2', 'household 4'}
    _, watcher = learn(asked, tmp_path / 'out')
    assert len({record.origin.task for record in records(memory)}) == len(SUCCEED)
    assert watcher.traces[0].spec.task == 5


def test_a_crash_before_the_trace_only_repeats_the_run(
    tmp_path: Path, asked: Plan, memory: Path
) -> None:
    store, _ = learn(asked, tmp_path / 'out')
    before = what_is_there(memory)
    spec = asked.runs()[0]
    store.path(spec).unlink()
    _, watcher = learn(asked, tmp_path / 'out')
    assert [trace.spec for trace in watcher.traces] == [spec]
    assert what_is_there(memory) == before
    assert {record.merged for record in records(memory)} == {1}


def test_killed_several_times_it_learns_the_same(tmp_path: Path, model: str, memory: Path) -> None:
    whole = tmp_path / 'whole.sqlite'
    learn(plan_of(model, whole), tmp_path / 'whole')
    arguments = [tmp_path / 'out', model, memory]
    for kill in itertools.count(1):
        child = subprocess.Popen(
            [sys.executable, '-u', __file__, *map(str, arguments)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        with child, child.stdout as output:
            lines = iter(output)
            said = list(itertools.islice(lines, 2 + kill % 3))
            if kill <= KILLS:
                child.send_signal(signal.SIGKILL)
            said += lines
            code = child.wait(timeout=PATIENCE_SEC)
        if code == 0:
            break
        assert code == -signal.SIGKILL, said
    assert kill > 2, 'it was killed before its end'
    assert what_is_there(memory) == what_is_there(whole)
    assert len(list(Store(tmp_path / 'out').traces(plan_of(model, memory).runs()))) == 10


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'tasks': ('wah_train:2', 'wah_test:2')}, "'wah_test' is not a training set"),
        ({'tasks': ('alfred_test:1',)}, 'Give one of household, wah_train, alfred_train'),
        ({'planners': ('zsp',)}, 'learns nothing: it has no agent nodes. Give one of react, react'),
        ({'planners': ('react+wm[store=user]',)}, 'memory.store is set by --learn'),
    ],
)
def test_what_must_not_be_learned_is_refused(
    memory: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError) as error:
        check_learning(plan_of('some_model', memory, **change))
    assert message in str(error.value)


if __name__ == '__main__':
    out, scripted, kept_in = sys.argv[1:]
    learn(plan_of(scripted, Path(kept_in)), Path(out))
