# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A transformers model with random weights, made on the spot, and a real llama.cpp server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from reactree_ros.models.local.embedded import MODELS
from reactree_ros.models.options import API_KEY

KEY = 'key-of-the-tests'


@pytest.fixture(scope='session')
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a two-layer Qwen2 model with grouped heads; its tokens are bytes."""
    torch = pytest.importorskip('torch')
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    folder = tmp_path_factory.mktemp('tiny_model')
    vocabulary = {char: n for n, char in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    vocabulary['<|end|>'] = len(vocabulary)
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token='<|end|>')
    wrapped.save_pretrained(folder)
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=272,  # more than there are tokens, as in many real models
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        initializer_range=0.4,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope='session')
def llama_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a llama.cpp server in a process of its own, which serves Gemma 3 270M.

    It asks for a key, which is in the environment as long as the fixture lives.
    """
    pytest.importorskip('xllamacpp')
    gemma = MODELS['gemma-3-270m']
    gguf = tmp_path_factory.mktemp('gguf') / 'gemma.gguf'
    with gguf.open('wb') as joined:
        for module, part in zip(gemma.modules, gemma.parts, strict=True):
            joined.write((files(module) / part).read_bytes())
    command = [sys.executable, str(Path(__file__).parent / 'serve_gguf.py'), str(gguf), KEY]
    with (
        pytest.MonkeyPatch.context() as environment,
        gguf.with_suffix('.log').open('wb') as log,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        environment.setenv(API_KEY, KEY)
        assert process.stdin is not None
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address, gguf.with_suffix('.log').read_text()[-2000:]
        yield f'{address}/v1'
        process.stdin.close()
    gguf.unlink()
