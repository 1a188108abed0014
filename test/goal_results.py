# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Results of goals in words, as the tests compare them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from reactree_ros.ros.goals.client import GoalResult


def in_words(response: Any) -> Any:
    """Return a response with its result's constants as words."""
    return SimpleNamespace(status=response.status, result=GoalResult.from_msg(response.result))
