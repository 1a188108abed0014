# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A model that is trained on its own successes, round by round, and how much better it gets.

After each round the base model is trained again on all successes so far, not the last adapter on
the newest ones: so it does not drift away from what it could (STaR, Zelikman et al. 2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.counts import counts_of
from reactree_ros.lab.dataset.dataset import Dataset, Header, read_dataset
from reactree_ros.lab.dataset.remembered import remembered
from reactree_ros.lab.dataset.thinning import thinned
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.lab.evaluation.provenance import made_with
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.learning.plan import LearningPlan, RoundTraining
from reactree_ros.lab.report.statistics import Share, mcnemar
from reactree_ros.planner.assembly import library_of
from reactree_ros.planner.memory_setup import goal_key_of
from reactree_ros.planner.options import planner_options

_NOTE = (
    'GSR: held-out runs whose goal holds in the world, with a 95 % interval (Wilson). Change: '
    'against the first line, in points; gained and lost: runs that now reach the goal, or no '
    'longer do; p: exact McNemar test, two-sided. The runs differ in the model alone.'
)


def make_dataset(plan: LearningPlan, training: RoundTraining, command: str = '') -> Dataset:
    """Make a data set of what was learned so far, and of the one that is given besides.

    Args:
        plan: says where it was learned, in which form, and from which tasks.
        training: says which tasks are held out, and which other data set is taken.
        command: what is run.

    Raises:
        ConfigurationError: if nothing was learned and nothing else is given.
    """
    library = library_of(planner_options(read_planner(plan.planner).parameters))
    found = remembered(Path(plan.memory), (plan.planner,))
    kept = thinned(found.nodes, goal_key_of(library), seed=plan.seed)
    given = read_dataset(Path(training.data)).examples if training.data else ()
    apart = training.held_out_tasks()
    own = {node.example: None for node in kept.nodes if node.example.origin.task not in apart}
    more = {one: None for one in given if one.origin.task not in apart and one not in own}
    examples = (*own, *more)
    if not examples:
        raise ConfigurationError(
            f'no run of {plan.model} has reached its goal, so there is nothing to train on: take '
            'easier or more tasks, a better model, or give a data set with --data'
        )
    counts = {**counts_of(examples), 'made from': {'own': len(own), 'given': len(more)}}
    return Dataset(Header(command, library.name, counts, made_with()), examples)


@dataclass(frozen=True)
class Measured:
    """What a model reaches on the held-out tasks.

    Args:
        number: of the round that it was trained after; 0 is before the first.
        model: its name.
        examples: how many it was trained on in this plan.
        wanted: how many held-out runs there are.
        held: those whose goal holds, of those that have ended.
        gained: runs whose goal holds, and did not with the first model.
        lost: the other way round.
    """

    number: int
    model: str
    examples: int
    wanted: int
    held: Share
    gained: int
    lost: int


def measured(plan: LearningPlan, training: RoundTraining) -> tuple[Measured, ...]:
    """Return what is known of the model before the first round and after each.

    Raises:
        ConfigurationError: if a trace or a data set cannot be read.
    """
    lines: list[Measured] = []
    first: dict[tuple[str, int], bool] = {}
    for number in range(plan.rounds + 1):
        specs = plan.measuring(number).runs()
        traces = Store(training.measured(number)).traces(specs)
        holds = {(one.spec.task_set, one.spec.task): one.ending.holds for one in traces}
        if not holds:
            break
        first = first or holds
        both = [(first[task], now) for task, now in holds.items() if task in first]
        data = training.data_set(number)
        lines.append(
            Measured(
                number,
                plan.model_after(number),
                len(read_dataset(data).examples) if number and data.exists() else 0,
                len(specs),
                Share.count(sum(holds.values()), len(holds)),
                both.count((False, True)),
                both.count((True, False)),
            )
        )
    return tuple(lines)


def measured_table(lines: Sequence[Measured], training: RoundTraining) -> RenderableType:
    """Return the table of a model's success from round to round for a terminal."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column('after round', justify='right', no_wrap=True)
    table.add_column('model', overflow='fold')
    for name in ('examples', 'runs', 'GSR %', 'change', 'gained', 'lost', 'p'):
        table.add_column(name, justify='right', no_wrap=True)
    for one in lines:
        share = one.held
        runs = str(share.of) if share.of == one.wanted else f'{share.of} of {one.wanted}'
        success = f'{100 * share.value:.0f} [{100 * share.low:.0f}–{100 * share.high:.0f}]'
        cells = ['–'] * 4
        if one.number:
            change = 100 * (share.value - lines[0].held.value)
            p = mcnemar(one.gained, one.lost)
            cells = [f'{change:+.0f}', str(one.gained), str(one.lost), f'{p:.3f}']
        name = Path(one.model).name if one.number else one.model
        table.add_row(str(one.number), name, f'{one.examples:,}', runs, success, *cells)
    title = f'\nHeld-out tasks: {", ".join(training.held_out)}'
    return Group(Text(title, style='bold'), table, Text(_NOTE, style='dim'))
