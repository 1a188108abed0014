# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the model process asks of a back end, which computes decisions or fetches them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.prompt import Prompt


class Interrupted(Exception):
    """The request was canceled, or its time is up."""


class Watch:
    """Tells a back end when to stop working on a request.

    Args:
        time_limit_s: seconds from now.
        canceled: whether the request was given up.
    """

    def __init__(self, time_limit_s: float, canceled: Callable[[], bool] = lambda: False) -> None:
        self._end = time.monotonic() + time_limit_s
        self._canceled = canceled

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit; 0 after it, and after a cancel."""
        return 0.0 if self._canceled() else max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise Interrupted if there is no reason to continue."""
        if self.seconds_left <= 0.0:
            raise Interrupted


class Backend(Protocol):
    """Makes decisions in the model process; calls may wait.

    A subclass has to define ``workers``, ``decide``, ``write`` and ``count``; the rest has
    defaults. The ``queued_seconds`` of an answer are the server's to fill in.
    """

    workers: int
    """How many decisions it can work on at once; each is asked for on a thread of its own."""

    def decide(self, prompt: Prompt, choices: Choices, watch: Watch) -> Answer:
        """Make one decision.

        Raises:
            Interrupted: if ``watch`` said so.
            ModelError: if there is no decision to be had.
        """

    def write(self, request: TextRequest, watch: Watch) -> tuple[Answer, ...]:
        """Write free text, one answer a sample.

        Prompt tokens and seconds are counted in the first only. ``request.time_limit_s`` is the
        watch's affair.

        Raises:
            Interrupted: if ``watch`` said so.
            ModelError: if there is no text to be had.
        """

    def forget(self) -> None:
        """Drop the caches on which the last bits of an answer depend, as a fresh process has none.

        It is called between requests, never during one of this back end's own.
        """
        return

    def count(self, text: str) -> int:
        """Return the number of tokens that the deciding model makes of a text.

        Raises:
            ModelError: if it cannot be known.
        """

    def new_tokens(self, prompt: Prompt) -> int:
        """Return how many tokens of a prompt are not in the key/value cache; 0 if unknown.

        The server asks it of every waiting request, so that short work goes first.
        """
        return 0
