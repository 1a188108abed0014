# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One run on a page: what was asked, the tree, where it went wrong, what was missed.

Events are named by their numbers, ``#0`` being the first after the head of the trace's file.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.lab.failures.case import Failure
from reactree_ros.lab.failures.failures import KINDS
from reactree_ros.lab.failures.nodes import NodeSpan, read_nodes
from reactree_ros.sim.household.task import Task

WIDTH = 100
"""Characters of a line, unless everything is wanted."""
TREE_LINES = 24
RUN_LINES = 40
_LABEL = 10
_HERE = '  <── turning point'


class Line(NamedTuple):
    """One line, and its style for ``rich``."""

    text: str
    style: str = ''


def narrate(
    trace: Trace, task: Task, failure: Failure | None, *, note: str = '', whole: bool = False
) -> list[Line]:
    """Describe a run.

    Args:
        trace: the run.
        task: its task.
        failure: why it failed; None if the goal is satisfied, or if the class is unknown.
        note: why the class is unknown; empty if it is known.
        whole: all events, and nothing cut.
    """
    turn = failure.event if failure else -1
    root = read_nodes(trace.events)
    tree = [Line('The tree', 'bold'), *_page(list(_tree(root, turn)), TREE_LINES, whole), Line('')]
    run = [
        _line(f'#{index:<4} {"  " * (len(event.path) - 1)}{event.kind} {event.text}', index == turn)
        for index, event in enumerate(trace.events)
    ]
    return [
        *_head(trace, task),
        *_verdict(trace, failure, note),
        Line(''),
        *(tree if root.children else []),
        Line('The run', 'bold'),
        *_page(run, RUN_LINES, whole),
    ]


def _head(trace: Trace, task: Task) -> Iterator[Line]:
    spec, ending, costs = trace.spec, trace.ending, trace.ending.costs
    marks = [task.type, *(['ambiguous'] if task.ambiguous else []), f'start in {task.start}']
    marks += ['unseen apartment'] if task.unseen else []
    marks += [f'shortest known: {task.shortest} skills'] if task.shortest else []
    yield Line(f'"{trace.instruction}"', 'bold')
    yield from _field('task', f'{spec.task_set} {spec.task}, seed {spec.seed}: {", ".join(marks)}')
    yield from _field('planner', f'{spec.planner} with {spec.model}')
    yield from _field('ended', f'{ending.status} ({ending.reason.value}): {ending.message}')
    for line in ending.satisfied:
        yield from _field('world', f'✓ {line}', 'green')
    for line in ending.unsatisfied:
        yield from _field('world', f'✕ {line}', 'red')
    longest = max((event.decision.tokens_in for event in trace.events), default=0)
    yield from _field(
        'costs',
        f'{costs.decisions} decisions, {costs.skills} skills, {costs.tokens_in:,} tokens in '
        f'({costs.reused:.0%} reused), {costs.tokens_out:,} out, {costs.total_seconds:.0f} s '
        f'({costs.model_seconds:.0f} s model); longest prompt {longest:,} tokens',
    )


def _verdict(trace: Trace, failure: Failure | None, note: str) -> Iterator[Line]:
    if note:
        yield from _field('failure', f'cannot be classified: {note}', 'red')
    elif failure is None:
        but = '' if trace.ending.status == 'succeeded' else ', though the planner reports a failure'
        yield from _field('failure', f'none: the goal is satisfied{but}', 'green')
    else:
        yield from _field('failure', KINDS[failure.kind], 'red')
        yield from _field('why', failure.detail)
        yield from _field('turn', f'#{failure.event}')
        for missed in failure.missed:
            yield from _field('missed', missed)


def _field(name: str, text: str, style: str = '') -> Iterator[Line]:
    indent = ' ' * _LABEL
    for line in textwrap.wrap(f'{name:{_LABEL}}{text}', WIDTH, subsequent_indent=indent):
        yield Line(line, style)


def _tree(span: NodeSpan, turn: int) -> Iterator[Line]:
    indent = '  ' * (len(span.path) - 1)
    mark = '✓' if span.success else '✕' if span.end is not None else '-'
    made = span.expansions[-1:]
    own = ''.join(f' ({one.control_flow} of {len(one.subgoals)})' for one in made)
    yield _line(f'{indent}{mark} {span.goal}{own}', turn in span.events)
    begun = [child.goal for child in span.children]
    for child in span.children:
        yield from _tree(child, turn)
    for goal in made[0].subgoals if made else ():
        if goal not in begun:
            yield Line(f'{indent}  - {goal} (never started)', 'dim')


def _line(text: str, here: bool) -> Line:
    return Line(f'{text}{_HERE}', 'bold yellow') if here else Line(text)


def _page(lines: list[Line], most: int, whole: bool) -> Iterator[Line]:
    """Yield the lines around the turning point, or all of them."""
    if whole:
        yield from lines
        return
    here = [index for index, line in enumerate(lines) if line.text.endswith(_HERE)]
    first = max(0, min((here or [len(lines)])[0] - most // 2, len(lines) - most))
    shown = lines[first : first + most]
    if first:
        yield Line(f'… {first} lines before (--all-events shows them)', 'dim')
    for text, style in shown:
        mark = _HERE if text.endswith(_HERE) else ''
        fits = len(text) <= WIDTH
        yield Line(text if fits else f'{text[: WIDTH - 1 - len(mark)].rstrip()}…{mark}', style)
    if first + most < len(lines):
        yield Line(f'… {len(lines) - first - most} lines after (--all-events shows them)', 'dim')
