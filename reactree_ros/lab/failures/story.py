# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The story of one run on a page: what was asked, the tree, where it went wrong, what was missed.

Events are named by their numbers, ``#0`` being the first after the head of the trace's file.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reactree_ros.core.outcome import Costs
from reactree_ros.lab.evaluation.trace import Trace, TraceEvent
from reactree_ros.lab.failures.failures import KINDS, Failure
from reactree_ros.lab.failures.nodes import NodeSpan, expansions, read_nodes
from reactree_ros.sim.household.task import Task

WIDTH = 100
"""Characters of a line, unless everything is wanted."""
TREE_LINES = 24
STORY_LINES = 40
_LABEL = 10
_NUMBER = 5
_AROUND = 6
"""Lines of the story on either side of the turning point that are never left out."""
_PLAIN_SKILLS = ('go to ', 'open ')
_HERE = '  <── turning point'


@dataclass(frozen=True)
class Line:
    """One line of a story.

    Args:
        text: what it says.
        style: ``head``, ``turn`` (the turning point), ``good``, ``bad``, ``dim`` or empty.
        event: index of the event that it describes; -1 for none.
    """

    text: str
    style: str = ''
    event: int = -1


def narrate(
    trace: Trace, task: Task, failure: Failure | None, *, note: str = '', whole: bool = False
) -> list[Line]:
    """Tell the story of a run.

    Args:
        trace: the run.
        task: its task.
        failure: why it failed; None if the goal holds, or if that cannot be said.
        note: why that cannot be said; empty if it can.
        whole: all events, and nothing cut.
    """
    turn = failure.event if failure else -1
    root = read_nodes(trace.events)
    lines = [*_head(trace, task), *_verdict(trace, failure, note), Line('')]
    if root.children:
        tree = list(_tree(root, trace.events, turn))
        lines += [Line('The tree', 'head'), *_shortened(tree, turn, 10**6 if whole else TREE_LINES)]
        lines.append(Line(''))
    story = list(_events(trace.events, failure, whole=whole))
    lines.append(Line('The run', 'head'))
    lines += _shortened(story, turn, 10**6 if whole else STORY_LINES)
    if whole:
        return lines
    return [Line(text, line.style, line.event) for line in lines for text in _fitted(line)]


def _head(trace: Trace, task: Task) -> Iterator[Line]:
    spec, ending = trace.spec, trace.ending
    marks = [task.type, *(['ambiguous'] if task.ambiguous else []), f'start in {task.start}']
    marks += ['unseen apartment'] if task.unseen else []
    marks += [f'shortest known: {task.shortest} skills'] if task.shortest else []
    yield Line(f'"{trace.instruction}"', 'head')
    yield Line(f'task      {spec.task_set} {spec.task}, seed {spec.seed}: {", ".join(marks)}')
    yield Line(f'planner   {spec.planner} with {spec.model}')
    costs = ending.costs
    yield Line(f'ended     {ending.status} ({ending.reason.value}): {ending.message}')
    for line in ending.satisfied:
        yield Line(f'world     ✓ {line}', 'good')
    for line in ending.unsatisfied:
        yield Line(f'world     ✕ {line}', 'bad')
    yield Line(f'costs     {_costs(costs)}; longest prompt {_longest(trace.events):,} tokens')


def _verdict(trace: Trace, failure: Failure | None, note: str) -> Iterator[Line]:
    if note:
        yield Line(f'failure   cannot be classed: {note}', 'bad')
    elif failure is None:
        said = '' if trace.ending.status == 'succeeded' else ', though the planner says it failed'
        yield Line(f'failure   none: the goal holds{said}', 'good')
    else:
        yield Line(f'failure   {KINDS[failure.kind]}', 'bad')
        yield Line(f'why       {failure.detail}')
        cited = ', '.join(f'#{index}' for index in sorted(failure.cites)[:12])
        more = f' and {len(failure.cites) - 12} more' if len(failure.cites) > 12 else ''
        yield Line(f'turn      #{failure.event}; shown by {cited}{more}')
        for missed in failure.missed:
            yield Line(f'missed    {missed}')


def _costs(costs: Costs) -> str:
    return (
        f'{costs.decisions} decisions, {costs.skills} skills, {costs.tokens_in:,} tokens in '
        f'({costs.reused:.0%} reused), {costs.tokens_out:,} out, {costs.total_seconds:.0f} s '
        f'({costs.model_seconds:.0f} s model)'
    )


def _longest(events: Sequence[TraceEvent]) -> int:
    return max((event.decision.tokens_in for event in events), default=0)


def _tree(span: NodeSpan, events: Sequence[TraceEvent], turn: int) -> Iterator[Line]:
    indent = '  ' * (len(span.path) - 1)
    mark = '✓' if span.success else '✕' if span.end is not None else '-'
    made = expansions(span, events)
    acts = sum(events[index].kind == 'act' for index in span.events)
    done = [f'{made[-1].control_flow} of {len(made[-1].subgoals)}'] if made else []
    done += [f'{acts} act{"s" if acts > 1 else ""}'] if acts else []
    own = f' ({", ".join(done)})' if done else ''
    here = turn in span.events
    yield Line(
        f'{indent}{mark} {span.goal}{own}{_HERE if here else ""}',
        'turn' if here else '',
        turn if here else span.first,
    )
    begun = [child.goal for child in span.children]
    for child in span.children:
        yield from _tree(child, events, turn)
    for goal in made[-1].subgoals if made else ():
        if goal not in begun:
            yield Line(f'{indent}  - {goal} (never begun)', 'dim', span.first)


def _events(
    events: Sequence[TraceEvent], failure: Failure | None, *, whole: bool
) -> Iterator[Line]:
    """Yield a line an event; an observation joins its act, and plain steps in a row join too."""
    turn = failure.event if failure else -1
    cited = set(failure.cites) if failure else set()
    passed: list[int] = []
    index = 0
    while index < len(events):
        event = events[index]
        step = 2 if _answered(events, index) and not whole else 1
        answer = events[index + 1].text if step == 2 else ''
        refused = answer.startswith('You cannot')
        plain = event.kind == 'act' and event.text.startswith(_PLAIN_SKILLS)
        plain = plain or event.kind == 'think'
        if whole or not plain or refused or cited & {index, index + step - 1}:
            yield from _passed(events, passed)
            passed = []
            text = f'{event.kind} {event.text}' + (f' → {answer}' if answer else '')
            here = turn in range(index, index + step)
            yield _line(event, index, text, here=here)
        else:
            passed.append(index)
        index += step
    yield from _passed(events, passed)


def _answered(events: Sequence[TraceEvent], index: int) -> bool:
    following = events[index + 1 : index + 2]
    return (
        events[index].kind in ('act', 'recall', 'rejected')
        and bool(following)
        and following[0].kind == 'observation'
        and following[0].path == events[index].path
    )


def _passed(events: Sequence[TraceEvent], passed: Sequence[int]) -> Iterator[Line]:
    """Yield one line for steps that need no line of their own."""
    acts = [events[index].text for index in passed if events[index].kind != 'think']
    thoughts = len(passed) - len(acts)
    said = [', '.join(acts)] if acts else []
    said += [f'{thoughts} thoughts' if thoughts > 1 else 'a thought'] if thoughts else []
    if said:
        first = passed[0]
        yield _line(events[first], first, '; '.join(said), style='dim')


def _line(event: TraceEvent, index: int, text: str, *, here: bool = False, style: str = '') -> Line:
    indent = '  ' * (len(event.path) - 1)
    if here:
        style = 'turn'
    elif event.kind == 'goal':
        style = 'head'
    return Line(f'{f"#{index}":>{_NUMBER}} {indent}{text}{_HERE if here else ""}', style, index)


def _shortened(lines: list[Line], turn: int, most: int) -> list[Line]:
    """Keep the beginning, the end and what is around the turning point."""
    if len(lines) <= most:
        return lines
    at = next((i for i, line in enumerate(lines) if line.style == 'turn'), len(lines) - 1)
    edge = (most - 2 * _AROUND) // 2
    keep = {*range(edge), *range(at - _AROUND, at + _AROUND), *range(len(lines) - edge, len(lines))}
    shown: list[Line] = []
    gap = 0
    for number, line in enumerate(lines):
        if number in keep:
            if gap:
                shown.append(Line(f'      … {gap} lines (--all-events shows them)', 'dim'))
            gap = 0
            shown.append(line)
        else:
            gap += 1
    return shown


def _fitted(line: Line) -> list[str]:
    """Cut a line of the tree or the run; wrap any other below its first word."""
    text = line.text
    if line.event < 0:
        indent = ' ' * _LABEL if line.style != 'head' else ''
        return textwrap.wrap(text, WIDTH, subsequent_indent=indent) or ['']
    if len(text) <= WIDTH:
        return [text]
    if line.style == 'dim':  # places, one after another
        indent = ' ' * (_NUMBER + len(text[_NUMBER:]) - len(text[_NUMBER:].lstrip()))
        return textwrap.wrap(text, WIDTH, subsequent_indent=indent, max_lines=3, placeholder=' …')
    end = _HERE if text.endswith(_HERE) else ''
    return [text[: WIDTH - 1 - len(end)].rstrip() + '…' + end]
