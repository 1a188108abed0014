# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree film``: makes a film of a recorded run with the arm, the tree beside it."""

from __future__ import annotations

import argparse
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import track

from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.cli.argument_types import number
from reactree_ros.cli.replay import latest_run
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import data

if TYPE_CHECKING:
    from PIL import Image

    from reactree_ros.sim.physics.viewing.motion_file import Motion

FILMS = ('.webp', '.gif')
"""Endings of the names of films."""
_VIEW = (480, 360)
"""Width and height of the kitchen (pixels); the tree has as much beside it."""
_SPEED = 2.0
_STEP_SEC = 0.4
_THINKING_SEC = 0.5
"""How long a tree is shown that grew while nothing moved."""
_LAST_SEC = 4.0
_LINE = 15
_INDENT = 14
_SHADES = {'running': '#1f6feb', 'succeeded': '#1a7f37', 'failed': '#cf222e'}
_PALE = '#8c959f'
_QUALITY = 40

_Trees = list[tuple[float, list[BehaviourState]]]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'film',
        help='make a film of a recorded run with the arm',
        description='Draws how the arm moved during a recorded run, and the tree beside it, and '
        'writes an animated picture (WebP or GIF). The kitchen bridge records its motions.',
        epilog='Exit code: 0 written, 2 something is missing.',
    )
    parser.add_argument(
        'run_file', type=Path, nargs='?', metavar='FILE', help='the run (default: the latest)'
    )
    parser.add_argument(
        '--motions',
        type=Path,
        metavar='DIR',
        help="where the kitchen bridge recorded them (default: in the user's data folder)",
    )
    parser.add_argument(
        '--out', type=Path, metavar='FILE', help='the film (default: named after the run)'
    )
    parser.add_argument(
        '--speed',
        type=number(float, 100, 1),
        default=_SPEED,
        help='simulated seconds in a second (default: 2)',
    )
    parser.add_argument(
        '--stills',
        type=number(int, 100, 1),
        metavar='N',
        default=0,
        help='write one picture (.webp or .png) of N moments instead',
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Make the film and return the exit code."""
    path = options.run_file or latest_run()
    out = options.out or Path(path.with_suffix('.webp').name)
    make_film(path, options.motions or data('motions'), out, options.speed, options.stills)
    print(out)
    return 0


def check_name(out: Path, endings: Sequence[str] = FILMS) -> None:
    """Check that a film can be written under this name.

    Raises:
        ConfigurationError: it cannot.
    """
    if out.suffix not in endings:
        raise ConfigurationError(f'{out.name} must end with {" or ".join(endings)}')


@dataclass(frozen=True)
class _Frame:
    positions: Any
    tree: Sequence[BehaviourState]
    seconds: float


def make_film(path: Path, motions: Path, out: Path, speed: float = _SPEED, stills: int = 0) -> None:
    """Write the film of a run.

    Args:
        path: of the run.
        motions: folder in which the kitchen bridge recorded its motions.
        out: the film; its ending names the format.
        speed: simulated seconds in a second.
        stills: write one picture of so many moments; 0: write the film.

    Raises:
        ConfigurationError: something cannot be read or written, or a package is missing.
    """
    try:
        from PIL import Image

        from reactree_ros.sim.physics.scene import build
        from reactree_ros.sim.physics.viewing.motion_file import motion_during
        from reactree_ros.sim.physics.viewing.rendering import Renderer
    except ImportError as error:
        raise ConfigurationError(f'a film needs the extra "physics": {error}') from error
    check_name(out, ('.webp', '.png') if stills else FILMS)
    trees = _trees(path)
    motion = motion_during(motions, trees[0][0], trees[-1][0])
    frames = list(_frames(motion, trees, speed))
    model = build(motion.description())
    if model.nq != motion.positions.shape[1]:
        raise ConfigurationError(f'the world {motion.about["world"]} was changed since the run')
    camera = _camera(frames, model)
    if stills:
        frames = [frames[round((n + 1) * (len(frames) - 1) / stills)] for n in range(stills)]
    images = []
    with Renderer(model, _VIEW) as renderer:
        for frame in track(frames, 'film', console=Console(stderr=True), transient=True):
            image = Image.new('RGB', (2 * _VIEW[0], _VIEW[1]), 'white')
            image.paste(Image.fromarray(renderer.picture(frame.positions, camera)))
            image.paste(_drawn(frame.tree), (_VIEW[0], 0))
            images.append(image)
    try:
        if stills:
            _sheet(images).save(out, quality=_QUALITY, method=6)
        else:
            images[0].save(
                out,
                save_all=True,
                append_images=images[1:],
                duration=[round(1000 * frame.seconds) for frame in frames],
                loop=0,
                quality=_QUALITY,
                method=6,
            )
    except OSError as error:
        raise ConfigurationError(f'the film cannot be written: {error}') from error


def _trees(path: Path) -> _Trees:
    """Return the trees of a run, and when each was there (seconds since 1970)."""
    from reactree_ros.ros.conversions import behaviour_from_msg
    from reactree_ros.ros.recording.run_file import RunFile
    from reactree_ros.ros.recording.run_publisher import TREE_TOPIC

    trees = [
        (one.nanoseconds / 1e9, [behaviour_from_msg(state) for state in one.message.behaviours])
        for one in RunFile(path).messages
        if one.topic == TREE_TOPIC
    ]
    if not trees:
        raise ConfigurationError(f'{path} has no tree: it was cut off before it grew')
    return trees


def _frames(motion: Motion, trees: _Trees, speed: float) -> Iterator[_Frame]:
    """Yield what is shown: each step of simulated time, and each tree that stayed for a while."""
    times = [time for time, _ in trees]
    seconds = {
        time: _THINKING_SEC
        for time, following in zip(times, times[1:], strict=False)
        if following - time > _THINKING_SEC / 2
    }
    due = float('-inf')
    for time, simulated in zip(motion.times, motion.simulated, strict=True):
        if times[0] < time <= times[-1] and simulated >= due:
            due = simulated + _STEP_SEC
            seconds[float(time)] = _STEP_SEC / speed
    seconds[times[-1]] = _LAST_SEC
    for time in sorted(seconds):
        _, tree = trees[bisect_right(times, time) - 1]
        yield _Frame(motion.at(time), tree, seconds[time])


def _camera(frames: Sequence[_Frame], model: Any) -> Any:
    """Return a camera that sees where the robot drives."""
    import mujoco
    import numpy as np

    from reactree_ros.sim.physics.scene import BASE_JOINTS

    columns = [model.joint(name).qposadr[0] for name in BASE_JOINTS[:2]]
    path = np.array([frame.positions[columns] for frame in frames])
    low, high = path.min(axis=0), path.max(axis=0)
    camera = mujoco.MjvCamera()
    camera.type = mujoco.mjtCamera.mjCAMERA_FREE
    camera.azimuth, camera.elevation = 110, -30
    camera.distance = 2.7 + 0.6 * float(np.linalg.norm(high - low))
    camera.lookat[:] = [*(low + high) / 2, 0.5]
    return camera


def _sheet(images: Sequence[Image.Image]) -> Image.Image:
    """Return pictures one below the other."""
    from PIL import Image

    width, height = images[0].size
    sheet = Image.new('RGB', (width, height * len(images)))
    for row, image in enumerate(images):
        sheet.paste(image, (0, row * height))
    return sheet


def _fitting(tree: Sequence[BehaviourState], most: int) -> list[BehaviourState]:
    """Return so much of a tree as fits: what has ended is shown without what is below it."""
    shown = list(tree)
    top = {0, *(one.number for one in tree if not one.parent)}
    for ended in tree:
        if len(shown) <= most:
            break
        if ended.number not in top and ended.status in ('succeeded', 'failed'):
            below = {ended.number}
            for one in tree:
                if one.parent in below:
                    below.add(one.number)
            shown = [one for one in shown if one.number not in below or one is ended]
    return shown[-most:]


def _drawn(tree: Sequence[BehaviourState]) -> Image.Image:
    """Draw a tree: a line for each behaviour, a dot in the colour of its status."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new('RGB', _VIEW, 'white')
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(12)
    depths = {0: -1}
    most = (_VIEW[1] - _LINE) // _LINE
    for row, one in enumerate(_fitting(tree, most)):
        depths[one.number] = depth = depths.get(one.parent, -1) + 1
        x, y = 10 + depth * _INDENT, 8 + row * _LINE
        shade = _SHADES.get(one.status, _PALE)
        draw.ellipse((x, y + 3, x + 8, y + 11), fill=shade)
        text = one.name
        while draw.textlength(text, font) > _VIEW[0] - x - 20:
            text = text.rstrip('…')[:-1] + '…'
        draw.text((x + 13, y), text, 'black' if shade != _PALE else _PALE, font)
    return image
