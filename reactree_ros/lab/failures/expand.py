# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Failures that an instruction or an expansion caused (paper, section 5.6).

Both precede any act: whatever the robot then did, the goal could not be reached.
"""

from __future__ import annotations

from reactree_ros.core.outcome import Reason
from reactree_ros.lab.failures.case import Case, Failure, Stage, classes_of
from reactree_ros.lab.failures.nodes import failed_leaves
from reactree_ros.lab.failures.words import gives_number

_EXPAND = 'Expand: '
LEFT_OUT = 'no subgoal is about '
"""How the check of an expansion begins that found a class left out."""


def ambiguous(case: Case) -> Failure | None:
    """The instruction leaves open, on purpose, what the run then got wrong."""
    if not case.task.ambiguous:
        return None
    named = case.words.certain(case.trace.instruction)
    for want in case.wants:
        condition = want.condition
        right_thing = want.stage >= Stage.LEFT
        if condition.subject not in named and not right_thing:
            what = f'that {condition.subject} is meant'
        elif condition.target and condition.target not in named and right_thing:
            what = f'that the {condition.target} is meant'
        elif condition.count > 1 and not gives_number(case.trace.instruction):
            what = f'how many {condition.subject} are meant'
        else:
            continue
        wanted = {one.subject for one in case.walk.conditions}
        others = [e for name, e in case.walk.taken.items() if name.rpartition(' ')[0] not in wanted]
        return Failure('ambiguous', f'The instruction does not say {what}.', min(others, default=0))
    return None


def not_expanded(case: Case) -> Failure | None:
    """The run ended because the model's expansions were rejected, one after another."""
    events = case.trace.events
    if case.trace.ending.reason is not Reason.MODEL:
        return None
    for leaf in failed_leaves(case.root):
        row: list[int] = []
        for index in leaf.events:
            if events[index].kind == 'rejected':
                row.append(index)
            elif events[index].kind not in ('observation', 'failure', 'ended'):
                row = []
        if row and leaf.end == row[-1] + 1 and events[row[-1]].text.startswith(_EXPAND):
            why = events[row[-1]].text.rpartition(']: ')[2]
            detail = f'The expansions of "{leaf.goal}" were rejected, the last one because {why}.'
            return Failure('missing' if why.startswith(LEFT_OUT) else 'wrong', detail, row[0])
    return None


def expanded_wrongly(case: Case) -> Failure | None:
    """An expansion that leaves out an object of the goal, or has another one in its place.

    A node has to deal with an object if its goal names the object and where it belongs; the root
    with all. Subgoals are judged only by the classes that they name.
    """
    for span in case.root.below():
        for expansion in span.expansions[-1:]:
            named = [case.words.named(goal) for goal in expansion.subgoals]
            asked = case.words.named(span.goal)
            for want in case.wants:
                own = span.parent is None or asked.issuperset(classes_of(want.condition))
                subject = want.condition.subject
                if not own or subject in frozenset().union(*named):
                    continue
                for goal, classes in zip(expansion.subgoals, named, strict=True):
                    things = classes & case.words.movable
                    if things and not things & case.asked:
                        detail = f'The subgoal "{goal}" takes the place of one for the {subject}.'
                        return Failure('wrong', detail, expansion.event)
                detail = f'No subgoal of "{span.goal}" is about the {subject}.'
                return Failure('missing', detail, expansion.event)
    return None
