# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where data is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import cache, data, make_private, share


def test_data_of_the_package_is_found() -> None:
    """In a checkout or an installation, whichever the test runs in."""
    assert share('resource', 'scenes', 'apartment_1.json').is_file()


def test_data_in_an_ament_prefix_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefixes are asked in their order."""
    data = tmp_path / 'share' / 'reactree_ros' / 'resource' / 'only_here.txt'
    data.parent.mkdir(parents=True)
    data.touch()
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere:{tmp_path}')

    assert share('resource', 'only_here.txt') == data


def test_missing_data_is_named_with_the_places_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """And with what to do next."""
    monkeypatch.setenv('AMENT_PREFIX_PATH', '/nowhere')

    with pytest.raises(
        ConfigurationError, match=r'resource/none\.txt.*/nowhere/share/reactree_ros'
    ):
        share('resource', 'none.txt')


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative XDG_CACHE_HOME does not count, as the XDG specification wants it."""
    monkeypatch.setenv('XDG_CACHE_HOME', '/somewhere')
    assert cache('models', 'a') == Path('/somewhere/reactree_ros/models/a')
    monkeypatch.setenv('XDG_CACHE_HOME', 'somewhere')
    monkeypatch.setenv('HOME', '/home/someone')
    assert cache() == Path('/home/someone/.cache/reactree_ros')


def test_what_was_learned_lies_among_the_user_s_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('HOME', '/home/someone')
    monkeypatch.setenv('XDG_DATA_HOME', '/somewhere')
    assert data('memory.sqlite') == Path('/somewhere/reactree_ros/memory.sqlite')
    for ignored in ('relative', ''):
        monkeypatch.setenv('XDG_DATA_HOME', ignored)
        assert data() == Path('/home/someone/.local/share/reactree_ros')


def test_a_folder_is_made_for_the_user_alone(tmp_path: Path) -> None:
    """Those above it, too; what is there stays as it is."""
    tmp_path.chmod(0o755)
    make_private(tmp_path / 'a' / 'b')
    make_private(tmp_path / 'a' / 'b')
    modes = [one.stat().st_mode & 0o777 for one in (tmp_path, *sorted(tmp_path.rglob('*')))]
    assert modes == [0o755, 0o700, 0o700]
