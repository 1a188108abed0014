# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Strategies of other packages are found by entry points."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.planner.assembly import further_prompts, system_prompt
from reactree_ros.planner.options import planner_options
from reactree_ros.plugins import STRATEGIES as GROUP
from reactree_ros.strategies.registry import strategy, strategy_names
from reactree_ros.strategies.shipped import REACT

MODULE = """
from pathlib import Path
from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.strategies.strategy import FLAT, Strategy

HERE = Path(__file__).parent


class Cautious(AgentNode):
    def allowed_choices(self, choices):
        return choices


CAUTIOUS = Strategy(Cautious, HERE / 'cautious.txt', FLAT, prompts={'care': HERE / 'cautious.txt'})
WRONG = 'no strategy'
"""
POINTS = f"""
[{GROUP}]
cautious = careful_planning:CAUTIOUS
wrong = careful_planning:WRONG
gone = careful_planning:GONE
missing = no_such_module:X
react = careful_planning:CAUTIOUS
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that is installed, as pip would leave it."""
    (tmp_path / 'careful_planning.py').write_text(MODULE)
    (tmp_path / 'cautious.txt').write_text('Be careful with {skills}.')
    info = tmp_path / 'careful_planning-1.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: careful_planning\nVersion: 1.0\n')
    (info / 'entry_points.txt').write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    assert entry_points(group=GROUP)
    yield tmp_path
    sys.modules.pop('careful_planning', None)


def test_a_package_adds_a_strategy(package: Path) -> None:
    assert strategy_names()[-4:] == ('cautious', 'gone', 'missing', 'wrong')
    assert len(strategy_names()) == 14
    assert strategy('cautious').root.__name__ == 'Cautious'
    options = planner_options({'skills': 'household'})
    assert system_prompt(options, 'cautious').startswith('Be careful with go to')
    assert further_prompts(options, 'cautious')['care'].startswith('Be careful with go to')


def test_its_names_do_not_replace_ours(package: Path) -> None:
    assert strategy('react') is REACT


@pytest.mark.parametrize(
    ('name', 'why'),
    [
        ('wrong', r"'wrong' is a str, not a Strategy"),
        ('gone', r'careful_planning:GONE.*AttributeError'),
        ('missing', r'no_such_module:X.*no_such_module is not installed'),
        ('unknown', r"unknown .*'unknown' \(known: .*reactree, .*cautious"),
    ],
)
def test_what_is_wrong_with_it_is_said(package: Path, name: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        strategy(name)


def test_a_goal_is_reached_by_it(package: Path, play: Any) -> None:
    script = {'go to the fridge': ['Act: go to fridge 1', 'Act: done']}
    played = play(script, strategy='cautious')
    assert played.end().status == 'succeeded'
    assert type(played.run.root).__name__ == 'Cautious'


def test_it_is_evaluated_like_ours(package: Path, tmp_path: Path) -> None:
    pytest.importorskip('rclpy')
    (tmp_path / 'script.yaml').write_text('{}')
    model = f'scripted:{tmp_path / "script.yaml"}'
    line = [
        sys.executable, '-m', 'reactree_ros.lab.cli.main', 'evaluate', '--no-baselines',
        '--strategies', 'cautious',
        '--tasks', 'household:1', '--models', model, '--out', str(tmp_path / 'results'),
    ]  # fmt: skip
    env = {**os.environ, 'PYTHONPATH': os.pathsep.join([str(tmp_path), *sys.path])}
    ended = subprocess.run(line, env=env, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert 'cautious+wm' in ended.stdout


def test_the_example_of_the_documentation_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, play: Any
) -> None:
    text = (Path(__file__).parents[2] / 'docs' / 'strategies.md').read_text()
    code = text.partition('```python\n')[2].partition('```')[0]
    toml = text.partition('```toml\n')[2].partition('```')[0]
    package = tmp_path / 'careful_planning'
    package.mkdir()
    (package / '__init__.py').write_text(code)
    info = tmp_path / 'careful_planning-1.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: careful_planning\nVersion: 1.0\n')
    point = tomllib.loads(toml)['project']['entry-points'][GROUP]
    lines = [f'{name} = {value}' for name, value in point.items()]
    (info / 'entry_points.txt').write_text('\n'.join([f'[{GROUP}]', *lines]))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, 'careful_planning', raising=False)
    script = {'root': ['Think: a', 'Act: go to fridge 1', 'Think: b', 'Act: done']}
    played = play(script, strategy='careful')
    assert played.end().status == 'succeeded'
    kinds = [request.choices.kinds for request in played.model.requests]
    assert kinds[0] == kinds[2] == ('Think',)
    assert 'Think' not in kinds[1] + kinds[3]
    options = planner_options({'skills': 'household'})
    assert system_prompt(options, 'careful') == system_prompt(options, 'reactree')
