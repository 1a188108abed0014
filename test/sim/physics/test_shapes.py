# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulation on the viewer's page: what is drawn is where MuJoCo has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

mujoco = pytest.importorskip('mujoco')
import numpy as np  # noqa: E402

from reactree_ros.sim.physics.description import description_of  # noqa: E402
from reactree_ros.sim.physics.scene import build, set_start  # noqa: E402
from reactree_ros.sim.physics.viewing.shapes import scene_of  # noqa: E402
from reactree_ros.viewer.document import page_with  # noqa: E402
from reactree_ros.viewer.history import RunHistory  # noqa: E402

PLACED = """async (positions) => {
  const { placed } = await import('viewer/world3d.js')
  return placed(reactree.scene.scene.bodies, positions)
}"""


@pytest.mark.browser
def test_a_page_draws_every_body_where_mujoco_has_it(open_page: Any, tmp_path: Path) -> None:
    description = description_of('kitchen')
    model = build(description)
    data = mujoco.MjData(model)
    set_start(model, data, description)
    scene = scene_of(model, description.things, description.furniture, 'base')
    run = RunHistory('run', 'move')
    run.scene(1.0, scene)
    run.pose(1.0, data.qpos.tolist())
    data.qpos[:] = np.random.default_rng(1).uniform(-1, 1, model.nq)
    run.pose(2.0, data.qpos.tolist())
    data.qpos[:] = data.qpos.round(3)
    mujoco.mj_normalizeQuat(model, data.qpos)
    mujoco.mj_kinematics(model, data)
    path = tmp_path / 'run.html'
    path.write_text(page_with([run]), encoding='utf-8')
    page = open_page(path.as_uri())
    page.until('reactree.scene.shown && reactree.scene.shown === reactree.scene.target')
    shown = page.page.evaluate('reactree.scene.shown')
    found = np.array(page.page.evaluate(PLACED, shown))
    assert np.abs(found[:, :3] - data.xpos).max() < 2e-3
    turns = np.abs((found[:, 3:] * data.xquat).sum(axis=1))
    assert turns.min() > 1 - 1e-4
    assert page.page.locator('#scene .thing').count() == len(description.things)
    colours = page.page.evaluate("""() => {
      const { gl } = reactree.scene
      reactree.scene.paint()
      const pixels = new Uint8Array(4 * 100 * 100)
      gl.readPixels(50, 50, 100, 100, gl.RGBA, gl.UNSIGNED_BYTE, pixels)
      return new Set(new Uint32Array(pixels.buffer)).size
    }""")
    assert colours > 10  # something is drawn, with light and shadow
    page.page.locator('#scene .thing:visible').first.click()
    assert page.page.input_value('#search')
    assert page.faults == []


def test_a_mesh_is_its_convex_hull() -> None:
    description = description_of('kitchen')
    model = build(description)
    scene = scene_of(model, description.things, description.furniture, 'base')
    hand = scene['meshes'][8]
    points = np.array(hand['points']).reshape(-1, 3)
    assert len(points) <= 48
    middle = points.mean(axis=0)
    for face in np.array(hand['faces']).reshape(-1, 3):
        a, b, c = points[face]
        out = np.cross(b - a, c - a)
        assert out @ (a - middle) > 0
