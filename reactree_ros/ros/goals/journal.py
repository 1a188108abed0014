# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The crash journal: what a planner is executing, written ahead, for the next process to find.

A line of JSON each: goals that were accepted, begun and ended, what has reached the run from
outside (``planner.recorded_inputs``, from which tree, trajectories and working memory are built
again), and every action goal before it is sent and when it is over. Lines are handed to the
system at once, so they outlive the process; when nothing is open, the file is empty.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from reactree_ros.core.wire import Values
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import make_private
from reactree_ros.ros.goals.sent_goal import SentGoal

FORMAT = 'reactree_ros journal 1'
_ACCEPTED, _BEGUN, _ENDED, _SENDING, _OVER, _INPUT = (
    'accepted', 'begun', 'ended', 'sending', 'over', 'input',
)  # fmt: skip


@dataclass
class OpenGoal:
    """A goal that was accepted and has not ended.

    Args:
        goal_id: of the action goal, 32 hexadecimal digits.
        request: what its client asked for, by field.
        about: what the planner was when it began, where that matters for going on; plain data.
        begun: its run has started; else it waited for its turn.
        inputs: what reached its run from outside, in order.
    """

    goal_id: str
    request: Values
    about: Values = field(default_factory=dict)
    begun: bool = False
    inputs: list[Values] = field(default_factory=list)


@dataclass
class Found:
    """What a journal says is open.

    Args:
        goals: in the order in which they were accepted.
        sent: action goals that robots may still be executing.
    """

    goals: list[OpenGoal] = field(default_factory=list)
    sent: list[SentGoal] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether anything is."""
        return bool(self.goals or self.sent)


def read_journal(path: Path) -> Found:
    """Return what is open; a last line that was cut off counts as not written.

    Raises:
        ConfigurationError: if the file cannot be read, or is not a journal.
    """
    try:
        lines = path.read_text(encoding='utf-8').splitlines()
    except FileNotFoundError:
        return Found()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'cannot read the journal {path}: {error}') from error
    entries = []
    for number, line in enumerate(lines, start=1):
        try:
            entries.append(json.loads(line))
        except ValueError as error:
            if number < len(lines):
                raise ConfigurationError(f'{path}, line {number}: {error}') from error
    if not entries:
        return Found()
    if entries[0] != {'format': FORMAT}:
        raise ConfigurationError(f'{path} is not a journal of this version')
    try:
        return _found(entries[1:])
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(f'{path}: an entry is incomplete: {error!r}') from error


def _found(entries: list[Values]) -> Found:
    goals: dict[str, OpenGoal] = {}
    sent: dict[str, SentGoal] = {}
    running = ''
    for entry in entries:
        kind = entry['kind']
        if kind == _ACCEPTED:
            goals[entry['goal_id']] = OpenGoal(entry['goal_id'], entry['request'])
        elif kind == _BEGUN:
            running = entry['goal_id']
            goals[running].begun, goals[running].about = True, entry['about']
        elif kind == _INPUT:
            goals[running].inputs.append(entry['entry'])
        elif kind == _ENDED:
            goals.pop(entry['goal_id'], None)
        elif kind == _SENDING:
            sent[entry['goal']['goal_id']] = SentGoal(**entry['goal'])
        elif kind == _OVER:
            sent.pop(entry['goal_id'], None)
    return Found([*goals.values()], [*sent.values()])


class Journal:
    """Writes a planner's journal (``sent_goal.GoalJournal``).

    Everything is called on the tick's thread. If the journal cannot be written any more, it warns
    once, and the planner continues without.

    Args:
        path: the file, whose folder is made; None for a journal that reads and writes nothing.
        warn: logs a warning of one line.

    Raises:
        ConfigurationError: if another planner writes it, or it cannot be written or read.
    """

    def __init__(self, path: Path | None, warn: Callable[[str], Any]) -> None:
        self.path = path
        self.found = Found()
        """What an earlier process has left open."""
        self._file: IO[str] | None = None
        self._warn = warn
        self._goals: dict[str, None] = {}
        self._sent: dict[str, SentGoal] = {}
        self._again: Counter[str] = Counter()
        self.fault = ''
        """Why nothing is written any more; empty if something is."""
        if path is not None:
            self._open(path)

    def _open(self, path: Path) -> None:
        try:
            make_private(path.parent)
            self._file = _locked(path)
        except BlockingIOError as error:
            raise ConfigurationError(
                f'another planner of this name is running: it has locked the journal {path}; give '
                'one of them a namespace or another restart.journal'
            ) from error
        except OSError as error:
            raise ConfigurationError(f'cannot write the journal {path}: {error}') from error
        try:
            self.found = read_journal(path)
            _end_last_line(path)
            self._file.seek(0, os.SEEK_END)
        except ConfigurationError as error:
            aside = path.with_suffix('.unreadable')
            path.replace(aside)
            self._file.close()
            self._file = _locked(path)
            self._warn(
                f'{error}; moved to {aside}. Skills left running cannot be found: check that the '
                'robot is at rest'
            )
        for goal in self.found.sent:
            self._sent[goal.goal_id] = goal
        self._goals = {goal.goal_id: None for goal in self.found.goals}

    def accepted(self, goal_id: str, request: Mapping[str, Any]) -> None:
        """Write that a goal was accepted."""
        self._goals[goal_id] = None
        self._write(_ACCEPTED, goal_id=goal_id, request=request)

    def begun(self, goal_id: str, about: Mapping[str, Any]) -> None:
        """Write that a goal's run begins; the inputs that follow are its own."""
        self._write(_BEGUN, goal_id=goal_id, about=about)

    def input(self, entry: Values) -> None:
        """Write an input of the run, unless it is replayed and so in the file already."""
        if self._again.total() and self._again[line := json.dumps(entry, sort_keys=True)] > 0:
            self._again[line] -= 1
            return
        self._write(_INPUT, entry=entry)

    def replay(self, entries: Iterable[Values]) -> None:
        """Do not write these entries again, which are replayed into the run."""
        self._again = Counter(json.dumps(entry, sort_keys=True) for entry in entries)

    def ended(self, goal_id: str) -> None:
        """Write that a goal has ended."""
        self._goals.pop(goal_id, None)
        self._write(_ENDED, goal_id=goal_id)
        self._empty()

    def sending(self, goal: SentGoal) -> None:
        """Write that an action goal is about to be sent."""
        self._sent[goal.goal_id] = goal
        self._write(_SENDING, goal=asdict(goal))

    def over(self, goal_id: str) -> None:
        """Write that the robot does not execute a goal any more."""
        if self._sent.pop(goal_id, None) is not None:
            self._write(_OVER, goal_id=goal_id)
            self._empty()

    def close(self) -> None:
        """Close the file, which keeps what is open."""
        if self._file is not None:
            with suppress(OSError):  # what could not be written is reported
                self._file.close()

    def _empty(self) -> None:
        """Truncate the file when nothing is open, or it would grow with every goal."""
        if self._goals or self._sent or self.fault or self._file is None:
            return
        try:
            self._file.truncate(0)
            self._file.seek(0)
        except OSError as error:
            self._give_up(error)

    def _write(self, kind: str, **values: Any) -> None:
        if self.fault or self._file is None:
            return
        try:
            if not self._file.tell():
                self._file.write(json.dumps({'format': FORMAT}) + '\n')
            self._file.write(json.dumps({'kind': kind, **values}, ensure_ascii=True) + '\n')
            self._file.flush()
        except (OSError, ValueError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.fault = (
            f'cannot write the journal {self.path}: {error}; if the planner is killed now, the '
            'next one will not find the skills that it left running'
        )
        self._warn(self.fault)


def _end_last_line(path: Path) -> None:
    """Remove an incomplete last line, so that the next one is not appended to it."""
    data = path.read_bytes()
    begin = data.rfind(b'\n') + 1
    if begin == len(data):
        return
    try:
        json.loads(data[begin:])
    except ValueError:
        os.truncate(path, begin)
    else:
        with path.open('ab') as file:
            file.write(b'\n')


def _locked(path: Path) -> IO[str]:
    """Open a file to append to that no other process may open so."""
    file = path.open('a', encoding='utf-8')
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file
