# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Options of language models."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.core.option import DAY, option

CHAT = ('auto', 'always', 'never')
DTYPES = ('auto', 'bfloat16', 'float16', 'float32')
SERVERS = ('auto', 'vllm', 'llama.cpp', 'ollama', 'openai', 'none')
API_KEY = 'REACTREE_API_KEY'
AUTO_MARGIN = -1.0


@dataclass(frozen=True)
class ModelOptions:
    """The language model, and how it runs."""

    name: str = option(
        '',
        'The model: name of a packaged model, path of a model folder, of the folder of a trained '
        'adapter or of a GGUF file, a hub id, the URL of an OpenAI-compatible server such as '
        f'http://host:8000/v1 (its API key in the environment variable {API_KEY}), "person" (a '
        'person decides), "scripted:" and the path of a script, or "NAME:" and what the '
        'back end NAME of another package reads. Empty: gemma-3-270m-household for the skills of '
        'the household, qwen2.5-coder-0.5b-generalist for any others. Several URLs, with spaces '
        'between them: the first server that answers is asked.',
    )
    device: str = option(
        '',
        'Torch device, such as "cpu" or "cuda:0". Empty: a GPU if there is one.',
    )
    dtype: str = option(
        'auto',
        'Number format of a local model. auto: bfloat16 where the processor supports it.',
        choices=DTYPES,
    )
    chat_template: str = option(
        'auto',
        "Use the model's chat template. auto: if it has one and is neither packaged nor trained "
        'for this planner, for such models read plain text better.',
        choices=CHAT,
    )
    threads: int = option(
        0,
        'CPU threads of a local model. 0: the physical cores but one, at least 1.',
        minimum=0,
        maximum=1024,
    )
    niceness: int = option(
        1,
        'Niceness of the process of a local model. 0: that of the planner; 10: about a tenth of a '
        'core that another process also uses.',
        minimum=0,
        maximum=19,
    )
    cache_mib: int = option(
        2048,
        "Size limit of a local model's prompt cache.",
        unit='MiB',
        minimum=0,
        maximum=1_000_000,
    )
    share_examples: bool = option(
        True,
        'A local model reads each example once, wherever it stands in a prompt. This makes the '
        'first decision of an agent node many times faster.',
    )
    context_tokens: int = option(
        0,
        'Longest prompt and answer. 0: as long as the model allows.',
        unit='tokens',
        minimum=0,
        maximum=10_000_000,
    )
    none_margin: float = option(
        AUTO_MARGIN,
        'How far the logit of "none" has to exceed those of all other first tokens before a local '
        'model may state no conditions for a goal. -1: as on the card of the model, or 0.',
        minimum=AUTO_MARGIN,
        maximum=100.0,
    )
    server_type: str = option(
        'auto',
        'Type of an OpenAI-compatible server. auto: detect it; none: no structured output.',
        choices=SERVERS,
    )
    served_name: str = option(
        '',
        'Name of the model on the server. Empty: its first.',
    )
    max_retries: int = option(
        3,
        'How often a request to a server is repeated after a transient error.',
        minimum=0,
        maximum=100,
    )
    max_requests: int = option(
        8,
        'Most requests to a server at the same time. Further ones wait in the planner.',
        unit='requests',
        minimum=1,
        maximum=256,
    )
    load_timeout_sec: float = option(
        300.0,
        'Time limit for loading the model.',
        unit='s',
        minimum=1.0,
        maximum=DAY,
    )
    encoder: str = option(
        '',
        'Sentence encoder that compares goals: path of a sentence-transformers folder, or a hub '
        'id. Empty: the packaged one.',
    )
