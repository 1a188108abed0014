# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Expansions that leave something out are rejected, and examples show what comes after."""

from __future__ import annotations

from dataclasses import replace

from reactree_ros.behaviours.node import REJECTION
from reactree_ros.lab.dataset.collect import CollectedRun, runs_of, solve


def _runs(task: str) -> tuple[CollectedRun, CollectedRun]:
    (run,) = runs_of(['reactree+wm'], [task], wordings=1)
    return solve(run), solve(replace(run, slips=True))


def test_a_rejected_expansion_is_made_good() -> None:
    well, slipped = _runs('wah_train:14-14')
    assert well.reached
    assert slipped.reached
    thought, told, *steps = slipped.nodes[0].example.steps
    assert told.text.startswith(REJECTION)
    assert not told.decided, 'it is read, not learned'
    assert (thought, *steps) == well.nodes[0].example.steps


def test_an_expansion_that_was_found_out_later_is_read_and_not_learned() -> None:
    well, slipped = _runs('wah_train:7-7')
    assert well.reached
    assert slipped.reached
    thought, forgetful, told, whole = slipped.nodes[0].example.steps
    assert forgetful.text.startswith('Expand: ')
    assert not forgetful.decided
    assert 'no dishwasher that you have seen is on' in told.text
    assert (thought, whole) == well.nodes[0].example.steps


def test_a_share_of_the_runs_slips_and_only_where_there_are_expansions() -> None:
    found = runs_of(['reactree+wm', 'react+wm'], ['wah_train:30'], slips=0.3)
    trees = [run.slips for run in found if run.planner == 'reactree+wm']
    assert 0.15 < sum(trees) / len(trees) < 0.45
    assert not any(run.slips for run in found if run.planner == 'react+wm')
