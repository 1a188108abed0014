# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Adapters: what a language model has learned in training, merged with it once into the cache.

An adapter is a folder in peft's format: the low-rank matrices that training has added to the
weights of a base model. Merged, it computes as fast as its base, and transformers loads it like
any model.

=============================  ==================================================================
``adapter_config.json``        peft's: the base model, and how the matrices are scaled
``adapter_model.safetensors``  peft's: the matrices
``card.json``                  ours: what it was trained with; an adapter made by others has none
=============================  ==================================================================
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reactree_ros.errors import ModelError
from reactree_ros.models.local.conversion import (
    DIGITS,
    OTHER_FILES,
    Progress,
    Room,
    converted_folder,
    is_complete,
    is_full,
    keep_folder,
    sha256,
)

CONFIG = 'adapter_config.json'
WEIGHTS = 'adapter_model.safetensors'
CARD = 'card.json'
ORIGIN = 'trained.json'
"""In a merged model: what it was merged from."""


@dataclass(frozen=True)
class Adapter:
    """An adapter as its files describe it.

    Args:
        folder: where they lie.
        base: the model that it was trained on, as the planner's parameter ``model.name`` takes it.
        sha256: digest of its matrices.
        scaling: digest of how they are added.
        card: what it was trained with; empty if there is no card.
        rank: of its matrices; None if its configuration does not say.
        alpha: what it adds is multiplied by alpha / rank.
    """

    folder: Path
    base: str
    sha256: str
    scaling: str
    card: dict[str, Any]
    rank: float | None
    alpha: float | None

    @property
    def base_sha256(self) -> str:
        """Digest of the base model's weights that it was trained on; empty if nothing says it."""
        base = self.card.get('base')
        return str(base.get('sha256', '')) if isinstance(base, dict) else ''

    @property
    def origin(self) -> str:
        """What it makes of which model, e.g. ``gemma-3-270m + adapter 1f2e3d4c5b6a``."""
        return _origin(self.base, self.sha256)

    def merged_folder(self, name: str, base_sha256: str) -> Path:
        """Return where the merged model lies, or will lie.

        Args:
            name: what the trained model is called.
            base_sha256: digest of the weights of its base.
        """
        parts = f'{base_sha256} {self.sha256} {self.scaling}'
        return converted_folder(name, hashlib.sha256(parts.encode()).hexdigest())


def is_adapter(folder: str | Path) -> bool:
    """Return whether a folder holds an adapter."""
    return (Path(folder) / CONFIG).is_file()


def origin_of(folder: str | Path) -> str:
    """Say what the trained model of a folder consists of; empty if it holds none.

    Args:
        folder: of an adapter, or of a model that one was merged into.

    Raises:
        ModelError: if a file in it is missing or damaged.
    """
    if is_adapter(folder):
        return read_adapter(Path(folder)).origin
    path = Path(folder) / ORIGIN
    if not path.is_file():
        return ''
    merged = _read_json(path)
    return _origin(str(merged.get('base')), str(merged.get('adapter_sha256')))


def card_of(folder: str | Path) -> dict[str, Any]:
    """Return what the trained model of a folder was trained with; empty if nothing says it.

    Args:
        folder: of an adapter, or of a model that one was merged into.

    Raises:
        ModelError: if a file in it is missing or damaged.
    """
    if is_adapter(folder):
        return _card(Path(folder))
    path = Path(folder) / ORIGIN
    card = _read_json(path).get('card') if path.is_file() else {}
    return card if isinstance(card, dict) else {}


def read_adapter(folder: Path) -> Adapter:
    """Read what an adapter says about itself.

    Raises:
        ModelError: if a file of it is missing or damaged, or it is of another kind than LoRA.
    """
    config = _read_json(folder / CONFIG)
    base = config.get('base_model_name_or_path')
    if config.get('peft_type') != 'LORA':
        raise ModelError(
            f'the adapter {folder} is of the kind {config.get("peft_type")!r}, only LORA can be '
            'used'
        )
    if not base or not isinstance(base, str):
        raise ModelError(
            f'the adapter {folder} does not say which model it belongs to: set '
            f'base_model_name_or_path in its {CONFIG}'
        )
    scaling = {key: value for key, value in config.items() if key != 'base_model_name_or_path'}
    return Adapter(
        folder,
        base,
        sha256(folder / WEIGHTS),
        hashlib.sha256(json.dumps(scaling, sort_keys=True).encode()).hexdigest(),
        _card(folder),
        config.get('r'),
        config.get('lora_alpha'),
    )


def weights_sha256(folder: Path) -> str:
    """Return the digest of the weights of a transformers folder.

    Raises:
        ModelError: if it has none that can be read.
    """
    files = sorted(folder.glob('*.safetensors'))
    if not files:
        raise ModelError(f'the folder {folder} has no weights in *.safetensors files')
    return sha256(*files)


def trained_folder(
    name: str, adapter: Adapter, base_sha256: str, base: Callable[[], Path], progress: Progress
) -> Path:
    """Return the folder of a base model merged with an adapter, making it if it is not there yet.

    Args:
        name: what the trained model is called.
        adapter: what is merged.
        base_sha256: digest of the weights of the base.
        base: gives the folder of the base, which it may have to make first.
        progress: called with a line of progress before each long step.

    Raises:
        ModelError: if the adapter was trained on other weights, does not fit, or there is no room
            for the merged model.
    """
    if adapter.base_sha256 and adapter.base_sha256 != base_sha256:
        raise ModelError(
            f'{name}: the adapter {adapter.folder} was trained on a {adapter.base} whose weights '
            f'have the SHA-256 {adapter.base_sha256}, those here have {base_sha256}: train it '
            'again, or get that model'
        )
    folder = adapter.merged_folder(name, base_sha256)
    if is_complete(folder):
        return folder
    source = base()

    def merged(scratch: Path, room: Room) -> Path:
        room.claim(sum(file.stat().st_size for file in source.glob('*.safetensors')) + OTHER_FILES)
        progress(f'{name}: merging {adapter.base} with its adapter (once, some seconds)')
        target = scratch / 'merged'
        merge(source, adapter.folder, target)
        origin = {
            'base': adapter.base,
            'base_sha256': base_sha256,
            'adapter_sha256': adapter.sha256,
            'card': adapter.card,
        }
        (target / ORIGIN).write_text(json.dumps(origin, indent=1) + '\n', encoding='utf-8')
        return target

    keep_folder(folder, merged, name, progress)
    progress(f'{name}: merged')
    return folder


def merge(base: Path, adapter: Path, target: Path) -> None:
    """Add the matrices of an adapter to the weights of its base, in float32, and round once.

    Raises:
        ModelError: if they do not fit.
    """
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        network = AutoModelForCausalLM.from_pretrained(
            base, dtype=torch.float32, trust_remote_code=False
        )
        added = PeftModel.from_pretrained(network, adapter)
        added.merge_and_unload(safe_merge=True).to(torch.bfloat16).save_pretrained(target)
        AutoTokenizer.from_pretrained(base, trust_remote_code=False).save_pretrained(target)
    except Exception as error:
        # Files can be wrong in so many ways that peft raises nearly anything.
        if is_full(error):
            raise
        raise ModelError(
            f'the adapter {adapter} cannot be merged with {base}: {type(error).__name__}: {error}'
        ) from error


def _origin(base: str, sha256: str) -> str:
    return f'{base} + adapter {sha256[:DIGITS]}'


def _card(folder: Path) -> dict[str, Any]:
    return _read_json(folder / CARD) if (folder / CARD).is_file() else {}


def _read_json(path: Path) -> dict[str, Any]:
    try:
        raw = json.loads(path.read_text(encoding='utf-8'))
    except (OSError, ValueError) as error:
        raise ModelError(f'cannot read {path}: {error}') from error
    if not isinstance(raw, dict):
        raise ModelError(f'{path} holds no mapping')
    return raw
