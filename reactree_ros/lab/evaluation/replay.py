# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The acts of a run, executed again in its world, which answers the same again.

A trace has the planner's observations; the full state is in the world.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reactree_ros.core.observation import SkillResult
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.planner.assembly import library_of
from reactree_ros.planner.options import planner_options
from reactree_ros.sim.household import World
from reactree_ros.skills.library import GroundedSkill, SkillLibrary

_FIELD = re.compile(r'\\\{\w+\\\}')


def replay(trace: Trace, world: World) -> Iterator[tuple[int, GroundedSkill, SkillResult]]:
    """Execute the acts of a run again, in a world that can be inspected after each of them.

    Args:
        trace: the run.
        world: the world of its task, as it is at the start.

    Returns:
        For each act the index of its event in the trace, the skill and its result.

    Raises:
        ConfigurationError: if the world answers differently than in the trace, which was then made
            by another version of the world or of the task.
    """
    library = library_of(planner_options({'skills': trace.settings['skills']}))
    for index, event in enumerate(trace.events):
        if event.kind != 'act':
            continue
        answers = (
            later.text
            for later in trace.events[index:]
            if (later.kind, later.path) == ('observation', event.path)
        )
        recorded = next(answers, None)
        if recorded is None:
            continue  # the run was cut short before the robot began
        skill = read_phrase(event.text, library)
        result = world.execute(skill.name, skill.arguments)
        # The planner may add hints to an observation.
        if not recorded.startswith(result.observation.text):
            raise ConfigurationError(
                f'the run {trace.spec} cannot be replayed: event {index}, "{event.text}", was '
                f'answered {recorded!r} and is now answered {result.observation.text!r}'
            )
        yield index, skill, result


def read_phrase(phrase: str, library: SkillLibrary) -> GroundedSkill:
    """Return the skill that a phrase names.

    Raises:
        ConfigurationError: if the library has no such phrase.
    """
    for skill in library.skills:
        # A name ends with its number, so that no phrase can be read in two ways.
        pattern = _FIELD.sub(r'(.+? \\d+)', re.escape(skill.phrase))
        found = re.fullmatch(pattern, phrase)
        if found:
            return skill.ground(*found.groups())
    raise ConfigurationError(f'the skill library {library.name} has no skill {phrase!r}')
