# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is listed by hand has all that there is: strategies and packaged models."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reactree_ros.models.local.embedded import MODELS, PackagedModel
from reactree_ros.strategies import registry
from reactree_ros.strategies.registry import strategy_names

ROOT = Path(__file__).parents[2]


def test_the_registry_describes_every_strategy() -> None:
    described = re.findall(r'^([a-z_]+) {2,}\S', registry.__doc__ or '', re.MULTILINE)
    assert sorted(described) == sorted(strategy_names())


@pytest.mark.parametrize('name', strategy_names())
def test_the_page_of_strategies_names_every_one(name: str) -> None:
    assert f'`{name}`' in (ROOT / 'docs' / 'strategies.md').read_text()


@pytest.mark.parametrize('name', MODELS)
def test_every_packaged_model_is_documented_and_can_be_installed(name: str) -> None:
    assert f'`{name}`' in (ROOT / 'docs' / 'models.md').read_text()
    packaged = MODELS[name] if isinstance(MODELS[name], PackagedModel) else MODELS[name].base
    assert (ROOT / 'requirements' / f'model-{packaged.name}.txt').is_file()
