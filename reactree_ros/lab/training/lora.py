# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A frozen base model with a low-rank adapter that learns (LoRA, Hu et al. 2021), made by peft."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch._dynamo.config as dynamo_config
from peft import (
    LoraConfig,
    get_peft_model,
    get_peft_model_state_dict,
    load_peft_weights,
    set_peft_model_state_dict,
)
from peft.tuners.lora import Linear
from safetensors.torch import save_file
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM
from transformers.utils import logging

from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.lab.training import block_attention
from reactree_ros.lab.training.block_attention import Blocks
from reactree_ros.lab.training.packing import Row
from reactree_ros.lab.training.recipe import Recipe
from reactree_ros.models.local.adapter import CONFIG, WEIGHTS

_ADAPTER = 'default'
_TARGETS = 64
"""Targets whose probabilities are in memory at a time."""
_STEPS = 16.0
"""A saved number is a multiple of this part of the power of two above it."""
_FORMS = 4
"""Of a compiled layer: learning or measuring, with and without gradients of its input."""
_LEAST = 1e-38
"""A probability whose logarithm float32 can hold."""


class LoraNetwork:
    """A causal language model whose weights are frozen, and the adapter that learns.

    Args:
        folder: local folder of the base model, or hub id.
        recipe: how it is trained.
        dtype: number format of the base model; the adapter has float32.
        device: torch device.

    Raises:
        ModelError: if the base model cannot be loaded, or computes something that rows of
            several trajectories do not.
        ConfigurationError: if the adapter to begin with does not fit.
    """

    def __init__(self, folder: str | Path, recipe: Recipe, dtype: torch.dtype, device: str) -> None:
        # It would be drawn over the view's line.
        logging.disable_progress_bar()
        try:
            base: Any = AutoModelForCausalLM.from_pretrained(
                folder,
                dtype=dtype,
                attn_implementation=block_attention.register(),
                trust_remote_code=False,
                use_safetensors=True,
            )
        except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
            raise ModelError(f'cannot load the language model {str(folder)!r}: {error}') from error
        if getattr(base.config, 'final_logit_softcapping', None) or getattr(
            base.config, 'attn_logit_softcapping', None
        ):
            raise ModelError(f'{recipe.model} caps its scores, which training does not')
        config = LoraConfig(
            r=recipe.rank,
            lora_alpha=recipe.alpha,
            lora_dropout=recipe.dropout,
            target_modules=list(recipe.modules),
            task_type='CAUSAL_LM',
        )
        torch.manual_seed(recipe.seed)
        try:
            with warnings.catch_warnings():
                # peft asks transformers for something by its former name.
                warnings.filterwarnings('ignore', '`is_gradient_checkpointing`', FutureWarning)
                self._network: Any = get_peft_model(base, config)
        except ValueError as error:
            raise ConfigurationError(
                f"the recipe's modules {', '.join(recipe.modules)} are not all in "
                f'{recipe.model}: {error}'
            ) from error
        # get_peft_model names the folder of the cache, which another machine has not.
        named = Path(recipe.model)
        config.base_model_name_or_path = str(named.resolve()) if named.is_dir() else recipe.model
        self._config = config
        self._network.to(device)
        self.device = torch.device(device)
        for module in self._network.modules():
            if isinstance(module, Linear):
                module.forward = partial(_forward, module)
        self._body = base.get_decoder()
        self._head = base.get_output_embeddings().weight
        self._start: dict[str, torch.Tensor] = {}
        if recipe.start_folder:
            self._begin_with(recipe.start_folder)
        if recipe.compiled:
            self._compile()

    def parameters(self) -> list[torch.nn.Parameter]:
        """Return what learns."""
        return [one for one in self._network.parameters() if one.requires_grad]

    def train(self, training: bool) -> None:
        """Switch dropout on or off."""
        self._network.train(training)

    def loss(self, *rows: Row) -> torch.Tensor:
        """Return the sum of the negative log-probabilities of the targets of rows, float32."""
        tokens = self._filled(row.tokens() for row in rows)
        states = self._body(
            input_ids=tokens,
            position_ids=self._filled(row.positions() for row in rows),
            use_cache=False,
            blocks=Blocks([row.lengths for row in rows], self.device),
        ).last_hidden_state
        places = np.concatenate(
            [row.places() + number * tokens.shape[1] for number, row in enumerate(rows)]
        )
        wanted = torch.from_numpy(places).to(self.device)
        loss: torch.Tensor = _Loss.apply(  # type: ignore[no-untyped-call]
            states.flatten(0, 1)[wanted - 1], self._head, tokens.flatten()[wanted]
        )
        return loss

    def _filled(self, rows: Iterable[npt.NDArray[np.int64]]) -> torch.Tensor:
        """Return numbers of rows, (rows, tokens), those of shorter ones filled up with 0."""
        return pad_sequence([torch.from_numpy(row) for row in rows], batch_first=True).to(
            self.device
        )

    def state(self) -> dict[str, torch.Tensor]:
        """Return the adapter's weights, in peft's names."""
        # "auto" would ask the hub what vocabulary the base model has.
        found: dict[str, torch.Tensor] = get_peft_model_state_dict(
            self._network, save_embedding_layers=False
        )
        return found

    def load(self, state: dict[str, torch.Tensor]) -> None:
        """Take over an adapter's weights.

        Raises:
            ConfigurationError: if they are of another adapter.
        """
        mine = {name: tuple(weights.shape) for name, weights in self.state().items()}
        if mine != {name: tuple(weights.shape) for name, weights in state.items()}:
            raise ConfigurationError(
                'the weights are of an adapter with other layers, or of another rank, than the '
                'recipe says'
            )
        set_peft_model_state_dict(self._network, state)

    def save(self, folder: Path) -> None:
        """Write the adapter into a folder, in peft's format and bfloat16.

        Numbers are rounded to three bits behind the leading one, which bfloat16 holds exactly: what
        compresses the file, in a repository or a wheel, makes half of it then.
        """
        state = {
            name: rounded(weights.detach()).to('cpu', torch.bfloat16).contiguous()
            for name, weights in self.state().items()
        }
        save_file(state, folder / WEIGHTS, metadata={'format': 'pt'})
        self._config.inference_mode = True
        self._config.save_pretrained(folder)
        # safetensors keeps what it writes from everybody else.
        shutil.copymode(folder / CONFIG, folder / WEIGHTS)

    def _compile(self) -> None:
        compiler = os.environ.get('CXX', 'g++')
        if self.device.type == 'cpu' and shutil.which(compiler) is None:
            raise ConfigurationError(
                f'the recipe says compiled, and there is no {compiler}: install it, or say '
                'compiled: false'
            )
        layers = self._body.layers
        # All layers have one function, of which few forms are compiled otherwise.
        dynamo_config.cache_size_limit = _FORMS * len(layers)
        for layer in layers:
            layer.forward = torch.compile(layer.forward, dynamic=True)

    def average_with_start(self, share: float) -> None:
        """Average the matrices of the adapter with those that it started from, and round them.

        As in "Robust fine-tuning of zero-shot models" (Wortsman et al. 2022), which averages whole
        weights; here the two factors of each are averaged.

        Args:
            share: of the start.
        """
        self.load(
            {
                name: rounded(torch.lerp(weights.detach().cpu(), self._start[name], share))
                for name, weights in self.state().items()
            }
        )

    def _begin_with(self, folder: Path) -> None:
        try:
            state = load_peft_weights(str(folder), device='cpu')
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"the recipe's start is {str(folder)!r}, which holds no adapter: {error}"
            ) from error
        try:
            self._start = {name: weights.float() for name, weights in state.items()}
            self.load(self._start)
        except ConfigurationError as error:
            raise ConfigurationError(f"the recipe's start is {str(folder)!r}: {error}") from error


def rounded(weights: torch.Tensor) -> torch.Tensor:
    """Return numbers with three bits behind the leading one, float32: 1/16 off at most."""
    fraction, exponent = torch.frexp(weights.float())
    return torch.ldexp(torch.round(fraction * _STEPS) / _STEPS, exponent)


class _Loss(torch.autograd.Function):
    """Sum of the negative log-probabilities of targets, float32, and its gradient.

    The gradient is made with the loss, some targets at a time: a whole row's probabilities of
    262,144 tokens take gigabytes, and a third of the time of a step to be written and read.
    """

    @staticmethod
    def forward(
        ctx: Any, states: torch.Tensor, head: torch.Tensor, targets: torch.Tensor
    ) -> torch.Tensor:
        total = torch.zeros((), device=states.device)
        gradients = []
        parts = zip(torch.split(states, _TARGETS), torch.split(targets, _TARGETS), strict=True)
        for some, wanted in parts:
            chance = torch.softmax(torch.matmul(some, head.mT), dim=-1, dtype=torch.float32)
            places = torch.arange(len(wanted), device=states.device), wanted
            total -= chance[places].clamp_min(_LEAST).log().sum()
            chance[places] -= 1.0
            gradients.append(torch.matmul(chance.to(head.dtype), head))
        ctx.save_for_backward(torch.cat(gradients))
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (saved,) = ctx.saved_tensors
        return saved * gradients[0].to(saved.dtype), None, None


def _forward(layer: Any, states: torch.Tensor) -> torch.Tensor:
    """Compute a linear layer and its adapter in the number format of the base.

    peft's own way computes the adapter's part in float32, which takes a CPU seven times as long.
    """
    out: torch.Tensor = layer.base_layer(states)
    down = layer.lora_A[_ADAPTER].weight.to(states.dtype)
    up = (layer.lora_B[_ADAPTER].weight * layer.scaling[_ADAPTER]).to(states.dtype)
    inner = functional.linear(layer.lora_dropout[_ADAPTER](states), down)
    whole = torch.addmm(out.flatten(0, -2), inner.flatten(0, -2), up.mT)
    return whole.view(out.shape)
