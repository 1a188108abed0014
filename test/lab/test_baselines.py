# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Contestants without a language model."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import DecisionRequest
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.lab.baselines import (
    BASELINE_PLANNER,
    BASELINES,
    least_used,
    random_decision,
    with_baselines,
)
from reactree_ros.lab.cli.main import run
from reactree_ros.lab.evaluation.plan import Experiment, Plan, limits


def _request(skills: tuple[str, ...], *done: str) -> DecisionRequest:
    steps = [Step(f'Act: {phrase}', decided=True) for phrase in done]
    return DecisionRequest(Prompt('', (), 'Goal: tidy up\n', tuple(steps)), Choices(skills=skills))


def test_the_rule_takes_what_was_used_least_and_ends_when_nothing_can_be_done() -> None:
    request = _request(('open fridge 1', 'go to sofa 1'), 'open fridge 1')
    assert least_used(request) == 'Act: go to sofa 1'
    assert least_used(_request(())) == 'Act: done'


def test_chance_reaches_every_choice_and_repeats_for_the_same_prompt() -> None:
    skills = ('open fridge 1', 'go to sofa 1')
    requests = [_request(skills, *['close fridge 1'] * count) for count in range(60)]
    first = [random_decision(one) for one in requests]
    assert {*first} == {'Act: open fridge 1', 'Act: go to sofa 1', 'Act: done'}
    assert first == [random_decision(one) for one in requests]


def test_a_plan_gets_them_once_for_its_tasks() -> None:
    plan = Plan((Experiment(('reactree+wm', 'react+wm'), ('m',), ('household',)),), limits())
    twice = with_baselines(with_baselines(plan))
    models = [spec.model for spec in twice.runs()]
    assert {*models} == {'m', *BASELINES}
    assert models.count(BASELINES[0]) * 2 == models.count('m')


@pytest.mark.parametrize('model', BASELINES)
def test_a_run_ends(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not run(
        ['evaluate', '--planners', BASELINE_PLANNER, '--models', model, '--tasks', 'household:1',
         '--no-baselines', '--out', str(tmp_path)]
    )  # fmt: skip
    assert f'### Success, {model}, household' in capsys.readouterr().out


def test_in_a_closed_world_done_is_refused_for_them_too(tmp_path: Path) -> None:
    pytest.importorskip('unified_planning')
    assert not run(
        ['evaluate', '--planners', BASELINE_PLANNER, '--models', BASELINES[0], '--tasks',
         'blocksworld:1', '--no-baselines', '--max-decisions', '60', '--out', str(tmp_path)]
    )  # fmt: skip
    (row,) = csv.DictReader((tmp_path / 'runs.csv').open(encoding='utf-8'))
    assert row['status'] == 'failed' and int(row['decisions']) > 2


def test_seeds_draw_differently() -> None:
    request = _request(tuple(f'go to room {number}' for number in range(1, 50)))
    assert len({random_decision(request, seed) for seed in range(5)}) > 1
