# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Makes drafted skills fit the interface types that are installed."""

from __future__ import annotations

from dataclasses import replace

from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.skills.library_check import faults_of
from reactree_ros.skills.draft.library import DraftLibrary, DraftSkill
from reactree_ros.skills.draft.places import Place
from reactree_ros.skills.reader import parse_library

_OPTIONAL = ('success_if', 'refused_if', 'success_text', 'failure_text', 'feedback_text', 'limits')
"""Keys that distributions differ in; a skill works without them."""


def fitted(skill: DraftSkill, observes: str) -> DraftSkill:
    """Return a skill with those keys as comments that the installed type does not have.

    A skill whose message the type does not have either becomes a comment as a whole.

    Args:
        skill: the skill.
        observes: see ``DraftLibrary``.
    """
    if skill.off:
        return skill
    faults = _faults(skill, observes)
    optional = {key: fault for key, fault in faults.items() if key in _OPTIONAL}
    others = [f'{key}: {fault}' for key, fault in faults.items() if key not in _OPTIONAL]
    if others:
        return replace(skill, off='; '.join(others))
    return skill.without({key: f'not in the type here: {why}' for key, why in optional.items()})


def check_fields(skill: DraftSkill, observes: str) -> None:
    """Check a skill whose fields a person gave.

    Raises:
        ConfigurationError: if its type does not have them, or they have no such values.
    """
    if not skill.off:
        for key, fault in _faults(skill, observes).items():
            raise ConfigurationError(f'{key}: {fault}')


def _faults(skill: DraftSkill, observes: str) -> dict[str, str]:
    """Return what is wrong with a skill, by key."""
    start = Place('start')
    text = DraftLibrary('draft', [skill], [start], start=start.name, observes=observes).text()
    (read,) = parse_library(text, 'draft').skills
    found: dict[str, str] = {}
    for fault in faults_of(read):
        path, _, why = fault.removeprefix(f'skills.{skill.name}.').partition(': ')
        key, _, rest = path.partition('.')
        found.setdefault(key, f'{rest}: {why}'.lstrip(': '))
    return found
