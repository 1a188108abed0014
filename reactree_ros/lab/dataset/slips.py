# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Expansions that leave something out, so that training examples show what comes after.

The planner rejects most such expansions and says why, or finds out after it that something is
missing; the second try is the solver's own. The slip itself is never learned.
"""

from __future__ import annotations

from dataclasses import replace

from reactree_ros.core.decision import ControlFlow, Expand, parse_decision, to_text
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel
from reactree_ros.core.prompt import Step, Trajectory
from reactree_ros.lab.dataset.over_model import OverModel
from reactree_ros.lab.generator.draw import Draw


class Slipping(OverModel):
    """A model that forgets a subgoal when it first expands the goal of a person.

    A search forgets no place: whether that matters is chance.

    Args:
        model: decides.
        purpose: what is drawn for; the same purpose forgets the same.
    """

    def __init__(self, model: LanguageModel, purpose: str) -> None:
        super().__init__(model)
        self._purpose = purpose
        self._slips: dict[str, Step] = {}

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask the model, which must answer at once."""
        answer = self._answer(request)
        decision = parse_decision(answer.text, request.choices)
        task = request.prompt.task
        if not request.prompt.parent and isinstance(decision, Expand) and task not in self._slips:
            slip = to_text(self._forgetful(decision, task))
            if slip != answer.text:
                self._slips[task] = Step(slip, decided=True)
            answer = replace(answer, text=slip)
        return ready(answer)

    def unlearned(self, trajectory: Trajectory) -> tuple[Step, ...]:
        """Return the steps of an agent node, of which a slip is not to be learned."""
        slip = self._slips.get(trajectory.task)
        return tuple(replace(one, decided=False) if one == slip else one
                     for one in trajectory.steps)  # fmt: skip

    def _forgetful(self, expansion: Expand, task: str) -> Expand:
        subgoals = list(expansion.subgoals)
        if len(subgoals) > 1 and expansion.control_flow is not ControlFlow.FALLBACK:
            subgoals.remove(Draw(f'{self._purpose} {task}').pick(subgoals))
        return replace(expansion, subgoals=tuple(subgoals))
