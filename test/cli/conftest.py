# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the command line as a user does: as processes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

pytest.importorskip('rclpy')
pytest.importorskip('reactree_interfaces')

from reactree_ros.cli import main
from reactree_ros.cli.domain import private_domain
from reactree_ros.core.model import Vectors
from reactree_ros.models.local import encoder  # noqa: E402
from reactree_ros.ros.nodes.planner_config import PlannerConfig  # noqa: E402

from ..command import Command, processes_of  # noqa: E402
from ..options import full_names  # noqa: E402


@pytest.fixture(autouse=True)
def domain() -> Iterator[int]:
    """Keep each test's planner away from every other planner."""
    with private_domain() as number:
        yield number


@pytest.fixture
def reactree() -> Iterator[Callable[..., Command]]:
    yield from processes_of('reactree_ros.cli.main')


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., list[str]]:
    """Return the arguments of a start with a scripted model."""

    def make(
        script: dict[str, list[str]], skill_duration_sec: float = 0.02, **planner: Any
    ) -> list[str]:
        (tmp_path / 'script.yaml').write_text(yaml.safe_dump(script))
        params: dict[str, Any] = {
            '/**/reactree_planner': {
                'tick_hz': 50.0,
                **full_names(planner, PlannerConfig),
            },
            '/**/household_bridge': {'skill_duration_sec': skill_duration_sec},
        }
        wrapped = {name: {'ros__parameters': values} for name, values in params.items()}
        (tmp_path / 'params.yaml').write_text(yaml.safe_dump(wrapped))
        return [
            '--model',
            f'scripted:{tmp_path / "script.yaml"}',
            '--params-file',
            str(tmp_path / 'params.yaml'),
        ]

    return make


class Words:
    """Stands for a loaded sentence encoder: a text's words, hashed."""

    def encode(self, texts: list[str], **_: object) -> Vectors:
        vectors = np.zeros((len(texts), 64), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in f'{text} .'.split():
                vector[zlib.crc32(word.encode()) % 64] += 1.0
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return where the user's experiences are, in a home of the test; words are their encoder."""
    monkeypatch.setattr(encoder, 'load_encoder', lambda _: Words())
    monkeypatch.setenv('XDG_DATA_HOME', str(tmp_path / 'data'))
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    return tmp_path / 'data' / 'reactree_ros' / 'memory.sqlite'


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run ``reactree memory … --json`` and return what it prints."""

    def run(*arguments: str) -> Any:
        assert main.run(['memory', *arguments, '--json']) == 0
        return json.loads(capsys.readouterr().out)

    return run
