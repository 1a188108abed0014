# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""GGUF files: converted once, whole or not at all; what is wrong with one is said."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from reactree_ros.core.decision import Choices, parse_decision
from reactree_ros.core.model import DecisionRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Watch
from reactree_ros.models.local import conversion
from reactree_ros.models.local.gguf_file import count_parameters
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.process import ModelProcess
from reactree_ros.models.server import make_backend
from reactree_ros.paths import cache

torch = pytest.importorskip('torch')
gguf = pytest.importorskip('gguf')

MINUTES = 300
PREPARE = (sys.executable, '-m', 'reactree_ros.cli.main', 'models', 'prepare')
PROMPT = Prompt('You steer a robot.', (), 'Goal: rest\nYou see nothing.\n')
CHOICES = Choices(skills=('go to bed',), max_thought_chars=8, max_subgoals=2, max_subgoal_chars=8)
_NAMES = {
    'model.embed_tokens.weight': 'token_embd.weight',
    'model.norm.weight': 'output_norm.weight',
    'lm_head.weight': 'output.weight',
}
_PARTS = {
    'self_attn.q_proj': 'attn_q',
    'self_attn.k_proj': 'attn_k',
    'self_attn.v_proj': 'attn_v',
    'self_attn.o_proj': 'attn_output',
    'mlp.gate_proj': 'ffn_gate',
    'mlp.up_proj': 'ffn_up',
    'mlp.down_proj': 'ffn_down',
    'input_layernorm': 'attn_norm',
    'post_attention_layernorm': 'ffn_norm',
}


def name_in_gguf(name: str) -> str:
    if name in _NAMES:
        return _NAMES[name]
    _, _, layer, rest = name.split('.', 3)
    part, kind = rest.rsplit('.', 1)
    return f'blk.{layer}.{_PARTS[part]}.{kind}'


@pytest.fixture(scope='session')
def tiny_gguf(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model as a GGUF file of 440 kB."""
    from tokenizers import pre_tokenizers
    from transformers import AutoModelForCausalLM

    path = tmp_path_factory.mktemp('tiny_gguf') / 'tiny.gguf'
    network = AutoModelForCausalLM.from_pretrained(tiny_model, dtype=torch.float32)
    config = network.config
    writer = gguf.GGUFWriter(path, 'qwen2')
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10000.0)
    tokens = [*sorted(pre_tokenizers.ByteLevel.alphabet()), '<|endoftext|>', 'Ġt']
    kinds = [gguf.TokenType.NORMAL] * 256 + [gguf.TokenType.CONTROL, gguf.TokenType.NORMAL]
    unused = config.vocab_size - len(tokens)
    tokens += [f'<|{number}|>' for number in range(unused)]
    kinds += [gguf.TokenType.UNUSED] * unused
    writer.add_tokenizer_model('gpt2')
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(['Ġ t'])
    writer.add_eos_token_id(256)
    for name, tensor in network.state_dict().items():
        writer.add_tensor(name_in_gguf(name), tensor.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point the cache at a folder of the test's own."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    return cache('models')


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def wait_for_failure(process: ModelProcess) -> str:
    clock = threading.Event()
    for _ in range(MINUTES * 20):
        try:
            assert not process.poll_ready()
        except ModelError as error:
            return str(error)
        clock.wait(0.05)
    raise AssertionError('it did not fail')


# A good file


def test_a_header_is_read(tiny_gguf: Path) -> None:
    parameters = count_parameters(tiny_gguf)
    assert 4 * parameters < tiny_gguf.stat().st_size < 4 * parameters + 10_000


def test_a_file_is_converted_once_and_computes_as_before(
    tiny_gguf: Path, tiny_model: Path, tmp_path: Path, empty_cache: Path
) -> None:
    from transformers import AutoModelForCausalLM

    said = list[str]()
    backend = make_backend(ModelOptions(str(tiny_gguf)), said.append)
    answer = backend.decide(PROMPT, CHOICES, Watch(MINUTES))
    parse_decision(answer.text, CHOICES)
    (name,) = left_in(empty_cache)
    assert name.startswith('tiny-')
    assert any('converting' in line for line in said)
    networks = [
        AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
        for folder in (tiny_model, empty_cache / name)
    ]
    before, after = (network(torch.arange(200)[None]).logits for network in networks)
    assert torch.equal(before, after)
    # The same bytes under another name are the same model.
    copy = tmp_path / 'copy.gguf'
    copy.write_bytes(tiny_gguf.read_bytes())
    said.clear()
    assert conversion.convert_file(copy, said.append) == empty_cache / name
    assert left_in(empty_cache) == [name]
    assert not any('converting' in line for line in said)


# A bad file


@pytest.mark.parametrize(
    ('change', 'why'),
    [
        (lambda good: b'', 'its header is damaged, or it broke off after 0 bytes'),
        (lambda good: b'PK\x03\x04' + good[4:], 'it is not a GGUF file'),
        (lambda good: good[:100], 'its header is damaged, or it broke off after 100 bytes'),
        (lambda good: good[:-50_000], r'it broke off after \d+ of \d+ bytes'),
        (lambda good: good[:4] + b'\x01' + good[5:], 'it is GGUF version 1, known are 2 and 3'),
        (lambda good: good[:8] + bytes(8) + good[16:], 'it holds no network'),
    ],
)
def test_a_damaged_file_is_told_from_a_good_one(
    tiny_gguf: Path, tmp_path: Path, empty_cache: Path, change: object, why: str
) -> None:
    assert callable(change)
    bad = tmp_path / 'bad.gguf'
    bad.write_bytes(change(tiny_gguf.read_bytes()))
    with pytest.raises(ModelError, match=rf'{bad} cannot be used: {why}.*; download or copy'):
        conversion.convert_file(bad, lambda line: None)
    assert left_in(empty_cache) == []


def test_rubbish_in_the_header_never_ends_in_anything_but_an_error(
    tiny_gguf: Path, tmp_path: Path
) -> None:
    generator = random.Random(3)
    good = tiny_gguf.read_bytes()
    bad = tmp_path / 'bad.gguf'
    refused = 0
    for _ in range(300):
        changed = bytearray(good)
        for _ in range(generator.randrange(1, 20)):
            changed[generator.randrange(4, 3000)] = generator.randrange(256)
        bad.write_bytes(changed)
        try:
            count_parameters(bad)
        except ModelError:
            refused += 1
    assert refused > 100


def test_a_file_that_transformers_cannot_convert_is_named(
    tiny_gguf: Path, tmp_path: Path, empty_cache: Path
) -> None:
    odd = tmp_path / 'odd.gguf'
    odd.write_bytes(tiny_gguf.read_bytes().replace(b'qwen2', b'qwenX'))
    with pytest.raises(ModelError, match=f'transformers cannot convert the GGUF file {odd}'):
        conversion.convert_file(odd, lambda line: None)
    assert left_in(empty_cache) == []


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=f'cannot read the GGUF file {tmp_path}: Is a directory'):
        count_parameters(tmp_path)


def test_a_broken_file_ends_the_wait_for_the_model(tiny_gguf: Path, tmp_path: Path) -> None:
    bad = tmp_path / 'bad.gguf'
    bad.write_bytes(tiny_gguf.read_bytes()[:-50_000])
    process = ModelProcess(ModelOptions(str(bad)))
    try:
        pending = process.decide(DecisionRequest(PROMPT, CHOICES))
        why = wait_for_failure(process)
        assert 'it broke off after' in why
        with pytest.raises(ModelError, match='it broke off after'):
            pending.poll()
    finally:
        process.close()


# A full disk


def test_too_little_room_is_seen_before_anything_is_written(
    tiny_gguf: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion, 'OTHER_FILES', 1 << 60)
    with pytest.raises(ModelError) as caught:
        conversion.convert_file(tiny_gguf, lambda line: None)
    assert str(empty_cache) in str(caught.value)
    assert f'{(1 << 40) + 0.2:.1f} MiB are needed' in str(caught.value)
    assert 'XDG_CACHE_HOME' in str(caught.value)
    assert left_in(empty_cache) == []


def test_a_disk_that_fills_up_is_told_and_nothing_half_made_stays(
    tiny_gguf: Path, empty_cache: Path
) -> None:
    def limit() -> None:  # stops the weights in their middle, as a quota does
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    process = subprocess.run(
        [*PREPARE, str(tiny_gguf)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=MINUTES,
        check=False,
    )
    assert process.returncode != 0
    assert f'tiny.gguf: no room in the cache folder {empty_cache}: 64.2 MiB are needed' in (
        process.stderr
    )
    assert 'XDG_CACHE_HOME' in process.stderr
    assert left_in(empty_cache) == []


def test_a_full_file_system_is_told(tiny_gguf: Path, tmp_path: Path) -> None:
    small = tmp_path / 'small'
    small.mkdir()
    mounting = ['unshare', '--user', '--map-root-user', '--mount']
    mount = f'mount -t tmpfs -o size=100k tmpfs {small}'
    try:
        subprocess.run([*mounting, 'sh', '-c', mount], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip('this machine lets no user mount a file system of its own')
    process = subprocess.run(
        [*mounting, 'sh', '-c', f'{mount} && exec "$@"', 'sh', *PREPARE, str(tiny_gguf)],
        env={**os.environ, 'XDG_CACHE_HOME': str(small)},
        capture_output=True,
        text=True,
        timeout=MINUTES,
        check=False,
    )
    assert process.returncode != 0
    assert '64.2 MiB are needed, 0.1 MiB are free' in process.stderr


def test_a_cache_folder_that_cannot_be_made_is_told(
    tiny_gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'file').touch()
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'file'))
    with pytest.raises(ModelError, match=rf'cannot write to {tmp_path}/file/.*Not a directory'):
        conversion.convert_file(tiny_gguf, lambda line: None)


# Several processes, and processes that end in the middle


def test_two_processes_that_want_the_same_file_convert_it_once(
    tiny_gguf: Path, empty_cache: Path
) -> None:
    both = [
        subprocess.Popen([*PREPARE, str(tiny_gguf)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=MINUTES)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum('converting for transformers' in text for text in said) == 1
    (name,) = left_in(empty_cache)
    assert all(text.rstrip().endswith(name) for text in said)


@pytest.fixture
def slow_conversion(tmp_path: Path) -> Iterator[list[str]]:
    """The command of a model server that stops in the middle of every conversion."""
    script = tmp_path / 'slow.py'
    script.write_text(
        'import time\n'
        'from reactree_ros.models import server\n'
        'from reactree_ros.models.local import conversion\n'
        'def convert(gguf, target):\n'
        '    target.mkdir()\n'
        '    (target / "half").touch()\n'
        '    time.sleep(3600)\n'
        'conversion.convert = convert\n'
        'server.main()\n'
    )
    yield [sys.executable, str(script)]


def until_half_made(store: Path) -> Path:
    clock = threading.Event()
    for _ in range(MINUTES * 20):
        if half := list(store.glob('.making-*/converted/half')):
            return half[0]
        clock.wait(0.05)
    raise AssertionError('nothing was begun')


@pytest.mark.parametrize('who', ['planner dies', 'server dies'])
def test_what_was_half_made_is_removed_at_once_or_with_the_next_conversion(
    tiny_gguf: Path,
    tmp_path: Path,
    empty_cache: Path,
    slow_conversion: list[str],
    who: str,
) -> None:
    options = f'{{"name": "{tiny_gguf}"}}'
    server = subprocess.Popen(
        [*slow_conversion, '--options', options],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
    )
    assert server.stdin is not None
    with server:
        half = until_half_made(empty_cache)
        if who == 'planner dies':
            server.stdin.close()
            assert server.wait(MINUTES) == 0
            assert left_in(empty_cache) == []
        else:
            server.kill()
            server.wait()
            assert half.exists()
    folder = conversion.convert_file(tiny_gguf, lambda line: None)
    assert left_in(empty_cache) == [folder.name]
