# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plays hand-made runs in a world and writes every agent node's trajectory as an experience."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from reactree_ros.behaviours.run import GoalRun
from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.settings import Settings
from reactree_ros.evaluation.local import WorldExecutor
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.memory.episodic import SEPARATOR
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.world import World, load_scene


def record(source: Path, library: SkillLibrary) -> str:
    """Return the experiences of all runs in a file, in the form that ``read_experiences`` reads.

    Args:
        source: YAML with a scene and runs; ``resource/experiences/household.yaml`` is one.
        library: the robot's skills.

    Raises:
        ConfigurationError: if a run does not succeed; hand-made runs that fail teach nothing.
    """
    try:
        document = yaml.safe_load(source.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f'cannot read the runs {source}: {error}') from error
    scene = load_scene(source.parent / document['scene'])
    texts: dict[str, None] = {}
    for entry in document['runs']:
        run = _play(entry, World(scene, entry['start']), library)
        for node in run.agents():
            texts[node.trajectory.text()] = None
    head = f'# Made by "reactree experiences record" from {source.name}; edit that file instead.\n'
    return head + f'{SEPARATOR}\n'.join(texts)


def _play(entry: dict[str, Any], world: World, library: SkillLibrary) -> GoalRun:
    services = RunServices(
        model=ScriptedModel(entry['script']),
        executor=WorldExecutor(world),
        library=library,
        experiences=None,
        system_prompt='',
        settings=Settings(),
    )
    rejected: list[str] = []
    run = GoalRun(
        entry['goal'],
        services,
        Limits(),
        lambda event: rejected.append(event.text) if event.kind == 'rejected' else None,
    )
    try:
        while not run.finished:
            run.tick()
        report = run.report()
    finally:
        run.close()
    if report.status != 'succeeded' or rejected:
        why = '; '.join([report.message, *rejected])
        raise ConfigurationError(f'the run {entry["goal"]!r} did not go as written: {why}')
    return run
