# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All runs that a viewer can show."""

from __future__ import annotations

import calendar
import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from reactree_ros.errors import ConfigurationError
from reactree_ros.viewer.history import CUT_OFF, Frame, RunHistory

_NAME = re.compile(r'(\d{8}-\d{6})-(.+)-[0-9a-f]{8}')
"""How the file of a run is named."""


class RunIndex:
    """Runs by name: running and just ended ones, and recorded ones, which are read on demand.

    One thread adds, others read.

    Args:
        kept: how many runs are kept besides the recorded ones; the oldest are dropped first.
    """

    def __init__(self, kept: int = 20) -> None:
        self._kept = kept
        self._runs: dict[str, RunHistory] = {}
        self._recorded: dict[str, Callable[[], RunHistory]] = {}
        self._about: dict[str, dict[str, Any]] = {}
        self.file_of: Callable[[str], RunHistory | None] = lambda name: None
        """Reads the file of a run that is followed, as far as it is written; None for none."""

    def begin(self, name: str, goal: str = '') -> RunHistory:
        """Return the run of that name; a new one if there is none."""
        if name not in self._runs:
            runs = {**self._runs, name: RunHistory(name, goal)}
            for old in list(runs)[: -self._kept]:
                del runs[old]
            self._runs = runs  # replaced at once, for those who read meanwhile
        return self._runs[name]

    def offer(self, name: str, read: Callable[[], RunHistory]) -> None:
        """Offer a recorded run.

        Args:
            name: its name.
            read: reads it; may raise ConfigurationError.
        """
        self._about[name] = _recorded(name)
        self._recorded = {**self._recorded, name: _kept(read)}

    def find(self, name: str) -> RunHistory:
        """Return a run.

        Raises:
            ConfigurationError: if there is no such run, or it cannot be read.
        """
        if name in self._runs:
            return self._runs[name]
        if name not in self._recorded:
            raise ConfigurationError(f'there is no run {name!r}')
        return self._recorded[name]()

    def about(self) -> list[dict[str, Any]]:
        """Return what a list says of every run, the newest first, recorded ones after them."""
        runs = [run.about() for run in reversed(self._runs.values())]
        return runs + [self._about[name] for name in reversed(self._recorded)]

    def whole(self, name: str) -> RunHistory:
        """Return a run with all that is known of it: from its file, if there is one.

        Raises:
            ConfigurationError: if there is no such run, or it cannot be read.
        """
        run = self.find(name)
        return run if name in self._recorded else self.file_of(name) or run

    def follow(self, name: str) -> None:
        """Read on in the file of a run that is followed, so that its reasons are at hand."""
        run = self._runs.get(name)
        if run is not None and not run.ended:
            with suppress(ConfigurationError):  # whoever asks for the reasons gets the error
                self.file_of(name)

    def reasons(self, name: str, known: int = 0) -> list[Frame]:
        """Return the decisions of a run, with what the model was asked where it has a file.

        Args:
            name: of the run.
            known: so many requests are known already, and are left out.

        Raises:
            ConfigurationError: if there is no such run, or it cannot be read.
        """
        frames = self.whole(name).frames
        decisions = [frame for frame in frames if frame['kind'] == 'decision']
        return [frame for frame in decisions if frame.get('number', known + 1) > known]


def _kept(read: Callable[[], RunHistory]) -> Callable[[], RunHistory]:
    """Return what reads a run once; again as long as its end is not in the file."""
    known: list[RunHistory] = []

    def get() -> RunHistory:
        if known:
            return known[0]
        run = read()
        if run.ended != CUT_OFF:
            known.append(run)
        return run

    return get


def _recorded(name: str) -> dict[str, Any]:
    """Return what the name of a recorded run's file says: when it began, and words of the goal."""
    about = {'name': name, 'goal': '', 'began': 0.0, 'ended': '', 'recorded': True}
    found = _NAME.fullmatch(name)
    if found is not None:
        with suppress(ValueError):  # no date after all
            began = calendar.timegm(time.strptime(found[1], '%Y%m%d-%H%M%S'))
            about |= {'goal': found[2].replace('-', ' '), 'began': float(began)}
    return about
