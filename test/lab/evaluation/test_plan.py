# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an evaluation is asked for: planners with settings, tasks, and the runs that follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.plan import Experiment, Plan, limits, read_plan
from reactree_ros.lab.evaluation.planners import PLANNERS, planners_of, read_planner, split_planners
from reactree_ros.lab.evaluation.run_setup import options_of
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.sim.tasks import select_tasks, task_of
from reactree_ros.strategies.registry import strategy_names

CONFIG = Path(__file__).parents[3] / 'config'
MODEL = 'gemma-3-270m'


@pytest.mark.parametrize('name', PLANNERS)
def test_every_planner_can_be_made(name: str) -> None:
    spec = RunSpec(name, MODEL, 'household', 1, 3)
    options = options_of(spec, limits(50, 4))
    assert options.strategy == PLANNERS[name]['strategy']
    assert options.memory.recall is name.endswith('+wm')
    assert (options.model.name, options.seed) == (MODEL, 3)
    assert (options.limits.max_decisions, options.limits.max_depth) == (50, 4)


@pytest.mark.parametrize(
    ('text', 'name', 'setting'),
    [
        ('react', 'react', {}),
        ('react[ mask_refused_skills = FALSE ]', 'react[mask_refused_skills=false]',
         {}),
        ('reactree+wm[max_repetitions=0,control_flows=sequence+fallback]',
         'reactree+wm[control_flows=sequence+fallback,max_repetitions=0]',
         {'agent.control_flows': ('sequence', 'fallback'), 'agent.max_repetitions': 0}),
        ('reactree[similarity_margin=10]', 'reactree[similarity_margin=10.0]',
         {'memory.similarity_margin': 10.0}),
        ('adapt[strategies.adapt.attempt_decisions=5,agent.check_done=true]',
         'adapt[attempt_decisions=5,check_done=true]',
         {'strategies.adapt.attempt_decisions': 5, 'agent.check_done': True}),
    ],
)  # fmt: skip
def test_a_planner_has_one_name(text: str, name: str, setting: dict[str, Any]) -> None:
    planner = read_planner(text)
    assert planner.name == name
    assert setting.items() <= planner.parameters.items()
    assert read_planner(name) == planner


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('reactre', 'there is no planner'),
        ('react+wm[', 'there is no planner'),
        ('react[mask_refused_skill=false]', 'did you mean agent.mask_refused_skills'),
        ('react[mask_refused_skills=perhaps]', 'must be true or false'),
        ('react[mask_refused_skills]', 'write name=value'),
        ('react[split_depth=2]', 'split_depth is unknown'),
        ('react[reject_recursion=true,reject_recursion=false]', 'given twice'),
        ('react[recall=true]', 'set by the name'),
        ('reactree[control_flows=sequence+loop]', 'sequence, fallback, parallel'),
        ('react[seed=1]', 'the same for all'),
        ('reactree+wm[keep_between_goals=true]', 'a world of its own'),
    ],
)
def test_a_wrong_planner_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_planner(text)


def test_a_strategy_is_evaluated_with_working_memory_where_it_asks_it() -> None:
    assert planners_of(('react', 'zsp', 'plan-and-execute', 'react')) == (
        'react+wm', 'zsp', 'plan-and-execute+wm',
    )  # fmt: skip
    assert len(planners_of(('all',))) == len(strategy_names())
    with pytest.raises(ConfigurationError, match="unknown strategy 'reakt'"):
        planners_of(('reakt',))


def test_planners_are_split_outside_brackets() -> None:
    assert split_planners('react, reactree[a=1,b=2],zsp') == ('react', 'reactree[a=1,b=2]', 'zsp')


def test_runs_are_ordered_by_model_and_planner_and_done_once() -> None:
    plan = Plan(
        (
            Experiment(('react', 'zsp'), ('a', 'b'), ('household:2',)),
            Experiment(('react',), ('a',), ('household:3',), seeds=(0, 1)),
        ),
        limits(),
    )
    runs = [(one.model, one.planner, one.task, one.seed) for one in plan.runs()]
    assert runs == [
        ('a', 'react', 1, 0),
        ('a', 'react', 2, 0),
        ('a', 'react', 3, 0),
        ('a', 'react', 1, 1),
        ('a', 'react', 2, 1),
        ('a', 'react', 3, 1),
        ('a', 'zsp', 1, 0),
        ('a', 'zsp', 2, 0),
        ('b', 'react', 1, 0),
        ('b', 'react', 2, 0),
        ('b', 'zsp', 1, 0),
        ('b', 'zsp', 2, 0),
    ]


def test_a_plan_is_read_from_a_file_and_back(tmp_path: Path) -> None:
    path = tmp_path / 'plan.yaml'
    path.write_text(
        'max_decisions: 20\n'
        'experiments:\n'
        '  - {planners: [react, zsp], models: [a], tasks: ["household:2"], seeds: [1]}\n'
    )
    plan = read_plan(path)
    assert (plan.limits.max_decisions, plan.limits.max_depth) == (20, 8)
    assert len(plan.runs()) == 4
    assert Plan.from_json(plan.to_json(), 'here') == plan


@pytest.mark.parametrize('path', sorted(CONFIG.glob('evaluation*.yaml')), ids=lambda one: one.stem)
def test_the_planners_and_tasks_of_a_shipped_study_exist(path: Path) -> None:
    assert read_plan(path).runs()


def test_all_faults_of_a_plan_are_told_with_their_places() -> None:
    raw = {
        'max_depth': 0,
        'limits': 3,
        'experiments': [{'planners': 'react', 'models': ['a'], 'seed': [1]}, 7],
    }
    with pytest.raises(ConfigurationError) as caught:
        Plan.from_json(raw, 'plan.yaml')
    message = str(caught.value)
    for part in (
        'plan.yaml',
        'limits: not a key',
        'max_depth: 0',
        "experiments[0].planners: expected a list, not 'react'",
        'experiments[0].tasks: missing',
        'experiments[0].seed: not a key',
        'experiments[1]',
    ):
        assert part in message


@pytest.mark.parametrize(
    ('text', 'types', 'message'),
    [
        ('house', (), 'there is no task set'),
        ('household:0', (), 'from 1 to 10'),
        ('household:many', (), 'from 1 to 10'),
        ('household:4', ('put_fridge',), 'from 1 to 3'),
        ('household:3-', (), 'from which to which'),
        ('household:5-3', (), 'from which to which'),
        ('household:0-3', (), 'from which to which'),
        ('household:9-11', (), 'from 1 to 10'),
        ('household', ('cook',), 'no tasks of type cook'),
    ],
)
def test_wrong_tasks_are_refused(text: str, types: tuple[str, ...], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        select_tasks(text, types)


def test_tasks_are_chosen_by_type_first() -> None:
    chosen = select_tasks('household:2', ('put_fridge',))
    assert [(name, task.id) for name, task in chosen] == [('household', 1), ('household', 5)]
    assert task_of('household', 5) == chosen[1][1]


def test_a_part_of_a_set_is_chosen_by_its_bounds() -> None:
    everything = select_tasks('household')
    assert select_tasks('household:3-5') == everything[2:5]
    assert select_tasks('household:5-5') == everything[4:5]
    assert select_tasks('household:1-5') == select_tasks('household:5')
