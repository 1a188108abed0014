# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Learning by doing training tasks: the real trees, worlds and store, a scripted model."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from rich.console import Console

from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Vectors
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.lab.cli.learn import table_of
from reactree_ros.lab.evaluation.trace import RunSpec, Trace
from reactree_ros.lab.learning import rounds
from reactree_ros.lab.learning.folder import LearningFolder
from reactree_ros.lab.learning.plan import LearningPlan
from reactree_ros.lab.solver.solver import solve
from reactree_ros.memory.experience import Termination, Verification
from reactree_ros.memory.learning import Learner
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Record, Saved, StoreStats
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.assembly import library_of
from reactree_ros.planner.options import planner_options
from reactree_ros.sim.household import parse_conditions, shipped_tasks
from reactree_ros.sim.household.task_sets import world_of

PLANNER = 'reactree+wm'
DIMENSION = 16
KILLS = 6
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
    folder: Path, asked: LearningPlan, workers: int = 1, most: int = 1000, **encoder: int
) -> tuple[LearningPlan, Watcher, dict[RunSpec, Saved]]:
    asked.check()
    words = HashEncoder(**encoder)

    @contextmanager
    def learning(memory: Path, *_: Any) -> Iterator[Learner]:
        with closing(SqliteStore(memory, words.encoder_name)) as store:
            with closing(Learner(store, words)) as learner:
                yield learner

    place = LearningFolder(folder)
    place.lock()
    try:
        plan = place.keep(asked)
        watcher, kept = Watcher(most=most), dict[RunSpec, Saved]()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rounds, 'learning', learning)
            for number in range(1, plan.rounds + 1):
                ended = {trace.spec for trace in place.traces(plan, number)}
                left = [spec for spec in plan.round(number).runs() if spec not in ended]
                if left and not watcher.stop():
                    rounds.do_round(place, plan, number, left, workers, watcher, kept)
        return plan, watcher, kept
    finally:
        place.unlock()


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
        world = world_of(task)
        steps = solve(world, parse_conditions(task.goal, world.scene))
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


@pytest.fixture
def asked(model: str, tmp_path: Path) -> LearningPlan:
    memory = str(tmp_path / 'memory.sqlite')
    return LearningPlan(PLANNER, model, ('household',), memory, str(tmp_path / 'out'))


def what_is_there(path: str | Path) -> list[tuple[Any, ...]]:
    """Return what a store holds, without numbers, times and names of runs."""
    return sorted(
        (r.origin.task, r.experience.goal, r.experience.text, r.experience.termination.value)
        for r in records(path)
    )


def test_runs_that_the_world_confirms_become_experiences(
    tmp_path: Path, asked: LearningPlan
) -> None:
    plan, watcher, kept = learn(tmp_path / 'out', asked)
    assert len(watcher.traces) == 10
    assert sorted(spec.task for spec in kept) == list(SUCCEED)
    found = records(plan.memory)
    assert {record.origin.task for record in found} == {f'household {n}' for n in SUCCEED}
    assert all(record.origin.verified is Verification.WORLD for record in found)
    of_first = {r.experience.goal: r.experience for r in found if r.origin.task == 'household 1'}
    assert {goal: one.termination for goal, one in of_first.items()} == {
        'Put the apple in the fridge.': Termination.EXPAND,
        'look around for task 1': Termination.FAILURE,
        'do task 1': Termination.SUCCESS,
    }
    assert of_first['Put the apple in the fridge.'].root
    record = found[0]
    assert (record.origin.skills, record.origin.strategy) == ('household', 'reactree')
    assert record.origin.model == asked.model
    assert sum(saved.added + saved.merged for saved in kept.values()) == 3 * 3 + 3


def test_a_round_reads_what_was_known_before_it(tmp_path: Path, asked: LearningPlan) -> None:
    plan, _, _ = learn(tmp_path / 'out', replace(asked, rounds=2))
    folder = LearningFolder(tmp_path / 'out')
    assert stats(folder.memory_before(1)).records == 0
    before = stats(folder.memory_before(2)).records
    assert before == 12
    for number in (1, 2):
        for trace in folder.traces(plan, number):
            assert trace.settings['memory.store'] == str(folder.memory_before(number).absolute())
            assert trace.spec.seed == number - 1
    # The second round did the same, which adds nothing new.
    found = records(plan.memory)
    assert len(found) == before
    assert {record.merged for record in found} == {2}
    assert stats(folder.memory_before(2)).counts['termination'] == {
        'success': 6, 'failure': 3, 'expand': 3,
    }  # fmt: skip
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(table_of(folder, plan))
    lines = [line.split() for line in console.export_text().splitlines()]
    for number in ('1', '2'):
        assert [number, '10', '60', '[31–83]', '6', '12'] in lines


class Reading(ScriptedModel):
    """A script that has an encoder, so that its runs retrieve."""

    encoder_name = HashEncoder.encoder_name
    embed = HashEncoder().embed
    count = HashEncoder().count


def test_what_other_tasks_taught_is_read_in_the_next_round_only(
    tmp_path: Path, asked: LearningPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = yaml.safe_load(Path(asked.model.partition(':')[2]).read_text())
    model = Reading({goal: lines * 2 for goal, lines in script.items()})
    monkeypatch.setattr('reactree_ros.lab.evaluation.runner.start_model', lambda *_: model)
    as_written = 'read_conditions=false,explain_endings=false'
    planner = f'{PLANNER}[{as_written},similarity_margin=10,example_tokens=100000]'
    learn(tmp_path / 'out', replace(asked, planner=planner, model='some_model', rounds=2))
    read: dict[str, list[str]] = {}
    for request in model.requests:
        examples, _, _ = request.prompt.text().rpartition('Goal: ')
        read.setdefault(request.prompt.goal, []).append(examples)
    first, *_, last = read['Could you place a bowl on the coffee table?']
    assert 'do task 1' not in first
    assert 'do task 1' in last
    of_itself = read['Put the apple in the fridge.'][-1]
    assert 'do task 4' in of_itself
    assert 'do task 1' not in of_itself


def test_what_was_stopped_goes_on_and_may_have_more_rounds(
    tmp_path: Path, asked: LearningPlan
) -> None:
    whole = replace(asked, memory=str(tmp_path / 'whole.sqlite'), rounds=2)
    learn(tmp_path / 'whole', whole)
    asked_rounds = (1, 1, 2, 2)
    done = [
        len(learn(tmp_path / 'out', replace(asked, rounds=rounds), 3, most)[1].traces)
        for rounds, most in zip(asked_rounds, (2, 20, 4, 20), strict=True)
    ]
    assert sum(done) == 20, 'no run is repeated or lost'
    assert what_is_there(asked.memory) == what_is_there(whole.memory)
    console = learn(tmp_path / 'out', asked)[1]
    assert console.traces == [], 'fewer rounds are asked for than were done'


def test_a_run_whose_experiences_are_not_kept_has_not_ended(
    tmp_path: Path, asked: LearningPlan
) -> None:
    with pytest.raises(ModelError, match='ended too often'):
        learn(tmp_path / 'out', asked, fails_after=3)
    folder = LearningFolder(tmp_path / 'out')
    plan = folder.plan()
    assert plan is not None
    learned = {record.origin.task for record in records(plan.memory)}
    ended = {f'household {t.spec.task}' for t in folder.traces(plan, 1) if t.ending.holds}
    assert learned == ended == {'household 1', 'household 2', 'household 4'}
    _, watcher, _ = learn(tmp_path / 'out', asked)
    assert len({record.origin.task for record in records(plan.memory)}) == len(SUCCEED)
    assert watcher.traces[0].spec.task == 5


def test_a_crash_before_the_trace_only_repeats_the_run(tmp_path: Path, asked: LearningPlan) -> None:
    plan, _, _ = learn(tmp_path / 'out', asked)
    before = what_is_there(asked.memory)
    spec = plan.runs()[0]
    LearningFolder(tmp_path / 'out').round(1).path(spec).unlink()
    _, watcher, kept = learn(tmp_path / 'out', asked)
    assert [trace.spec for trace in watcher.traces] == list(kept) == [spec]
    assert what_is_there(asked.memory) == before
    assert {record.merged for record in records(asked.memory)} == {1}


def test_killed_several_times_it_learns_the_same(tmp_path: Path, asked: LearningPlan) -> None:
    asked = replace(asked, rounds=2)
    whole = replace(asked, memory=str(tmp_path / 'whole.sqlite'))
    learn(tmp_path / 'whole', whole)
    arguments = [tmp_path / 'out', asked.model, asked.memory]
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
    assert kill > 3, 'it was killed before its end'
    assert what_is_there(asked.memory) == what_is_there(whole.memory)
    folder = LearningFolder(tmp_path / 'out')
    plan = folder.plan()
    assert plan is not None
    assert [len(list(folder.traces(plan, number))) for number in (1, 2)] == [10, 10]


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'tasks': ('wah_train:2', 'wah_test:2')}, "'wah_test:2' has test tasks"),
        ({'tasks': ('alfred_test',)}, 'Give training tasks: household, wah_train, alfred_train'),
        ({'planner': 'zsp'}, 'learns nothing: it has no agent nodes. Give one of react, react+wm,'),
        ({'planner': 'react+wm[store=user]'}, 'memory.store is set with --memory'),
        ({'planner': 'react+wm[learning_policy=never]'}, 'learning_policy is set by the command'),
    ],
)
def test_what_must_not_be_learned_is_refused(
    asked: LearningPlan, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError) as error:
        replace(asked, **change).check()
    assert message in str(error.value)


def test_a_folder_keeps_what_it_was_made_for(tmp_path: Path, asked: LearningPlan) -> None:
    learn(tmp_path / 'out', replace(asked, tasks=('household:1',)))
    with pytest.raises(ConfigurationError, match='tasks was .* and is .*household:2'):
        learn(tmp_path / 'out', replace(asked, tasks=('household:2',)))
    plan = LearningFolder(tmp_path / 'out').plan()
    assert plan is not None and plan.name.startswith('learn-')
    for name in (plan.name, 'learn 30d725d3'):  # with a space, as folders of before have it
        runs = [replace(plan, name=name).run_name(spec) for spec in plan.runs()]
        assert runs == [f'{name.replace(" ", "-")}-household-1-seed-0'], 'one word for a shell'
    (tmp_path / 'out' / 'learning.json').write_text('{}')
    with pytest.raises(ConfigurationError, match=r'learning\.json cannot be read'):
        LearningFolder(tmp_path / 'out').plan()


if __name__ == '__main__':
    out, scripted, memory = sys.argv[1:]
    learn(Path(out), LearningPlan(PLANNER, scripted, ('household',), memory, out, rounds=2))
