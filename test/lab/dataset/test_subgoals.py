# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Subgoals in other words: the planner's whole tree has them, and the solver still understands."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from reactree_ros.lab.dataset.collect import CollectedRun, runs_of, solve

_OWN = re.compile(r'find and pick up|put down|move |^turn on|^use ')


@pytest.fixture(scope='module', params=['wah_train:2-2', 'wah_train:3-3', 'alfred_train:4-4'])
def both(request: pytest.FixtureRequest) -> tuple[CollectedRun, CollectedRun]:
    """A run in the solver's own words, and one in others."""
    (run,) = runs_of(['reactree+wm'], [request.param], wordings=1)
    return solve(run), solve(replace(run, rewords=True))


def test_the_run_is_the_same_in_other_words(both: tuple[CollectedRun, CollectedRun]) -> None:
    own, other = both
    assert own.reached
    assert other.reached
    # Rooms are searched in an order that is drawn by the goal, so that more or fewer may be.
    assert any(_OWN.search(node.example.goal) for node in own.nodes)
    for node in other.nodes:
        if not node.example.origin.root:
            assert not _OWN.search(node.example.goal)
    assert own.nodes[0].example.task == other.nodes[0].example.task, "the person's words stay"


def test_every_word_of_it_is_the_same_in_the_whole_tree(
    both: tuple[CollectedRun, CollectedRun],
) -> None:
    _, other = both
    expanded: dict[str, list[str]] = {}
    for node in other.nodes:
        for step in node.example.steps:
            if step.text.startswith('Expand: '):
                listed = json.loads(step.text[step.text.index('[') :])
                expanded.setdefault(node.example.goal, []).extend(listed)
    for node in other.nodes:
        if node.example.origin.root:
            continue
        above, siblings, *_ = node.example.task.splitlines()
        parent = above.removeprefix('Primary goal: ')
        assert node.example.goal in expanded[parent]
        assert siblings.partition('): ')[2].split('; ') == expanded[parent]


def test_the_same_purpose_says_the_same() -> None:
    (run,) = runs_of(['reactree+wm'], ['wah_train:2-2'], wordings=1)
    assert solve(replace(run, rewords=True)) == solve(replace(run, rewords=True))


def test_a_share_of_the_runs_is_reworded_and_only_where_there_are_subgoals() -> None:
    found = runs_of(['reactree+wm', 'react+wm'], ['wah_train:30'], reword_subgoals=0.3)
    trees = [run.rewords for run in found if run.planner == 'reactree+wm']
    assert 0.15 < sum(trees) / len(trees) < 0.45
    assert not any(run.rewords for run in found if run.planner == 'react+wm')
    assert not any(run.rewords for run in runs_of(['reactree+wm'], ['wah_train:30']))
