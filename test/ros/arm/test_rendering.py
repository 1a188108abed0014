# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A picture of the head camera shows things where its parameters and its frame put them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from reactree_ros.errors import ConfigurationError

mujoco = pytest.importorskip('mujoco')

from reactree_ros.ros.arm.links import CAMERA_LINK, CAMERA_OPTICAL, frame_of, links_of  # noqa: E402
from reactree_ros.sim.physics.description import shipped_description  # noqa: E402
from reactree_ros.sim.physics.scene import build, set_start  # noqa: E402
from reactree_ros.sim.physics.viewing.rendering import (  # noqa: E402
    Renderer,
    focal_length,
    head_camera,
)

WIDTH, HEIGHT = 640, 480


@pytest.fixture
def model() -> mujoco.MjModel:
    return build(shipped_description('kitchen'))


@pytest.fixture
def renderer(model: mujoco.MjModel) -> Iterator[Renderer]:
    try:
        renderer = Renderer(model, (WIDTH, HEIGHT), fast=True)
    except ConfigurationError as error:
        pytest.skip(str(error))
    yield renderer
    renderer.close()


def test_the_red_apple_is_where_it_is(model: mujoco.MjModel, renderer: Renderer) -> None:
    data = mujoco.MjData(model)
    set_start(model, data, shipped_description('kitchen'))
    links = {link.name: link for link in links_of(model)}
    base = frame_of(data, model.body('base').id)
    optical = base @ links[CAMERA_LINK].frame @ links[CAMERA_OPTICAL].frame
    apple = frame_of(data, model.body('apple 1').id)
    x, y, z = (optical.inverse() @ apple).position
    focal = focal_length(model, HEIGHT)
    column, row = round(WIDTH / 2 + focal * x / z), round(HEIGHT / 2 + focal * y / z)
    pixels = renderer.picture(data.qpos, head_camera(model))
    assert pixels.shape == (HEIGHT, WIDTH, 3)
    red, green, blue = map(int, pixels[row, column])
    assert red > 2 * green and red > 2 * blue, (row, column)
    red, green, blue = map(int, pixels[row - 15, column])
    assert red < 2 * green
