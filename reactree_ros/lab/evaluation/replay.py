# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The acts of a run, carried out again in its world, which does the same again.

A trace has the planner's observations; the full state is in the world.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reactree_ros.core.observation import SkillStatus
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.planner.assembly import library_of
from reactree_ros.planner.options import planner_options
from reactree_ros.sim.household import GoalCheck, World, check
from reactree_ros.sim.household.task_sets import world_of
from reactree_ros.sim.tasks import task_of
from reactree_ros.skills.library import GroundedSkill, Skill, SkillLibrary

_FIELD = re.compile(r'\\\{\w+\\\}')


@dataclass(frozen=True)
class ReplayedAct:
    """One act of a run.

    Args:
        event: index of its ``act`` event in the trace.
        path: goals from the root to the agent node that acted.
        skill: name of the skill, e.g. ``go_to``.
        arguments: names of rooms or objects.
        status: SUCCEEDED or REFUSED.
        text: the observation.
        check: which goal conditions hold after it.
    """

    event: int
    path: tuple[str, ...]
    skill: str
    arguments: tuple[str, ...]
    status: SkillStatus
    text: str
    check: GoalCheck


@dataclass(frozen=True)
class Replay:
    """A run that was carried out again.

    Args:
        acts: its acts, in order.
        world: the world after the last of them.
    """

    acts: tuple[ReplayedAct, ...]
    world: World


def replay(trace: Trace) -> Replay:
    """Carry the acts of a run out again.

    Raises:
        ConfigurationError: if the world answers otherwise than in the trace, which was then made
            by another version of the world or of the task.
    """
    world = world_of(task_of(trace.spec.task_set, trace.spec.task))
    return Replay(tuple(replay_in(trace, world)), world)


def replay_in(trace: Trace, world: World) -> Iterator[ReplayedAct]:
    """Carry the acts of a run out again in a world, which can be looked at after each of them.

    Args:
        trace: the run.
        world: the world of its task, as it is at the start.

    Raises:
        ConfigurationError: if the world answers otherwise than in the trace.
    """
    library = library_of(planner_options({'skills': trace.settings['skills']}))
    goal = task_of(trace.spec.task_set, trace.spec.task).goal
    for index, event in enumerate(trace.events):
        if event.kind != 'act':
            continue
        recorded = next(
            (
                e.text
                for e in trace.events[index:]
                if (e.kind, e.path) == ('observation', event.path)
            ),
            None,
        )
        if recorded is None:
            continue  # the run was cut short before the robot began
        act = read_phrase(event.text, library)
        result = world.execute(act.name, act.arguments)
        # The planner may add what it points out.
        if not recorded.startswith(result.observation.text):
            raise ConfigurationError(
                f'the run {trace.spec} cannot be replayed: event {index}, "{event.text}", was '
                f'answered {recorded!r} and is now answered {result.observation.text!r}'
            )
        yield ReplayedAct(
            index,
            event.path,
            act.name,
            act.arguments,
            result.status,
            result.observation.text,
            check(world, goal),
        )


def read_phrase(phrase: str, library: SkillLibrary) -> GroundedSkill:
    """Return the skill that a phrase names.

    Raises:
        ConfigurationError: if the library has no such phrase.
    """
    for skill in library.skills:
        found = _pattern(skill).fullmatch(phrase)
        if found:
            return skill.ground(*found.groups())
    raise ConfigurationError(f'the skill library {library.name} has no skill {phrase!r}')


def _pattern(skill: Skill) -> re.Pattern[str]:
    # A name ends with its number, so that no phrase can be read in two ways.
    return re.compile(_FIELD.sub(r'(.+? \\d+)', re.escape(skill.phrase)))
