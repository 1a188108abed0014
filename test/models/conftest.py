# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A transformers model with random weights, made on the spot: it loads in a second."""

from __future__ import annotations

from pathlib import Path

import pytest


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
