# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a language model was asked and what it answered: written down, and given again.

An entry is a JSON object. ``decide`` has prompt, choices and answer or error, ``write`` the fields
of its request and the answers; a request that was canceled has no answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from reactree_ros.core.decision import Choices
from reactree_ros.core.futures import Future, Polled, Promise, failed, ready
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel, TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.core.wire import (
    Values,
    choices_from_json,
    choices_to_json,
    prompt_from_json,
    prompt_to_json,
    text_request_from_json,
    text_request_to_json,
    typed,
)
from reactree_ros.errors import ModelError, ReactreeError

T = TypeVar('T')


class RecordingDecisions:
    """Passes on what a language model is asked, and writes that down with the answer.

    Args:
        model: who answers.
        write: takes an entry.
    """

    def __init__(self, model: LanguageModel, write: Callable[[Values], None]) -> None:
        self._decisions = model
        self._note = write

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask the model for a decision."""
        asked = {
            'op': 'decide',
            'prompt': prompt_to_json(request.prompt),
            'choices': choices_to_json(request.choices),
        }
        return recorded(self._decisions.decide(request), self._note, asked, asdict)

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Ask the model for free text."""
        asked = {'op': 'write', **text_request_to_json(request)}
        pending = self._decisions.write(request)
        return recorded(pending, self._note, asked, _answers_to_json)


def recorded(
    future: Future[T],
    write: Callable[[Values], None],
    asked: Values,
    to_json: Callable[[T], Any],
) -> Future[T]:
    """Return a future that is written down when it ends.

    Args:
        future: the answer.
        write: takes the entry.
        asked: the entry without the answer.
        to_json: makes the answer's JSON value.
    """

    def look() -> T | None:
        try:
            answer = future.poll()
        except ReactreeError as error:
            write({**asked, 'error': str(error)})
            raise
        if answer is not None:
            write({**asked, 'answer': to_json(answer)})
        return answer

    def cancel() -> None:
        future.cancel()
        write(asked)

    return Polled(look, cancel)


@dataclass(frozen=True)
class _Decided:
    """A recorded decision: what was asked."""

    prompt: Prompt
    choices: Choices


class RecordedModel:
    """Answers as a recording says, to exactly the same requests in any order.

    The first request that was not recorded, or was made more often than it was recorded, fails
    and says where the run differs from the recording; from then on every request fails.

    Args:
        entries: what ``RecordingDecisions`` wrote. One that is incomplete raises KeyError,
            TypeError, ValueError, AttributeError or DecisionError.
        name: of the recording, for messages.
    """

    def __init__(self, entries: list[Values], name: str) -> None:
        self.diverged = ''
        """Where the run differs from the recording; empty if it has not yet."""
        self._name = name
        self._answers: dict[Any, deque[Values]] = {}
        self._asked: list[_Decided] = []
        self._count = 0
        for entry in entries:
            if 'answer' in entry:
                entry = {**entry, 'answer': _answer_from_json(entry['op'], entry['answer'])}
            if entry['op'] == 'decide':
                prompt = prompt_from_json(entry['prompt'])
                asked = _Decided(prompt, choices_from_json(entry['choices']))
                self._asked.append(asked)
                key: Any = asked
            else:
                key = _without_limit(text_request_from_json(entry))
            self._answers.setdefault(key, deque()).append(entry)

    @property
    def left(self) -> int:
        """How many answers have not been asked for."""
        return sum(map(len, self._answers.values()))

    def has(self, request: DecisionRequest | TextRequest) -> bool:
        """Return whether there is an answer to this request."""
        if isinstance(request, TextRequest):
            return bool(self._answers.get(_without_limit(request)))
        return bool(self._answers.get(_Decided(request.prompt, request.choices)))

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Return the recorded answer to this request."""
        self._count += 1
        key = _Decided(request.prompt, request.choices)
        return self._take(key, lambda: self._where(key))

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Return the recorded texts."""
        where = f'the text after the goal {request.prompt.goal!r}'
        return self._take(_without_limit(request), lambda: where)

    def _take(self, key: Any, where: Callable[[], str]) -> Future[Any]:
        entries = self._answers.get(key)
        if self.diverged or not entries:
            self.diverged = (
                self.diverged or f'the run differs from the recording {self._name}: {where()[:400]}'
            )
            return failed(ModelError(self.diverged))
        entry = entries.popleft()
        if 'answer' in entry:
            return ready(entry['answer'])
        error = entry.get('error')
        return failed(ModelError(str(error))) if error else Promise[Any]()  # it was canceled

    def _where(self, asked: _Decided) -> str:
        """Say in what a decision differs from the recorded one that is most like it."""
        at = f'at decision {self._count}, of {asked.prompt.goal!r}'
        if not self._asked:
            return f'{at}: no decision is recorded'
        if asked in self._asked:
            return f'{at}: asked more often than it was recorded'
        now = asked.prompt.text().splitlines()
        recorded = [(one.prompt.text().splitlines(), one) for one in self._asked]
        then, nearest = max(
            recorded, key=lambda pair: (_common(pair[0], now), -abs(len(pair[0]) - len(now)))
        )
        alike = _common(then, now)
        if then != now:
            lines = [(text[alike] if alike < len(text) else '(end)') for text in (then, now)]
            return f'{at}, line {alike + 1} of the prompt: recorded {lines[0]!r}, now {lines[1]!r}'
        old, new = asdict(nearest.choices), asdict(asked.choices)
        fields = [key for key in old if old[key] != new[key]]
        if fields == ['skills']:
            gone = sorted({*old['skills']} - {*new['skills']})
            more = sorted({*new['skills']} - {*old['skills']})
            return f'{at}: no longer on offer {gone}, new on offer {more}'
        return f'{at}: other choices ({", ".join(fields)})'


def _common(first: list[str], second: list[str]) -> int:
    pairs = zip(first, second, strict=False)
    return next(
        (index for index, (one, other) in enumerate(pairs) if one != other),
        min(len(first), len(second)),
    )


def _without_limit(request: TextRequest) -> TextRequest:
    return replace(request, time_limit_s=0.0)


def _answers_to_json(answers: tuple[Answer, ...]) -> list[Values]:
    return [asdict(answer) for answer in answers]


def _answer_from_json(op: str, value: Any) -> Any:
    """Return what was answered to a request of a kind.

    Raises:
        KeyError, TypeError, ValueError: if it is incomplete, or of other types.
    """
    if op == 'decide':
        return typed(Answer(**value))
    return tuple(typed(Answer(**one)) for one in value)
