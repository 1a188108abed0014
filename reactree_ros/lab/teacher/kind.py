# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The model ``solver``: rules that decide in place of a model, in runs to learn from."""

from __future__ import annotations

from typing import NoReturn

from reactree_ros.errors import ConfigurationError
from reactree_ros.models.kind import ModelKind
from reactree_ros.models.options import ModelOptions

SOLVER = 'solver'


def _refuse(options: ModelOptions) -> NoReturn:
    raise ConfigurationError(
        f'the model {SOLVER!r} knows the goal conditions of its task: it is there to be learned '
        'from, with "reactree-lab dataset" and "evaluate --learn", and takes no other goals'
    )


SOLVER_KIND = ModelKind(start=_refuse, check=_refuse, encoder=False)
