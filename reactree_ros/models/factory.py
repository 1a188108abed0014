# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks a user's model options and makes the back end that they ask for.

=======================  ======================================  ==============================
``model``                example                                 back end
=======================  ======================================  ==============================
name of a packaged one   ``gemma-3-270m``                        transformers, converted once
path of a GGUF file      ``/models/phi.gguf``                    transformers, converted once
folder                   ``/models/phi``                         transformers
folder of an adapter     ``trained/tidy``                        its base, merged once with it
id on a hub              ``Qwen/Qwen2.5-Coder-1.5B-Instruct``    transformers, downloads
``NAME:…``               ``http://host:8000/v1``                 entry point NAME (``kind.py``)
=======================  ======================================  ==============================
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

from reactree_ros import plugins
from reactree_ros.core.option import faults_of, parameters_of, values_of
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.models.backend import Backend
from reactree_ros.models.kind import kind_of
from reactree_ros.models.local.adapter import (
    is_adapter,
    read_adapter,
    trained_folder,
    weights_sha256,
)
from reactree_ros.models.local.conversion import Say, convert_file
from reactree_ros.models.local.digest import sha256
from reactree_ros.models.local.embedded import MODELS, PACKAGED_ENCODER, PackagedModel, fetch
from reactree_ros.models.options import API_KEY, ModelOptions

_HUB_ID = re.compile(r'[\w-][\w.-]*/[\w.-]+')
_ENCODER_FILES = ('modules.json', 'config.json')
_HUB_FILES = ['*.json', '*.safetensors', '*.model', '*.txt', '*.jinja']
_DEVICE = re.compile(r'[a-z]+(:\d+)?')


def is_gguf(model: str) -> bool:
    """Return whether a model is given as a GGUF file."""
    return model.lower().endswith('.gguf')


def needs_hub(model: str) -> bool:
    """Return whether a model, or the base of an adapter, is to be got from a hub."""
    if is_adapter(model):
        model = read_adapter(Path(model)).base
    here = model in MODELS or is_gguf(model)
    return not here and not Path(model).is_dir()


def encoder_name(encoder: str) -> str:
    """Return the name that the embeddings of a sentence encoder go by.

    Args:
        encoder: the option of that name; of a folder, its own name counts, so that one that is
            moved, or lies elsewhere on another machine, stays the same encoder.

    >>> encoder_name(''), encoder_name('sentence-transformers/all-MiniLM-L6-v2')
    ('all-MiniLM-L6-v2', 'all-MiniLM-L6-v2')
    """
    if not encoder:
        return PACKAGED_ENCODER
    if Path(encoder).is_dir():
        return Path(encoder).resolve().name
    return encoder.removeprefix('sentence-transformers/')


def check_options(options: ModelOptions) -> None:
    """Refuse at once what can be seen to be wrong without loading anything.

    Raises:
        ModelError: if there is no such model.
        ConfigurationError: if an option has a value that is not allowed.
    """
    faults = faults_of(parameters_of(ModelOptions, 'model.'), values_of(options, 'model.'))
    if faults:
        raise ConfigurationError('; '.join(faults))
    if options.device and not _DEVICE.fullmatch(options.device):
        raise ConfigurationError(
            f'parameter model.device is {options.device!r}, not a torch device such as cpu or '
            'cuda:0; leave it empty to take a GPU if there is one'
        )
    kind_of(options.name).check(options)
    check_encoder(options.encoder)


def check_address(options: ModelOptions) -> None:
    """Refuse the address of a server that holds a secret.

    Raises:
        ModelError: if it does.
    """
    if '@' in urlsplit(options.name).netloc:  # before anything is logged
        raise ModelError(
            'the address of the model server holds a user or password: give it as '
            f'{API_KEY} in the environment instead'
        )


def check_local(options: ModelOptions) -> None:
    """Refuse what can be seen to be no model that runs here, without loading anything.

    Raises:
        ModelError: if there is no such model.
    """
    model = options.name
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
    elif not _HUB_ID.fullmatch(model):
        raise ModelError(
            f'there is no model {model!r}: give one of {", ".join(MODELS)}, a folder with a '
            'transformers model or an adapter, a GGUF file (*.gguf), the address of a server '
            '(http://…/v1), the id of a model on a hub, or NAME:… for one of the back ends '
            f'{", ".join(plugins.names(plugins.MODELS))}'
        )


def check_encoder(encoder: str) -> None:
    """Refuse what can be seen to be no sentence encoder without loading anything.

    Args:
        encoder: the option of that name.

    Raises:
        ModelError: if there is no such folder, and it is not an id on a hub either.
    """
    folder = Path(encoder)
    if not encoder or any((folder / name).is_file() for name in _ENCODER_FILES):
        return
    if folder.is_dir():
        raise ModelError(
            f'the folder {encoder!r} holds no sentence encoder: it has no {_ENCODER_FILES[0]}'
        )
    if not _HUB_ID.fullmatch(encoder):
        raise ModelError(
            f'there is no sentence encoder {encoder!r}: give the folder of a '
            'sentence-transformers model, the id of one on a hub, or nothing for the packaged one'
        )


def check_base(base: str, adapter: str) -> None:
    """Refuse the base of an adapter that there is not, or that is trained itself.

    Args:
        base: as the planner's parameter ``model`` takes it.
        adapter: named in messages.

    Raises:
        ModelError: if it cannot be merged with an adapter.
    """
    packaged = isinstance(MODELS.get(base), PackagedModel)
    here = (is_gguf(base) and Path(base).is_file()) or (Path(base) / 'config.json').is_file()
    if not packaged and not here and (base in MODELS or not _HUB_ID.fullmatch(base)):
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


def local_folder(model: str, say: Say) -> Path | str:
    """Return what transformers loads: a folder, made first if it must be, or a hub id.

    Args:
        model: anything but the address of a server.
        say: called with a line of progress before each long step.

    Raises:
        ModelError: if it cannot be made.
    """
    if model in MODELS:
        return fetch(MODELS[model], say)
    if is_gguf(model):
        return convert_file(Path(model), say)
    if is_adapter(model):
        adapter = read_adapter(Path(model))
        check_base(adapter.base, model)
        return trained_folder(
            Path(model).resolve().name,
            adapter,
            weights_of(adapter.base),
            lambda: _downloaded(local_folder(adapter.base, say)),
            say,
        )
    return Path(model) if Path(model).is_dir() else model


def make_backend(options: ModelOptions, say: Say) -> Backend:
    """Make the back end; takes from seconds to, with a large GGUF file, minutes.

    Args:
        options: which model, and how it is run.
        say: called with a line of progress before each long step.

    Raises:
        ModelError: if the model cannot be loaded, or its server cannot be used.
    """
    make = kind_of(options.name).backend
    if make is None:
        raise ModelError(f"{options.name} has no back end: it runs in the planner's own process")
    return make(options, say)


def local_backend(options: ModelOptions, say: Say) -> Backend:
    """Load a model with transformers.

    Args:
        options: which model, and how it is run.
        say: called with a line of progress before each long step.

    Raises:
        ModelError: if it cannot be loaded.
    """
    # The imports take seconds: what can be refused was refused before them.
    folder = local_folder(options.name, say)
    say(f'{options.name}: loading')
    _check_device(options.device)
    from reactree_ros.models.local.transformers_model import TransformersModel

    return TransformersModel(folder, options)


def _check_device(device: str) -> None:
    import torch

    try:
        torch.empty(0, device=device or 'cpu')
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        first_line = str(error).partition('\n')[0]
        raise ModelError(
            f'parameter model.device is {device!r}, which cannot be used here: {first_line}'
        ) from error
