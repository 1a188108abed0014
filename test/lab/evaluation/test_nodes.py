# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The agent nodes of a run, as its events tell them."""

from __future__ import annotations

from collections.abc import Callable

from reactree_ros.lab.evaluation.nodes import failed_leaves, read_nodes
from reactree_ros.lab.evaluation.trace import Trace

PUDDING = 2


def test_each_attempt_is_a_node_below_its_goal(traced: Callable[..., Trace]) -> None:
    tries = ['Act: go to bed 1', 'Act: go to desk 1'] * 6
    trace = traced(PUDDING, {'': tries}, None, 'try-again+wm', max_repetitions=3, max_attempts=2)
    root = read_nodes(trace.events)
    assert [child.path for child in root.children] == [root.path] * 2
    assert [trace.events[one.end].kind for one in (root, *root.children)] == ['failure'] * 3
    assert failed_leaves(root) == root.children
