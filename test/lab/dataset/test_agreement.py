# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A model's decisions beside the teacher's, in runs that only the teacher decides."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from reactree_ros.lab.cli import main
from reactree_ros.lab.dataset.agreement import Compared, compare, table
from reactree_ros.lab.dataset.collect import runs_of

if find_spec('up_fast_downward') is None:
    pytest.skip('Fast Downward is not installed', allow_module_level=True)


def test_the_run_is_the_teachers_whatever_the_model_says() -> None:
    found = {}
    for model in ('none-random', 'none-rule'):
        runs = runs_of(['reactree+wm'], ['made_dev:2-6'], wordings=1, student=model)
        found[model] = [one for some in compare(runs) for one in some]
        assert not all(one.same for one in found[model])
    assert any(one.same for some in found.values() for one in some)
    first, second = ([one.teacher for one in some] for some in found.values())
    assert first == second


def test_the_table_counts_by_the_kind_of_the_teachers_decision() -> None:
    found = [
        Compared('Act', 'Act', same=True),
        Compared('Act', 'Expand', same=False),
        Compared('Expand', '', same=False),
        Compared('Done', 'Act', same=False),
    ]
    lines = table(found).splitlines()
    assert lines[2:] == [
        '| Act | 2 | 50 | 50 |',
        '| Expand | 1 | 0 | 0 |',
        '| Done | 1 | 0 | 0 |',
        '| all | 4 | 25 | 25 |',
        '',
        'Expands where the teacher acts: 1; does not where it does: 1.',
    ]


def test_the_command_prints_a_table_for_each_model(capsys: pytest.CaptureFixture[str]) -> None:
    command = ['agreement', '--tasks', 'made_dev:1', '--models', 'none-rule,none-random']
    assert main.run(command) == 0
    said = capsys.readouterr().out
    assert said.count('| teacher decides |') == 2
    assert 'none-rule, 1 runs' in said
    assert main.run(['agreement', '--tasks', 'made_test:1', '--models', 'none-rule']) == 2
