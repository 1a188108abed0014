# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Counts what is in training examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.sim.household.task_sets import TASK_SETS, task_set


def counts_of(examples: Iterable[TrainingExample]) -> dict[str, Any]:
    """Return how many examples there are of what, by its name."""
    examples = tuple(examples)
    origins = [one.origin for one in examples]
    steps = [step for one in examples for step in one.steps if step.decided]
    by_kind: dict[str, Iterable[str]] = {
        'source': (origin.source for origin in origins),
        'planner': (origin.planner for origin in origins),
        'task type': (_type_of(origin.task) for origin in origins),
        'termination': (one.termination.value for one in examples),
    }
    return {
        'examples': len(examples),
        'characters': sum(len(one.text()) - len(one.system) for one in examples),
        'with experiences': sum(bool(one.examples) for one in examples),
        'decisions': len(steps),
        'decided characters': sum(len(step.text) + 1 for step in steps),
        'tasks': len({origin.task for origin in origins} - {''}),
        'instructions': len({origin.instruction for origin in origins} - {''}),
        **{name: dict(sorted(Counter(kinds).items())) for name, kinds in by_kind.items()},
    }


def _type_of(task: str) -> str:
    name, _, number = task.partition(' ')
    if name not in TASK_SETS or not number.isdecimal():
        return 'none of a task set'
    return next((one.type for one in task_set(name) if one.id == int(number)), 'unknown')
