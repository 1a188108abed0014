# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every example runs as its first lines say, with answers written beforehand for a model."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

from reactree_ros.models.local.embedded import DEFAULT_MODEL

EXAMPLES = Path(__file__).parents[1] / 'examples'
SCRIPTED = 'scripted:answers.yaml'
PATIENCE_SEC = 300
RUN = {
    # example: its arguments
    'in_process.py': (SCRIPTED,),
    'skill_executor.py': (SCRIPTED,),
    'own_world.py': (SCRIPTED,),
    'custom_strategy.py': (SCRIPTED,),
    'model_backend.py': (),
}
WITH_ROS = ('client_in_node.py', 'observe_server.py')
GOAL = 'go to the fridge'

Run = Callable[..., str]


@pytest.fixture(scope='module')
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the examples are installed, as ``pip install .`` does it."""
    copy, target = tmp_path_factory.mktemp('examples') / 'copy', tmp_path_factory.mktemp('site')
    shutil.copytree(EXAMPLES, copy, ignore=shutil.ignore_patterns('build', '*.egg-info'))
    line = [
        *(sys.executable, '-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps'),
        *('--no-build-isolation', '--target', str(target), str(copy)),
    ]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE_SEC, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


@pytest.fixture
def run(installed: Path) -> Run:
    def run(name: str, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
        paths = [str(installed), *filter(None, [os.environ.get('PYTHONPATH')])]
        done = subprocess.run(
            [sys.executable, name, *arguments],
            cwd=EXAMPLES, capture_output=True, text=True, timeout=PATIENCE_SEC, check=False,
            env={**os.environ, 'PYTHONPATH': os.pathsep.join(paths), **(environment or {})},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_every_example_is_run_and_listed() -> None:
    assert {*RUN, *WITH_ROS} == {file.name for file in EXAMPLES.glob('*.py')}
    text = (EXAMPLES / 'README.md').read_text(encoding='utf-8')
    assert all(f'[{name}]({name})' in text for name in (*RUN, *WITH_ROS))


@pytest.mark.parametrize('name', RUN)
def test_an_example_reaches_its_goal(run: Run, name: str) -> None:
    out = run(name, *RUN[name])
    assert out.startswith('goal: ')
    assert out.splitlines()[-1].startswith('succeeded')


def test_the_strategy_lets_the_model_think_first(run: Run) -> None:
    lines = run('custom_strategy.py', SCRIPTED).splitlines()
    kinds = [
        kind for kind in (line.partition(':')[0] for line in lines) if kind in ('think', 'act')
    ]
    assert kinds == ['think', 'act', 'think']


@pytest.mark.thorough
@pytest.mark.model
def test_the_first_example_runs_with_the_default_model(run: Run) -> None:
    assert DEFAULT_MODEL in (EXAMPLES / 'in_process.py').read_text(encoding='utf-8')
    out = run('in_process.py')
    assert out.startswith('goal: Put the apple in the fridge')
    assert out.splitlines()[-1].startswith(('succeeded', 'failed'))


def test_the_answers_are_those_of_the_examples() -> None:
    goals = yaml.safe_load((EXAMPLES / 'answers.yaml').read_text(encoding='utf-8'))
    code = ''.join((EXAMPLES / name).read_text(encoding='utf-8') for name in RUN)
    assert all(f'GOAL = {goal!r}' in code for goal in goals)
