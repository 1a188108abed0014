# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Made-up traces, traces of runs with a scripted model, and a cluster of this machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.outcome import Costs, Reason
from reactree_ros.lab.cluster import Cluster
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.lab.evaluation.trace import Ending, RunSpec, Trace, TraceEvent
from reactree_ros.lab.report.summary import Summary, summarise
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.paths import share
from reactree_ros.planner.in_process import run_goal
from reactree_ros.planner.options import PlannerOptions
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.household.task_world import TaskWorld
from reactree_ros.sim.tasks import task_of
from reactree_ros.skills.reader import read_library
from reactree_ros.skills.simulated import WorldExecutor


def _task(task_set: str, number: int) -> Task:
    """Return a task: even ones are unseen, those of type prepare_snack ambiguous."""
    kind = 'put_fridge' if number <= 3 else 'prepare_snack'
    return Task(
        number,
        kind,
        'apartment_1',
        'kitchen 1',
        'put the apple in the fridge',
        conditions=('apple inside fridge',),
        ambiguous=kind == 'prepare_snack',
        unseen=number % 2 == 0,
        steps=4 * number,
    )


def _trace(
    planner: str,
    task: int,
    met: int,
    wanted: int = 2,
    *,
    status: str = '',
    tokens: Sequence[tuple[int, int]] = ((100, 10),),
    task_set: str = 'wah_test',
    model: str = 'gemma',
    seed: int = 0,
) -> Trace:
    decisions = [
        Costs(
            decisions=1, tokens_in=read, tokens_reused=read // 2, tokens_out=out, model_seconds=1.0
        )
        for read, out in tokens
    ]
    events = [TraceEvent('goal', 'g', ('g',), 0.0)]
    events += [TraceEvent('act', 'go', ('g',), 1.0, costs, model) for costs in decisions]
    whole = sum(decisions, Costs(skills=3, skill_seconds=0.5))
    holds = met == wanted
    return Trace(
        RunSpec(planner, model, task_set, task, seed),
        'put the apple in the fridge',
        {},
        False,
        tuple(events),
        Ending(
            status or ('succeeded' if holds else 'failed'),
            Reason.DONE if holds else Reason.GAVE_UP,
            'it broke' if status == 'error' else '',
            dataclasses.replace(whole, total_seconds=whole.model_seconds + 0.75),
            (),
            '',
            ('a',) * met,
            ('b',) * (wanted - met),
            met,
            wanted,
        ),
    )


@pytest.fixture
def a_trace() -> Callable[..., Trace]:
    """Return a maker of traces: planner, task, objects as wanted, objects wanted, and so on."""
    return _trace


@pytest.fixture
def summary_of() -> Callable[..., Summary]:
    """Return what sums traces up."""
    return lambda *traces: summarise(traces, task_of=_task)


def _traced(
    plain: Callable[..., PlannerOptions],
    task_id: int,
    script: Mapping[str, Sequence[str]],
    limits: Limits | None = None,
    planner: str = 'reactree+wm',
    **settings: Any,
) -> Trace:
    task = task_of('household', task_id)
    world = TaskWorld(task)
    strategy = str(read_planner(planner).parameters['strategy'])
    options = plain(strategy, **settings)
    lines = {goal or task.instruction: list(each) for goal, each in script.items()}
    services = RunServices(
        ScriptedModel(lines),
        WorldExecutor(world),
        read_library(share('behaviors', 'household.yaml')),
        None,
        'You steer a robot.',
        options,
        strategy=strategy,
        strategy_options=options.options_of(strategy),
        prompts=dict.fromkeys(('choose', 'split', 'reflect'), 'You choose.'),
    )
    events: list[TraceEvent] = []
    report = run_goal(
        task.instruction,
        services,
        limits or Limits(),
        lambda event: events.append(TraceEvent.of(event)),
    )
    return Trace(
        RunSpec(planner, 'scripted', 'household', task_id, 0),
        task.instruction,
        {'skills': 'household'},
        False,
        tuple(events),
        Ending.of(report, world.check()),
    )


@pytest.fixture
def traced(plain: Callable[..., PlannerOptions]) -> Callable[..., Trace]:
    """Run a household task: ``traced(task_id, script, limits, planner, **settings)``.

    The script maps a goal to its decision lines; the root's goal is ``''``. The settings follow
    the paper to the letter unless they are given.
    """
    return partial(_traced, plain)


@pytest.fixture(scope='module')
def cluster() -> Iterator[Cluster]:
    pytest.importorskip('ray', reason='requirements/ray.txt is not installed')
    with Cluster('local', 2) as found:
        yield found
