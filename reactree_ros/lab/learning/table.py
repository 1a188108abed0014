# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What came of learning, round by round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from reactree_ros.lab.learning.folder import LearningFolder
from reactree_ros.lab.learning.plan import LearningPlan
from reactree_ros.lab.report.statistics import Share
from reactree_ros.memory.experience import Termination
from reactree_ros.memory.store import StoreStats

_NOTE = (
    'GSR: runs whose goal holds in the world, with a 95 % interval (Wilson). Kept: those of them '
    'that the planner, too, took for done. Stored: experiences that the store held after the '
    'round, and how their agent nodes ended; near-duplicates are one.'
)


@dataclass(frozen=True)
class Round:
    """What came of one round.

    Args:
        number: the first is 1.
        wanted: how many runs it has.
        held: those whose goal holds in the world, of those that have ended.
        kept: how many of these were learned from.
        experiences: how many the store held after it, by termination; None if it is not known.
    """

    number: int
    wanted: int
    held: Share
    kept: int
    experiences: dict[str, int] | None


def rounds_of(
    folder: LearningFolder, plan: LearningPlan, stats: Callable[[Path], StoreStats]
) -> tuple[Round, ...]:
    """Return what came of all rounds that have begun.

    Args:
        folder: of the plan.
        plan: what was asked.
        stats: counts of a store's experiences.

    Raises:
        ConfigurationError: if a trace or a store cannot be read.
    """
    rounds = []
    for number in range(1, plan.rounds + 1):
        if not folder.memory_before(number).exists():
            break
        endings = [trace.ending for trace in folder.traces(plan, number)]
        after = folder.memory_before(number + 1)
        if not after.exists():
            after = Path(plan.memory)
        rounds.append(
            Round(
                number,
                len(plan.round(number).runs()),
                Share.count(sum(ending.holds for ending in endings), len(endings)),
                sum(ending.holds and ending.status == 'succeeded' for ending in endings),
                stats(after).counts.get('termination', {}) if after.exists() else None,
            )
        )
    return tuple(rounds)


def table_of(rounds: Sequence[Round], plan: LearningPlan) -> RenderableType:
    """Return the table of rounds for a terminal."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    states = [state.value for state in Termination]
    for name in ('round', 'runs', 'GSR %', 'kept', 'stored', *states):
        table.add_column(name, justify='right', no_wrap=True)
    for one in rounds:
        ended = str(one.held.of) if one.held.of == one.wanted else f'{one.held.of} of {one.wanted}'
        share = one.held
        success = f'{100 * share.value:.0f} [{100 * share.low:.0f}–{100 * share.high:.0f}]'
        counts = ['?'] * (1 + len(states))
        if one.experiences is not None:
            by_state = [one.experiences.get(state, 0) for state in states]
            counts = [f'{count:,}' for count in (sum(by_state), *by_state)]
        cells = (str(one.number), ended, success if share.of else '–', str(one.kept))
        table.add_row(*cells, *counts)
    title = f'\n{plan.planner}, {plan.model}, {", ".join(plan.tasks)}: {plan.memory}'
    return Group(Text(title, style='bold'), table, Text(_NOTE, style='dim'))
