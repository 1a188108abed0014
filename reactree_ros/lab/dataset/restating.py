# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a person wants, said in the robot's own words, as the first thought of a run.

A small model that has to read a sentence and split the work in one decision does both badly.
"""

from __future__ import annotations

from collections.abc import Sequence

from reactree_ros.core.decision import Think, to_text
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel
from reactree_ros.lab.dataset.over_model import OverModel
from reactree_ros.lab.teacher.kind import SOLVER
from reactree_ros.sim.household.goal import Condition, Kind
from reactree_ros.sim.household.words import enumeration, number_word, plural

_ENDS = {
    'turnOn': 'turned on',
    'turnOff': 'turned off',
    'open': 'open',
    'closed': 'closed',
    'holds': 'in the hand',
    'lit': 'in the hand',
}


def wanted(conditions: Sequence[Condition], order: Sequence[str] = ()) -> str:
    """Say the conditions of a goal, e.g. ``One mug in the sink; the faucet turned on.``.

    Args:
        conditions: of the goal.
        order: classes in the order in which they are to be said; all others come behind them.
    """
    things: dict[str, list[str]] = {}
    ranks = {name: rank for rank, name in enumerate(order)}
    for one in sorted(conditions, key=lambda one: ranks.get(one.subject, len(ranks))):
        if one.target:
            where = f'{"in" if one.predicate == "inside" else "on"} the {one.target}'
            things.setdefault(where, []).append(_amount(one.kind, one.count))
        else:
            end = _ENDS.get(one.predicate, one.predicate)
            things.setdefault(end, []).append(f'the {one.kind.words}')
    said = '; '.join(f'{enumeration(amounts)} {end}' for end, amounts in things.items())
    return f'{said[:1].upper()}{said[1:]}.'


class Restating(OverModel):
    """A model whose first decision for the goal of a person is a thought.

    Args:
        model: decides all else.
        thought: what is thought.
    """

    def __init__(self, model: LanguageModel, thought: str) -> None:
        super().__init__(model)
        self._thought = thought

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Think, or ask the model."""
        prompt, choices = request.prompt, request.choices
        begins = not prompt.steps and not prompt.parent
        if begins and choices.think and len(self._thought) <= choices.max_thought_chars:
            return ready(Answer(to_text(Think(self._thought)), tokens_out=1, model=SOLVER))
        return self._model.decide(request)


def _amount(kind: Kind, count: int) -> str:
    load = f' with {_amount(kind.load, 1)}' if kind.load else ''
    name = plural(kind.words) if count > 1 else kind.words
    return ' '.join([number_word(count), *kind.states, name]) + load
