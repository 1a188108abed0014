# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the command line as a user does: as processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

pytest.importorskip('rclpy')
pytest.importorskip('reactree_interfaces')

from reactree_ros.commands import main  # noqa: E402
from reactree_ros.commands.domain import private_domain  # noqa: E402
from reactree_ros.models import server  # noqa: E402
from reactree_ros.models.interface import Vectors  # noqa: E402

PATIENCE_SEC = 60.0


@pytest.fixture(autouse=True)
def domain() -> Iterator[int]:
    """Keep each test's planner away from every other planner."""
    with private_domain() as number:
        yield number


class Command:
    """A ``reactree`` process, whose output is read line by line."""

    def __init__(self, arguments: tuple[str, ...], typed: str | None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, '-u', '-m', 'reactree_ros.commands.main', *arguments],
            stdin=subprocess.DEVNULL if typed is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, 'COLUMNS': '300'},
        )
        self.lines: list[str] = []
        if self.process.stdin is not None:
            self.process.stdin.write(typed or '')
            self.process.stdin.close()

    def says(self, text: str) -> str:
        """Read on until a line has the text."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if text in line:
                return line.rstrip()
        raise AssertionError(f'{text!r} was not said:\n' + '\n'.join(self.lines))

    def ends(self) -> int:
        """Read to the end and return the exit code."""
        assert self.process.stdout is not None
        self.lines += [line.rstrip() for line in self.process.stdout]
        return self.process.wait(timeout=PATIENCE_SEC)


@pytest.fixture
def reactree() -> Iterator[Callable[..., Command]]:
    commands: list[Command] = []

    def start(*arguments: str, typed: str | None = None) -> Command:
        commands.append(Command(arguments, typed))
        return commands[-1]

    yield start
    for command in commands:
        if command.process.poll() is None:
            command.process.terminate()
            command.process.wait(timeout=PATIENCE_SEC)
        if command.process.stdout is not None:
            command.process.stdout.close()


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., list[str]]:
    """Return the arguments of a start with a scripted model."""

    def make(
        script: dict[str, list[str]], skill_seconds: float = 0.02, **planner: Any
    ) -> list[str]:
        (tmp_path / 'script.yaml').write_text(yaml.safe_dump(script))
        params: dict[str, Any] = {
            '/**/reactree_planner': {'tick_hz': 50.0, 'check_decisions': False, **planner},
            '/**/household_bridge': {'skill_seconds': skill_seconds},
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
    monkeypatch.setattr(server, 'load_encoder', lambda _: Words())
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
