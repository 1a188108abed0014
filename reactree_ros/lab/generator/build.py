# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Generates all files, and compares them with the shipped ones."""

from __future__ import annotations

from pathlib import Path

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.generator.homes import FLOOR_PLANS, make_home
from reactree_ros.lab.generator.sets import FAMILIES, make_family
from reactree_ros.sim.household.archive import SUFFIX, read_text, text_of, write_archive
from reactree_ros.sim.household.scene import scene_from_dict
from reactree_ros.sim.household.shipped import HOMES


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
    return files


def write_files(folder: Path) -> list[Path]:
    """Make all files below a ``resource`` folder and return their paths.

    Raises:
        ConfigurationError: one of them cannot be written.
    """
    written = []
    for name, text in build().items():
        write_archive(folder / name, text)
        written.append(folder / name)
    return written


def differing(folder: Path) -> list[Path]:
    """Generate all files and return those that differ from the folder's, or are missing.

    The contents are compared, not the compressed bytes, which depend on the compressor's version.
    """
    return [folder / name for name, text in build().items() if _content(folder / name) != text]


def _content(path: Path) -> bytes:
    try:
        return read_text(path)
    except ConfigurationError:
        return b''
