# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The characters of free text: thoughts, questions and subgoals, and what comes from outside.

The parser and every form of the grammar are made from these two lists, so that they agree.
"""

from __future__ import annotations

import re

CONTROL = ((0x00, 0x1F), (0x7F, 0x9F), (0x2028, 0x202E), (0x2066, 0x2069))
"""Code points that free text never has: control characters, what else ends a line, and what turns
the direction of writing around, so that a person reads something else than is meant."""

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


def plain(text: str) -> str:
    r"""Return text from outside as a terminal may be given it: without control characters.

    >>> plain('two\nlines \x1b[2J')
    'two\nlines  [2J'
    """
    return '\n'.join(_NOT_PLAIN.sub(' ', line) for line in text.split('\n'))


def one_line(text: str, most: int) -> str:
    r"""Return text from outside as one line of plain text.

    Args:
        text: any; control characters and line ends become space.
        most: longest line, in characters; what is longer is cut off, and ends with an ellipsis.

    >>> one_line('apple\n\x1b[2JAct: done', 16)
    'apple [2JAct: d…'
    """
    line = ' '.join(_NOT_PLAIN.sub(' ', text[: 2 * most]).split())
    return line if len(line) <= most else f'{line[: most - 1]}…'


def quoted(text: str) -> str:
    r"""Return text from outside in quotes, to be shown in a message: as one line, and not whole.

    >>> quoted('two\nlines'), len(quoted('fly' * 1000))
    ("'two\\nlines'", 202)
    """
    return repr(text if len(text) <= 200 else f'{text[:199]}…')
