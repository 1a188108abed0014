# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks of the simulated robots, and the names of their sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.household.task import Task, tasks_of

ROBOTS = ('office', 'warehouse', 'rover')
"""The robots; each has a set of tasks of the same name, to be judged by and never learned from."""
SHOWN = '_shown'
"""How the name of a robot's other set ends: tasks whose solutions may be shown to a planner."""
BT_VARIANTS = ('', '_partial', '_failing')
"""How the names of sets of the same tasks end, which a tree written in advance can solve at first.

All that has to be known stands in the instruction; something has to be found out; something fails.
"""
BT_TYPES = ('easy', 'medium', 'hard')
"""The types of these tasks."""


def bt_sets(robot: str) -> tuple[str, ...]:
    """Return the names of the sets of a robot to be compared with trees written in advance by."""
    return tuple(f'bt_{robot}{end}' for end in BT_VARIANTS)


BT_ROBOTS = ('office', 'rover')
"""The robots that have such sets, besides the arm."""
ROBOT_SETS = (
    *ROBOTS,
    *(f'{name}{SHOWN}' for name in ROBOTS),
    *(name for robot in BT_ROBOTS for name in (*bt_sets(robot), f'bt_{robot}{SHOWN}')),
)
"""Names of all sets of tasks of the simulated robots."""
ROBOT_TYPES = (
    *('go', 'deliver', 'do', 'several', 'order', 'negation', 'until', 'if', 'patrol', 'question'),
    'impossible',
)
"""The types of tasks."""


@dataclass(frozen=True)
class RobotTask(Task):
    """A task of a simulated robot.

    Args:
        scene: the robot, one of ROBOTS.
        guards: conditions that must hold as well, though nobody asks for them: that nothing was
            done which should not be, or that a question was answered from what was seen.
        plan: phrases of the skills of a known solution; for what is impossible, of an attempt
            whose last step fails.
        subgoals: the same plan as a sequence of subgoals in plain words, each with its phrases;
            empty if the plan is not divided.
        says: what a person who shows it says in the end: the answer, or why it is impossible.
        setting: what is otherwise than usual; see the robot.
    """

    guards: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    subgoals: tuple[tuple[str, tuple[str, ...]], ...] = ()
    says: str = ''
    setting: Mapping[str, Any] = field(default_factory=dict, hash=False)


def robot_of(name: str) -> str:
    """Return the robot of a set, one of ROBOT_SETS; empty if it is none."""
    return next((robot for robot in ROBOTS if robot in name.split('_')), '')


@cache
def robot_tasks(name: str) -> tuple[RobotTask, ...]:
    """Return the tasks of a set, one of ROBOT_SETS."""
    return read_tasks(file_of(name), name)


def file_of(name: str) -> str:
    """Return the YAML of a set of tasks of a robot."""
    for end in filter(None, BT_VARIANTS):
        name = name.removesuffix(end)
    return share('resource', 'tasks', 'robots', f'{name}.yaml').read_text(encoding='utf-8')


def read_tasks(text: str, name: str) -> tuple[RobotTask, ...]:
    """Return the tasks of a file; see ``read_entries``."""
    return tasks_of(read_entries(text, name, robot_of(name)), RobotTask)


def read_entries(text: str, name: str, scene: str, start: str = '') -> list[dict[str, Any]]:
    """Return the tasks of a file as plain data.

    Args:
        text: YAML.
        name: of the set.
        scene: of all tasks.
        start: room in which all begin.

    Raises:
        ConfigurationError: a plan has acts beside subgoals.
    """
    entries: list[dict[str, Any]] = []
    variants = [end.strip('_') for end in BT_VARIANTS if end]
    for entry in yaml.safe_load(text)['tasks']:
        changes = {variant: entry.pop(variant, {}) for variant in variants}
        entry |= changes.get(name.rpartition('_')[2], {})
        language = entry.pop('language', '')
        worded = {'instructions': [entry['instruction']], 'languages': [language]}
        steps = [*_flat(entry.pop('plan', []))]
        subgoals = [
            [words, [*_flat(acts)]]
            for one in steps
            if isinstance(one, dict)
            for words, acts in one.items()
        ]
        acts = [one for one in steps if not isinstance(one, dict)]
        if acts and subgoals:
            raise ConfigurationError(
                f'the plan of task {entry["id"]} of {name} has acts ({acts[0]}) beside subgoals '
                f'({subgoals[0][0]}): put each act under a subgoal, or none'
            )
        plan = acts or [act for _, part in subgoals for act in part]
        entry |= {'plan': plan, 'subgoals': subgoals}
        entry |= {'steps': 0 if entry.get('impossible') else len(plan)}
        entry |= {'scene': scene, 'start': start}
        entries.append(entry | worded if language else entry)
    return entries


def _flat(plan: list[Any]) -> Iterator[Any]:
    """Yield the items of a plan, parts of which may be lists of their own."""
    for one in plan:
        if isinstance(one, list):
            yield from _flat(one)
        else:
            yield one
