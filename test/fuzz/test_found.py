# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What once broke a contract keeps it now.

Each file in ``found`` is an input that broke the contract of the target whose folder it is in, made
small; its name says what it is, and whether it is accepted or refused.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.exchange import read_runs
from reactree_ros.memory.experience import Origin

from .contract import hold
from .targets import NAMES, target

FOUND = sorted((Path(__file__).parent / 'found').glob('*/*'))


def test_every_target_has_its_name_and_every_input_a_target() -> None:
    assert [target(name).name for name in NAMES] == list(NAMES)
    assert {path.parent.name for path in FOUND} <= {*NAMES}
    assert {path.suffix for path in FOUND} == {'.accepted', '.refused'}


@pytest.mark.parametrize('path', FOUND, ids=lambda path: f'{path.parent.name}-{path.stem}')
def test_what_was_found_is_accepted_or_refused_with_a_reason(path: Path) -> None:
    one = target(path.parent.name)
    one.seeds()  # imports what takes its time
    assert hold(one, path.read_bytes()) is (path.suffix == '.accepted')


def test_a_line_without_end_is_not_taken_into_memory(tmp_path: Path) -> None:
    path = tmp_path / 'long.jsonl'
    path.write_text('{"text": "' + 'x' * (17 * 2**20) + '"}\n')
    with pytest.raises(ConfigurationError, match='line 1: longer than 16,777,216 characters'):
        read_runs(path, Origin(''))
