# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A person in the place of the language model, asked through the operator's service.

What a person may decide is what a model may, and is read by the same parser: a decision that is
not possible is answered with why, and asked for again.
"""

from __future__ import annotations

import time

from reactree_ros.core.decision import (
    ACT_LINE,
    CONDITIONS_LINE,
    EXPLAINED,
    NO_CONDITIONS,
    Choices,
    parse_decision,
    to_text,
)
from reactree_ros.core.futures import Future, Polled, failed
from reactree_ros.core.model import (
    Answer,
    DecisionRequest,
    LanguageModel,
    PlannerModel,
    TextRequest,
    WrappedModel,
)
from reactree_ros.core.operator import OPEN, Operator, Reply, ReplyStatus
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import DecisionError, ModelError
from reactree_ros.models.backend import Backend, Watch

PERSON = 'person'
"""Name of the model in records and experiences."""
SEEN = 'Seen: '
_CONDITIONS = (
    'What must hold in the end? In the words of the skill library; "none" leaves it open, and '
    'then only your "done" counts.'
)
_WAITS = 'the planner waits for a decision'
_DECLINED = 'a decision is needed; "failure" gives the goal up'


def options_of(choices: Choices) -> tuple[str, ...]:
    """Return all decisions that are possible, each a line; open ones end with ``OPEN``.

    >>> options_of(Choices(('wave',), control_flows=(), endings=('done',)))
    ('Act: wave', 'Act: done', 'Think: …')
    """
    if choices.conditions is not None:
        return f'{CONDITIONS_LINE}{NO_CONDITIONS}', f'{CONDITIONS_LINE}{OPEN}'
    return (
        *(f'{ACT_LINE}{act}' for act in choices.acts),
        *(f'{ACT_LINE}{word}{EXPLAINED}{OPEN}' for word in choices.explained),
        *([f'Think: {OPEN}'] if choices.think else []),
        *(f'Expand: {flow.value} {OPEN}' for flow in choices.control_flows),
        *([f'Ask: {OPEN}'] if choices.ask else []),
    )


def question_of(prompt: Prompt, choices: Choices, remark: str = '') -> str:
    """Return what a person reads before a decision: the goal, and what was seen last.

    Args:
        prompt: what a model would read.
        choices: what may be decided.
        remark: what was wrong with the decision before; empty for nothing.
    """
    part = f' (part of "{prompt.parent}")' if prompt.parent else ''
    begin = prompt.task.rstrip('\n').rpartition('\n')[2]
    seen = next((step.text for step in reversed(prompt.steps) if not step.decided), begin)
    lines = [f'Not possible: {remark}'] if remark else []
    lines += [f'Goal: {prompt.goal}{part}', f'{SEEN}{seen}']
    return '\n'.join(lines if choices.conditions is None else [*lines, _CONDITIONS])


class PersonModel(WrappedModel):
    """Asks a person for every decision (``core.model.PlannerModel``), for as long as it takes.

    While nobody is there the decision waits.

    Args:
        model: what else a model does: embeds and counts.
        operator: the person.
    """

    def __init__(self, model: PlannerModel, operator: Operator) -> None:
        super().__init__(model)
        self._operator = operator

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask for a decision; the request's time limit does not hold for a person."""
        asked = _Asked(self._operator, request)
        return Polled(asked.look, asked.cancel)

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Fail: a person decides step by step."""
        return failed(ModelError('a person decides step by step and writes no whole plan'))


class PersonFirst:
    """Has a person take the first decisions of a run, and a model the others (``LanguageModel``).

    Args:
        model: decides later.
        operator: the person.
        count: so many decisions are the person's.
    """

    def __init__(self, model: LanguageModel, operator: Operator, count: int) -> None:
        self._model = model
        self._operator = operator
        self._left = count

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask the person as long as it is their turn, then the model."""
        if not self._left:
            return self._model.decide(request)
        self._left -= 1
        asked = _Asked(self._operator, request)
        return Polled(asked.look, asked.cancel)

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Ask the model for free text."""
        return self._model.write(request)


class _Asked:
    """One decision that a person is asked for, again until it is possible."""

    def __init__(self, operator: Operator, request: DecisionRequest) -> None:
        self._operator = operator
        self._request = request
        self._since = time.monotonic()
        self._pending: Future[Reply] | None = None
        self._remark = ''

    def look(self) -> Answer | None:
        if self._pending is None:
            if self._operator.person_present:
                question = question_of(self._request.prompt, self._request.choices, self._remark)
                options = options_of(self._request.choices)
                self._pending = self._operator.ask(question, options, _WAITS, person=True)
            return None
        reply = self._pending.poll()
        if reply is None:
            return None
        self._pending = None
        if reply.status is ReplyStatus.ANSWERED:
            try:
                line = to_text(parse_decision(reply.text, self._request.choices))
            except DecisionError as error:
                self._remark = str(error)
            else:
                return Answer(line, decode_seconds=time.monotonic() - self._since, model=PERSON)
        elif reply.status is ReplyStatus.DECLINED:
            self._remark = _DECLINED
        return None

    def cancel(self) -> None:
        if self._pending is not None:
            self._pending.cancel()


class Nobody(Backend):
    """Back end of the process that only has the sentence encoder."""

    workers = 1

    def decide(self, prompt: Prompt, choices: Choices, watch: Watch) -> Answer:
        """Raise ModelError."""
        raise ModelError('a person decides')

    def write(self, request: TextRequest, watch: Watch) -> tuple[Answer, ...]:
        """Raise ModelError."""
        raise ModelError('a person decides')

    def count(self, text: str) -> int:
        """Return the number of words."""
        return len(text.split())
