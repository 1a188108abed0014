# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Failures that an instruction or an expansion brought about (paper, section 5.6).

Both lie before any act: whatever the robot then did, the goal could not hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from reactree_ros.core.outcome import Reason
from reactree_ros.guidance.checks import asks_to_switch, verbs_of
from reactree_ros.lab.failures.case import Case, Failure, Stage, Want
from reactree_ros.lab.failures.nodes import Expansion, NodeSpan, expansions, failed_leaves
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
            what = f'does not say that {condition.subject} is meant'
        elif condition.target and condition.target not in named and right_thing:
            what = f'does not say that the {condition.target} is meant'
        elif condition.count > 1 and not gives_number(case.trace.instruction):
            what = f'does not say how many {condition.subject} are meant'
        else:
            continue
        turn = _other_thing(case)
        detail = f'The instruction {what}.'
        return Failure('ambiguous', detail, 0 if turn is None else turn, (turn or 0,))
    return None


def _other_thing(case: Case) -> int | None:
    wanted = {condition.subject for condition in case.walk.conditions}
    taken = sorted((event, name) for name, event in case.walk.taken.items())
    return next((e for e, name in taken if name.rpartition(' ')[0] not in wanted), None)


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
        expanded = [index for index in row if events[index].text.startswith(_EXPAND)]
        if expanded and expanded[-1] == row[-1] and leaf.end == row[-1] + 1:
            why = events[row[-1]].text.rpartition(']: ')[2]
            detail = (
                f'{len(expanded)} expansions of "{leaf.goal}" in a row were rejected, the last one '
                f'because {why}.'
            )
            kind = 'missing' if why.startswith(LEFT_OUT) else 'wrong'
            return Failure(kind, detail, row[0], tuple(expanded))
    return None


def expanded_wrongly(case: Case) -> Failure | None:
    """An expansion that could not lead to the goal: it leaves out, or asks for something else."""
    for span in case.root.below():
        made = expansions(span, case.trace.events)
        for want in case.wants if made else ():
            found = _judge(case, span, made, want)
            if found is not None:
                return found
    return _stray(case)


def _judge(case: Case, span: NodeSpan, made: list[Expansion], want: Want) -> Failure | None:
    expansion = made[-1]
    condition = want.condition
    cites = (expansion.event,)
    for subgoal in expansion.subgoals:
        elsewhere = _leads_elsewhere(case, subgoal, condition)
        if elsewhere:
            detail = (
                f'The subgoal "{subgoal}" brings the {condition.subject} to the {elsewhere}; it '
                f'was to end {condition.predicate} the {condition.target}.'
            )
            return Failure('wrong', detail, expansion.event, cites)
    need = _asked_of(case, span, want, expansion.event)
    have = _covered(case, expansion, condition)
    step = next(
        (
            state
            for state in _still_lacking(case, want)
            if not speaks_of(state, expansion.subgoals)
            and (span.parent is None or speaks_of(state, [span.goal]))
        ),
        '',
    )
    if need < 1 or (have >= need and not step):
        return None
    stray = next((goal for goal in expansion.subgoals if _not_asked(case, goal)), '')
    if stray and have < need:
        detail = f'The subgoal "{stray}" takes the place of one for the {condition.subject}.'
        return Failure('wrong', detail, expansion.event, cites)
    what = f'{need} {condition.subject}' if need > 1 else f'the {condition.subject}'
    if have >= need:
        lack = f'no subgoal makes {what} {step}'
    elif have:
        lack = f'the subgoals are about {have} {condition.subject}, not {need}'
    elif any(condition.subject in case.words.named(goal) for goal in expansion.subgoals):
        where = f' {condition.predicate} the {condition.target}' if condition.target else ''
        lack = f'no subgoal puts {what}{where}' if where else f'no subgoal switches {what} on'
    else:
        lack = f'no subgoal is about {what}'
    detail = f'In the expansion of "{span.goal}" {lack}.'
    return Failure('missing', detail, expansion.event, cites)


def _still_lacking(case: Case, want: Want) -> list[str]:
    """The states that a condition asks for and none of the objects that came so far is in."""
    graph = case.walk.world.state
    nodes = [node for name in want.names if (node := case.walk.node(name))]
    return [
        state
        for state in want.condition.kind.states
        if not any(state.upper() in graph.states(node.id) for node in nodes)
    ]


def _leads_elsewhere(case: Case, subgoal: str, condition: Condition) -> str:
    """The place that a subgoal wants the condition's object to be put, if it is not the goal's."""
    words = case.words
    if not condition.target or condition.kind.states or condition.kind.load:
        return ''  # things are put somewhere to be heated or filled, too
    if not words.puts(subgoal) or condition.subject not in words.named(subgoal):
        return ''
    targets = {c.target for c in case.walk.conditions if c.subject == condition.subject}
    ends = words.ends_at(subgoal) - {condition.subject}
    return '' if ends & targets else next(iter(sorted(ends)), '')


def _asked_of(case: Case, span: NodeSpan, want: Want, event: int) -> int:
    """How many objects a node had to see to, when it expanded, for a condition to hold."""
    condition, words = want.condition, case.words
    if not condition.target and condition.predicate != 'turnOn':
        return 0
    left = max(0, condition.count - case.walk.met_at(want.number, event))
    if span.parent is None:
        return left
    if condition.subject not in words.named(span.goal):
        return 0
    if not condition.target:
        return min(left, 1) if asks_to_switch(span.goal) else 0
    ends = words.ends_at(span.goal)
    if not words.puts(span.goal) or (ends and condition.target not in ends):
        return 0
    if any(name.startswith(f'{condition.subject} ') for name in case.walk.held_at(event)):
        return 0  # the node has it in the hand; finding the place may be all that is left
    return min(left, words.number(span.goal, condition.subject))


def _covered(case: Case, expansion: Expansion, condition: Condition) -> int:
    """For how many objects the subgoals of an expansion could make a condition hold."""
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
    """Whether a goal is about movable things that nobody asked for, and about no other."""
    things = case.words.named(goal) & case.words.movable
    return bool(things) and not things & case.asked


def _stray(case: Case) -> Failure | None:
    """A run that ended at a subgoal which nobody asked for."""
    if not case.gave_up:
        return None
    for span in _failed(case.root):
        if span.parent is None or not _not_asked(case, span.goal) or not verbs_of(span.goal):
            continue
        made = [e for e in expansions(span.parent, case.trace.events) if span.goal in e.subgoals]
        if made and made[-1].control_flow == 'sequence':
            detail = f'Nobody asked for "{span.goal}"; it failed, and all after it with it.'
            end = span.end if span.end is not None else span.first
            return Failure('wrong', detail, made[-1].event, (made[-1].event, end))
    return None


def _failed(span: NodeSpan) -> Iterator[NodeSpan]:
    if not span.success:
        yield span
        for child in span.children:
            yield from _failed(child)
