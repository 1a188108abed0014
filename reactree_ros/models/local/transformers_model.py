# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A transformers model in this process: constrained decisions, free text, reused caches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from reactree_ros.core.decision import NO_CONDITIONS, Choices
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Watch
from reactree_ros.models.context import fit
from reactree_ros.models.local import attention
from reactree_ros.models.local.constraint import Vocabulary
from reactree_ros.models.local.decoder import Decoder
from reactree_ros.models.local.embedded import MODELS, none_margin, trained_from
from reactree_ros.models.local.experience_cache import ExperienceCache, Layout, rotary_frequencies
from reactree_ros.models.local.free_text import write_text
from reactree_ros.models.local.kv_cache import PromptCache
from reactree_ros.models.local.prompt_tokens import prompt_tokens, text_tokens
from reactree_ros.models.options import AUTO_MARGIN, ModelOptions
from reactree_ros.models.threads import default_threads

ANSWER_TOKENS = 512
"""Room that a prompt leaves in the context: the longest expansion that the limits allow."""
MIB = 1 << 20


class TransformersModel:
    """A causal language model of transformers.

    Args:
        folder: local folder or hub id that ``from_pretrained`` takes.
        options: how it is run.

    Raises:
        ModelError: if the model cannot be loaded, or cannot be run in this way.
    """

    workers = 1

    def __init__(self, folder: str | Path, options: ModelOptions) -> None:
        torch.set_num_threads(options.threads or default_threads())
        device = options.device or ('cuda' if torch.cuda.is_available() else 'cpu')
        self._name = options.name
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
            network: Any = AutoModelForCausalLM.from_pretrained(
                folder,
                dtype=choose_dtype(options.dtype, device),
                attn_implementation=attention.register() if device == 'cpu' else 'sdpa',
                trust_remote_code=False,
                use_safetensors=True,  # other files may hold code
            )
            network.to(device).eval()
        except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
            raise ModelError(f'cannot load the language model {str(folder)!r}: {error}') from error
        config = network.config.get_text_config()
        self._vocabulary = Vocabulary(
            self._tokenizer.backend_tokenizer.to_str(), config.vocab_size, end_tokens(network)
        )
        self._chat = choose_chat(options.chat_template, self._tokenizer, self._name)
        self._context = choose_context(options.context_tokens, config)
        frequencies = rotary_frequencies(network) if options.share_examples else None
        # Half of the budget each: prompts come and go, experiences stay.
        budget = options.cache_mib * MIB // (2 if frequencies else 1)
        self.prompts = PromptCache(budget)
        self.experiences = ExperienceCache(frequencies, budget) if frequencies else None
        self._decoder = Decoder(network, self.prompts, self.experiences)
        asked = options.none_margin
        margin = none_margin(self._name) if asked == AUTO_MARGIN else asked
        none = self._vocabulary.begins(NO_CONDITIONS) if margin else ()
        self._margins = dict.fromkeys(none, margin)

    def forget(self, *, experiences: bool = False) -> None:
        """Empty the caches of prompts.

        Args:
            experiences: whether experiences are forgotten too. No answer depends on it to the
                last bit: an experience is always read in the same passes behind the same system
                prompt, whatever else is known.
        """
        self.prompts.clear()
        self._decoder.forget()
        if experiences and self.experiences is not None:
            self.experiences.clear()

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return len(text_tokens(text, self._tokenizer))

    def new_tokens(self, prompt: Prompt) -> int:
        """Return how many tokens of a prompt are not in the cache."""
        return self._decoder.new_tokens(self._layout(prompt))

    def decide(self, prompt: Prompt, choices: Choices, watch: Watch) -> Answer:
        """Make one decision, always one that ``choices`` allows.

        Raises:
            Interrupted: if ``watch`` said so.
            ModelError: if the grammar engine fails, or the prompt is too long however much of it
                is left out.
        """
        layout, dropped = self._fitted(prompt, ANSWER_TOKENS)
        constraint = self._vocabulary.constrain(choices)
        margins = self._margins if choices.conditions is not None else {}
        written = self._decoder.write(layout, constraint, watch, margins)
        return Answer(
            text=self._vocabulary.text(written.tokens).strip(),
            tokens_in=len(layout.tokens),
            tokens_reused=written.reused,
            tokens_out=len(written.tokens),
            prefill_seconds=written.prefill_seconds,
            decode_seconds=written.decode_seconds,
            dropped=dropped,
            model=self._name,
        )

    def write(self, request: TextRequest, watch: Watch) -> tuple[Answer, ...]:
        """Write free text, one answer a sample; all samples are written at once.

        Raises:
            Interrupted: if ``watch`` said so.
            ModelError: if the prompt is too long however much of it is left out.
        """
        layout, dropped = self._fitted(request.prompt, request.max_tokens)
        texts = write_text(self._decoder, self._vocabulary, layout, request, watch)
        answers = [
            Answer(draft.text, tokens_out=len(draft.tokens), model=self._name)
            for draft in texts.drafts
        ]
        answers[:1] = [
            replace(
                answer,
                tokens_in=len(layout.tokens),
                tokens_reused=texts.reused,
                prefill_seconds=texts.prefill_seconds,
                decode_seconds=texts.decode_seconds,
                dropped=dropped,
            )
            for answer in answers[:1]
        ]
        return tuple(answers)

    def _fitted(self, prompt: Prompt, answer_tokens: int) -> tuple[Layout, int]:
        """Return a prompt that leaves room for an answer, and how much of it was left out."""
        layout = self._layout(prompt)
        limit = self._context - answer_tokens
        if len(layout.tokens) <= limit:
            return layout, 0
        prompt, dropped = fit(prompt, limit, lambda one: len(self._layout(one).tokens))
        return self._layout(prompt), dropped

    def _layout(self, prompt: Prompt) -> Layout:
        """Return the tokens of a prompt; its experiences are cut out, each on its own."""
        tokens, cuts = prompt_tokens(prompt, self._tokenizer, chat=self._chat)
        return Layout(tokens, tuple(cuts))


def end_tokens(network: Any) -> list[int]:
    """Return the tokens by which a network ends a text."""
    ends = network.generation_config.eos_token_id
    return [] if ends is None else [ends] if isinstance(ends, int) else list(ends)


def choose_dtype(name: str, device: str) -> torch.dtype:
    """Return the number format to compute in.

    Args:
        name: ``auto`` or a format of torch by name; ``auto`` is bfloat16 where the device
            multiplies matrices in it, else float16 on a GPU and float32 on a CPU.
        device: torch device.
    """
    if name != 'auto':
        dtype: torch.dtype = getattr(torch, name)
        return dtype
    if device.startswith('cuda'):
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    if device == 'cpu':
        able = torch.cpu.get_capabilities()
        quick = any(able.get(key) for key in ('avx512_bf16', 'amx_bf16', 'bf16'))
        return torch.bfloat16 if quick else torch.float32
    return torch.bfloat16


def choose_chat(wish: str, tokenizer: Any, model: str) -> bool:
    """Return whether prompts are laid out with the model's chat template.

    The packaged models read plain text unless it is wished otherwise: they follow the examples
    more often so. So do trained ones, since they are trained on it.

    Raises:
        ModelError: if it must be, and there is none.
    """
    if wish == 'always' and not tokenizer.chat_template:
        raise ModelError(f'{model} has no chat template: set model.chat_template to auto or never')
    if wish == 'auto' and (model in MODELS or trained_from(model)):
        return False
    return wish != 'never' and bool(tokenizer.chat_template)


def choose_context(wish: int, config: Any) -> int:
    """Return the longest prompt and answer, in tokens.

    Raises:
        ModelError: if more is wished for than the model was made for, or too little is left.
    """
    made_for = int(getattr(config, 'max_position_embeddings', 0) or 0)
    if made_for and wish > made_for:
        raise ModelError(f'model.context_tokens is {wish}, the model supports {made_for}')
    context = wish or made_for or 4096
    if context < 2 * ANSWER_TOKENS:
        raise ModelError(
            f'the context has {context} tokens, at least {2 * ANSWER_TOKENS} are required'
        )
    return context
