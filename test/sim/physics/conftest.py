# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A kitchen in a physics simulation; without MuJoCo these tests are skipped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

pytest.importorskip('mujoco')
pytest.importorskip('ompl')

from reactree_ros.sim.physics.description import Description, shipped_description  # noqa: E402
from reactree_ros.sim.physics.world import PhysicsWorld  # noqa: E402


@pytest.fixture
def kitchen() -> Description:
    return shipped_description('kitchen')


@pytest.fixture
def world(kitchen: Description) -> PhysicsWorld:
    return PhysicsWorld(kitchen)


@pytest.fixture
def placed(kitchen: Description) -> Callable[..., Description]:
    """Return the kitchen with a thing elsewhere, or otherwise than it is."""

    def change(
        name: str, place: tuple[str, float, float] | None = None, **thing: object
    ) -> Description:
        things = {**kitchen.things, name: replace(kitchen.things[name], **thing)}
        on = {**kitchen.on, name: place} if place else kitchen.on
        return replace(kitchen, things=things, on=on)

    return change
