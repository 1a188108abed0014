# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node's model reads, in the order in which it is shared with other nodes.

System prompt, experiences, the node's message and goal, its first observation, its trajectory
(paper, Equation 1 and Appendix E). The parts that change least come first, so that a model can
reuse the key/value cache of everything before the first difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from reactree_ros.core.decision import ControlFlow, Decision, to_text
from reactree_ros.core.plain_text import one_line

GOAL_LINE = 'Goal: '
PARENT_LINE = 'Primary goal: '
EXAMPLES = 'Examples of earlier work:'
NOW = 'Now it is your turn.'
MOST_OBSERVED = 8000
"""Longest observation, in characters."""
CORRECTION = 'A person corrects what must hold in the end: '
ANSWER, DECLINED, NO_ANSWER = 'The operator answers: ', 'The operator declined', 'Nobody answered'
_KINDS = ('Think', 'Act', 'Expand', 'Ask', 'Conditions', 'Subgoal', 'Goal', 'Primary goal')
_MARKS = (
    *(f'{kind}:' for kind in _KINDS),
    *('Subgoals (', EXAMPLES, NOW, '---', '#'),
    *(CORRECTION.strip(), ANSWER.strip(), DECLINED, NO_ANSWER),
)
"""What lines of a prompt, or of a file of experiences, begin with that are not observations."""
_TOGETHER = {
    ControlFlow.SEQUENCE: 'one after another; all must succeed',
    ControlFlow.FALLBACK: 'until one succeeds',
    ControlFlow.PARALLEL: 'independently of each other',
}


@dataclass(frozen=True)
class Message:
    """Message of a parent to a new agent node (paper, Appendix G).

    Args:
        primary_goal: the parent's goal.
        control_flow: how the siblings are coordinated.
        siblings: all subgoals of the expansion, the node's own among them.
    """

    primary_goal: str
    control_flow: ControlFlow
    siblings: tuple[str, ...]

    def text(self) -> str:
        """Return the lines that open the node's prompt."""
        return (
            f'{PARENT_LINE}{self.primary_goal}\n'
            f'Subgoals ({self.control_flow.value}, {_TOGETHER[self.control_flow]}): '
            f'{"; ".join(self.siblings)}\n'
        )


@dataclass(frozen=True)
class Note:
    """Text for a node besides its goal, if no parent has split one.

    Args:
        words: a sentence or more; they become one line.
    """

    words: str

    def text(self) -> str:
        """Return the line that opens the node's prompt."""
        return f'{" ".join(self.words.split())}\n'


@dataclass(frozen=True)
class Step:
    """One line of a trajectory.

    Args:
        text: a decision line or an observation.
        decided: whether it is a decision; else it was observed.
    """

    text: str
    decided: bool


@dataclass(frozen=True)
class Prompt:
    """What a model reads before one decision, its parts apart.

    Args:
        system: the system prompt.
        examples: experiences in the order in which they are laid out, the most similar last.
        task: message, goal and first observation of the agent node, each a line.
        steps: what the node has decided and observed since.
    """

    system: str
    examples: tuple[str, ...]
    task: str
    steps: tuple[Step, ...] = ()

    @property
    def goal(self) -> str:
        """The agent node's goal."""
        return f'\n{self.task}'.rpartition(f'\n{GOAL_LINE}')[2].partition('\n')[0]

    @property
    def parent(self) -> str:
        """The goal of the node above the agent node; empty for the root."""
        first = self.task.partition('\n')[0]
        return first[len(PARENT_LINE) :] if first.startswith(PARENT_LINE) else ''

    @property
    def head(self) -> str:
        """All text before the steps."""
        parts = [self.system.strip() + '\n']
        if self.examples:
            parts += [EXAMPLES + '\n', *(text.strip() + '\n' for text in self.examples)]
            parts.append(NOW + '\n')
        return '\n'.join([*parts, self.task])

    def with_steps(self, steps: Sequence[Step]) -> Prompt:
        """Return the same prompt with other steps."""
        return replace(self, steps=tuple(steps))

    def text(self) -> str:
        """Return the prompt as plain text that ends where the decision line begins."""
        return self.head + ''.join(f'{step.text}\n' for step in self.steps)


@dataclass
class Trajectory:
    """All that one agent node has read, decided and observed, as text.

    Args:
        goal: the node's own goal.
        message: from its parent, or from its strategy; None if there is none.
        first_observation: what was perceived when the node began.
        steps: decision lines and observations since.
    """

    goal: str
    message: Message | Note | None
    first_observation: str
    steps: list[Step] = field(default_factory=list)

    def decide(self, decision: Decision) -> None:
        """Append a decision."""
        self.steps.append(Step(to_text(decision), decided=True))

    def observe(self, text: str) -> None:
        """Append an observation, as one line."""
        self.steps.append(Step(observed_line(text), decided=False))

    def receive(self, text: str) -> None:
        """Append what a person says, as one line: no observation can be mistaken for it."""
        self.steps.append(Step(one_line(text, MOST_OBSERVED), decided=False))

    @property
    def task(self) -> str:
        """Message, goal and first observation, each a line."""
        message = self.message.text() if self.message else ''
        return f'{message}{GOAL_LINE}{self.goal}\n{self.first_observation}\n'

    def text(self) -> str:
        """Return the whole trajectory; experiences are stored in this form."""
        return self.task + ''.join(f'{step.text}\n' for step in self.steps)


def observed_line(text: str) -> str:
    """Return what was perceived as a line that nothing else in a prompt can be mistaken for.

    >>> observed_line('Act: done')
    'It says: Act: done'
    """
    line = one_line(text, MOST_OBSERVED)
    return f'It says: {line}' if line.startswith(_MARKS) else line


def build_prompt(system: str, experiences: Sequence[str], trajectory: Trajectory) -> Prompt:
    """Return the prompt of the next decision.

    Args:
        system: the system prompt.
        experiences: texts of retrieved experiences, the most similar first; they are laid out
            in reverse, so that the most similar stands next to the task.
        trajectory: the node's own.
    """
    return Prompt(system, tuple(reversed(experiences)), trajectory.task, tuple(trajectory.steps))
