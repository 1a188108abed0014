# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads agent nodes of the runs that the paper's authors published, into this planner's form.

The file has one JSON object a line with ``task_id``, ``termination`` and ``text``, the node's
whole trajectory as the official code writes it (folder ``resource/wah/em_llm`` there). What a
model reads here is what it would read from this planner: goals on one line, decisions as
``to_text`` writes them, no "OK." after a thought. Observations keep their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reactree_ros.core.decision import (
    DONE,
    FAILURE,
    RECALL,
    Act,
    ControlFlow,
    Decision,
    Done,
    Expand,
    Failure,
    Recall,
    Think,
)
from reactree_ros.core.prompt import Message, Trajectory
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.memory.exchange import JSON_LINES, read_objects
from reactree_ros.memory.experience import Experience, Termination

_FIRST = '\nYou are in the house'
_OPENINGS = ('Your task is to: ', 'Your primary goal is to: ')
_GOAL = re.compile(r'Your task is to: (?P<goal>.+)', re.DOTALL)
_CHILD = re.compile(
    r'Your primary goal is to: (?P<primary>.+)\n'
    r'To achieve this, you should perform your sibling tasks '
    r'(?P<flow>in sequence|in parallel|using a fallback strategy)\. '
    r'At this level, your sibling tasks are: (?P<siblings>.+)\.\n'
    rf'{_GOAL.pattern}',
    re.DOTALL,
)
_FLOWS = {
    'in sequence': ControlFlow.SEQUENCE,
    'in parallel': ControlFlow.PARALLEL,
    'using a fallback strategy': ControlFlow.FALLBACK,
}
_FLOW = '- control flow: '
_SUBGOALS = '- subgoals: '


@dataclass(frozen=True)
class RecordedNode:
    """What one agent node of a published run went through.

    Args:
        task_id: the task of the run.
        termination: how the node ended.
        trajectory: all of it.
        decisions: each decision, and how many steps of the trajectory precede it.
    """

    task_id: int
    termination: Termination
    trajectory: Trajectory
    decisions: tuple[tuple[int, Decision], ...]

    @property
    def root(self) -> bool:
        """Whether its goal is that of the whole run."""
        return self.trajectory.message is None

    @property
    def experience(self) -> Experience:
        """The node as episodic memory remembers it."""
        return Experience(self.trajectory.goal, self.trajectory.text(), self.termination, self.root)


def is_published(path: Path) -> bool:
    """Return whether a file holds published runs, by its first object.

    Raises:
        ConfigurationError: if it ends in ``.jsonl`` and cannot be read.
    """
    if JSON_LINES not in path.suffixes:
        return False
    for _, values in read_objects(path):
        return 'task_id' in values and str(values.get('text')).startswith(_OPENINGS)
    return False


def read_runs(path: Path) -> tuple[RecordedNode, ...]:
    """Read all nodes of a file.

    Raises:
        ConfigurationError: if the file cannot be read, or a line is not in the form.
    """
    nodes = []
    for number, values in read_objects(path):
        try:
            nodes.append(_node(values))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ConfigurationError(
                f'{path}, line {number}: no agent node of a published run: {error!r}'
            ) from error
    return tuple(nodes)


def _node(record: dict[str, Any]) -> RecordedNode:
    record['text'].encode('utf-8')  # no half of a character: no store can keep one
    head, found, rest = record['text'].partition(_FIRST)
    if not found:
        raise ValueError(f'no observation that begins with {_FIRST.strip()!r}')
    lines = iter((_FIRST.strip() + rest).splitlines())
    trajectory = _opening(head, next(lines))
    decisions = []
    for item in _steps(lines):
        if isinstance(item, str):
            trajectory.observe(item)
        else:
            decisions.append((len(trajectory.steps), item))
            trajectory.decide(item)
    return RecordedNode(
        int(record['task_id']),
        Termination(record['termination']),
        trajectory,
        tuple(decisions),
    )


def _opening(head: str, observation: str) -> Trajectory:
    child = _CHILD.fullmatch(head)
    if child:
        siblings = [part.removeprefix('and ') for part in child['siblings'].split(', ')]
        siblings[-1] = siblings[-1].removeprefix('and ')  # some have it twice
        message = Message(_line(child['primary']), _FLOWS[child['flow']], tuple(siblings))
        return Trajectory(_line(child['goal']), message, observation)
    root = _GOAL.fullmatch(head)
    if not root:
        raise ValueError(f'the opening {head!r} is neither that of a root nor that of a child')
    return Trajectory(_line(root['goal']), None, observation)


def _line(goal: str) -> str:
    """Return a goal of several lines as one, as a sentence or as a list with commas."""
    parts = [part.strip().removeprefix('- ') for part in goal.splitlines()]
    text = parts[0]
    for part in parts[1:]:
        text += f' {part}' if text[-1:] in '.:;,!?' else f', {part}'
    return text


def _steps(lines: Iterator[str]) -> Iterator[Decision | str]:
    """Yield decisions and, as text, observations."""
    for line in lines:
        kind, _, rest = line.partition(':')
        if kind == 'Think':
            yield Think(rest.strip())
            if next(lines, 'OK.') != 'OK.':
                raise ValueError(f'no OK. after {line!r}')
        elif kind == 'Act':
            yield _act(rest.strip())
        elif kind == 'Expand':
            flow, subgoals = next(lines, ''), next(lines, '')
            if not (flow.startswith(_FLOW) and subgoals.startswith(_SUBGOALS)):
                raise ValueError(f'no control flow and subgoals after {line!r}')
            # The official code parts subgoals at commas, too.
            parts = tuple(subgoals.removeprefix(_SUBGOALS).strip().split(', '))
            yield Expand(ControlFlow(flow.removeprefix(_FLOW).strip()), parts)
        elif line.strip():
            yield line


def _act(phrase: str) -> Decision:
    if phrase.startswith(RECALL):
        return Recall(phrase.removeprefix(RECALL))
    if phrase in (DONE, FAILURE):
        return Done() if phrase == DONE else Failure()
    return Act(phrase)
