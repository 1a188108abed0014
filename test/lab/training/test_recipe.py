# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A recipe is refused as a whole, with all its faults, or read as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.training.recipe import Recipe, read_recipe, recipe_of
from reactree_ros.paths import share


def test_the_shipped_recipe_says_what_is_the_default() -> None:
    path = share('config', 'training.yaml')
    assert read_recipe(path) == Recipe()
    text = path.read_text(encoding='utf-8')
    assert all(f'\n{name}: ' in text for name in Recipe().to_json())


def test_numbers_are_read_as_they_are_meant(tmp_path: Path) -> None:
    path = tmp_path / 'recipe.yaml'
    path.write_text('learning_rate: 1e-3\nalpha: 8\nmodules: [q_proj]\nepochs: 2\n')
    assert read_recipe(path) == Recipe(
        learning_rate=0.001, alpha=8.0, modules=('q_proj',), epochs=2
    )
    path.write_text('')
    assert read_recipe(path) == Recipe()


@pytest.mark.parametrize(
    ('raw', 'message'),
    [
        ({'lora_rank': 8}, 'lora_rank: not a key of a recipe, which has model, data'),
        ({'rank': 0}, 'rank: 0 is not above 0'),
        ({'rank': 2.5}, 'rank: 2.5 is not a whole number'),
        ({'rank': True}, 'rank: True is not a whole number'),
        ({'held_out': 1}, 'held_out: 1.0 is not from 0'),
        ({'learning_rate': 'high'}, "learning_rate: 'high' is not a number"),
        ({'modules': []}, 'modules: [] is not a list of texts'),
        ({'modules': 'q_proj'}, "modules: 'q_proj' is not a list of texts"),
        ({'dtype': 'float16'}, "dtype: 'float16' is not one of auto, bfloat16, float32"),
        ({'seed': -1}, 'seed: -1 is below 0'),
        ({'model': 3}, 'model: 3 is not a text'),
        ([1], 'expected a mapping'),
    ],
)
def test_what_is_wrong_is_named(raw: object, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        recipe_of(raw, 'recipe.yaml')
    assert message in str(caught.value)
    assert 'recipe.yaml' in str(caught.value)


def test_all_faults_are_listed_at_once() -> None:
    with pytest.raises(ConfigurationError) as caught:
        recipe_of({'rank': 0, 'clip': -1.0, 'colour': 'red'}, 'recipe.yaml')
    assert all(name in str(caught.value) for name in ('rank', 'clip', 'colour'))


def test_the_machine_may_change_and_nothing_else() -> None:
    known = Recipe().to_json()
    assert Recipe(threads=2, device='cpu', checkpoint_minutes=1.0).differs(known) == ''
    assert Recipe(rank=8).differs(known) == 'rank was 16 and is 8'
