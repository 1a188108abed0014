# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a user may say about a language model."""

from __future__ import annotations

from dataclasses import dataclass

CHAT = ('auto', 'always', 'never')
DTYPES = ('auto', 'bfloat16', 'float16', 'float32')
SERVERS = ('auto', 'vllm', 'llama.cpp', 'ollama', 'openai', 'none')
API_KEY = 'REACTREE_API_KEY'


@dataclass(frozen=True)
class ModelOptions:
    """Which model decides, and how it is run.

    Args:
        model: a packaged model by name, the path of a folder (of a model, or of an adapter) or of
            a GGUF file, the id of a model on a hub, or the address of a server such as
            ``http://host:8000/v1``.
        device: torch device, such as ``cpu`` or ``cuda:0``; empty takes a GPU if there is one.
        dtype: one of ``DTYPES``; ``auto`` is bfloat16 where the processor computes in it.
        chat: one of ``CHAT``: whether the prompt is laid out with the model's chat template;
            ``auto`` does so for instruction-tuned models; base models, packaged ones and those
            that were trained for this planner read plain text.
        threads: threads to compute with; 0 takes all cores.
        cache_mb: budget of the key/value cache, MiB.
        share_examples: read each experience once and put it wherever a prompt has it, which makes
            the first decision of an agent node many times as fast; off, a prompt is read in a
            row, and only what two prompts begin with is shared.
        context_tokens: longest prompt and answer; 0 takes what the model was made for.
        server: kind of an OpenAI-compatible server, one of ``SERVERS``; ``auto`` finds it out,
            ``none`` is one that cannot constrain an answer.
        served_model: name by which a server knows the model; empty takes its first.
        retries: how often a request to a server is repeated after a passing fault.
        encoder: sentence encoder: the path of a sentence-transformers folder or the id of one on a
            hub; empty takes the packaged one.
    """

    model: str
    device: str = ''
    dtype: str = 'auto'
    chat: str = 'auto'
    threads: int = 0
    cache_mb: int = 2048
    share_examples: bool = True
    context_tokens: int = 0
    server: str = 'auto'
    served_model: str = ''
    retries: int = 3
    encoder: str = ''
