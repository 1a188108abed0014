# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Why a run failed: one class of section 5.6 of the paper, by rules over the trace and the truth.

The paper's authors read 39 failed runs; here rules read them, so that every run is read, and all
are read alike. A rule sees what happened (the trace) and what was so (its skills are carried out
again in the task's world). The first rule that fits decides:

 1. *expand: missing, wrong*, if the model offered nothing but expansions that were rejected.
    *Limits*, if the model, the robot or the operator ended the run otherwise, *other* if the
    planner's own code failed: nothing else can be judged.
 2. *ambiguous*: the task is marked so, and what is missing is what its instruction leaves open. No
    planner can be blamed for the rest.
 3. *expand: wrong, missing*: decided before any act, and the goal could not hold whatever
    followed.
 4. *execution: confusion*: the world has the wrong thing in the right place, the right thing in the
    wrong place, one more of what was there already in place of another, or a node was said to be
    done with the wrong thing in the hand.
 5. *execution: repeat*: it ended in a loop of what had brought nothing before. A loop of walks,
    with nothing seen yet of what is wanted, is *search: revisit*.
 6. *limits*: decisions or time ran out while there still was progress, or the tree grew too deep.
 7. *search*, if the planner gave up over something that was never seen. What had been seen by then
    and left for later is not a failure of its own.
 8. *execution: skipping*: it was seen, or in the hand, and a step was left out.
 9. *search*: the planner says done about something that was never seen. The same three in either
    case: *same room* (it kept to one), *revisit* (it walked back more than on), else *incomplete*.

*Other* is what no rule fits. A limit that is reached without progress is a symptom: rules 5 and 7
to 9 name its cause.

A run is judged by what it failed at: a sequence that ended at its first subgoal never came to the
second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.lab.failures.acts import cut_off, out_of_budget, repeated, skipped
from reactree_ros.lab.failures.case import Case, Stage, Want, make_case
from reactree_ros.lab.failures.case import Failure as Failure
from reactree_ros.lab.failures.confusion import confused
from reactree_ros.lab.failures.expand import ambiguous, expanded_wrongly, not_expanded
from reactree_ros.lab.failures.nodes import read_nodes
from reactree_ros.lab.failures.search import searched, unfinished_search, where_it_was
from reactree_ros.lab.failures.walk import Walk, walk_through
from reactree_ros.lab.failures.words import Vocabulary
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
UNCLASSED = 'not classed'
"""Shown of a failed run whose world or task is no longer what it was."""

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


def classify(trace: Trace) -> Failure | None:
    """Say why a run failed.

    Args:
        trace: the run.

    Returns:
        None if the goal holds in the world, whatever the planner says.

    Raises:
        ConfigurationError: there is no such task in this version, or the trace is of another
            version of its world.
    """
    if trace.ending.holds:
        return None
    return examine(read_case(trace, task_of(trace.spec.task_set, trace.spec.task)))


def kind_of(trace: Trace) -> str:
    """Return the class of a failed run as it is shown; empty if the goal holds.

    A run that cannot be classed is shown as ``UNCLASSED``, for its figures count all the same.
    The classes are of households: of other worlds nothing is said.
    """
    if trace.spec.task_set in PDDL_SETS:
        return ''
    try:
        failure = classify(trace)
    except ConfigurationError:
        return UNCLASSED
    return KINDS[failure.kind] if failure else ''


def read_case(trace: Trace, task: Task) -> Case:
    """Put together what is known about a run, failed or not.

    Raises:
        ConfigurationError: see ``classify``; or it is a PDDL run.
    """
    if trace.spec.task_set in PDDL_SETS:
        raise ConfigurationError('the classes are of households')
    walk = walk_through(trace, task)
    words = Vocabulary(walk.world.scene, _library())
    return make_case(trace, task, walk, read_nodes(trace.events), words)


def examine(case: Case) -> Failure:
    """Class a failed run, by the first rule that fits."""
    missed = tuple(_missed(case.walk, want) for want in case.wants)
    for rule in _RULES:
        failure = rule(case)
        if failure is not None:
            return replace(failure, missed=missed)
    detail = f'No rule fits; the run ended so: {case.trace.ending.message}.'
    return Failure('other', detail, case.last, (case.last,), missed)


def _missed(walk: Walk, want: Want) -> str:
    condition, graph = want.condition, walk.world.state
    line = condition.line(condition.met(graph))
    if want.sought:
        nodes = [n for n in graph.scene.of_words(want.sought) if n.name not in walk.seen]
        hidden = '; '.join(where_it_was(walk, node) for node in nodes[:3])
        more = f'; and {len(nodes) - 3} more' if len(nodes) > 3 else ''
        return f'{line} - {hidden}{more}'
    name = want.names[0]
    now = walk.where(name)
    said = {
        Stage.SEEN: f'{name} was seen at #{max(walk.seen.get(name, 0), 0)}, it is {now}',
        Stage.LEFT: f'{name} was put down at #{walk.put.get(name, 0)}, it is {now}',
        Stage.HELD: f'{name} was picked up at #{walk.taken.get(name, 0)}, it is {now}',
        Stage.SHORT: f'{name} is {now}',
        Stage.UNDONE: f'it was met before; {name} is {now}',
    }
    return f'{line} - {said[want.stage]}'


@cache
def _library() -> SkillLibrary:
    return read_library(share('behaviors', 'household.yaml'))
