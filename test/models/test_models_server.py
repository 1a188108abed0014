# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The wire between planner and model server, and a server whose model cannot be loaded."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reactree_ros.core.decision import Choices, ControlFlow
from reactree_ros.exceptions import ModelError
from reactree_ros.models.interface import DecisionRequest
from reactree_ros.models.process import ModelProcess
from reactree_ros.models.server import choices_from_json, choices_to_json

CHOICES = [
    Choices(),
    Choices(skills=('go to kitchen 1', 'öffne "Tür" 1', '打开 冰箱')),
    Choices(think=False, recall=('wine glass', '사과'), control_flows=()),
    Choices(control_flows=(ControlFlow.PARALLEL, ControlFlow.SEQUENCE)),
    Choices(not_done='you hold "nothing"', no_failure='look first', max_thought_chars=7),
    Choices(max_subgoals=2, max_subgoal_chars=11),
]


@pytest.mark.parametrize('choices', CHOICES)
def test_choices_come_through_json_as_they_were(choices: Choices) -> None:
    wire = json.dumps(choices_to_json(choices))
    assert choices_from_json(json.loads(wire)) == choices


@pytest.mark.parametrize('name', ['gpt-9', 'no/such/folder', '/'])
def test_an_unknown_model_is_refused_at_once_and_the_known_are_named(name: str) -> None:
    with pytest.raises(ModelError, match=rf"no model '{name}': give one of .*qwen2\.5-coder-0\.5b"):
        ModelProcess(name)


def wait_for_failure(process: ModelProcess) -> str:
    """Wait without a busy loop until the server has failed; return why."""
    waiting = threading.Event()
    while True:
        try:
            assert not process.poll_ready()
        except ModelError as error:
            return str(error)
        waiting.wait(0.05)


@pytest.mark.model
def test_a_model_that_cannot_be_loaded_is_told_to_whoever_asks(tmp_path: Path) -> None:
    (tmp_path / 'config.json').write_text('{"model_type": "none of this world"}', encoding='utf-8')
    process = ModelProcess(str(tmp_path), log=tmp_path / 'log')
    try:
        pending = process.decide(DecisionRequest('Goal: a\n', Choices()))
        why = wait_for_failure(process)
        assert f"cannot load the language model '{tmp_path}'" in why
        with pytest.raises(ModelError, match='cannot load'):
            pending.poll()
        later = process.count(('a',))
        with pytest.raises(ModelError, match='cannot load'):
            later.poll()
    finally:
        process.close()
        process.close()


def test_the_server_ends_when_its_input_ends(tmp_path: Path) -> None:
    (tmp_path / 'config.json').write_text('{}', encoding='utf-8')
    # Its input is closed from the start, as when the planner dies while the model is loading.
    server = subprocess.run(
        [sys.executable, '-m', 'reactree_ros.models.server', '--model', str(tmp_path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert server.returncode == 0
    assert b'ready' not in server.stdout
