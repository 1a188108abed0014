# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tables whose last column is a goal: what a narrow terminal has no room for is left out."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

_GAP = 2
_INDENT = '  '
_GOAL_WIDTH = 40
"""With less room than this the goal gets a line of its own."""


def lines_of(
    names: Sequence[str],
    rows: Sequence[Sequence[Text]],
    width: int,
    *,
    spare: Sequence[str],
    right: Sequence[str] = (),
) -> list[Text]:
    """Return the lines of a table, its head first.

    Nothing is cut but goals. Where a goal would have too little room, columns are left out; where
    that is not enough, it stands on a line below its row.

    Args:
        names: of the columns; the last is the goal.
        rows: the cells.
        width: characters of a line.
        spare: names of columns that may be left out, in this order.
        right: names of columns that are aligned to the right.
    """
    head = [Text(name, style='dim') for name in names]
    table = [head, *rows]
    *others, goal = range(len(names))
    widths = [max(cell_len(row[place].plain) for row in table) for place in range(len(names))]
    wanted = min(widths[goal], _GOAL_WIDTH)

    def fitting(room: int) -> list[int]:
        """Return the columns before the goal that fit, or all that must be there."""
        left = list(others)
        for name in spare:
            if sum(widths[place] + _GAP for place in left) <= room:
                break
            left.remove(names.index(name))
        return left

    shown = fitting(width - wanted)
    rest = width - sum(widths[place] + _GAP for place in shown)
    below = rest < wanted
    if below:
        shown = fitting(width + _GAP)
        rest = width - len(_INDENT)
    lines = []
    for row in table:
        line = Text()
        for place in shown:
            cell = row[place].copy()
            cell.align('right' if names[place] in right else 'left', widths[place])
            line.append_text(cell).append(' ' * _GAP)
        last = row[goal].copy()
        last.truncate(max(rest, 1), overflow='ellipsis')
        if below:
            line.rstrip()
            lines.append(line)
            line = Text(_INDENT)
        line.append_text(last)
        line.rstrip()
        lines.append(line)
    return lines
