# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node's model reads, in the order in which it is shared with other nodes.

System prompt, experiences, the node's message and goal, its first observation, its trajectory
(paper, Equation 1 and Appendix E). The parts that change least come first, so that a model can
reuse the key/value cache of everything before the first difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reactree_ros.core.decision import ControlFlow, Decision, to_text

GOAL_LINE = 'Goal: '
EXAMPLES = 'Examples of earlier work:'
NOW = 'Now it is your turn.'
_TOGETHER = {
    ControlFlow.SEQUENCE: 'one after another; all must succeed',
    ControlFlow.FALLBACK: 'until one succeeds',
    ControlFlow.PARALLEL: 'independently of each other',
}


@dataclass(frozen=True)
class Message:
    """What a parent tells a new agent node (paper, Appendix G).

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
            f'Primary goal: {self.primary_goal}\n'
            f'Subgoals ({self.control_flow.value}, {_TOGETHER[self.control_flow]}): '
            f'{"; ".join(self.siblings)}\n'
        )


@dataclass
class Trajectory:
    """All that one agent node has read, decided and observed, as text.

    Args:
        goal: the node's own goal.
        message: from its parent; None for the root.
        first_observation: what was perceived when the node began.
        steps: decision lines and observations since.
    """

    goal: str
    message: Message | None
    first_observation: str
    steps: list[str] = field(default_factory=list)

    def decide(self, decision: Decision) -> None:
        """Append a decision."""
        self.steps.append(to_text(decision))

    def observe(self, text: str) -> None:
        """Append an observation, as one line."""
        self.steps.append(' '.join(text.split()))

    def text(self) -> str:
        """Return the whole trajectory; experiences are stored in this form."""
        message = self.message.text() if self.message else ''
        lines = [f'{message}{GOAL_LINE}{self.goal}', self.first_observation, *self.steps]
        return '\n'.join(lines) + '\n'


def build_prompt(system: str, experiences: Sequence[str], trajectory: Trajectory) -> str:
    """Return the prompt of the next decision.

    Args:
        system: the system prompt.
        experiences: texts of retrieved experiences, the most similar first; they are laid out
            in reverse, so that the most similar stands next to the task.
        trajectory: the node's own.

    Returns:
        Text that ends where the decision line begins.
    """
    parts = [system.strip() + '\n']
    if experiences:
        parts.append(EXAMPLES + '\n')
        parts += [text.strip() + '\n' for text in reversed(experiences)]
        parts.append(NOW + '\n')
    parts.append(trajectory.text())
    return '\n'.join(parts)
