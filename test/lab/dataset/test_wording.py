# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals in other words: they want the same, and nobody is tested with them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from reactree_ros.core.situation import named_classes
from reactree_ros.lab.dataset import frames
from reactree_ros.lab.dataset.held_back import is_test_wording, normalised
from reactree_ros.lab.dataset.wording import rewordings
from reactree_ros.sim.household.goal import parse_conditions
from reactree_ros.sim.household.task import ALFRED_TYPES, WAH_TYPES, Task
from reactree_ros.sim.household.task_sets import scene_of, task_set
from reactree_ros.skills.library import SkillLibrary

TRAINING = [task for name in ('wah_train', 'alfred_train') for task in task_set(name)]
CLEAR = [task for task in TRAINING if not task.ambiguous]
NUMBERS = {2: ('two', '2'), 3: ('three', '3'), 4: ('four', '4')}
DONE = {'sliced': 'slice', 'clean': 'wash', 'hot': 'heat', 'cooked': 'cook', 'cold': 'cool'}


@pytest.mark.parametrize('kind', [*WAH_TYPES, *ALFRED_TYPES])
def test_they_name_all_that_is_wanted(kind: str, household: SkillLibrary) -> None:
    tasks = [task for task in CLEAR if task.type == kind][:12]
    assert tasks
    for task in tasks:
        found = rewordings(task, 5)
        assert len(found) == 5
        for text in found:
            check_wording(task, text, household)


def check_wording(task: Task, text: str, household: SkillLibrary) -> None:
    classes = household.objects | household.places
    read = household.in_class_words(text.lower())
    named = set(named_classes(read, classes))
    for condition in parse_conditions(task.goal, scene_of(task)):
        wanted = {condition.subject, condition.target} - {''}
        wanted |= {condition.kind.load.words} if condition.kind.load else set()
        assert wanted <= named, f'{text!r} does not name {wanted - named}'
        if condition.count > 1:
            assert any(re.search(rf'\b{word}\b', read) for word in NUMBERS[condition.count]), text
        for state in condition.kind.states:
            assert DONE[state] in read, f'{text!r} does not say {state}'
        if condition.predicate == 'turnOn':
            assert re.search(r'\b(turn|switch)(ed)? \S*.*on\b|in the light of', read), text
    assert '{' not in text
    assert not re.search(r'\s\s|[.?!,] ?[.?!,]', text), text
    assert text[0].isupper() or text[0].isdigit()
    assert text[-1] in '.?'


def test_none_is_a_wording_of_its_task_or_of_a_test() -> None:
    for task in CLEAR:
        found = [normalised(text) for text in rewordings(task, 6)]
        assert len(set(found)) == 6
        assert not {normalised(text) for text in task.instructions} & set(found)
        assert not any(is_test_wording(text) for text in found)


def test_one_that_a_test_would_have_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    task = CLEAR[0]
    first, *others = rewordings(task, 4)
    monkeypatch.setattr(
        'reactree_ros.lab.dataset.wording.is_test_wording', lambda text: text == first
    )
    assert rewordings(task, 4)[:3] == tuple(others)


def test_a_seed_says_which() -> None:
    task = CLEAR[0]
    assert rewordings(task, 4) == rewordings(task, 4)
    assert rewordings(task, 4, seed=1) != rewordings(task, 4)
    assert rewordings(task, 4)[:2] == rewordings(task, 2)
    assert rewordings(task, 0) == ()


def test_what_is_left_open_stays_open() -> None:
    assert rewordings(next(task for task in TRAINING if task.ambiguous), 3) == ()


@pytest.mark.parametrize(
    'goal',
    [
        {'open_fridge': 1},
        {'inside_apple_fridge': 1, 'on_apple_kitchentable': 1},
        {'inside_apple_fridge': 1, 'closed_fridge': 1},
    ],
)
def test_what_no_sentence_says_is_not_said(goal: dict[str, int]) -> None:
    assert rewordings(replace(CLEAR[0], goal=goal), 3) == ()


def test_there_are_many_ways_to_say_it() -> None:
    ways = (*frames.PLACED, *frames.SWITCHED, *frames.LIT, *frames.LOADED, *frames.TREATED)
    assert len(set(ways)) == len(ways) >= 40
