# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Failures that an instruction or an expansion caused (paper, section 5.6).

Both precede any act: whatever the robot then did, the goal could not be reached.
"""

from __future__ import annotations

from collections.abc import Iterator

from reactree_ros.core.outcome import Reason
from reactree_ros.guidance.checks import asks_to_switch, verbs_of
from reactree_ros.lab.failures.case import Case, Failure, Stage, Want
from reactree_ros.lab.failures.nodes import Expansion, NodeSpan, failed_leaves
from reactree_ros.lab.failures.words import gives_number, speaks_of
from reactree_ros.sim.household.goal import Condition

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
    """An expansion that could not lead to the goal: it leaves out, or asks for something else."""
    for span in case.root.below():
        for want in case.wants if span.expansions else ():
            found = _judge(case, span, want)
            if found is not None:
                return Failure(*found, span.expansions[-1].event)
    return _off_goal(case)


def _judge(case: Case, span: NodeSpan, want: Want) -> tuple[str, str] | None:
    """Return class and detail of what is wrong with the last expansion of a node, if anything."""
    expansion = span.expansions[-1]
    condition, subject = want.condition, want.condition.subject
    for subgoal in expansion.subgoals:
        elsewhere = _leads_elsewhere(case, subgoal, condition)
        if elsewhere:
            wanted = condition.line(0).partition(':')[0]
            detail = f'The subgoal "{subgoal}" brings the {subject} to the {elsewhere}'
            return 'wrong', f'{detail}; wanted: {wanted}.'
    need = _asked_of(case, span, want, expansion.event)
    have = _covered(case, expansion, condition)
    lacking = [
        state
        for state in _still_lacking(case, want)
        if not speaks_of(state, expansion.subgoals)
        and (span.parent is None or speaks_of(state, [span.goal]))
    ]
    if need < 1 or (have >= need and not lacking):
        return None
    off_goal = next((goal for goal in expansion.subgoals if _not_asked(case, goal)), '')
    if off_goal and have < need:
        return 'wrong', f'The subgoal "{off_goal}" takes the place of one for the {subject}.'
    lack = f'cover {have} of {need} {subject}' if have < need else f'lack: {subject} {lacking[0]}'
    return 'missing', f'The subgoals of "{span.goal}" {lack}.'


def _still_lacking(case: Case, want: Want) -> list[str]:
    """Return the states of a condition that none of the objects that came so far is in."""
    graph = case.walk.world.state
    nodes = [node for name in want.names if (node := case.walk.node(name))]
    return [
        state
        for state in want.condition.kind.states
        if not any(state.upper() in graph.states(node.id) for node in nodes)
    ]


def _leads_elsewhere(case: Case, subgoal: str, condition: Condition) -> str:
    """Return the place where a subgoal wants the condition's object, if it is not the goal's."""
    words = case.words
    if not condition.target or condition.kind.states or condition.kind.load:
        return ''  # things are put somewhere to be heated or filled, too
    if not words.puts(subgoal) or condition.subject not in words.named(subgoal):
        return ''
    targets = {c.target for c in case.walk.conditions if c.subject == condition.subject}
    ends = words.ends_at(subgoal) - {condition.subject}
    return '' if ends & targets else next(iter(sorted(ends)), '')


def _asked_of(case: Case, span: NodeSpan, want: Want, event: int) -> int:
    """Return how many objects a node had to deal with, when it expanded, to meet a condition."""
    condition, words = want.condition, case.words
    if not condition.target and condition.predicate != 'turnOn':
        return 0
    step = case.walk.at(event)
    left = max(0, condition.count - step.met[want.number])
    if span.parent is None:
        return left
    if condition.subject not in words.named(span.goal):
        return 0
    if not condition.target:
        return min(left, 1) if asks_to_switch(span.goal) else 0
    ends = words.ends_at(span.goal)
    if not words.puts(span.goal) or (ends and condition.target not in ends):
        return 0
    if any(name.startswith(f'{condition.subject} ') for name in step.held):
        return 0  # the node has it in the hand; finding the place may be all that is left
    return min(left, words.number(span.goal, condition.subject))


def _covered(case: Case, expansion: Expansion, condition: Condition) -> int:
    """Return for how many objects the subgoals of an expansion could meet a condition."""
    words, subject = case.words, condition.subject
    about = [goal for goal in expansion.subgoals if subject in words.named(goal)]
    # "put it down on the table", "turn it on": what was named before
    unnamed = [goal for goal in expansion.subgoals if not words.named(goal) & words.movable]
    if not condition.target:
        own = [goal for goal in about if asks_to_switch(goal)]
        return len(own) or sum(' it' in goal and asks_to_switch(goal) for goal in unnamed)
    put = [goal for goal in about if words.puts(goal)]
    found = [goal for goal in about if goal not in put]
    if not put and not any(words.puts(goal) for goal in unnamed):
        return 0
    return max(
        sum(words.number(goal, subject) for goal in put),
        sum(words.number(goal, subject) for goal in found),
    )


def _not_asked(case: Case, goal: str) -> bool:
    """Whether a goal is only about movable things that nobody asked for."""
    things = case.words.named(goal) & case.words.movable
    return bool(things) and not things & case.asked


def _off_goal(case: Case) -> Failure | None:
    """A run that ended at a subgoal which nobody asked for."""
    for span in _failed(case.root) if case.gave_up else ():
        if span.parent is None or not _not_asked(case, span.goal) or not verbs_of(span.goal):
            continue
        made = [one for one in span.parent.expansions if span.goal in one.subgoals]
        if made and made[-1].control_flow == 'sequence':
            detail = f'Nobody asked for "{span.goal}"; it failed, and all after it with it.'
            return Failure('wrong', detail, made[-1].event)
    return None


def _failed(span: NodeSpan) -> Iterator[NodeSpan]:
    if not span.success:
        yield span
        for child in span.children:
            yield from _failed(child)
