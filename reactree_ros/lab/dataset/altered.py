# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The solver as training examples show it: it thinks first, and may say things otherwise.

- Its first decision for the goal of a person is a thought that says in the robot's words what is
  wanted. A small model that has to read a sentence and split the work in one decision does both
  badly.
- Its subgoals may be said in other words, the same way throughout a run. The planner, its checks
  and the prompts have the other words; the solver is asked in its own.
- Its first expansion of the goal of a person may leave a subgoal out. The planner rejects most such
  expansions and says why, or finds out after it that something is missing; the second try is the
  solver's own. The slip itself is never learned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from reactree_ros.core.decision import ControlFlow, Expand, Think, parse_decision, to_text
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel, TextRequest
from reactree_ros.core.prompt import Prompt, Step, Trajectory
from reactree_ros.lab.generator.draw import Draw
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


def wanted(conditions: Sequence[Condition], order: Sequence[str] = ()) -> str:
    """Say the conditions of a goal, e.g. ``One mug in the sink; the faucet turned on.``.

    The classes in ``order`` come first, in this order.
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


class AlteredSolver:
    """A model over the solver.

    Args:
        model: the solver, which answers at once.
        thought: its first decision; see ``wanted``.
        purpose: what is drawn for; the same purpose draws the same.
        rewords: its subgoals are said in other words.
        slips: it leaves a subgoal out at first.
    """

    def __init__(
        self, model: LanguageModel, thought: str, purpose: str, rewords: bool, slips: bool
    ) -> None:
        self._model = model
        self._thought = thought
        self._purpose = f'slips of {purpose}'
        self._slips: dict[str, Step] | None = {} if slips else None
        draw = Draw(purpose)
        ways = _WAYS if rewords else ()
        self._ways = [(re.compile(pattern), draw.pick(others)) for pattern, others in ways]
        self._own: dict[str, str] = {}

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Have the solver write."""
        return self._model.write(request)

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Think, or ask the solver."""
        prompt, choices = request.prompt, request.choices
        begins = not prompt.steps and not prompt.parent
        if begins and choices.think and len(self._thought) <= choices.max_thought_chars:
            return ready(Answer(to_text(Think(self._thought)), tokens_out=1, model=SOLVER))
        asked = self._model.decide(replace(request, prompt=self._in_own_words(prompt)))
        answer = asked.poll()
        if answer is None or not (self._ways or self._slips is not None):
            return asked
        decision = parse_decision(answer.text, choices)
        if isinstance(decision, Expand):
            subgoals = tuple(self._reworded(one) for one in decision.subgoals)
            text = to_text(replace(decision, subgoals=subgoals))
            if not prompt.parent and self._slips is not None and prompt.task not in self._slips:
                text = self._forgetful(replace(decision, subgoals=subgoals), prompt.task)
            answer = replace(answer, text=text)
        return ready(answer)

    def is_slip(self, trajectory: Trajectory, step: Step) -> bool:
        """Return whether a step of an agent node leaves a subgoal out."""
        return self._slips is not None and self._slips.get(trajectory.task) == step

    def _forgetful(self, expansion: Expand, task: str) -> str:
        subgoals = list(expansion.subgoals)
        if len(subgoals) > 1 and expansion.control_flow is not ControlFlow.FALLBACK:
            # A search forgets no place: whether that matters is chance.
            subgoals.remove(Draw(f'{self._purpose} {task}').pick(subgoals))
        text = to_text(replace(expansion, subgoals=tuple(subgoals)))
        if self._slips is not None and len(subgoals) < len(expansion.subgoals):
            self._slips[task] = Step(text, decided=True)
        return text

    def _reworded(self, subgoal: str) -> str:
        for pattern, way in self._ways:
            found = pattern.fullmatch(subgoal)
            if found:
                other = found.expand(way)
                self._own[other] = subgoal
                return other
        return subgoal

    def _in_own_words(self, prompt: Prompt) -> Prompt:
        """Return a prompt whose goals are worded as the solver had worded them."""
        lines = []
        for line in prompt.task.splitlines():
            begin, colon, goal = line.partition(': ')
            lines.append(f'{begin}{colon}{self._own.get(goal, goal)}\n')
        return replace(prompt, task=''.join(lines)) if self._own else prompt


def _amount(kind: Kind, count: int) -> str:
    load = f' with {_amount(kind.load, 1)}' if kind.load else ''
    name = plural(kind.words) if count > 1 else kind.words
    return ' '.join([number_word(count), *kind.states, name]) + load
