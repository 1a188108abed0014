# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which local model a name, a path or a hub id means, and the folder that holds it."""

from __future__ import annotations

from pathlib import Path

from reactree_ros import plugins
from reactree_ros.errors import ModelError
from reactree_ros.models.local.adapter import (
    is_adapter,
    read_adapter,
    trained_folder,
    weights_sha256,
)
from reactree_ros.models.local.conversion import Progress, convert_file, sha256
from reactree_ros.models.local.embedded import MODELS, PackagedModel, prepare
from reactree_ros.models.local.encoder import HUB_ID

_HUB_FILES = ['*.json', '*.safetensors', '*.model', '*.txt', '*.jinja']


def is_gguf(model: str) -> bool:
    """Return whether a model is given as a GGUF file."""
    return model.lower().endswith('.gguf')


def needs_hub(model: str) -> bool:
    """Return whether a model, or the base of an adapter, is to be got from a hub."""
    if is_adapter(model):
        model = read_adapter(Path(model)).base
    here = model in MODELS or is_gguf(model)
    return not here and not Path(model).is_dir()


def check_local(model: str) -> None:
    """Refuse what can be seen to be no model that runs here, without loading anything.

    Raises:
        ModelError: if there is no such model.
    """
    if model in MODELS or (Path(model) / 'config.json').is_file():
        return
    if is_adapter(model):
        check_base(read_adapter(Path(model)).base, model)
    elif is_gguf(model):
        if not Path(model).is_file():
            raise ModelError(f'there is no GGUF file {model!r}')
    elif Path(model).is_dir():
        raise ModelError(
            f'the folder {model!r} holds no model: it has neither a config.json, nor '
            'the adapter_config.json of an adapter'
        )
    elif not HUB_ID.fullmatch(model):
        raise ModelError(
            f'there is no model {model!r}: give one of {", ".join(MODELS)}, a folder with a '
            'transformers model or an adapter, a GGUF file (*.gguf), the address of a server '
            '(http://…/v1), the id of a model on a hub, or NAME:… for one of the back ends '
            f'{", ".join(plugins.names(plugins.MODELS))}'
        )


def check_base(base: str, adapter: str) -> None:
    """Refuse the base of an adapter that there is not, or that is trained itself.

    Args:
        base: as the planner's parameter ``model.name`` takes it.
        adapter: named in messages.

    Raises:
        ModelError: if it cannot be merged with an adapter.
    """
    packaged = isinstance(MODELS.get(base), PackagedModel)
    here = (is_gguf(base) and Path(base).is_file()) or (Path(base) / 'config.json').is_file()
    if not packaged and not here and (base in MODELS or not HUB_ID.fullmatch(base)):
        bases = [name for name, model in MODELS.items() if isinstance(model, PackagedModel)]
        raise ModelError(
            f'the adapter {adapter!r} belongs to the model {base!r}, which is not here: it must be '
            f'one of {", ".join(bases)}, a folder with a transformers model, a GGUF file, or the '
            'id of a model on a hub; base_model_name_or_path in its adapter_config.json names it'
        )


def weights_of(model: str) -> str:
    """Return the SHA-256 of the weights of a model that adapters are trained on.

    Args:
        model: a packaged one, a GGUF file, a folder with a transformers model, or the id of one
            on a hub, which is downloaded.

    Raises:
        ModelError: if they cannot be read.
    """
    packaged = MODELS.get(model)
    if isinstance(packaged, PackagedModel):
        return packaged.sha256
    return sha256(Path(model)) if is_gguf(model) else weights_sha256(_downloaded(model))


def _downloaded(model: str | Path) -> Path:
    """Return a folder as it is, or that of a model on a hub."""
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(str(model), allow_patterns=_HUB_FILES))
    except Exception as error:  # of the network, of the hub, of the disk
        raise ModelError(f'cannot get the model {model} from its hub: {error}') from error


def local_folder(model: str, progress: Progress) -> Path | str:
    """Return what transformers loads: a folder, made first if it must be, or a hub id.

    Args:
        model: anything but the address of a server.
        progress: called with a line of progress before each long step.

    Raises:
        ModelError: if it cannot be made.
    """
    if model in MODELS:
        return prepare(MODELS[model], progress)
    if is_gguf(model):
        return convert_file(Path(model), progress)
    if is_adapter(model):
        adapter = read_adapter(Path(model))
        check_base(adapter.base, model)
        return trained_folder(
            Path(model).resolve().name,
            adapter,
            weights_of(adapter.base),
            lambda: _downloaded(local_folder(adapter.base, progress)),
            progress,
        )
    return Path(model) if Path(model).is_dir() else model
