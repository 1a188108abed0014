# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is trained on: one agent node from its prompt to its last decision."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from reactree_ros.core.decision import DONE, FAILURE, ending_of
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.experience import Termination

_ENDINGS = {DONE: Termination.SUCCESS, FAILURE: Termination.FAILURE}


@dataclass(frozen=True)
class ExampleOrigin:
    """The run that a training example comes from.

    Args:
        task: names the task, such as ``wah_train 12``; empty if it was none of a task set.
        scene: name of the household; empty if it is not known.
        wording: which wording of the task, from 0: those of the task set first, then rewordings.
        instruction: the goal as text, for the robot; empty if unknown.
        planner: as ``reactree-lab evaluate --planners`` takes it, e.g. ``reactree+wm``.
        source: who decided: ``solver``, or the name of a model.
        root: whether the node was the run's first.
    """

    task: str
    scene: str
    wording: int
    instruction: str
    planner: str
    source: str
    root: bool


@dataclass(frozen=True)
class TrainingExample:
    """One agent node's whole trajectory.

    A node's prompt only grows, so all its decisions are learned in one reading of the text
    ``prompt.text()`` followed by the steps, a line each. Every decided step is to be learned, all
    else is what it follows from.

    Args:
        system: the system prompt.
        examples: experiences in the order in which the prompt has them; empty for none.
        task: message, goal and first observation, each a line (``Trajectory.task``).
        steps: decisions and observations; the last is decided.
        origin: the run.
    """

    system: str
    examples: tuple[str, ...]
    task: str
    steps: tuple[Step, ...]
    origin: ExampleOrigin

    def __post_init__(self) -> None:
        """Refuse a trajectory that continues after its last decision."""
        if not self.steps or not self.steps[-1].decided:
            raise ConfigurationError(
                f'the training example of {self.prompt.goal!r} does not end with a decision: '
                'there is nothing to be learned from what stands behind the last one'
            )

    @property
    def prompt(self) -> Prompt:
        """What stands before the first step."""
        return Prompt(self.system, self.examples, self.task)

    @property
    def goal(self) -> str:
        """The node's goal."""
        return self.prompt.goal

    @property
    def termination(self) -> Termination:
        """How the node ended, by its last decision."""
        return _ENDINGS.get(ending_of(self.steps[-1].text), Termination.EXPAND)

    def text(self) -> str:
        """Return all of it as plain text, as the model reads and writes it."""
        return replace(self.prompt, steps=self.steps).text()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values; a step is its text, and whether it was decided."""
        return {**asdict(self), 'steps': [[step.text, step.decided] for step in self.steps]}

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> TrainingExample:
        """Read what ``to_json`` gave.

        Raises:
            KeyError: if something is missing.
            TypeError: if something is of another kind.
            ValueError: if a step is not a text and whether it was decided.
            ConfigurationError: if it does not end with a decision.
        """
        steps = tuple(Step(text, decided) for text, decided in raw['steps'])
        origin = ExampleOrigin(**raw['origin'])
        return cls(raw['system'], tuple(raw['examples']), raw['task'], steps, origin)
