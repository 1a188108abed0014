# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The parameter file and the page about parameters come from the declarations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reactree_ros.cli import main
from reactree_ros.cli.parameters import NODES
from reactree_ros.core.option import parameters_of
from reactree_ros.ros.nodes.planner_config import PlannerConfig

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ('arguments', 'file'),
    [([], 'config/reactree.yaml'), (['--format', 'markdown'], 'docs/parameters.md')],
)
def test_files_are_as_generated(
    arguments: list[str], file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(['parameters', *arguments]) == 0
    printed = capsys.readouterr().out
    assert (ROOT / file).read_text() == printed, f'run: reactree parameters > {file}'


@pytest.mark.parametrize('name', NODES)
def test_no_parameter_has_the_name_of_a_group(name: str) -> None:
    # "ros2 param dump" nests names at their dots and fails if one is both
    names = {row.name for row in parameters_of(NODES[name])}
    groups = {name.rpartition('.')[0] for name in names}
    groups |= {group.rpartition('.')[0] for group in groups}
    assert not names & groups


def test_arguments_of_a_start_say_what_the_parameters_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main.run(['up', '--help'])
    shown = ' '.join(capsys.readouterr().out.split())
    assert "The robot's skill library: name of a shipped one, or path of a YAML file" in shown
    assert '(default: observe)' in shown


@pytest.mark.parametrize(
    'page',
    [*sorted(ROOT.glob('*.md')), *sorted((ROOT / 'docs').glob('*.md'))],
    ids=lambda p: p.name,
)
def test_parameters_that_a_page_names_exist(page: Path) -> None:
    names = {row.name for row in parameters_of(PlannerConfig)}
    groups = {name.partition('.')[0] for name in names if '.' in name}
    named = re.findall(r'`([a-z_]+(?:\.[a-z_]+)+)(?::[^`]*)?`', page.read_text())
    named = [one for one in named if not one.endswith('.sqlite')]  # a file
    assert [one for one in named if one.partition('.')[0] in groups and one not in names] == []
