# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Time decisions taken by the guidance library, selected as the official ReAcTree code does.

Stand-alone: the Python that runs it has ``requirements/bench-guidance.txt`` and not this package.
It reads one workload as JSON on the standard input::

    {"model_folder": "…", "dtype": "bfloat16", "threads": 2, "repeats": 3, "prompt": "…",
     "turns": [{"skills": ["go to fridge 1", …], "kind": "Act", "answer": "go to fridge 1",
                "observation": "…"}, …]}

and writes JSON lines on the standard output: first ``{"load_seconds", "versions"}``, then one
object per decision with

- ``repeat``, ``turn``, ``kind``: which one it is; repeat and turn count from 0,
- ``seconds``: wall time of the selection, after appending what is new since the decision before,
- ``append_seconds``: the part of it that went into appending,
- ``prompt_tokens``: tokens of the text that the decision follows,
- ``computed_tokens``, ``model_calls``: what went through the model for it, in how many calls,
- ``chosen_kind``, ``chosen``: what the model selected; the trajectory continues with ``answer``,
  so that every contender reads the same text.

As in the official code, the text is appended to one growing guidance model, the kind is one
``select``, the skill another, and free text is a ``gen`` up to the end of the line.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

KINDS = ('Act', 'Think', 'Expand')
MAX_TEXT_TOKENS = 40


def load_config(folder: Path) -> Any:
    """Return the folder's configuration with the rotary bases where transformers 4 looks for them.

    The folder is written by transformers 5. Without this, transformers 4 would silently compute
    with its default bases.
    """
    saved = json.loads((folder / 'config.json').read_text(encoding='utf-8'))
    rope = saved.pop('rope_parameters')
    if 'full_attention' in rope:
        saved['rope_local_base_freq'] = rope['sliding_attention']['rope_theta']
        rope = rope['full_attention']
    if rope['rope_type'] != 'default':
        raise SystemExit(f'{folder}/config.json: rope_type {rope["rope_type"]!r} is not handled')
    saved['rope_theta'] = rope['rope_theta']
    # An empty one is taken for a quantised model.
    if saved.get('quantization_config') is None:
        saved.pop('quantization_config', None)
    return AutoConfig.for_model(**saved)


def load_tokenizer(folder: Path) -> Any:
    """Return the tokenizer; it names a first token only if its own rules put one there.

    guidance prepends the first token that the tokenizer names, which Qwen models do not expect.
    """
    tokenizer: Any = PreTrainedTokenizerFast.from_pretrained(folder)
    if not tokenizer('').input_ids:
        tokenizer.bos_token = None
    return tokenizer


class Counter:
    """Counts the tokens and the calls that reach a model."""

    def __init__(self, network: torch.nn.Module) -> None:
        """Listen to a model's calls."""
        self.tokens = 0
        self.calls = 0
        network.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(
        self, _network: torch.nn.Module, _args: tuple[Any, ...], given: dict[str, Any]
    ) -> None:
        self.tokens += given['input_ids'].shape[-1]
        self.calls += 1

    def take(self) -> dict[str, int]:
        """Return what was counted since the last call."""
        counted = {'computed_tokens': self.tokens, 'model_calls': self.calls}
        self.tokens = self.calls = 0
        return counted


def decide(guidance: Any, state: Any, turn: dict[str, Any]) -> tuple[str, str]:
    """Select one decision after a state and return its kind and its text.

    Whatever kind is selected, the workload's kind is the one that goes on.
    """
    begun = state + guidance.select([f'{kind}: ' for kind in KINDS], name='kind')
    chosen_kind = begun['kind'].removesuffix(': ')
    if turn['kind'] == 'Act':
        rest = guidance.select(turn['skills'], name='text')
    else:
        rest = guidance.gen(name='text', stop='\n', max_tokens=MAX_TEXT_TOKENS, temperature=0)
    if chosen_kind == turn['kind']:
        ended = begun + rest
    else:
        # In one step, so that it costs no more than going on would have.
        ended = state + (f'{turn["kind"]}: ' + rest)
    return chosen_kind, ended['text']


def play(
    guidance: Any, state: Any, tokenizer: Any, counter: Counter, workload: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Take every decision of a workload once, beginning with nothing in the model's cache."""
    counter.take()
    written = workload['prompt']
    for number, turn in enumerate(workload['turns']):
        begin = time.perf_counter()
        # guidance runs the model over a text when it is appended, so that belongs to the decision.
        state += written
        append_seconds = time.perf_counter() - begin
        chosen_kind, chosen = decide(guidance, state, turn)
        seconds = time.perf_counter() - begin
        yield {
            'turn': number,
            'kind': turn['kind'],
            'seconds': seconds,
            'append_seconds': append_seconds,
            'prompt_tokens': len(tokenizer(str(state)).input_ids),
            **counter.take(),
            'chosen_kind': chosen_kind,
            'chosen': chosen,
        }
        observation = f'{turn["observation"]}\n' if turn['observation'] else ''
        written = f'{turn["kind"]}: {turn["answer"]}\n{observation}'


def main() -> None:
    """Read the workload, write the measurements."""
    workload = json.load(sys.stdin)
    torch.set_num_threads(workload['threads'])
    folder = Path(workload['model_folder'])
    begin = time.perf_counter()
    guidance: Any = importlib.import_module('guidance')
    tokenizer = load_tokenizer(folder)
    network: Any = AutoModelForCausalLM.from_pretrained(
        folder, config=load_config(folder), torch_dtype=getattr(torch, workload['dtype'])
    )
    counter = Counter(network)

    def empty_state() -> Any:
        """Return a guidance model with a cache of its own, empty as yet."""
        return guidance.models.Transformers(network, tokenizer, echo=False, enable_monitoring=False)

    # What torch and guidance set up at their first use belongs to loading.
    decide(guidance, empty_state() + 'Goal: none\n', {**workload['turns'][0], 'kind': 'Act'})
    packages = ('guidance', 'llguidance', 'transformers', 'torch')
    load = {
        'load_seconds': time.perf_counter() - begin,
        'versions': {name: version(name) for name in packages},
    }
    print(json.dumps(load), flush=True)
    for repeat in range(workload['repeats']):
        for measured in play(guidance, empty_state(), tokenizer, counter, workload):
            print(json.dumps({'repeat': repeat, **measured}), flush=True)


if __name__ == '__main__':
    main()
