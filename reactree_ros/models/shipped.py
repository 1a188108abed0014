# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The package's own kinds of models, as its entry points name them.

=======================  ======================================  ==============================
``model``                example                                 back end
=======================  ======================================  ==============================
name of a packaged one   ``gemma-3-270m``                        transformers, converted once
path of a GGUF file      ``/models/phi.gguf``                    transformers, converted once
folder                   ``/models/phi``                         transformers
folder of an adapter     ``trained/tidy``                        its base, merged once with it
id on a hub              ``Qwen/Qwen2.5-Coder-1.5B-Instruct``    transformers, downloads
``person``               ``person``                              who answers the questions
``NAME:…``               ``http://host:8000/v1``                 entry point NAME (``kind.py``)
=======================  ======================================  ==============================
"""

from __future__ import annotations

from pathlib import Path

from reactree_ros.core.model import PlannerModel
from reactree_ros.core.option import DAY
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Backend
from reactree_ros.models.kind import WITHOUT_WORDS, ModelKind
from reactree_ros.models.local.conversion import Progress
from reactree_ros.models.local.source import check_local, local_folder, needs_hub
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.person import Nobody, PersonModel
from reactree_ros.models.scripted import ScriptedModel

SCRIPTED = 'scripted:'


def _load(options: ModelOptions, progress: Progress) -> Backend:
    # The imports take seconds: what can be refused was refused before them.
    folder = local_folder(options.name, progress)
    progress(f'{options.name}: loading')
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


def _check_address(options: ModelOptions) -> None:
    from reactree_ros.models.openai.http import Address

    for address in options.name.split():
        Address.read(address)


def _connect(options: ModelOptions, progress: Progress) -> Backend:
    progress(f'{options.name}: connecting')
    from reactree_ros.models.openai.failover import FailoverModel
    from reactree_ros.models.openai.model import OpenAIModel

    several = len(options.name.split()) > 1
    return (FailoverModel if several else OpenAIModel)(options, progress)


def _read_script(options: ModelOptions) -> PlannerModel:
    return ScriptedModel.read(Path(options.name.removeprefix(SCRIPTED)))


TRANSFORMERS = ModelKind(
    _load,
    check=lambda options: check_local(options.name),
    offline=lambda model: not needs_hub(model),
    one_at_a_time=True,
)
OPENAI = ModelKind(
    _connect,
    check=_check_address,
    warm_up=False,  # asking a server may cost money
    offline=lambda model: True,
)
SCRIPT = ModelKind(
    start=_read_script,
    encoder=False,
    options={**WITHOUT_WORDS, 'agent.replan_after_failure': False},
)
PERSON = ModelKind(
    lambda options, progress: Nobody(),  # the process has the sentence encoder, for the memory
    ask=PersonModel,
    warm_up=False,
    options={
        'memory.example_tokens': 0,  # a person reads none
        'limits.max_duration_sec': DAY,
    },
)
