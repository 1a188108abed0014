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
        ({'lora_rank': 8}, 'parameter lora_rank is unknown'),
        ({'rank': 0}, 'parameter rank is 0: it must be an integer from 1'),
        ({'rank': 2.5}, 'parameter rank is 2.5: it must be an integer'),
        ({'rank': True}, 'parameter rank is True: it must be an integer'),
        ({'held_out': 1}, 'parameter held_out is 1: it must be a number from 0 to'),
        ({'learning_rate': 'high'}, "parameter learning_rate is 'high': it must be a number"),
        ({'modules': []}, 'parameter modules is (): it must be a list of strings'),
        ({'modules': 'q_proj'}, "parameter modules is 'q_proj': it must be a list of strings"),
        (
            {'dtype': 'float16'},
            "parameter dtype is 'float16': it must be one of auto, bfloat16, float32",
        ),
        ({'seed': -1}, 'parameter seed is -1: it must be an integer from 0'),
        ({'model': 3}, 'parameter model is 3: it must be a string'),
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


@pytest.mark.parametrize('path', sorted(share('resource', 'recipes').glob('*.yaml')), ids=str)
def test_the_shipped_recipes_are_recipes(path: Path) -> None:
    recipe = read_recipe(path)
    assert recipe.dataset
    assert recipe.start or not recipe.keep_start
