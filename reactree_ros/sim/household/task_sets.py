# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The sets of tasks that planners are taught and judged by."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.household.shipped import SUFFIX, read_archive, shipped_tasks
from reactree_ros.sim.household.task import Task, tasks_of

SAID = 'said_train'
"""Name of the set that says goals of other training sets in words of their own."""

BY_HAND = ('household', 'everyday', 'handwritten', 'handmade')
"""Names of the sets that were made by hand."""

TASK_SETS: tuple[str, ...] = (
    'household',
    'wah_train',
    'wah_test',
    'alfred_train',
    'alfred_test',
    'goals_train',
    SAID,
    'goals_dev',
    'long_train',
    'long_test',
    *BY_HAND[1:],
)
"""Names of the shipped sets: the generated families, and those made by hand."""

TEST_SETS: tuple[str, ...] = ('wah_test', 'alfred_test', 'long_test', *BY_HAND[1:])
"""Those that planners are judged by, and therefore must not learn from."""

DEV_SETS: tuple[str, ...] = ('goals_dev',)
"""Those to choose among planners by."""

TRAINING_SETS: tuple[str, ...] = tuple(
    name for name in TASK_SETS if name not in (*TEST_SETS, *DEV_SETS)
)
"""Those that planners may learn from."""


@cache
def task_set(name: str) -> tuple[Task, ...]:
    """The tasks of a set in their order, of which any first part is balanced over the types.

    Raises:
        ConfigurationError: there is no such set; the message lists those there are.
    """
    if name not in TASK_SETS:
        raise ConfigurationError(f'there is no task set {name!r}, only {", ".join(TASK_SETS)}')
    if name in BY_HAND:
        return shipped_tasks(name)
    if name == SAID:
        return _said()
    return tasks_of(read_archive(share('resource', 'tasks', f'{name}{SUFFIX}')), Task)


def _said() -> tuple[Task, ...]:
    path = share('resource', 'tasks', f'{SAID}.yaml')
    # The loader in Python takes a third of a second.
    loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
    tasks = []
    for number, entry in enumerate(yaml.load(path.read_text(encoding='utf-8'), loader)['tasks'], 1):
        name, _, of = entry['of'].partition(' ')
        same = task_set(name)[int(of) - 1]
        text, languages = entry['text'], (entry['language'],)
        tasks.append(
            replace(same, id=number, instruction=text, instructions=(text,), languages=languages)
        )
    return tuple(tasks)
