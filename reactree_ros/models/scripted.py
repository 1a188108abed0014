# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A model whose answers are written beforehand, for tests of the algorithm and for replay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from reactree_ros.core.futures import Future, Promise, failed, ready
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest, Vectors
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ConfigurationError, ModelError

ENDLESS = '(never answers)'
"""An answer that does not come, so that a request can be canceled in its middle."""


class ScriptedModel:
    """Answers each agent node from the lines written for its goal, in order.

    Args:
        script: goal -> decision lines, and what is written freely; there a line may hold several,
            as a whole plan has. A goal that is not in it, or whose lines are used up, fails with a
            ModelError that names it.

    It is ready from the start, and has no sentence encoder.
    """

    progress = ''
    encoder_name = ''

    def __init__(self, script: Mapping[str, Iterable[str]]) -> None:
        self._lines = {goal: list(lines) for goal, lines in script.items()}
        self.requests: list[DecisionRequest] = []
        self.texts: list[TextRequest] = []
        self.canceled = 0

    @classmethod
    def read(cls, path: Path) -> ScriptedModel:
        """Read a script from a YAML mapping of goals to lists of lines.

        Raises:
            ConfigurationError: if the file is not such a mapping.
        """
        try:
            script = yaml.safe_load(path.read_text(encoding='utf-8'))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise ConfigurationError(f'cannot read the script {path}: {error}') from error
        if not isinstance(script, dict):
            raise ConfigurationError(f'{path}: a script maps each goal to a list of lines')
        for goal, lines in script.items():
            if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
                raise ConfigurationError(
                    f'{path}: {goal!r} must have a list of lines; a line with a colon needs quotes'
                )
        return cls(script)

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Return the next line for the goal that the prompt ends with."""
        self.requests.append(request)
        line = self._next(request.prompt.goal)
        if not isinstance(line, str):
            return line
        return ready(self._answer(request.prompt, line))

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Return as many of the next lines as there are samples, each up to where it must stop."""
        self.texts.append(request)
        answers = list[Answer]()
        for _ in range(request.samples):
            line = self._next(request.prompt.goal)
            if not isinstance(line, str):
                return line
            ends = [end for end in map(line.find, request.stop) if end >= 0]
            text = line[: min(ends, default=None)]
            answers.append(
                Answer(text, tokens_out=1) if answers else self._answer(request.prompt, text)
            )
        return ready(tuple(answers))

    @property
    def unused(self) -> list[str]:
        """Lines that were not asked for."""
        return [line for lines in self._lines.values() for line in lines]

    def poll_ready(self) -> bool:
        """Return True: there is nothing to load."""
        return True

    def forget(self) -> None:
        """Do nothing: there are no caches."""

    def close(self) -> None:
        """Do nothing: there is no process."""

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        """Raise ModelError."""
        raise ModelError('a script has no sentence encoder')

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        """Raise ModelError."""
        raise ModelError('a script has no tokens to count')

    def _next(self, goal: str) -> str | Future[Any]:
        lines = self._lines.get(goal)
        if not lines:
            return failed(ModelError(f'the script has no further line for {goal!r}'))
        line = lines.pop(0)
        return Promise[Any](self._count_canceled) if line == ENDLESS else line

    def _count_canceled(self) -> None:
        self.canceled += 1

    def _answer(self, prompt: Prompt, line: str) -> Answer:
        return Answer(line, tokens_in=len(prompt.text().split()), tokens_out=1)
