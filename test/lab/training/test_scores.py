# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an evaluation has measured of an adapter stands on its card."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.outcome import Costs, Reason
from reactree_ros.lab.cli.main import run
from reactree_ros.lab.evaluation.plan import Experiment, Plan, limits
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.evaluation.trace import Ending, RunSpec, TraceWriter, head_of
from reactree_ros.lab.training.card import README, readme_of
from reactree_ros.models.local.adapter import CARD, CONFIG, WEIGHTS, read_adapter

HELD = Ending(
    Reason.DONE.value, Reason.DONE, '', Costs(total_seconds=3.0), (), '', ('a',), (), 1, 1
)
MISSED = replace(HELD, costs=Costs(total_seconds=5.0), satisfied=(), unsatisfied=('a',), met=0)


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """Folder of an adapter that nobody can compute with."""
    folder = tmp_path / 'adapter'
    folder.mkdir()
    (folder / WEIGHTS).write_bytes(b'matrices')
    config = {'peft_type': 'LORA', 'base_model_name_or_path': 'gemma-3-270m'}
    (folder / CONFIG).write_text(json.dumps(config))
    counts = {'examples': 3, 'tasks': 1, 'held_out': 0, 'held_out_tasks': 0, 'cut': 0}
    card: dict[str, Any] = {
        'base': {'model': 'gemma-3-270m', 'sha256': '0' * 64, 'licence': '', 'notice': ''},
        'data': {**counts, 'left_out': 0, 'sha256': '', 'planners': {}, 'sources': {}},
        'training': {'steps': 1, 'tokens': 2, 'targets': 1, 'seconds': 1.0, 'device': 'cpu',
                     'held_out_before': None, 'held_out_after': None},
        'recipe': {},
        'scores': [],
    }  # fmt: skip
    (folder / CARD).write_text(json.dumps(card))
    (folder / README).write_text(readme_of(card))
    return folder


def evaluate(folder: Path, *models: str) -> Path:
    plan = Plan((Experiment(('react+wm',), models, ('wah_test:2',)),), limits())
    folder.mkdir()
    store = Store(folder)
    store.keep(plan, extend=False)
    for spec in plan.runs():
        ending = HELD if spec.task == 1 else MISSED
        TraceWriter(store.path(spec), _head(spec)).close(ending)
    return folder


def _head(spec: RunSpec) -> dict[str, Any]:
    return head_of(spec, 'Do it.', {}, through_ros=False)


def test_scores_of_this_adapter_are_on_its_card(adapter: Path, tmp_path: Path) -> None:
    results = evaluate(tmp_path / 'results', str(adapter), 'gemma-3-270m')
    assert 'Not evaluated yet.' in (adapter / README).read_text()
    for _ in range(2):  # the second time replaces them
        assert run(['score', str(adapter), str(results)]) == 0
    (score,) = read_adapter(adapter).card['scores']
    assert (score['tasks'], score['planner'], score['runs']) == ('wah_test', 'react+wm', 2)
    assert (score['GSR'], score['SSR'], score['median seconds']) == (0.5, 0.5, 4.0)
    assert '| wah_test | react+wm | 2 | 0.5 |' in (adapter / README).read_text()


def test_results_of_other_models_are_refused(
    adapter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = evaluate(tmp_path / 'results', 'gemma-3-270m')
    assert run(['score', str(adapter), str(results)]) == 2
    assert 'was made with gemma-3-270m + adapter' in capsys.readouterr().err
    assert run(['score', str(adapter), str(tmp_path)]) == 2
    assert 'holds no evaluation' in capsys.readouterr().err


def test_an_adapter_without_a_card_is_refused(
    adapter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (adapter / CARD).unlink()
    assert run(['score', str(adapter), str(tmp_path)]) == 2
    assert 'has no card.json' in capsys.readouterr().err
