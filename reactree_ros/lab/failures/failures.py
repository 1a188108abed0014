# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Why a run failed: one class of section 5.6 of the paper, by rules over the trace and the truth.

The paper's authors read 39 failed runs; here rules read every run, and all alike. A rule sees what
happened (the trace) and the truth (its skills are executed again in the task's world). The first
rule that fits decides:

 1. *expand: missing, wrong*, if the model wrote nothing but expansions that were rejected.
    *Limits*, if the model, the robot or the operator ended the run otherwise, *other* if the
    planner's own code failed: nothing else can be judged.
 2. *ambiguous*: the task is marked as such, and what is missing is what its instruction leaves
    open. No planner can be blamed for the rest.
 3. *expand: missing, wrong*: no subgoal names an object of the goal, or one names another in its
    place. That was decided before any act.
 4. *execution: confusion*: the world has the wrong thing in the right place, the right thing in the
    wrong place, or a node was reported as done with the wrong thing in the hand.
 5. *execution: repeat*: it ended in a loop of what had no effect before. A loop of walks, with
    nothing seen yet of what is wanted, is *search: revisit*.
 6. *limits*: decisions or time ran out while there still was progress, or the tree grew too deep.
 7. *search*, if the planner gave up over something that was never seen. What had been seen by then
    and left for later is not a failure of its own.
 8. *execution: skipping*: it was seen, or in the hand, and a step was left out.
 9. *search*: the planner reports done about something that was never seen. The same three in either
    case: *same room* (it searched only one), *revisit* (it walked back more than on), else
    *incomplete*.

*Other* is what no rule fits. A limit that is reached without progress is a symptom: rules 5 and 7
to 9 name its cause.

A run is judged by what it failed at: a sequence that ended at its first subgoal never reached the
second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.lab.failures.case import Case, Failure, Stage, Want
from reactree_ros.lab.failures.execution import confused, cut_off, out_of_budget, repeated, skipped
from reactree_ros.lab.failures.expand import ambiguous, expanded_wrongly, not_expanded
from reactree_ros.lab.failures.search import searched, unfinished_search, where_it_was
from reactree_ros.lab.failures.walk import Walk
from reactree_ros.paths import share
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.pddl.shipped import PDDL_SETS
from reactree_ros.sim.tasks import task_of
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import read_library

KINDS = {
    'ambiguous': 'ambiguous',
    'confusion': 'execution: confusion',
    'repeat': 'execution: repeat',
    'skipping': 'execution: skipping',
    'incomplete': 'search: incomplete',
    'same_room': 'search: same room',
    'revisit': 'search: revisit',
    'missing': 'expand: missing',
    'wrong': 'expand: wrong',
    'limits': 'limits',
    'other': 'other',
}
"""The classes, and how they are shown; in the order of the paper."""
UNCLASSED = 'unknown'
"""Shown for a failed run whose world or task has changed since."""

_RULES: tuple[Callable[[Case], Failure | None], ...] = (
    not_expanded,
    cut_off,
    ambiguous,
    expanded_wrongly,
    confused,
    repeated,
    out_of_budget,
    unfinished_search,
    skipped,
    searched,
)


def classify(trace: Trace, task: Task | None = None) -> Failure | None:
    """Return why a run failed.

    Args:
        trace: the run.
        task: its task; None for the one that the trace names.

    Returns:
        None if the goal is satisfied in the world, whatever the planner reports.

    Raises:
        ConfigurationError: there is no such task in this version, the trace is of another version
            of its world, or its goal is not in the notation of Watch-And-Help.
    """
    if trace.ending.holds:
        return None
    if trace.spec.task_set in PDDL_SETS:
        raise ConfigurationError('there are failure classes only for household tasks')
    task = task or task_of(trace.spec.task_set, trace.spec.task)
    if not task.goal:
        raise ConfigurationError('there are failure classes only for goals as Watch-And-Help has')
    case = Case(trace, task, _library())
    missed = tuple(_missed(case.walk, want) for want in case.wants)
    for rule in _RULES:
        failure = rule(case)
        if failure is not None:
            return replace(failure, missed=missed)
    detail = f'No rule fits; how the run ended: {trace.ending.message}.'
    return Failure('other', detail, case.last, missed)


def kind_of(trace: Trace) -> str:
    """Return the class of a failed run as shown; empty if the goal is satisfied, or for PDDL.

    A run that cannot be classified is shown as ``UNCLASSED``, for its other metrics still count.
    """
    if trace.spec.task_set in PDDL_SETS:
        return ''
    try:
        failure = classify(trace)
    except ConfigurationError:
        return UNCLASSED
    return KINDS[failure.kind] if failure else ''


def _missed(walk: Walk, want: Want) -> str:
    condition, graph = want.condition, walk.world.state
    line = condition.line(condition.met(graph))
    if want.sought:
        nodes = [n for n in graph.scene.of_words(want.sought) if n.name not in walk.seen]
        hidden = '; '.join(where_it_was(walk, node) for node in nodes[:3])
        more = f'; and {len(nodes) - 3} more' if len(nodes) > 3 else ''
        return f'{line} - {hidden}{more}'
    name = want.names[0]
    happened = {
        Stage.SEEN: f'was seen at #{max(walk.seen.get(name, 0), 0)}',
        Stage.LEFT: f'was put down at #{walk.put.get(name, 0)}',
        Stage.HELD: f'was picked up at #{walk.taken.get(name, 0)}',
        Stage.SHORT: 'was handled',
        Stage.UNDONE: 'was as wanted before',
    }
    return f'{line} - {name} {happened[want.stage]}, it is {walk.where(name)}'


@cache
def _library() -> SkillLibrary:
    return read_library(share('behaviors', 'household.yaml'))
