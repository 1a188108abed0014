# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All traffic with a model in a file, and a model that answers from such a file.

One JSON object a line; the first names the format. ``decide`` has prompt, choices and answer or
error, ``write`` the fields of its request and the answers, ``embed`` and ``count`` have texts and
what came of them; a request that was given up has no answer. The robot's answers are not in it: a
replay needs a world that does the same again.
"""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from reactree_ros.core.decision import Choices
from reactree_ros.core.futures import Future, Polled, Promise, failed, ready
from reactree_ros.core.model import (
    Answer,
    DecisionRequest,
    LanguageModel,
    PlannerModel,
    TextRequest,
    Vectors,
)
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
from reactree_ros.errors import ConfigurationError, DecisionError, ModelError, ReactreeError

T = TypeVar('T')
FORMAT = 'reactree recording 1'


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


class RecordingModel(RecordingDecisions):
    """Writes all traffic with a model into a file.

    Args:
        model: who answers.
        path: file to be written; what was in it is lost.

    Raises:
        ConfigurationError: if the file cannot be written.
    """

    def __init__(self, model: PlannerModel, path: Path) -> None:
        super().__init__(model, self._write)
        self._model = model
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open('w', encoding='utf-8', buffering=1)
        except OSError as error:
            raise ConfigurationError(f'cannot write the recording {path}: {error}') from error
        self._write({'format': FORMAT})

    @property
    def progress(self) -> str:
        """What the model is doing."""
        return self._model.progress

    @property
    def encoder_name(self) -> str:
        """Name of the model's sentence encoder."""
        return self._model.encoder_name

    def poll_ready(self) -> bool:
        """Return whether the model is loaded."""
        return self._model.poll_ready()

    def close(self) -> None:
        """End the model and the file."""
        self._model.close()
        self._file.close()

    def forget(self) -> None:
        """Let the model drop its caches of prompts."""
        self._model.forget()

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        """Ask the model for embeddings."""
        asked = {'op': 'embed', 'texts': list(texts)}
        return recorded(self._model.embed(texts), self._write, asked, _vectors_to_json)

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        """Ask the model for token counts."""
        asked = {'op': 'count', 'texts': list(texts)}
        return recorded(self._model.count(texts), self._write, asked, list)

    def _write(self, values: Values) -> None:
        if not self._file.closed:
            self._file.write(json.dumps(values, ensure_ascii=False) + '\n')


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
    and says where the run has left the recording; from then on every request fails, and so does
    ``poll_ready``.

    Args:
        entries: the lines of a recording, without the first. One that is incomplete raises
            KeyError, TypeError, ValueError, AttributeError or DecisionError.
        name: of the recording, for messages.
        encoder_name: of the sentence encoder that was recorded.
    """

    progress = ''

    def __init__(self, entries: list[Values], name: str, encoder_name: str = '') -> None:
        self._name = name
        self.encoder_name = encoder_name
        self._answers: dict[Any, deque[Values]] = {}
        self._asked: list[_Decided] = []
        self._count = 0
        self._diverged = ''
        for entry in entries:
            if 'answer' in entry:
                entry = {**entry, 'answer': _answer_from_json(entry['op'], entry['answer'])}
            key: Any = (entry['op'], tuple(entry['texts'])) if 'texts' in entry else None
            if entry['op'] == 'decide':
                prompt = prompt_from_json(entry['prompt'])
                key = _Decided(prompt, choices_from_json(entry['choices']))
                self._asked.append(key)
            elif entry['op'] == 'write':
                key = _without_limit(text_request_from_json(entry))
            self._answers.setdefault(key, deque()).append(entry)

    @classmethod
    def read(cls, path: Path, encoder_name: str = '') -> RecordedModel:
        """Read a recording; its sentence encoder is not named in it.

        Raises:
            ConfigurationError: if the file is none, or is cut off anywhere but in its last line.
        """
        try:
            # only the line feed: texts may have what else ends a line
            lines = path.read_text(encoding='utf-8').rstrip('\n').split('\n')
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f'cannot read the recording {path}: {error}') from error
        entries = []
        for number, line in enumerate(lines, start=1):
            try:
                entries.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                if number < len(lines):
                    raise ConfigurationError(f'{path}, line {number}: {error}') from error
        if not entries or entries[0] != {'format': FORMAT}:
            raise ConfigurationError(f'{path} is not a recording: its first line is not {FORMAT!r}')
        try:
            return cls(entries[1:], str(path), encoder_name)
        except (KeyError, TypeError, ValueError, AttributeError, DecisionError) as error:
            raise ConfigurationError(f'{path}: an entry is incomplete: {error!r}') from error

    @property
    def left(self) -> int:
        """How many answers have not been asked for."""
        return sum(map(len, self._answers.values()))

    def has(self, request: DecisionRequest | TextRequest) -> bool:
        """Return whether there is an answer to this request."""
        if isinstance(request, TextRequest):
            return bool(self._answers.get(_without_limit(request)))
        return bool(self._answers.get(_Decided(request.prompt, request.choices)))

    def poll_ready(self) -> bool:
        """Return True: there is nothing to load.

        Raises:
            ModelError: after a request that was not recorded.
        """
        if self._diverged:
            raise ModelError(self._diverged)
        return True

    def close(self) -> None:
        """Do nothing: there is no process."""

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Return the recorded answer to this request."""
        self._count += 1
        key = _Decided(request.prompt, request.choices)
        return self._take(key, lambda: self._where(key))

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Return the recorded texts."""
        where = f'the text after the goal {request.prompt.goal!r}'
        return self._take(_without_limit(request), lambda: where)

    def forget(self) -> None:
        """Do nothing: there are no caches."""

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        """Return the recorded embeddings."""
        return self._take(('embed', texts), lambda: f'embeddings of {texts}')

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        """Return the recorded token counts."""
        return self._take(('count', texts), lambda: f'token counts of {texts}')

    def _take(self, key: Any, where: Callable[[], str]) -> Future[Any]:
        entries = self._answers.get(key)
        if self._diverged or not entries:
            self._diverged = (
                self._diverged or f'the run has left the recording {self._name}: {where()[:400]}'
            )
            return failed(ModelError(self._diverged))
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
    if op == 'write':
        return tuple(typed(Answer(**one)) for one in value)
    if op == 'embed':
        return _vectors_from_json(value)
    if op == 'count':
        if not all(isinstance(count, int) for count in value):
            raise TypeError(f'numbers of tokens are {value!r:.80}')
        return tuple(value)
    return value


def _vectors_to_json(vectors: Vectors) -> Values:
    data = base64.b64encode(np.ascontiguousarray(vectors, dtype='<f4').tobytes()).decode()
    return {'shape': list(vectors.shape), 'float32': data}


def _vectors_from_json(values: Values) -> Vectors:
    data = np.frombuffer(base64.b64decode(values['float32']), dtype='<f4')
    return data.astype(np.float32).reshape(values['shape'])
