# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plans merged into a tree, and the way back when a step fails."""

from __future__ import annotations

from reactree_ros.lab.strategies.action_tree import ActionTree


def test_common_beginnings_are_one() -> None:
    tree = ActionTree.merge([('a', 'b', 'done'), ('a', 'c'), ('a', 'b', 'd')])
    assert tree.size() == (5, 2)
    (a,) = tree.options()
    assert [node.phrase for node in a.options()] == ['b', 'c']
    assert ActionTree.merge([]).size() == (0, 0)


def test_a_plan_may_be_longer_than_calls_may_be_nested() -> None:
    assert ActionTree.merge([[str(step) for step in range(3000)]]).size() == (3000, 0)


def test_the_way_back_leads_to_the_nearest_open_fork() -> None:
    tree = ActionTree.merge([('a', 'b', 'd'), ('a', 'b', 'e', 'f'), ('g',)])
    b = tree.below['a'].below['b']
    b.below['d'].struck_out = True
    e = b.below['e']
    e.below['f'].struck_out = True
    assert e.back() is tree
    assert [node.phrase for node in tree.options()] == ['g']
    tree.below['g'].struck_out = True
    assert tree.back() is None
