# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The file of a run as what the page shows."""

from __future__ import annotations

import json
import threading
from collections import defaultdict, deque
from collections.abc import Iterator
from pathlib import Path

from reactree_ros.core.events import DecisionRecord
from reactree_ros.core.wire import Values, prompt_digest, prompt_from_json
from reactree_ros.errors import ConfigurationError
from reactree_ros.planner.recorded_inputs import whole
from reactree_ros.ros.conversions import (
    behaviour_from_msg,
    decision_record_from_msg,
    event_from_msg,
    observation_from_msg,
)
from reactree_ros.ros.recording.run_file import Recorded, RunFile
from reactree_ros.ros.recording.run_publisher import (
    AUDIT_TOPIC,
    EVENT_TOPIC,
    INPUT_TOPIC,
    MEMORY_TOPIC,
    POSES_TOPIC,
    SCENE_TOPIC,
    TREE_TOPIC,
)
from reactree_ros.ros.recording.run_recorder import run_file
from reactree_ros.viewer.history import CUT_OFF, Frame, Reasons, RunHistory, outcome_of

_FACTS = ('strategy', 'skills')
_MOST_FOLLOWED = 3


def read_history(path: Path) -> RunHistory:
    """Return the run of a file.

    Raises:
        ConfigurationError: if it cannot be read, or is damaged.
    """
    return _Reading(path).history()


class FollowedFiles:
    """The files of runs that are being written: what is new in them is read, and only that.

    Args:
        folder: of the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._guard = threading.Lock()
        self._readings: dict[Path, _Reading] = {}

    def of(self, goal_id: str) -> RunHistory | None:
        """Return the run of a goal as far as it is written; None if there is no file of it.

        Raises:
            ConfigurationError: if it cannot be read, or is damaged.
        """
        path = run_file(self._folder, goal_id) if goal_id.isalnum() else None
        if path is None:
            return None
        with self._guard:
            reading = self._readings.pop(path, None) or _Reading(path)
            self._readings[path] = reading  # the last is the one that was asked for last
            while len(self._readings) > _MOST_FOLLOWED:
                del self._readings[next(iter(self._readings))]
            return reading.history()


class _Reading:
    """The file of a run as a history, which grows with it.

    Raises:
        ConfigurationError: if it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._file = RunFile(path)
        self._history = RunHistory(path.stem, self._file.began['goal'])
        self._due = self._file.messages
        self._inputs: deque[Values] = deque()
        self._requests = whole(self._next_inputs())
        self._reasons = Reasons()
        self._open: defaultdict[str, deque[tuple[int, Frame]]] = defaultdict(deque)
        """Decisions without outcome so far, by the digests of their prompts."""
        self._deciding: list[int] = []
        """Behaviours, by the numbers of the requests."""
        self._answered = 0
        self._latest = 0

    def history(self) -> RunHistory:
        """Return the run as far as it is written.

        Raises:
            ConfigurationError: if it cannot be read any more, or is damaged.
        """
        due, self._due = self._due or self._file.read_on(), ()
        try:
            if due and not self._history.frames:
                facts = {key: str(self._file.began.get(key, '')) for key in _FACTS}
                self._history.about_run(due[0].nanoseconds / 1e9, facts)
            for one in due:
                self._take(one, one.nanoseconds / 1e9)
            ended = '' if self._history.ended == CUT_OFF else self._history.ended
            self._history.ended = ended or str(self._file.ended.get('status') or CUT_OFF)
        except (
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
            RecursionError,
            OverflowError,
        ) as error:
            raise ConfigurationError(f'{self._file.path} is damaged: {error!r}') from error
        return self._history

    def _take(self, one: Recorded, at: float) -> None:
        if one.topic == EVENT_TOPIC:
            event = event_from_msg(one.message)
            self._latest = event.behaviour if event.kind == 'goal' else self._latest
            self._history.event(at, event)
        elif one.topic == TREE_TOPIC:
            self._history.tree(at, tuple(map(behaviour_from_msg, one.message.behaviours)))
        elif one.topic == MEMORY_TOPIC:
            self._history.memory(at, observation_from_msg(one.message))
        elif one.topic == SCENE_TOPIC:
            self._history.scene(at, json.loads(one.message.data))
        elif one.topic == POSES_TOPIC:
            self._history.pose(at, json.loads(one.message.data))
        elif one.topic == INPUT_TOPIC:
            entry = json.loads(one.message.data)
            self._inputs.append(entry)
            full = next(self._requests)
            if entry['op'] == 'decide':
                self._asked(at, entry, full)
        elif one.topic == AUDIT_TOPIC:
            record = decision_record_from_msg(one.message)
            waiting = self._open[record.prompt_sha256]
            if waiting:
                number, frame = waiting.popleft()
                self._deciding[number] = record.behaviour
                frame.update(outcome_of(record))

    def _next_inputs(self) -> Iterator[Values]:
        """Yield the inputs, each when it is there."""
        while True:
            yield self._inputs.popleft()

    def _asked(self, at: float, entry: Values, full: Values) -> None:
        """Add a decision; its outcome comes later, and is put into the same frame."""
        after = entry['prompt'].get('after', 0)
        answer = entry.get('answer') or {}
        self._answered += 'answer' in entry
        record = DecisionRecord(
            index=self._answered if 'answer' in entry else 0,
            behaviour=self._deciding[after - 1] if after else self._latest,
            path=(),
            robot='',
            prompt_sha256=prompt_digest(prompt_from_json(full['prompt'])),
            model=str(answer.get('model', '')),
            decision=str(answer.get('text', '')),
        )
        frame = self._history.decision(at, record, self._reasons.asked(entry))
        self._open[record.prompt_sha256].append((len(self._deciding), frame))
        self._deciding.append(record.behaviour)
