# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Two models for one decision: one thinks, expands and asks, the other acts.

ADaPT (Prasad et al., *ADaPT: As-Needed Decomposition and Planning with Language Models*, section
6.4) plans with one model and executes with another, so that a large model is needed only where
a plan is made.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from reactree_ros.core.decision import Ask, Conditions, Expand, Think, parse_decision
from reactree_ros.core.futures import Future, mapped, ready, then
from reactree_ros.core.model import Answer, DecisionRequest, PlannerModel, TextRequest, Vectors
from reactree_ros.errors import DecisionError, ModelError


class PairedModel:
    """Asks the thinker; where it would act, the actor says how.

    A thought, an expansion or a question of the thinker stands, and so does an answer that is no
    valid decision, which the agent node refuses. Any act, a recall, done and failure among them,
    is decided again by the actor, from the same prompt and the acts on offer. An answer counts
    what both models did; its ``model`` is the one whose text it is.

    Embeddings and token counts are the actor's: it is asked after the thinker, so its process is
    free when a node begins. Experiences are thus measured in the actor's tokens.

    Args:
        thinker: is asked first.
        actor: is asked for acts.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        thinker: PlannerModel,
        actor: PlannerModel,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._thinker = thinker
        self._actor = actor
        self._clock = clock

    @property
    def progress(self) -> str:
        """What both models are doing."""
        return '; '.join(filter(None, (self._thinker.progress, self._actor.progress)))

    @property
    def encoder_name(self) -> str:
        """Name of the actor's sentence encoder."""
        return self._actor.encoder_name

    def poll_ready(self) -> bool:
        """Return whether both are loaded; never waits.

        Raises:
            ModelError: if one of them will not be.
        """
        ready = [model.poll_ready() for model in (self._thinker, self._actor)]
        return all(ready)

    def close(self) -> None:
        """End both; calling it again does nothing."""
        try:
            self._thinker.close()
        finally:
            self._actor.close()

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Ask for a decision; the time limit is for both models together."""
        end = self._clock() + request.time_limit_s

        def acted(thought: Answer) -> Future[Answer]:
            if _stands(thought, request):
                return ready(thought)
            left = end - self._clock()
            if left <= 0:
                limit = request.time_limit_s
                raise ModelError(f'no decision within {limit:g} s: the first model took all of it')
            acts = replace(request.choices, think=False, control_flows=(), ask=False)
            asked = replace(request, choices=acts, time_limit_s=left)
            return mapped(self._actor.decide(asked), lambda act: _together(thought, act))

        return then(self._thinker.decide(request), acted)

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Ask the thinker for free text: what is written is a plan."""
        return self._thinker.write(request)

    def forget(self) -> None:
        """Drop the caches of prompts of both."""
        self._thinker.forget()
        self._actor.forget()

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        """Ask for the embeddings of texts, (n, dimension), each of length 1."""
        return self._actor.embed(texts)

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        """Ask for the number of the actor's tokens of each text."""
        return self._actor.count(texts)


def _stands(answer: Answer, request: DecisionRequest) -> bool:
    """Return whether an answer of the thinker is not an act."""
    try:
        decision = parse_decision(answer.text, request.choices)
    except DecisionError:
        return True
    return isinstance(decision, (Think, Expand, Ask, Conditions))


def _together(thought: Answer, act: Answer) -> Answer:
    """Return the act with the costs of both."""
    return Answer(
        text=act.text,
        tokens_in=thought.tokens_in + act.tokens_in,
        tokens_reused=thought.tokens_reused + act.tokens_reused,
        tokens_out=thought.tokens_out + act.tokens_out,
        queued_seconds=thought.queued_seconds + act.queued_seconds,
        prefill_seconds=thought.prefill_seconds + act.prefill_seconds,
        decode_seconds=thought.decode_seconds + act.decode_seconds,
        dropped=thought.dropped + act.dropped,
        model=act.model,
    )
