# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Seed experiences are recorded from hand-made runs, and the shipped ones are up to date."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.record import record
from reactree_ros.memory.experience import read_experiences
from reactree_ros.paths import share
from reactree_ros.skills.library import SkillLibrary

HEAD = '# Made by "reactree-lab experiences record" from '


def test_the_shipped_experiences_are_what_their_source_records(household: SkillLibrary) -> None:
    folder = share('resource', 'experiences')
    recorded = record(folder / 'household.yaml', household)
    assert set(recorded) == {'', '_sequence_fallback', '_sequence', '_flat'}
    for ending, text in recorded.items():
        assert (folder / f'household{ending}.txt').read_text(encoding='utf-8') == text
        assert text.startswith(HEAD)


@pytest.mark.parametrize('kind', ['skills', 'hiagent', 'step'])
def test_runs_of_other_strategies_are_recorded_in_their_own_form(
    household: SkillLibrary, kind: str
) -> None:
    folder = share('resource', 'experiences')
    ((ending, text),) = record(folder / f'household_{kind}.yaml', household).items()
    assert ending == ''
    assert household.examples[kind].read_text(encoding='utf-8') == text
    assert read_experiences(household.examples[kind])


def test_a_run_may_go_on_where_the_one_before_has_ended(
    tmp_path: Path, household: SkillLibrary
) -> None:
    opened = {'script': {'open it': ['Act: open fridge 1', 'Act: done']}, 'goal': 'open it'}
    there = {
        'goal': 'go there',
        'start': 'kitchen 1',
        'script': {'go there': ['Act: go to fridge 1', 'Act: done']},
    }
    text = record(write(tmp_path, [there, {**opened, 'continues': True}]), household)['']
    assert 'You are in the kitchen (1), at the fridge (1).' in text.partition('---')[2]
    with pytest.raises(ConfigurationError, match='did not go as written'):
        record(write(tmp_path, [there, {**opened, 'start': 'kitchen 1'}]), household)


def write(folder: Path, runs: list[dict[str, object]]) -> Path:
    """Write a source beside the shipped practice apartment."""
    shutil.copy(share('resource', 'experiences', 'practice_apartment.json'), folder)
    path = folder / 'runs.yaml'
    document = {'scene': 'practice_apartment.json', 'runs': runs}
    path.write_text(yaml.safe_dump(document), encoding='utf-8')
    return path


LOOK = {
    'goal': 'look around',
    'start': 'kitchen 1',
    'script': {
        'look around': ['Expand: sequence ["go to the fridge", "look into it"]'],
        'go to the fridge': ['Act: go to fridge 1', 'Act: done'],
        'look into it': ['Act: open fridge 1', 'Act: done'],
    },
}


def test_every_agent_node_of_a_run_becomes_an_experience_once(
    tmp_path: Path, household: SkillLibrary
) -> None:
    text = record(write(tmp_path, [LOOK, LOOK]), household)['']
    (tmp_path / 'recorded.txt').write_text(text, encoding='utf-8')
    found = read_experiences(tmp_path / 'recorded.txt')
    assert [(one.goal, one.termination.value, one.root) for one in found] == [
        ('look around', 'expand', True),
        ('go to the fridge', 'success', False),
        ('look into it', 'success', False),
    ]
    assert 'You are at the fridge (1). It is closed.' in found[1].text


TIDY = {
    'goal': 'tidy up',
    'start': 'kitchen 1',
    'script': {
        'tidy up': ['Think: two things', 'Expand: parallel ["open one", "look at the table"]'],
        'open one': ['Expand: fallback ["open the stove", "open the fridge"]'],
        'open the stove': ['Act: go to stove 1', 'Act: failure'],
        'open the fridge': ['Act: go to fridge 1', 'Act: open fridge 1', 'Act: done'],
        'look at the table': ['Act: go to kitchen table 1', 'Act: done'],
    },
}


def test_a_run_is_told_with_fewer_control_flows(tmp_path: Path, household: SkillLibrary) -> None:
    found = {}
    for ending, text in record(write(tmp_path, [TIDY]), household).items():
        (tmp_path / 'recorded.txt').write_text(text, encoding='utf-8')
        found[ending] = read_experiences(tmp_path / 'recorded.txt')
    assert [one.goal for one in found['']] == list(TIDY['script'])  # type: ignore[call-overload]
    assert [one.goal for one in found['_sequence_fallback']] == [one.goal for one in found['']]
    root, child, *_ = found['_sequence_fallback']
    assert root.text.endswith('Expand: sequence ["open one", "look at the table"]\n')
    assert '\nSubgoals (sequence, one after another' in child.text
    # Without fallbacks the node itself tries one thing after the other.
    assert [one.goal for one in found['_sequence']] == ['tidy up', 'open one', 'look at the table']
    lines = found['_sequence'][1].text.splitlines()
    tried = ['Act: go to stove 1', 'Act: go to fridge 1', 'Act: open fridge 1', 'Act: done']
    assert [line for line in lines if line.startswith('Act: ')] == tried
    (flat,) = found['_flat']
    lines = [line for line in flat.text.splitlines() if line.startswith(('Act: ', 'Think: '))]
    assert lines == ['Think: two things', *tried[:3], 'Act: go to kitchen table 1', 'Act: done']
    assert 'You are at the kitchen table (1).' in flat.text


def changed(goal: str, lines: list[str]) -> dict[str, object]:
    return {**LOOK, 'script': {**LOOK['script'], goal: lines}}  # type: ignore[dict-item]


NOT_AS_WRITTEN = [
    (changed('look into it', ['Act: open fridge 1']), 'no further line'),
    # it ends well, but not as written
    (
        changed('look into it', ['Act: open sink 9', 'Act: open fridge 1', 'Act: done']),
        'cannot be done now',
    ),
]


@pytest.mark.parametrize(('run', 'why'), NOT_AS_WRITTEN)
def test_a_run_that_does_not_go_as_written_is_refused(
    tmp_path: Path, household: SkillLibrary, run: dict[str, object], why: str
) -> None:
    with pytest.raises(ConfigurationError, match=why) as caught:
        record(write(tmp_path, [run]), household)
    assert "the run 'look around' did not go as written" in str(caught.value)
