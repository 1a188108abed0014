# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the command line of the laboratory as a user does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('reactree_interfaces')

from reactree_ros.cli.domain import private_domain  # noqa: E402

from ...command import Command, processes_of  # noqa: E402


@pytest.fixture(autouse=True)
def domain() -> Iterator[int]:
    """Keep each test's planner away from every other planner."""
    with private_domain() as number:
        yield number


@pytest.fixture
def reactree_lab() -> Iterator[Callable[..., Command]]:
    yield from processes_of('reactree_ros.lab.cli.main')
