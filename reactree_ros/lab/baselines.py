# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Contestants without a language model: what the tasks are worth without planning.

Both act with the flat strategy ``react`` and read neither goal nor observation. A planner's worth
is its margin over them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from reactree_ros.core.decision import ACT_LINE, DONE
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer, DecisionRequest
from reactree_ros.lab.evaluation.plan import Experiment, Plan
from reactree_ros.models.kind import WITHOUT_WORDS, ModelKind
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.scripted import ScriptedModel

BASELINES = ('none-random', 'none-rule')
"""Names of the models."""
BASELINE_PLANNER = 'react[max_repetitions=0]'
"""The guard against repetitions would end most of their runs early."""

Rule = Callable[[DecisionRequest, int], str]
"""Returns the decision line; the number is the run's seed."""


class Baseline(ScriptedModel):
    """Decides by a rule in place of a script, and writes nothing else.

    Args:
        name: of the model.
        rule: returns the decision line.
        seed: of the run.
    """

    def __init__(self, name: str, rule: Rule, seed: int = 0) -> None:
        super().__init__({})
        self._name = name
        self._rule = rule
        self._seed = seed

    def of_run(self, seed: int) -> Baseline:
        """Return the same for a run with this seed."""
        return Baseline(self._name, self._rule, seed)

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Decide at once."""
        return ready(Answer(self._rule(request, self._seed), tokens_out=1, model=self._name))


def random_decision(request: DecisionRequest, seed: int = 0) -> str:
    """Return any skill that can be done now or ``done``, all with the same probability."""
    draw = _draw(request, seed)
    return ACT_LINE + draw.choice([*request.choices.skills, DONE])


def least_used(request: DecisionRequest, seed: int = 0) -> str:
    """Return the skill that was used least so far, any of those; ``done`` if there is none."""
    skills = request.choices.skills
    if not skills:
        return ACT_LINE + DONE
    used = Counter(step.text for step in request.prompt.steps if step.decided)
    least = min(used[ACT_LINE + skill] for skill in skills)
    return ACT_LINE + _draw(request, seed).choice(
        [skill for skill in skills if used[ACT_LINE + skill] == least]
    )


def _draw(request: DecisionRequest, seed: int) -> Random:
    """Return a source of chance that is the same for the same prompt and seed."""
    return Random(f'{seed} {request.prompt.task} {len(request.prompt.steps)}')


def _kind(name: str, rule: Rule) -> ModelKind:
    def start(options: ModelOptions) -> Baseline:
        return Baseline(name, rule)

    return ModelKind(start=start, encoder=False, options=WITHOUT_WORDS)


RANDOM = _kind('none-random', random_decision)
RULE = _kind('none-rule', least_used)


def with_baselines(plan: Plan) -> Plan:
    """Return a plan in which the baselines do the same tasks, too."""
    return replace(plan, experiments=(*plan.experiments, *_missing(plan.experiments)))


def _missing(experiments: Sequence[Experiment]) -> list[Experiment]:
    wanted = (replace(one, planners=(BASELINE_PLANNER,), models=BASELINES) for one in experiments)
    return [one for one in dict.fromkeys(wanted) if one not in experiments]
