# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which runs of the solver a data set is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.collect import SolverRun
from reactree_ros.lab.dataset.held_back import is_test_wording
from reactree_ros.lab.dataset.wording import rewordings
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.lab.generator.draw import Draw
from reactree_ros.sim.household.task_sets import TEST_SETS, TRAINING_SETS
from reactree_ros.sim.tasks import select_tasks
from reactree_ros.strategies.registry import strategy


def runs_of(
    planners: Sequence[str],
    tasks: Sequence[str],
    types: Sequence[str] = (),
    wordings: int = 4,
    reword: int = 0,
    seed: int = 0,
    reword_subgoals: float = 0.0,
    slips: float = 0.0,
) -> tuple[SolverRun, ...]:
    """Return the runs of every planner on every task in several wordings.

    A wording that a test task has, too, is left out.

    Args:
        planners: as ``reactree-lab evaluate --planners`` takes them.
        tasks: task sets, each whole (``wah_train``) or in part (``wah_train:50``, ``:11-20``).
        types: only these task types; empty for all.
        wordings: so many of those that a task has.
        reword: so many more, see ``wording.rewordings``.
        seed: of the rewordings.
        reword_subgoals: share of the runs whose subgoals are said in other words, 0 to 1.
        slips: share of the runs whose expansions leave something out at first, 0 to 1.

    Raises:
        ConfigurationError: if a task set is for tests, there is no such set, type or planner, or
            a planner has no agent nodes.
    """
    expanding = set()
    for name in planners:
        chosen = strategy(str(read_planner(name).parameters['strategy']))
        expanding |= {name} if chosen.expands else set()
        if not chosen.learns:
            raise ConfigurationError(
                f'the planner {name!r} has no agent nodes to be learned from: give reactree+wm, '
                'reactree, react+wm or react'
            )
    for text in tasks:
        if text.partition(':')[0] in TEST_SETS:
            raise ConfigurationError(
                f'{text!r} has test tasks: what was trained on them cannot be judged by them. '
                f'Give training tasks: {", ".join(TRAINING_SETS)}'
            )
    runs: dict[SolverRun, None] = {}
    for text in tasks:
        for name, task in select_tasks(text, types):
            own = (task.instructions or (task.instruction,))[:wordings]
            first = len(task.instructions) or 1
            worded = [*enumerate(own), *enumerate(rewordings(task, reword, seed), start=first)]
            for planner in planners:
                for number, instruction in worded:
                    if is_test_wording(instruction):
                        continue
                    one = SolverRun(planner, name, task.id, number, instruction)
                    purpose = f'{seed} {planner} {one.task_name} {instruction}'
                    if planner in expanding:
                        rewords = Draw(f'subgoals {purpose}').chance(reword_subgoals)
                        forgets = Draw(f'slips {purpose}').chance(slips)
                        one = replace(one, rewords=rewords, slips=forgets)
                    runs[one] = None
    return tuple(runs)
