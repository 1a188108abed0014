# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The characters of free text in a decision: thoughts, questions and subgoals.

The parser and every form of the grammar are made from these two lists, so that they agree.
"""

from __future__ import annotations

import re

CONTROL = ((0x00, 0x1F), (0x7F, 0x9F), (0x2028, 0x2029))
"""Code points that free text never has: control characters and what else ends a line."""

SPACE = (
    *((0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)),
)
"""Other code points that ``str.strip`` takes for space: free text does not begin with them."""

_NOT_PLAIN = re.compile(
    f'[{"".join(f"{chr(first)}-{chr(last)}" for first, last in CONTROL)}\ud800-\udfff]'
)


def is_plain(text: str) -> bool:
    """Return whether a text has no control character, no line end and no half of a surrogate."""
    return not _NOT_PLAIN.search(text)
