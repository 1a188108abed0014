# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How much of what takes minutes is tested: a part in the suite, all by ``make thorough``."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar('T')
THOROUGH = bool(os.environ.get('REACTREE_THOROUGH'))


def thorough(whole: T, part: T) -> T:
    """Return the whole of something for ``make thorough``, otherwise a part of it."""
    return whole if THOROUGH else part
