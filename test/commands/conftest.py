# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the command line as a user does: as processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip('rclpy')
pytest.importorskip('reactree_interfaces')

from reactree_ros.commands.domain import private_domain  # noqa: E402

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
