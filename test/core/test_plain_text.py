# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The lists of characters say what Python says."""

from __future__ import annotations

import sys

from reactree_ros.core.plain_text import CONTROL, SPACE, is_plain

SURROGATES = range(0xD800, 0xE000)


def test_the_lists_hold_what_strip_strips_and_what_ends_a_line() -> None:
    control = {code for first, last in CONTROL for code in range(first, last + 1)}
    space = {code for first, last in SPACE for code in range(first, last + 1)}
    assert not control & space
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        assert char.isspace() <= (code in control or code in space), hex(code)
        assert (code in space) <= char.isspace(), hex(code)
        assert (len(f'a{char}b'.splitlines()) > 1) <= (code in control), hex(code)
        assert is_plain(char) is (code not in control and code not in SURROGATES), hex(code)
