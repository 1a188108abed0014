# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Places for stores of experiences: a file, and a database of a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.memory.opening import open_store
from reactree_ros.memory.store import ExperienceStore

FILE, SERVER = STORES = ('sqlite', 'postgresql')
Opening = Callable[..., ExperienceStore]


@pytest.fixture(params=STORES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Name a place where there is no store yet."""
    if request.param == FILE:
        return str(tmp_path / 'memory.sqlite')
    return str(request.getfixturevalue('database'))


@pytest.fixture
def open_here(address: str) -> Iterator[Opening]:
    """Open the store of a test, as often as it likes; all are closed at its end."""
    with ExitStack() as opened:

        def open_one(*arguments: Any, **named: Any) -> ExperienceStore:
            return opened.enter_context(closing(open_store(address, *arguments, **named)))

        yield open_one
