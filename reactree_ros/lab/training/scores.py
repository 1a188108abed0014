# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Writes into an adapter's card what evaluations have measured of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.report.summary import Row, summarise
from reactree_ros.lab.training.card import write_card
from reactree_ros.models.local.adapter import CARD, read_adapter


def keep_scores(folder: Path, results: Sequence[Path]) -> int:
    """Replace the scores on a card by those of evaluations, and return how many there are.

    Args:
        folder: of the adapter.
        results: folders of ``reactree-lab evaluate``; rows of other models in them are left out.

    Raises:
        ConfigurationError: if the adapter has no card, or none of the results is of it.
        ModelError: if the adapter cannot be read.
    """
    adapter = read_adapter(folder)
    if not adapter.card:
        raise ConfigurationError(f'the adapter {folder} has no {CARD} that scores could stand on')
    scores = []
    for result in results:
        store = Store(result)
        plan = store.plan()
        if plan is None:
            raise ConfigurationError(f'{result} holds no evaluation')
        rows = summarise(store.traces(plan.runs())).rows
        scores += [_score(row) for row in rows if row.trained == adapter.origin]
    if not scores:
        raise ConfigurationError(
            f'no run in {", ".join(map(str, results))} was made with {adapter.origin}: evaluate '
            f'it with "reactree-lab evaluate --models {folder}"'
        )
    write_card(folder, {**adapter.card, 'scores': scores})
    return len(scores)


def _score(row: Row) -> dict[str, Any]:
    return {
        'tasks': row.spec.task_set,
        'planner': row.spec.planner,
        'runs': row.gsr.of,
        'GSR': round(row.gsr.value, 3),
        'GSR, 95 %': f'{row.gsr.low:.2f} to {row.gsr.high:.2f}',
        'SSR': round(row.ssr.value, 3),
        'median seconds': round(row.figures['median_seconds'], 1),
        'longest prompt': row.figures['tokens_in_max'],
    }
