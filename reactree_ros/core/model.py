# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the planner asks of a language model: one decision at a time, without waiting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from reactree_ros.core.decision import Choices
from reactree_ros.core.futures import Future
from reactree_ros.core.prompt import Prompt

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class DecisionRequest:
    """One decision to be made.

    Args:
        prompt: all that the model reads.
        choices: what the decision may be.
        time_limit_s: seconds after which the request fails, waiting for its turn included.
    """

    prompt: Prompt
    choices: Choices
    time_limit_s: float = 60.0


@dataclass(frozen=True)
class Answer:
    """A model's answer, counted.

    Args:
        text: the decision line.
        tokens_in: tokens of the prompt.
        tokens_reused: prompt tokens whose key/value cache was reused; 0 where a server does not
            say.
        tokens_out: tokens of the answer, those forced by the grammar included.
        queued_seconds: from the request until the model began with it.
        prefill_seconds: reading the prompt; with a server that does not say, 0.
        decode_seconds: writing the answer; with a server that does not say, all its time.
        dropped: experiences and observations that were left out because the prompt was longer
            than the model's context.
        model: name of the model that decided.
    """

    text: str
    tokens_in: int = 0
    tokens_reused: int = 0
    tokens_out: int = 0
    queued_seconds: float = 0.0
    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0
    dropped: int = 0
    model: str = ''


@dataclass(frozen=True)
class TextRequest:
    """Free text to be written after a prompt, such as a whole plan.

    Args:
        prompt: all that the model reads.
        stop: the text ends before the first of these; none of them is part of it.
        max_tokens: longest text, in tokens.
        samples: how many texts are written.
        temperature: 0 takes the likeliest token each time, and all samples are the same.
        top_p: sampled is from the likeliest tokens that together have this probability.
        seed: the same seed gives the same samples on the same machine.
        time_limit_s: seconds after which the request fails, waiting for its turn included.
    """

    prompt: Prompt
    stop: tuple[str, ...] = ('\n',)
    max_tokens: int = 64
    samples: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    time_limit_s: float = 60.0


class LanguageModel(Protocol):
    """A model that decides, and that writes freely where a planner asks for a whole plan."""

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask for a decision and return at once."""

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Ask for free text and return at once.

        Returns:
            One answer a sample. Prompt tokens and seconds are counted in the first only.
        """


class Encoder(Protocol):
    """Sentence embeddings and token counts, which episodic memory needs."""

    @property
    def encoder_name(self) -> str:
        """Names the sentence encoder: only embeddings of one and the same can be compared."""

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        """Ask for the embeddings of texts, (n, dimension), each of length 1."""

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        """Ask for the number of tokens that the deciding model makes of each text."""


class PlannerModel(LanguageModel, Encoder, Protocol):
    """A language model that takes time to load and is ended with the planner."""

    @property
    def progress(self) -> str:
        """What it is doing, while it loads or after it had to start again."""

    def poll_ready(self) -> bool:
        """Return whether it is loaded; never waits.

        Raises:
            ModelError: if it will not be.
        """

    def forget(self) -> None:
        """Drop the caches of prompts before the next request.

        What a model answers depends in its last bits on what of the prompt it had read before;
        runs that are to be repeated exactly each begin with nothing read.
        """

    def close(self) -> None:
        """End it; calling it again does nothing."""


class WrappedModel:
    """Wraps a model (``PlannerModel``); a subclass decides and writes, and overrides what differs.

    Args:
        model: the model; closed with this one.
    """

    def __init__(self, model: PlannerModel) -> None:
        self._model = model

    @property
    def progress(self) -> str:
        """See ``PlannerModel``."""
        return self._model.progress

    @property
    def encoder_name(self) -> str:
        """See ``Encoder``."""
        return self._model.encoder_name

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        """See ``Encoder``."""
        return self._model.embed(texts)

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        """See ``Encoder``."""
        return self._model.count(texts)

    def poll_ready(self) -> bool:
        """See ``PlannerModel``."""
        return self._model.poll_ready()

    def forget(self) -> None:
        """See ``PlannerModel``."""
        self._model.forget()

    def close(self) -> None:
        """See ``PlannerModel``."""
        self._model.close()
