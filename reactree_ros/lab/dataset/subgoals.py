# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Words the solver's subgoals in other ways, the same way throughout a run.

The planner, its checks and the prompts have the other words; the solver is asked in its own.
"""

from __future__ import annotations

import re
from dataclasses import replace

from reactree_ros.core.decision import Expand, parse_decision, to_text
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel
from reactree_ros.core.prompt import Prompt
from reactree_ros.lab.dataset.over_model import OverModel
from reactree_ros.lab.generator.draw import Draw

_WAYS = (
    (
        r'find and pick up (.+)',
        (r'look for \1 and pick it up', r'search for \1 and take it', r'find \1 and pick it up'),
    ),
    (r'find (.+) and slice it', (r'look for \1 and slice it', r'find and slice \1')),
    (r'find (.+)', (r'look for \1', r'search for \1')),
    (
        r'put down (.+) (in|on) (the .+)',
        (r'put \1 \2 \3', r'place \1 \2 \3', r'set \1 down \2 \3'),
    ),
    (
        r'move (.+) (to|into) (the .+)',
        (r'bring \1 \2 \3', r'carry \1 \2 \3', r'take \1 \2 \3'),
    ),
    (r'put (.+) into (.+)', (r'place \1 into \2', r'put \1 in \2')),
    (r'(close and )?turn on (.+)', (r'\1switch on \2', r'\1turn \2 on')),
    (r'use (.+) to (wash|heat|cook|cool) (.+)', (r'\2 \3 with \1', r'\2 \3 using \1')),
)
"""How the solver says a subgoal, and how else that is said."""


class RewordedSubgoals(OverModel):
    """A model whose expansions are reworded, and that reads its own words again.

    Args:
        model: decides.
        purpose: what is drawn for; of one purpose, each kind of subgoal is always said alike.
    """

    def __init__(self, model: LanguageModel, purpose: str) -> None:
        super().__init__(model)
        draw = Draw(purpose)
        self._said = [(re.compile(pattern), draw.pick(ways)) for pattern, ways in _WAYS]
        self._own: dict[str, str] = {}

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask the model, which must answer at once."""
        answer = self._answer(replace(request, prompt=self._in_own_words(request.prompt)))
        decision = parse_decision(answer.text, request.choices)
        if isinstance(decision, Expand):
            subgoals = tuple(self._reworded(one) for one in decision.subgoals)
            answer = replace(answer, text=to_text(replace(decision, subgoals=subgoals)))
        return ready(answer)

    def _reworded(self, subgoal: str) -> str:
        for pattern, said in self._said:
            found = pattern.fullmatch(subgoal)
            if found:
                other = found.expand(said)
                self._own[other] = subgoal
                return other
        return subgoal

    def _in_own_words(self, prompt: Prompt) -> Prompt:
        """Return a prompt whose goals are worded as the model had worded them."""
        lines = []
        for line in prompt.task.splitlines():
            begin, colon, goal = line.partition(': ')
            lines.append(f'{begin}{colon}{self._own.get(goal, goal)}\n')
        return replace(prompt, task=''.join(lines))
