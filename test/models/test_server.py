# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What travels between planner and model server, and models and options that are refused."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.decision import Choices, ConditionLanguage, ControlFlow
from reactree_ros.core.model import DecisionRequest
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.core.wire import (
    choices_from_json,
    choices_to_json,
    prompt_from_json,
    prompt_to_json,
)
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.models.local.encoder import encoder_name
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.process import ModelProcess

SERVER = (sys.executable, '-m', 'reactree_ros.models.server')
MINUTES = 300
CHOICES = [
    Choices(),
    Choices(skills=('go to kitchen 1', 'öffne "Tür" 1', '打开 冰箱')),
    Choices(think=False, recall=('wine glass', '사과'), control_flows=()),
    Choices(control_flows=(ControlFlow.PARALLEL, ControlFlow.SEQUENCE)),
    Choices(endings=(), max_thought_chars=7),
    Choices(max_subgoals=2, max_subgoal_chars=11, ask=True, max_question_chars=5),
    Choices(explain=True, conditions=ConditionLanguage('CONDITION_LINE: "a"', 'condition-line')),
]


@pytest.mark.parametrize('choices', CHOICES)
def test_choices_come_through_json_as_they_were(choices: Choices) -> None:
    wire = json.dumps(choices_to_json(choices))
    assert choices_from_json(json.loads(wire)) == choices


def test_a_prompt_comes_through_json_as_it_was() -> None:
    prompt = Prompt(
        'a "system"\n', ('one', 'zwei ü'), 'Goal: 吃\n', (Step('x', True), Step('', False))
    )
    assert prompt_from_json(json.loads(json.dumps(prompt_to_json(prompt)))) == prompt


@pytest.mark.parametrize(
    ('name', 'why'),
    [
        ('gpt-9', r"no model 'gpt-9': give one of .*qwen2\.5-coder-0\.5b.*GGUF.*http"),
        ('no/such/folder', "no model 'no/such/folder': give one of"),
        ('/', "the folder '/' holds no model: it has neither a config.json, nor"),
        ('/no/such.gguf', "there is no GGUF file '/no/such.gguf'"),
        ('http://me:secret@host/v1', 'holds a user or password: give it as REACTREE_API_KEY'),
    ],
)
def test_what_is_no_model_is_refused_at_once(name: str, why: str) -> None:
    with pytest.raises(ModelError, match=why) as caught:
        ModelProcess(ModelOptions(name))
    assert 'secret' not in str(caught.value)


@pytest.mark.parametrize(
    ('encoder', 'why'),
    [
        ('/', "the folder '/' holds no sentence encoder: it has no modules.json"),
        ('no encoder', "no sentence encoder 'no encoder': give the folder of a"),
    ],
)
def test_what_is_no_sentence_encoder_is_refused_at_once(
    tmp_path: Path, encoder: str, why: str
) -> None:
    (tmp_path / 'config.json').write_text('{}', encoding='utf-8')
    with pytest.raises(ModelError, match=why):
        ModelProcess(ModelOptions(str(tmp_path), encoder=encoder))


def test_a_sentence_encoder_goes_by_its_own_name(tmp_path: Path) -> None:
    folder, other = tmp_path / 'my-encoder', tmp_path / 'elsewhere' / 'my-encoder'
    for path, weights in ((folder, b'first'), (other, b'second')):
        path.mkdir(parents=True)
        (path / 'model.safetensors').write_bytes(weights)
    assert encoder_name('') == 'all-MiniLM-L6-v2'
    assert encoder_name('sentence-transformers/all-MiniLM-L6-v2') == 'all-MiniLM-L6-v2'
    name = encoder_name(f'{folder}/')
    assert name.startswith('my-encoder-')
    assert encoder_name(str(other)) != name
    moved = tmp_path / 'moved' / 'my-encoder'
    moved.parent.mkdir()
    assert encoder_name(str(folder.rename(moved))) == name
    assert encoder_name('some/encoder') == 'some/encoder'


@pytest.mark.parametrize(
    ('option', 'value', 'why'),
    [
        ('dtype', 'int3', "dtype is 'int3': it must be one of auto, bfloat16"),
        ('chat_template', 'perhaps', "is 'perhaps': it must be one of auto, always, never"),
        ('server_type', 'mine', "server_type is 'mine': it must be one of auto, vllm"),
        ('device', 'the gpu', "device is 'the gpu', not a torch device such as cpu or cuda:0"),
        ('threads', -1, 'threads is -1: it must be an integer from 0 to 1024'),
        ('cache_mib', -5, 'cache_mib is -5: it must be an integer from 0'),
    ],
)
def test_an_option_with_a_wrong_value_is_refused_at_once(
    tmp_path: Path, option: str, value: Any, why: str
) -> None:
    (tmp_path / 'config.json').write_text('{}', encoding='utf-8')
    options = ModelOptions(**{'name': str(tmp_path), option: value})
    with pytest.raises(ConfigurationError, match=why):
        ModelProcess(options)


def failure_of(process: ModelProcess) -> str:
    """Wait without a busy loop until the server has failed; return why."""
    waiting = threading.Event()
    for _ in range(MINUTES * 20):
        try:
            assert not process.poll_ready()
        except ModelError as error:
            return str(error)
        waiting.wait(0.05)
    raise AssertionError(f'no failure: {process.progress}')


def test_a_model_that_cannot_be_loaded_is_told_to_whoever_asks(tmp_path: Path) -> None:
    pytest.importorskip('torch')
    (tmp_path / 'config.json').write_text('{"model_type": "none of this world"}', encoding='utf-8')
    process = ModelProcess(ModelOptions(str(tmp_path)))
    try:
        prompt = Prompt('', (), 'Goal: a\n')
        pending = process.decide(DecisionRequest(prompt, Choices(), MINUTES))
        assert f"cannot load the language model '{tmp_path}'" in failure_of(process)
        with pytest.raises(ModelError, match='cannot load'):
            pending.poll()
        later = process.count(('a',))
        with pytest.raises(ModelError, match='cannot load'):
            later.poll()
    finally:
        process.close()
        process.close()


@pytest.mark.parametrize('device', ['toaster', 'cuda:999'])
def test_a_device_that_is_not_there_is_told(tiny_model: Path, device: str) -> None:
    process = ModelProcess(ModelOptions(str(tiny_model), device=device))
    try:
        assert f'parameter model.device is {device!r}, which cannot be used here' in failure_of(
            process
        )
    finally:
        process.close()


def test_a_server_that_is_not_there_is_told() -> None:
    # Port 9 is for discarding, and nobody listens to it.
    process = ModelProcess(ModelOptions('http://127.0.0.1:9/v1', max_retries=0))
    try:
        assert 'http://127.0.0.1:9/v1' in failure_of(process)
    finally:
        process.close()


def test_the_server_ends_when_its_input_ends(tmp_path: Path) -> None:
    (tmp_path / 'config.json').write_text('{}', encoding='utf-8')
    # Its input is closed from the start, as when the planner dies while the model is loading.
    server = subprocess.run(
        [*SERVER, '--options', json.dumps({'name': str(tmp_path)})],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert server.returncode == 0
    assert b'ready' not in server.stdout
