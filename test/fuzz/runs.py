# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded runs: the first byte says what the rest is a file of.

``M`` a run as planners record it (MCAP): what opens can be shown and read for the viewer to its
end, and is accounted for and planned again, or refused. ``R`` what a model was asked and said: a
recording that is accepted answers its own questions, or says why not.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from random import Random

from rich.console import Console

from reactree_ros.cli.audit_view import show_audit
from reactree_ros.cli.replay import show
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, DecisionRequest
from reactree_ros.core.wire import choices_from_json, prompt_from_json, text_request_from_json
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.models.recorded import RecordedModel
from reactree_ros.planner.replay import recompute
from reactree_ros.ros.recording.recorded_run import read_recorded_run, services_of
from reactree_ros.ros.recording.run_file import RunFile
from reactree_ros.ros.viewer.run_history import read_history

from .contract import Target, demand, scratch, told
from .made_run import made_recording, made_run
from .mcap_files import file_of, mutate_file, records_of
from .mutations import mutate_bytes, mutate_lines, mutate_values

_LIMIT_S = 4.0
# A whole run is planned again.


@cache
def seeds() -> list[bytes]:
    """Return a run that was recorded here, as it was written and without chunks; a recording."""
    run = made_run(scratch() / 'seeds')
    return [b'M' + run, b'M' + file_of(records_of(run)), b'R' + made_recording(scratch() / 'seeds')]


def mutate(random: Random, data: bytes, among: Sequence[bytes]) -> bytes:
    """Change records, messages and what is said in them; or lines and values."""
    mark, rest = data[:1], data[1:]
    if mark == b'M':
        return mark + mutate_file(random, rest, among)
    text = rest.decode('utf-8', 'replace')
    kind = random.randrange(4)
    if kind == 0:
        return mark + mutate_bytes(random, rest, among, (b'[' * 3000, b'9' * 5000, b'\\ud800'))
    if kind == 1:
        return mark + mutate_lines(random, text).encode('utf-8', 'replace')
    lines = text.split('\n')
    at = random.randrange(len(lines))
    try:
        lines[at] = json.dumps(mutate_values(random, json.loads(lines[at])))
    except (ValueError, RecursionError):
        lines[at] = lines[at][: random.randrange(len(lines[at]) + 1)]
    return mark + '\n'.join(lines).encode('utf-8', 'replace')


def check(data: bytes) -> bool:
    """Hold an input against the contract; see the module."""
    path = scratch() / ('recording.jsonl' if data[:1] == b'R' else 'run.mcap')
    path.write_bytes(data[1:])
    try:
        return _recording(path) if data[:1] == b'R' else _run(path)
    except ConfigurationError as error:
        return told(error)


def _run(path: Path) -> bool:
    file = RunFile(path)
    history = read_history(path)
    json.dumps([history.about(), history.frames])
    shown = Console(file=io.StringIO(), width=100)
    for look in (
        lambda: show(path, shown, 0.0, lambda: False),
        lambda: _account(path),
        lambda: recompute(read_recorded_run(file), services_of(file)),
    ):
        try:
            look()
        except ConfigurationError as error:
            told(error)
    return True


def _account(path: Path) -> None:
    with redirect_stdout(io.StringIO()):
        show_audit(path)


def _recording(path: Path) -> bool:
    """Ask a recorded model what its recording says that it was asked."""
    model = RecordedModel.read(path)
    for line in path.read_text(encoding='utf-8').rstrip('\n').split('\n')[1:]:
        try:
            entry = json.loads(line)
        except ValueError:
            break  # the last line may be cut off
        op = entry['op']
        texts = tuple(entry.get('texts', ()))
        if op == 'decide':
            request = DecisionRequest(
                prompt_from_json(entry['prompt']), choices_from_json(entry['choices'])
            )
            answer = _answered(model.decide(request))
            demand(answer is None or isinstance(answer, Answer), f'decided was {answer!r}')
        elif op == 'write':
            _answered(model.write(text_request_from_json(entry)))
        elif op == 'embed':
            _answered(model.embed(texts))
        elif op == 'count':
            _answered(model.count(texts))
    return True


def _answered(pending: Future[object]) -> object:
    try:
        return pending.poll()
    except ModelError as error:
        told(error)
        return None


TARGET = Target('runs', seeds, mutate, check, limit_s=_LIMIT_S)
