# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads goal conditions that are put one a line, in either of their forms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reactree_ros.sim.household.goal_text import conditions_from_text
from reactree_ros.sim.household.scene import Scene

_NOTATION = re.compile(r'(\w+_[\w.+]+)\s*(?::\s*(\d+))?')


def conditions_from_lines(lines: Sequence[str], scene: Scene) -> dict[str, int] | None:
    """Read goal conditions, each in the notation of the task files or in plain language.

    Args:
        lines: one condition each.
        scene: the scene that they are about.

    Returns:
        The conditions in WAH form, whose names are not checked; None if a line cannot be read.
    """
    found: dict[str, int] = {}
    for line in lines:
        notation = _NOTATION.fullmatch(line.strip())
        if notation:
            found[notation[1]] = int(notation[2] or 1)
            continue
        read = conditions_from_text(line, scene)
        if read is None:
            return None
        found.update(read)
    return found
