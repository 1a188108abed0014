# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A tree that was sent or recorded as text, as py_trees draws it."""

from __future__ import annotations

from collections.abc import Iterable

from reactree_ros.behaviours.snapshot import BehaviourState

_MARKS = {'sequence': '{-}', 'fallback': '{o}', 'parallel': '/_/'}
_STATUSES = {'running': '*', 'succeeded': '✓', 'failed': '✕'}


def tree_text(behaviours: Iterable[BehaviourState]) -> str:
    """Draw a tree, one line a behaviour, indented by depth.

    Args:
        behaviours: each before those below it; below nothing that is there, it is at the top.
    """
    depths = {0: -1}
    lines = []
    for one in behaviours:
        depths[one.number] = depth = depths.get(one.parent, -1) + 1
        mark = _MARKS.get(one.kind, '-->')
        feedback = f' -- {one.feedback}' if one.feedback else ''
        status = _STATUSES.get(one.status, '-')
        lines.append(f'{"    " * depth}{mark} {one.name} [{status}]{feedback}')
    return '\n'.join([*lines, ''])
