# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The file of a run as what the page shows."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from dataclasses import replace
from pathlib import Path
from typing import Any

from reactree_ros.core.events import DecisionRecord
from reactree_ros.core.wire import prompt_digest, prompt_from_json
from reactree_ros.errors import ConfigurationError
from reactree_ros.planner.recorded_inputs import whole
from reactree_ros.ros.conversions import (
    behaviour_from_msg,
    decision_record_from_msg,
    event_from_msg,
    observation_from_msg,
)
from reactree_ros.ros.recording.run_file import RunFile
from reactree_ros.ros.recording.run_publisher import (
    AUDIT_TOPIC,
    EVENT_TOPIC,
    INPUT_TOPIC,
    MEMORY_TOPIC,
    POSES_TOPIC,
    SCENE_TOPIC,
    TREE_TOPIC,
)
from reactree_ros.ros.recording.run_recorder import SUFFIX
from reactree_ros.viewer.history import Reasons, RunHistory

_FACTS = ('strategy', 'skills')


def read_history(path: Path) -> RunHistory:
    """Return the run of a file.

    Raises:
        ConfigurationError: if it cannot be read, or is damaged.
    """
    file = RunFile(path)
    try:
        return _history(file)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ConfigurationError(f'{path} is damaged: {error!r}') from error


def file_of(folder: Path, goal_id: str) -> RunHistory | None:
    """Return the run of a goal from its file as far as it is written; None if there is none."""
    found = sorted(folder.glob(f'*-{goal_id[:8]}{SUFFIX}')) if goal_id.isalnum() else []
    return read_history(found[-1]) if found else None


def _history(file: RunFile) -> RunHistory:
    history = RunHistory(file.path.stem, file.began['goal'])
    records: defaultdict[str, deque[DecisionRecord]] = defaultdict(deque)
    for one in file.messages:
        if one.topic == AUDIT_TOPIC:
            records[one.message.prompt_sha256].append(decision_record_from_msg(one.message))
    inputs = [json.loads(one.message.data) for one in file.messages if one.topic == INPUT_TOPIC]
    requests = zip(inputs, whole(inputs), strict=True)
    reasons = Reasons()
    deciding: list[int] = []  # behaviours, by the numbers of the requests
    latest = 0
    if file.messages:
        facts = {key: str(file.began.get(key, '')) for key in _FACTS}
        history.about_run(file.messages[0].nanoseconds / 1e9, facts)
    for one in file.messages:
        at = one.nanoseconds / 1e9
        if one.topic == EVENT_TOPIC:
            event = event_from_msg(one.message)
            latest = event.behaviour if event.kind == 'goal' else latest
            history.event(at, event)
        elif one.topic == TREE_TOPIC:
            history.tree(at, tuple(map(behaviour_from_msg, one.message.behaviours)))
        elif one.topic == MEMORY_TOPIC:
            history.memory(at, observation_from_msg(one.message))
        elif one.topic == SCENE_TOPIC:
            history.scene(at, json.loads(one.message.data))
        elif one.topic == POSES_TOPIC:
            history.pose(at, json.loads(one.message.data))
        elif one.topic == INPUT_TOPIC:
            entry, full = next(requests)
            if entry['op'] == 'decide':
                after = entry['prompt'].get('after', 0)
                record = _record(full, records, deciding[after - 1] if after else latest)
                record = replace(record, index=record.index or len(deciding) + 1)
                deciding.append(record.behaviour)
                history.decision(at, record, reasons.asked(entry))
    history.ended = history.ended or str(file.ended.get('status') or 'cut off')
    return history


def _record(
    entry: dict[str, Any], records: defaultdict[str, deque[DecisionRecord]], behaviour: int
) -> DecisionRecord:
    """Return the record of a request; of one without outcome yet, what the request says."""
    found = records[prompt_digest(prompt_from_json(entry['prompt']))]
    if found:
        return found.popleft()
    answer = entry.get('answer') or {}
    return DecisionRecord(
        index=0,
        behaviour=behaviour,
        path=(),
        robot='',
        prompt_sha256='',
        model=str(answer.get('model', '')),
        decision=str(answer.get('text', '')),
    )
