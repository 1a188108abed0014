# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The real model server with a back end that behaves as the goal of a prompt says.

It loads in a moment, and can be made to die, hang or wait at will. Goals are a word and, for some
of them, a file.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.models import server
from reactree_ros.models.backend import Watch
from reactree_ros.models.options import ModelOptions

DIES = 'stand-in/dies-while-loading'
HINDERED = 'stand-in/hindered'


class StandIn:
    """Counts its decisions in ``tokens_out``, and characters of the prompt as new tokens.

    A text says how often it was told to forget.
    """

    workers = 1

    def __init__(self, say: Callable[[str], None], notice: str) -> None:
        self.notice = notice
        self._say = say
        self._made = 0
        self._forgotten = 0

    def decide(self, prompt: Prompt, choices: Choices, watch: Watch) -> Answer:
        self._obey(prompt, watch)
        self._made += prompt != server._WARM_UP
        word, _, text = prompt.goal.partition(' ')
        if word == 'say':
            return Answer(text)
        return Answer('Act: done', tokens_out=self._made, model=prompt.goal)

    def write(self, request: TextRequest, watch: Watch) -> tuple[Answer, ...]:
        self._obey(request.prompt, watch)
        return (Answer(f'forgot {self._forgotten} times'),) * request.samples

    def forget(self) -> None:
        self._forgotten += 1

    def _obey(self, prompt: Prompt, watch: Watch) -> None:
        word, _, path = prompt.goal.partition(' ')
        if word == 'die' or (word == 'die_once' and not Path(path).exists()):
            if path:
                Path(path).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if word == 'notice':
            self._say(path)
        if word == 'raise':
            raise IndexError('a bug of ours')
        if word == 'stick':
            stick(Path(path))
        if word == 'compute':
            compute(Path(path))
        if word == 'hold':
            Path(f'{path}.begun').touch()
            while not Path(path).exists():
                watch.check()
                time.sleep(0.01)

    def count(self, text: str) -> int:
        return len(text)

    def new_tokens(self, prompt: Prompt) -> int:
        return len(prompt.text())


class StandInEncoder:
    def __init__(self, encoder: str) -> None:
        assert encoder == ''

    def encode(self, texts: list[str], **options: Any) -> Any:
        return np.ones((len(texts), 1), dtype=np.float32)


def stick(begun: Path) -> None:
    """Never let go."""
    begun.touch()
    while True:
        time.sleep(3600.0)


def compute(begun: Path) -> None:
    """Compute for long in one call of torch, as a large network does."""
    import torch

    matrix = torch.ones(10000, 10000)
    begun.touch()
    torch.mm(matrix, matrix)


def make_backend(options: ModelOptions, say: Callable[[str], None]) -> StandIn:
    if options.name == DIES:
        os.kill(os.getpid(), signal.SIGKILL)
    say(f'{options.name}: loading')
    return StandIn(say, 'slow' if options.name == HINDERED else '')


server.make_backend = make_backend
server.load_encoder = StandInEncoder

if __name__ == '__main__':
    server.main()
