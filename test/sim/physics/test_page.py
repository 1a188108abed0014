# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulation in the browser, and its recorded motions."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.physics.description import Description
from reactree_ros.sim.physics.live import LiveSimulation
from reactree_ros.sim.physics.simulation import Simulation
from reactree_ros.sim.physics.viewing.motion_file import SUFFIX, MotionRecorder, read_motion
from reactree_ros.sim.physics.world import PhysicsWorld

Image = pytest.importorskip('PIL.Image')

PATIENCE_SEC = 120.0
SOMETHING, ALIKE = 10.0, 8.0
"""Deviation of the pixels of a picture, and most difference of two that are alike (of 255)."""


def never() -> bool:
    return False


@pytest.fixture
def live(kitchen: Description) -> Iterator[LiveSimulation]:
    live = LiveSimulation(kitchen)
    yield live
    live.close()


@pytest.mark.browser
def test_the_page_shows_how_the_robot_moves_and_asks_nobody_else(
    live: LiveSimulation, kitchen: Description, browser: Any
) -> None:
    pytest.importorskip('mjviser')
    from reactree_ros.sim.physics.viewing.page import LivePage

    page = LivePage(live, 'localhost', 0)
    view = browser.new_page(viewport={'width': 900, 'height': 600})
    asked: list[str] = []
    view.on('request', lambda request: asked.append(request.url))
    try:
        view.goto(page.address)
        view.locator('canvas').first.wait_for(timeout=1000 * PATIENCE_SEC)
        before = settled(view)
        PhysicsWorld(kitchen, robot=live).execute('go_to', ('kitchen table 1',), never)
        until(lambda: np.abs(picture(view) - before).max() > 2 * ALIKE)
    finally:
        view.close()
        page.close()
    own = (page.address, f'blob:{page.address}', 'data:')
    assert [url for url in asked if not url.startswith(own)] == []


def picture(view: Any) -> np.ndarray:
    """Return what is drawn, in few pixels: a slow machine draws it in fewer than there are."""
    beside_the_panels = {'x': 0, 'y': 160, 'width': 560, 'height': 440}
    image = Image.open(io.BytesIO(view.screenshot(clip=beside_the_panels))).convert('RGB')
    return np.asarray(image.resize((56, 44))).astype(float)


def settled(view: Any) -> np.ndarray:
    """Return the picture once the world is drawn, and two in a row are alike."""
    shots = [np.zeros((44, 56, 3))]

    def still() -> bool:
        time.sleep(1.0)
        shots.append(picture(view))
        drawn = shots[-1].std() > SOMETHING
        return bool(drawn) and np.abs(shots[-1] - shots[-2]).max() < ALIKE

    until(still)
    return shots[-1]


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_SEC
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_motions_are_read_as_they_were_also_after_a_kill(
    kitchen: Description, tmp_path: Path
) -> None:
    recorder = MotionRecorder(tmp_path, {'world': 'kitchen'}, 2, Log())
    live = LiveSimulation(kitchen, before=recorder.sample)
    PhysicsWorld(kitchen, robot=live).execute('go_to', ('kitchen table 1',), never)
    end = live.read(lambda: np.array(live.data.qpos))
    live.close()
    (path,) = tmp_path.glob(f'*{SUFFIX}')
    with path.open('a') as file:
        file.write('[17, 4.2')
    motion = read_motion(path)
    assert motion.about == {'world': 'kitchen'}
    assert motion.description() == kitchen
    assert motion.positions.shape == (len(motion.times), live.model.nq)
    assert np.diff(motion.simulated).min() > 0.09
    assert np.abs(motion.at(time.time()) - end).max() < 0.05
    assert np.array_equal(motion.at(0.0), motion.positions[0])


class Log(list[str]):
    """A logger."""

    warning = list.append


def test_a_motion_that_cannot_be_written_stops_neither_robot_nor_node(
    kitchen: Description, tmp_path: Path
) -> None:
    log = Log()
    (tmp_path / 'file').touch()
    recorder = MotionRecorder(tmp_path / 'file', {'world': 'kitchen'}, 2, log)
    live = LiveSimulation(kitchen, before=recorder.sample)
    found = PhysicsWorld(kitchen, robot=live).execute('go_to', ('kitchen table 1',), never)
    live.close()
    assert found.status is SkillStatus.SUCCEEDED
    (warning,) = log
    assert 'no longer recorded' in warning


def test_only_the_latest_motions_are_kept(kitchen: Description, tmp_path: Path) -> None:
    simulation = Simulation(kitchen)
    for number in range(3):
        recorder = MotionRecorder(tmp_path, {'world': str(number)}, 2, Log())
        recorder.sample(simulation)
        recorder.close()
    kept = [read_motion(path).about['world'] for path in sorted(tmp_path.glob(f'*{SUFFIX}'))]
    assert kept == ['1', '2']


@pytest.mark.filterwarnings('ignore::pytest.PytestUnhandledThreadExceptionWarning')
def test_a_fault_of_the_physics_ends_what_waits_for_it(kitchen: Description) -> None:
    calls = []

    def fault(simulation: Simulation) -> None:
        calls.append(simulation.time)
        if len(calls) > 1000:
            raise ValueError('broken')

    live = LiveSimulation(kitchen, before=fault)
    with pytest.raises(RuntimeError, match='the simulation has ended'):
        live.advance(100.0)
    assert isinstance(live.fault, ValueError)
    live.close()


def test_a_page_that_cannot_be_served_is_an_error(live: LiveSimulation) -> None:
    pytest.importorskip('mjviser')
    from reactree_ros.sim.physics.viewing.page import LivePage

    with pytest.raises(ConfigurationError, match='no page can be served'):
        LivePage(live, 'no such host', 8081)


@pytest.mark.parametrize('text', ['', '{}\n', '{"world": "kitchen"}\n[1, 2]\n[3]\n', 'x\ny\n'])
def test_what_is_no_recorded_motion_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / f'a{SUFFIX}'
    path.write_text(text)
    with pytest.raises(ConfigurationError, match='not a recorded motion'):
        read_motion(path)
