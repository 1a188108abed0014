# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An arm in a physics simulation, over ROS 2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reactree_interfaces.srv import CheckGoal
from reactree_ros.cli.film import make_film
from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.viewer.recorded import read_history

pytest.importorskip('mujoco')
pytest.importorskip('ompl')
pytestmark = pytest.mark.ros

GOAL = 'put the red block in the drawer'
KITCHEN = {
    'skills': 'kitchen_arm',
    'robot.observe_service': 'kitchen/observe',
    'robot.check_service': 'kitchen/check_goal',
}


@dataclass(frozen=True)
class Drawer:
    """A run that put a block into the drawer."""

    answer: Any
    found: CheckGoal.Response
    runs: Path
    motions: Path


@pytest.fixture(scope='module')
def drawer(start_system: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Drawer:
    take, put = 'find and pick up the red block', 'put down the red block in the drawer'
    script = {
        GOAL: ['Conditions: red block inside drawer', f'Expand: sequence ["{take}", "{put}"]'],
        take: ['Act: go to kitchen table 1', 'Act: pick up red block 1', 'Act: done'],
        put: [
            'Act: go to drawer 1',
            'Act: open drawer 1',
            'Act: put down red block 1',
            'Act: done',
        ],
    }
    runs, motions = tmp_path_factory.mktemp('runs'), tmp_path_factory.mktemp('motions')
    bridge = {'motions_dir': str(motions)}
    with start_system(script, KITCHEN, kitchen=bridge, sim='kitchen', runs=str(runs)) as system:
        asking = system.spinner.node.create_client(CheckGoal, 'kitchen/check_goal')
        system.spinner.until(asking.service_is_ready, 'the bridge is there')
        system.ready(bridge=False)
        answer = system.result(system.send(goal=GOAL))
        future = asking.call_async(CheckGoal.Request(conditions=['red block inside drawer']))
        system.spinner.until(future.done, 'the world has answered')
        return Drawer(answer, future.result(), runs, motions)


def test_a_tree_puts_a_block_into_a_drawer_and_the_physics_confirms_it(drawer: Drawer) -> None:
    assert drawer.answer.result.status == 'succeeded', drawer.answer.result.message
    assert drawer.found.known and drawer.found.holds
    assert drawer.found.changes == [
        'drawer 1: closed -> open',
        'red block 1: on kitchen table 1 -> inside drawer 1',
    ]


def test_the_file_of_a_run_has_how_the_arm_moved(drawer: Drawer) -> None:
    (path,) = drawer.runs.glob('*.mcap')
    frames = read_history(path).frames
    (scene,) = [frame['scene'] for frame in frames if frame['kind'] == 'scene']
    poses = [frame for frame in frames if frame['kind'] == 'pose']
    assert len(poses) > 2 * poses[-1]['t'], 'some each second, however long the run takes'
    (block,) = [body for body in scene['bodies'] if body['name'] == 'red block 1']
    ((kind, first, *_),) = block['joints']
    positions: dict[int, float] = {}
    heights = []
    for frame in poses:
        positions.update(zip(frame['changed'][::2], frame['changed'][1::2], strict=True))
        heights.append(positions[first + 2])
    assert kind == 'free'
    assert heights[-1] < heights[0] < max(heights)  # off the table, and down into the drawer
    # when the goal has ended, all is told
    ended = [frame['t'] for frame in frames if frame['kind'] == 'event'][-1]
    assert poses[-1]['t'] <= ended


def test_a_film_shows_how_the_arm_moved_and_how_the_tree_grew(
    drawer: Drawer, tmp_path: Path
) -> None:
    pictures = pytest.importorskip('PIL.Image')
    (run,) = drawer.runs.glob('*.mcap')
    out = tmp_path / 'film.webp'
    try:
        make_film(run, drawer.motions, out)
    except ConfigurationError as error:
        if 'OpenGL' in str(error):
            pytest.skip(str(error))
        raise
    film = pictures.open(out)
    assert film.n_frames > 50
    shots = []
    for number in (0, film.n_frames - 1):
        film.seek(number)
        shots.append(np.asarray(film.convert('RGB')).astype(int))
    first, last = shots
    middle = first.shape[1] // 2
    for half in (slice(None, middle), slice(middle, None)):
        assert np.abs(first[:, half] - last[:, half]).mean() > 1.0


def test_a_film_of_a_run_without_motions_says_what_is_missing(
    drawer: Drawer, tmp_path: Path
) -> None:
    (run,) = drawer.runs.glob('*.mcap')
    with pytest.raises(ConfigurationError, match='no motion from the time of the run'):
        make_film(run, tmp_path, tmp_path / 'film.webp')
