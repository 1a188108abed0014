# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of an evaluation: one plan, one writer, a trace as a whole or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from reactree_ros.core.events import Event
from reactree_ros.core.outcome import Costs, NodeCosts, Reason
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.plan import Experiment, Plan, limits
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.evaluation.trace import Ending, RunSpec, TraceWriter, head_of, read_trace

SPEC = RunSpec('react', 'a/model', 'household', 1, 0)
ENDING = Ending(
    status='failed',
    reason=Reason.GAVE_UP,
    message='the agent gave up',
    costs=Costs(decisions=3, skills=1, total_seconds=1.5),
    nodes=(NodeCosts(('goal',), None, Costs(decisions=3)),),
    tree='goal',
    satisfied=('a: 1 of 1',),
    unsatisfied=('b: 0 of 1',),
    met=1,
    wanted=2,
)


def plan_of(*planners: str, decisions: int = 200) -> Plan:
    return Plan((Experiment(planners, ('m',), ('household:2',)),), limits(decisions))


def write(store: Store, spec: RunSpec = SPEC, text: str = 'go') -> Path:
    writer = TraceWriter(store.path(spec), head_of(spec, 'Do it.', {'a': 1}, through_ros=False))
    cost = Costs(decisions=1, tokens_in=5)
    writer.record(Event('act', text, ('goal',), Costs(total_seconds=0.25), Costs(), cost, 'm'))
    writer.close(ENDING)
    return store.path(spec)


def test_a_trace_comes_back_as_it_was(tmp_path: Path) -> None:
    trace = read_trace(write(Store(tmp_path)))
    assert (trace.spec, trace.instruction, trace.through_ros) == (SPEC, 'Do it.', False)
    assert trace.ending == ENDING
    (event,) = trace.events
    assert (event.kind, event.at, event.decision.tokens_in, event.model) == ('act', 0.25, 5, 'm')


def test_a_trace_says_that_its_model_was_trained_and_from_what(tmp_path: Path) -> None:
    assert read_trace(write(Store(tmp_path))).trained == ''
    merged = tmp_path / 'merged'
    merged.mkdir()
    origin = {'base': 'gemma-3-270m', 'adapter_sha256': '0123456789abcdef'}
    (merged / 'trained.json').write_text(json.dumps(origin))
    made_of = 'gemma-3-270m + adapter 0123456789ab'
    trained = replace(SPEC, model=str(merged))
    assert head_of(trained, 'Do it.', {}, through_ros=False)['trained'] == made_of


@pytest.mark.parametrize('text', ['a\u2028b\x85c\x0bd\ne\r\nf', 'half a pair: \ud83d'])
def test_whatever_a_model_writes_comes_back(text: str, tmp_path: Path) -> None:
    (event,) = read_trace(write(Store(tmp_path), text=text)).events
    assert event.text == text


def test_a_trace_without_its_end_is_none(tmp_path: Path) -> None:
    path = write(Store(tmp_path))
    path.write_text(''.join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(ConfigurationError, match='is not a trace of reactree-lab evaluate'):
        read_trace(path)


def test_what_is_half_written_does_not_count(tmp_path: Path) -> None:
    store = Store(tmp_path)
    path = write(store)
    path.rename(path.with_suffix('.part'))
    assert not store.path(SPEC).exists()
    assert list(store.traces([SPEC])) == []


def test_runs_have_files_of_their_own_below_the_folder(tmp_path: Path) -> None:
    models = ['a/b', 'a_b', 'http://h:1/v1', '..', '.', 'x' * 300, 'x' * 299, 'a b', 'ä']
    paths = {Store(tmp_path).path(replace(SPEC, model=model)).resolve() for model in models}
    assert len(paths) == len(models)
    for path in paths:
        assert path.is_relative_to(tmp_path.resolve() / 'runs' / 'react')
        assert all(len(part.encode()) < 200 for part in path.parts)


def test_a_trace_of_another_run_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    other = replace(SPEC, task=2)
    store.path(SPEC).parent.mkdir(parents=True)
    write(store).rename(store.path(other))
    with pytest.raises(ConfigurationError, match='trace of another run'):
        list(store.traces([other]))


def test_the_same_plan_continues_and_another_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first = store.keep(plan_of('react', 'zsp'), extend=False)
    assert store.keep(plan_of('zsp', 'react'), extend=False) == first, 'the same runs'
    with pytest.raises(ConfigurationError, match='2 of its 4 runs are not asked for now'):
        store.keep(plan_of('react'), extend=False)
    with pytest.raises(ConfigurationError, match='2 runs are new.*--extend'):
        store.keep(plan_of('react', 'zsp', 'reactree'), extend=False)
    with pytest.raises(ConfigurationError, match='max_decisions was 200 and is 50'):
        store.keep(plan_of('react', 'zsp', decisions=50), extend=True)
    assert store.plan() == first


def test_a_plan_is_extended(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.keep(plan_of('react'), extend=False)
    both = store.keep(plan_of('zsp'), extend=True)
    assert [one.planner for one in both.runs()] == ['react', 'react', 'zsp', 'zsp']
    assert store.keep(plan_of('react'), extend=True) == both, 'it is a part'
    assert store.plan() == both


def test_a_plan_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / 'plan.json').write_text(json.dumps({'format': 'other'}))
    with pytest.raises(ConfigurationError, match='plan.json cannot be read'):
        Store(tmp_path).plan()


def test_two_writers_are_kept_apart(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.lock()
    code = (
        'import sys; from pathlib import Path\n'
        'from reactree_ros.lab.evaluation.store import Store\n'
        'Store(Path(sys.argv[1])).lock()'
    )
    other = [sys.executable, '-c', code, str(tmp_path)]
    done = subprocess.run(other, capture_output=True, text=True, timeout=300, check=False)
    assert 'another evaluation writes to' in done.stderr
    store.unlock()
    assert subprocess.run(other, timeout=300, check=False).returncode == 0
