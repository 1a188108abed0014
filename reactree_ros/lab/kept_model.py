# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A language model that many runs of one process decide with."""

from __future__ import annotations

import atexit
import time
from functools import cache

from reactree_ros.core.model import PlannerModel
from reactree_ros.errors import ModelError
from reactree_ros.lab.evaluation.runner import LOAD_SEC
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.start import start_model

_LOOK_SEC = 0.01


def kept_model(options: ModelOptions) -> PlannerModel:
    """Return a model; it is loaded once, and ends with the process.

    Raises:
        ModelError: if it cannot be loaded.
    """
    model = _started(options)
    end = time.monotonic() + LOAD_SEC
    while not model.poll_ready():
        if time.monotonic() > end:
            raise ModelError(f'{options.name} was not loaded within {LOAD_SEC:g} s')
        time.sleep(_LOOK_SEC)
    return model


@cache
def _started(options: ModelOptions) -> PlannerModel:
    model = start_model(options)
    atexit.register(model.close)
    return model
