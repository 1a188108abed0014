# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The package's own kinds of models, as its entry points name them."""

from __future__ import annotations

from pathlib import Path

from reactree_ros.core.model import PlannerModel
from reactree_ros.models.backend import Backend
from reactree_ros.models.factory import (
    check_address,
    check_local,
    local_backend,
    needs_hub,
)
from reactree_ros.models.kind import ModelKind
from reactree_ros.models.local.conversion import Say
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.scripted import ScriptedModel

SCRIPTED = 'scripted:'


def _connect(options: ModelOptions, say: Say) -> Backend:
    say(f'{options.name}: connecting')
    from reactree_ros.models.openai.model import OpenAIModel

    return OpenAIModel(options)


def _read_script(options: ModelOptions) -> PlannerModel:
    return ScriptedModel.read(Path(options.name.removeprefix(SCRIPTED)))


TRANSFORMERS = ModelKind(
    local_backend, check=check_local, offline=lambda model: not needs_hub(model)
)
OPENAI = ModelKind(
    _connect,
    check=check_address,
    warm_up=False,  # asking a server may cost money
    offline=lambda model: True,
)
SCRIPT = ModelKind(start=_read_script, encoder=False)
