# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which kind serves a model; kinds of other packages join by entry point."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reactree_ros import plugins
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.teacher.kind import SOLVER_KIND
from reactree_ros.models.kind import ModelKind, kind_of
from reactree_ros.models.shipped import OPENAI, SCRIPT, TRANSFORMERS
from reactree_ros.plugins import MODELS

MODULE = """
from reactree_ros import ModelKind

PARROT = ModelKind(lambda options, say: None, encoder=False)
WRONG = 'no kind'
"""
POINTS = f"""
[{MODELS}]
parrot = parrot_model:PARROT
wrong = parrot_model:WRONG
http = parrot_model:PARROT
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / 'parrot_model.py').write_text(MODULE)
    info = tmp_path / 'parrot_model-1.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: parrot_model\nVersion: 1.0\n')
    (info / 'entry_points.txt').write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop('parrot_model', None)


@pytest.mark.parametrize(
    ('model', 'kind'),
    [
        ('', TRANSFORMERS),
        ('gemma-3-270m', TRANSFORMERS),
        ('owner/name', TRANSFORMERS),
        ('/models/a:b.gguf', TRANSFORMERS),
        ('transformers', TRANSFORMERS),
        ('http://host:8000/v1', OPENAI),
        ('https://host/v1', OPENAI),
        ('scripted:/a.yaml', SCRIPT),
        ('solver', SOLVER_KIND),
    ],
)
def test_the_name_before_the_colon_chooses(model: str, kind: ModelKind) -> None:
    assert kind_of(model) is kind


def test_other_packages_add_kinds_and_replace_none(package: None) -> None:
    assert plugins.names(MODELS)[-2:] == ('parrot', 'wrong')
    assert not kind_of('parrot:polly').encoder
    assert kind_of('http://host/v1') is OPENAI
    with pytest.raises(ConfigurationError, match="'wrong' is a str, not a ModelKind"):
        kind_of('wrong')


def test_a_kind_has_one_way_to_start() -> None:
    for given in ({}, {'backend': lambda *_: None, 'start': lambda *_: None}):
        with pytest.raises(ConfigurationError, match='either backend or start'):
            ModelKind(**given)  # type: ignore[arg-type]
