# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Counts what is in training examples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from reactree_ros.core.decision import ControlFlow
from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.memory.experience import Termination
from reactree_ros.sim.household.task_sets import TASK_SETS, task_set

_FLOWS = '|'.join(flow.value for flow in ControlFlow)
_EXPAND = re.compile(rf'Expand: ({_FLOWS}) ')
_ABOVE = re.compile(rf'^Subgoals \(({_FLOWS}),', re.MULTILINE)
_WENT_WRONG = re.compile(rf'(?:{_FLOWS}) of \d+ (?:failed|succeeded, but) ')


def counts_of(examples: Iterable[TrainingExample]) -> dict[str, Any]:
    """Return how many examples there are of what, by its name.

    ``recovered from`` counts failures in runs that nevertheless reached their goal: a node that
    gave up, by the control flow above it (``fallback``: another node was tried instead), and
    ``expansion``: a node that continued after an expansion that failed, or did not bring what it
    should.
    """
    names = ('source', 'planner', 'task type', 'termination', 'expansion', 'recovered from')
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    total: Counter[str] = Counter()
    tasks: set[str] = set()
    instructions: set[str] = set()
    for one in examples:
        origin = one.origin
        tasks.add(origin.task)
        instructions.add(origin.instruction)
        total['examples'] += 1
        total['characters'] += len(one.text()) - len(one.system)
        total['with experiences'] += bool(one.examples)
        counts['source'][origin.source] += 1
        counts['planner'][origin.planner] += 1
        counts['task type'][_type_of(origin.task)] += 1
        counts['termination'][one.termination.value] += 1
        if one.termination is Termination.FAILURE:
            above = _ABOVE.search(one.task)
            counts['recovered from'][above[1] if above else 'root'] += 1
        for step in one.steps:
            total['decisions'] += step.decided
            total['decided characters'] += (len(step.text) + 1) * step.decided
            expand = _EXPAND.match(step.text) if step.decided else None
            if expand:
                counts['expansion'][expand[1]] += 1
            elif not step.decided and _WENT_WRONG.match(step.text):
                counts['recovered from']['expansion'] += 1
    total['tasks'] = len(tasks - {''})
    total['instructions'] = len(instructions - {''})
    return {**total, **{name: dict(sorted(one.items())) for name, one in counts.items()}}


def _type_of(task: str) -> str:
    name, _, number = task.partition(' ')
    if name not in TASK_SETS or not number.isdecimal():
        return 'none of a task set'
    return next((one.type for one in task_set(name) if one.id == int(number)), 'unknown')
