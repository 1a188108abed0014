# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The teacher of drawn PDDL domains reaches their goals, and splits what is long."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from reactree_ros.lab.dataset.collect import CollectedRun, runs_of, teach

from ...thorough import thorough

pytest.importorskip('unified_planning')
if find_spec('up_fast_downward') is None:
    pytest.skip('Fast Downward is not installed', allow_module_level=True)


@pytest.fixture(scope='module')
def runs() -> list[CollectedRun]:
    return [teach(run) for run in runs_of(['reactree+wm'], [f'pddl_train:{thorough(200, 40)}'])]


def test_it_reaches_nearly_every_goal(runs: list[CollectedRun]) -> None:
    assert sum(run.reached for run in runs) >= 0.95 * len(runs)


def test_it_splits_what_is_long_and_nothing_else(runs: list[CollectedRun]) -> None:
    split = [run for run in runs if len(run.nodes) > 1]
    assert 0 < len(split) < len(runs) / 2
    for run in split:
        parts = {node.task for node in run.nodes if not node.origin.root}
        first = next(node for node in run.nodes if node.origin.root).steps[0].text
        if parts:  # otherwise it recovered from a mistake
            assert first.startswith('Expand: sequence ["Reach that ')
            assert len(parts) == first.count('Reach that ')


def test_mistakes_are_not_learned(runs: list[CollectedRun]) -> None:
    nodes = [node for run in runs for node in run.nodes]
    acts = [step for node in nodes for step in node.steps if step.text.startswith('Act: ')]
    mistakes = [step for step in acts if not step.decided]
    assert 0 < len(mistakes) < len(acts) / 5
    assert not any(step.text == 'Act: done' for step in mistakes)
