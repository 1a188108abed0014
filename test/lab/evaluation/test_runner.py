# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Evaluations in this process: the real trees and worlds, a scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.core.futures import Future, failed
from reactree_ros.core.model import Answer, DecisionRequest
from reactree_ros.core.outcome import Reason
from reactree_ros.errors import ModelError
from reactree_ros.lab.console import duration
from reactree_ros.lab.evaluation.plan import Experiment, Plan, limits
from reactree_ros.lab.evaluation.progress import Progress
from reactree_ros.lab.evaluation.runner import LocalRunner
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.evaluation.trace import RunSpec, Trace, read_trace
from reactree_ros.models.local.embedded import DEFAULT_MODEL
from reactree_ros.models.openai.http import Unavailable
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.sim.household.task_sets import task_set
from reactree_ros.strategies.registry import strategy

from .watcher import Watcher

SCRIPT = {
    'Put the apple in the fridge.': [
        'Expand: sequence ["find and pick up the apple", "put down the apple in the fridge"]'
    ],
    'find and pick up the apple': [
        'Think: I look in the kitchen.',
        'Act: go to kitchen 1',
        'Act: go to kitchen table 1',
        'Act: pick up apple 1',
        'Act: failure',
    ],
    'Please put the pudding on the coffee table.': ['Act: go to kitchen 1', 'Act: done'],
}
FREE = '[mask_refused_skills=false,reject_recursion=false]'


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / 'script.yaml'
    path.write_text(yaml.safe_dump(SCRIPT))
    return f'scripted:{path}'


@pytest.fixture
def make_plan(model: str) -> Callable[..., Plan]:
    def make(tasks: str = 'household:3', seeds: tuple[int, ...] = (0,), **most: Any) -> Plan:
        planners = (f'reactree+wm{FREE}', f'react{FREE}')
        return Plan((Experiment(planners, (model,), (tasks,), seeds=seeds),), limits(**most))

    return make


def timeless(store: Store, plan: Plan) -> list[Any]:
    """Return all traces without what the clock said."""
    found = []
    for spec in plan.runs():
        lines = [json.loads(line) for line in store.path(spec).read_text().splitlines()]
        found.append(_timeless(lines))
    return found


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _timeless(v) for k, v in value.items() if k != 'at' and 'seconds' not in k}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


def evaluate(store: Store, plan: Plan, workers: int = 1, most: int = 1000) -> Watcher:
    watcher = Watcher(most)
    progress = Progress(plan.runs(), store.traces(plan.runs()), workers)
    LocalRunner(store, plan.limits, workers, watcher).run(progress.left)
    return watcher


def test_the_world_says_how_a_run_ended(tmp_path: Path, make_plan: Callable[..., Plan]) -> None:
    plan, store = make_plan(), Store(tmp_path / 'out')
    evaluate(store, plan)
    traces = {
        (trace.spec.planner[:8], trace.spec.task): trace for trace in store.traces(plan.runs())
    }
    assert len(traces) == 6
    gave_up = traces['reactree', 1].ending
    assert (gave_up.status, gave_up.reason, gave_up.met, gave_up.wanted) == (
        'failed', Reason.EXPANSION, 0, 1,
    )  # fmt: skip
    # The planner's word does not count.
    thinks_it_did = traces['reactree', 2].ending
    assert (thinks_it_did.status, thinks_it_did.holds) == ('succeeded', False)
    assert thinks_it_did.unsatisfied == ('pudding on coffee table (0 of 1)',)
    # A script that has no line for the goal is a model that fails, which is an outcome.
    assert traces['reactree', 3].ending.reason is Reason.MODEL
    assert traces['reactree', 1].settings['memory.recall'] is True
    assert traces['react' + FREE[:3], 1].settings['strategy'] == 'react'


def test_workers_change_nothing(tmp_path: Path, make_plan: Callable[..., Plan]) -> None:
    plan = make_plan(seeds=(0, 1, 2))
    one, three = Store(tmp_path / 'one'), Store(tmp_path / 'three')
    evaluate(one, plan)
    watcher = evaluate(three, plan, workers=3)
    assert [len(watcher.begins), len(watcher.traces)] == [18, 18]
    assert timeless(one, plan) == timeless(three, plan)


@pytest.mark.model
@pytest.mark.thorough
def test_workers_with_a_local_model_change_nothing(tmp_path: Path) -> None:
    experiment = Experiment(('reactree+wm',), (DEFAULT_MODEL,), ('household:2',))
    plan = Plan((experiment,), limits(max_decisions=2))
    one, two = Store(tmp_path / 'one'), Store(tmp_path / 'two')
    evaluate(one, plan)
    evaluate(two, plan, workers=2)
    assert timeless(one, plan) == timeless(two, plan)


def test_what_was_stopped_continues(tmp_path: Path, make_plan: Callable[..., Plan]) -> None:
    plan = make_plan()
    whole, store = Store(tmp_path / 'whole'), Store(tmp_path / 'parts')
    evaluate(whole, plan)
    done = [len(evaluate(store, plan, workers=2, most=most).traces) for most in (1, 2, 1, 9)]
    assert sum(done) == 6, 'no run is repeated or lost'
    assert timeless(store, plan) == timeless(whole, plan)


class Broken(AgentNode):
    """An agent node with a fault in its code."""

    def tick(self) -> Any:
        if self.outcome is None and self.trajectory.steps:
            raise ZeroDivisionError('a fault')
        yield from super().tick()


def test_a_fault_of_the_planner_ends_one_run_only(
    tmp_path: Path, make_plan: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    broken = replace(strategy('react'), root=Broken)
    monkeypatch.setattr('reactree_ros.strategies.shipped.REACT', broken)
    plan, store = make_plan(), Store(tmp_path / 'out')
    evaluate(store, plan)
    spec = RunSpec(f'react{FREE}', model, 'household', 2, 0)
    trace = read_trace(store.path(spec))
    assert (trace.ending.status, trace.ending.reason) == ('error', Reason.ERROR)
    assert trace.ending.message.startswith('ZeroDivisionError: a fault (')
    assert [event.kind for event in trace.events] == ['goal', 'act']
    assert trace.ending.costs.decisions == 1
    assert all(store.path(one).exists() for one in plan.runs())


def test_a_model_that_cannot_load_ends_the_evaluation(tmp_path: Path) -> None:
    missing = str(tmp_path / 'no_model')
    plan = Plan((Experiment(('react',), (missing,), ('household:2',)),), limits())
    store = Store(tmp_path / 'out')
    with pytest.raises(ModelError, match='no_model'):
        evaluate(store, plan)
    assert not any(store.path(spec).exists() for spec in plan.runs())


def test_progress_counts_and_estimates(tmp_path: Path, make_plan: Callable[..., Plan]) -> None:
    plan, store = make_plan(), Store(tmp_path / 'out')
    watcher = evaluate(store, plan)
    specs = plan.runs()
    lasting = [
        _lasting(trace, seconds)
        for trace, seconds in zip(watcher.traces, (10, 30, 20, 5), strict=False)
    ]
    progress = Progress(specs, lasting[:1], 1)
    assert progress.seconds_left() == 50, 'of the same model, if nothing else is known'
    progress.started(specs[1])
    assert progress.line() == f'1 of 6 runs, 1 running, 50 s left, reactree+wm{FREE} 0/1'
    for trace in lasting[1:]:
        progress.ended(trace)
    assert progress.seconds_left() == 10, 'two runs of the second planner'
    assert len(progress.left) == 2
    assert Progress(specs, [], 1).seconds_left() is None
    assert Progress(specs, lasting[:1], 5).seconds_left() == 10
    assert [duration(s) for s in (0.4, 99, 100, 7_300)] == ['0 s', '99 s', '2 min', '2 h 2 min']


def _lasting(trace: Trace, seconds: float) -> Trace:
    costs = replace(trace.ending.costs, total_seconds=float(seconds))
    return replace(trace, ending=replace(trace.ending, costs=costs))


class Dying(ScriptedModel):
    """A model that is loaded and then is there no more."""

    asked = False

    def poll_ready(self) -> bool:
        if self.asked:
            raise ModelError('the model server ended too often')
        return True

    def embed(self, texts: tuple[str, ...]) -> Any:
        self.asked = True
        return super().embed(texts)


def test_a_run_whose_server_was_gone_is_no_result(tmp_path: Path) -> None:
    class Leaving(ScriptedModel):
        asked = 0

        def decide(self, request: DecisionRequest) -> Future[Answer]:
            self.asked += 1
            return (
                failed(Unavailable('nobody answers')) if self.asked > 3 else super().decide(request)
            )

    goals = [task.instruction for task in task_set('household')[:3]]
    answers = {goal: ['Act: go to kitchen 1', 'Act: done'] for goal in goals}
    planner = 'react[example_tokens=0,read_conditions=false]'
    plan = Plan((Experiment((planner,), ('some_model',), ('household:3',)),), limits())
    store = Store(tmp_path / 'out')
    runner = LocalRunner(store, plan.limits, 1, Watcher(1000))
    with pytest.raises(ModelError, match='nobody answers'):
        runner.run_with([Leaving(answers)], plan.runs())
    assert [store.path(spec).exists() for spec in plan.runs()] == [True, False, False]


def test_a_run_that_lost_its_model_is_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('reactree_ros.lab.evaluation.runner.start_model', lambda *_: Dying({}))
    plan = Plan((Experiment(('react',), ('some_model',), ('household:2',)),), limits())
    store = Store(tmp_path / 'out')
    with pytest.raises(ModelError, match='ended too often'):
        evaluate(store, plan)
    assert not any(store.path(spec).exists() for spec in plan.runs())
