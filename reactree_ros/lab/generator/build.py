# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Generates all files, and compares them with the shipped ones."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.generator.arm_tasks import make_arm_tasks
from reactree_ros.lab.generator.goal_sets import APARTMENTS, GOAL_SETS, make_goals
from reactree_ros.lab.generator.homes import FLOOR_PLANS, make_home
from reactree_ros.lab.generator.sets import FAMILIES, make_family
from reactree_ros.sim.household.scene import scene_from_dict
from reactree_ros.sim.household.shipped import HOMES, SUFFIX, read_text, shipped_scene

_ARM_ABOUT = (
    'TRAINING tasks of the arm in the kitchen, for planners to learn from. kitchen.yaml has those '
    'by which they are judged; no goal of it is here. Made by: reactree-lab tasks generate'
)


def build() -> dict[str, bytes]:
    """Make the homes and the task sets.

    Returns:
        Uncompressed contents by path below the package's ``resource`` folder.
    """
    graphs = {name: make_home(name) for name in FLOOR_PLANS}
    scenes = {name: scene_from_dict(graph, name) for name, graph in graphs.items()}
    files = {f'scenes/{HOMES}': text_of(graphs)}
    for family in FAMILIES:
        for name, tasks in make_family(family, scenes).items():
            files[f'tasks/{name}{SUFFIX}'] = text_of(tasks)
    scenes |= {name: shipped_scene(name) for name in APARTMENTS}
    for name in GOAL_SETS:
        files[f'tasks/{name}{SUFFIX}'] = text_of(make_goals(name, scenes))
    arm = text_of(make_arm_tasks()).decode().strip()
    files[f'tasks/kitchen_train{SUFFIX}'] = (
        f'{{"about": {_json(_ARM_ABOUT)}, "tasks": {arm}}}\n'.encode()
    )
    return files


def write_files(folder: Path) -> list[Path]:
    """Make all files below a ``resource`` folder and return their paths.

    Raises:
        ConfigurationError: one of them cannot be written.
    """
    paths = {folder / name: text for name, text in build().items()}
    for path, text in paths.items():
        write_archive(path, text)
    return list(paths)


def differing(folder: Path) -> list[Path]:
    """Generate all files and return those that differ from the folder's, or are missing.

    The contents are compared, not the compressed bytes, which depend on the compressor's version.
    """
    paths = {folder / name: text for name, text in build().items()}
    return [path for path, text in paths.items() if not path.exists() or read_text(path) != text]


def text_of(entries: Mapping[str, Any] | Sequence[Any]) -> bytes:
    """Write entries as JSON, one a line, so that two versions can be compared."""
    if isinstance(entries, Mapping):
        lines = [f'{_json(name)}: {_json(entry)}' for name, entry in entries.items()]
        text = '{\n' + ',\n'.join(lines) + '\n}\n'
    else:
        text = '[\n' + ',\n'.join(_json(entry) for entry in entries) + '\n]\n'
    return text.encode()


def write_archive(path: Path, text: bytes) -> None:
    """Write a compressed file that is the same bytes for the same text.

    Raises:
        ConfigurationError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text, 9, mtime=0))
    except OSError as error:
        raise ConfigurationError(f'{path} cannot be written: {error}') from error


def _json(entry: Any) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(', ', ': '))
