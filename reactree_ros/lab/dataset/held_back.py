# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What planners are judged by, and therefore must not be trained on: found in training examples.

A wording counts as that of a test whatever its case, spacing and punctuation. The instruction may
be that of no task that planners are judged by; where it is not known, neither may the goals in the
prompt. No household's test may be worded like any of the goals: of the node, its parent and its
siblings, of what it expands into, what HiAgent and STEP name as subgoals, and those of the
experiences in its prompt.
"""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from reactree_ros.core.decision import THINK_LINE, ControlFlow
from reactree_ros.core.prompt import GOAL_LINE, PARENT_LINE
from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.sim.household.task_sets import (
    DEV_SETS,
    TASK_SETS,
    TEST_SETS,
    TRAINING_SETS,
    task_set,
)
from reactree_ros.sim.made.make import FIELD_TRAIN, TRAIN
from reactree_ros.sim.pddl.drawn.domain import TRAIN as PDDL_TRAIN
from reactree_ros.sim.physics.tasks import ARM_SETS, arm_tasks
from reactree_ros.sim.robots.tasks import ROBOT_SETS, robot_tasks
from reactree_ros.sim.tasks import ALL_SETS

LEARNED = (*TRAINING_SETS, TRAIN, FIELD_TRAIN, PDDL_TRAIN)
"""Task sets that may be learned from; others are for tests, or to choose among models."""
_JUDGED = {
    name for name in ALL_SETS if name not in LEARNED and not {'train', 'shown'} & {*name.split('_')}
}
_SAY_GOALS = (GOAL_LINE, PARENT_LINE, THINK_LINE, 'Subgoal: ')
_NO_WORD = re.compile(r'[\W_]+')
_SIBLINGS = re.compile(rf'Subgoals \((?:{"|".join(flow.value for flow in ControlFlow)}),[^)]*\): ')
_EXPAND = re.compile(rf'Expand: (?:{"|".join(flow.value for flow in ControlFlow)}) (?=\[)')


def normalised(wording: str) -> str:
    """Return a wording without case, punctuation and spacing."""
    composed = unicodedata.normalize('NFKC', wording)
    return ' '.join(_NO_WORD.sub(' ', composed.casefold()).split())


@cache
def wordings_of_tests() -> frozenset[str]:
    """All wordings of all test tasks, normalised."""
    return frozenset(
        normalised(wording)
        for name in TEST_SETS
        for task in task_set(name)
        for wording in (task.instruction, *task.instructions)
    )


@cache
def judged_wordings() -> frozenset[str]:
    """All wordings of all tasks that planners are judged by, normalised.

    Goals that are drawn, and PDDL problems, are left out.
    """
    robots = (task for name in _JUDGED.intersection(ROBOT_SETS) for task in robot_tasks(name))
    arms = (task for name in _JUDGED.intersection(ARM_SETS) for task in arm_tasks(name))
    tasks = itertools.chain(robots, arms, *map(task_set, DEV_SETS))
    return wordings_of_tests() | {
        normalised(wording) for task in tasks for wording in (task.instruction, *task.instructions)
    }


@cache
def scenes_of_tests() -> frozenset[str]:
    """Names of the households in which only test tasks happen."""
    scenes = {name: {task.scene for task in task_set(name)} for name in TASK_SETS}
    trained = {scene for name in TRAINING_SETS for scene in scenes[name]}
    return frozenset(scene for name in TEST_SETS for scene in scenes[name] - trained)


def is_judged_wording(wording: str) -> bool:
    """Return whether a task that planners are judged by is worded like this."""
    return normalised(wording) in judged_wordings()


def is_test_wording(wording: str) -> bool:
    """Return whether a test task is worded like this."""
    return normalised(wording) in wordings_of_tests()


def has_test_wording(text: str) -> bool:
    """Return whether a goal in a trajectory is worded like a test task."""
    return any(is_test_wording(goal) for goal in _goals(text.splitlines()))


def fault_of(example: TrainingExample) -> str:
    """Say why an example must not be trained on; empty if it may be."""
    origin = example.origin
    if origin.task.partition(' ')[0] in _JUDGED:
        return f'planners are judged by the task {origin.task!r}'
    if origin.scene in scenes_of_tests():
        return f'only tests happen in the household {origin.scene!r}'
    # of a remembered run whose root was merged with another's, the instruction is not known
    own = [origin.instruction] if origin.instruction else _goals(example.task.splitlines())
    for wording in own:
        if is_judged_wording(wording):
            return f'a task of tests is worded like its goal, {wording!r}'
    steps = [step.text for step in example.steps if step.decided]
    experiences = [line for text in example.examples for line in text.splitlines()]
    for goal in _goals([*example.task.splitlines(), *steps, *experiences]):
        if is_test_wording(goal):
            return f'a test task is worded like its goal {goal!r}'
    return ''


def _goals(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        siblings, expand = _SIBLINGS.match(line), _EXPAND.match(line)
        for begin in _SAY_GOALS:
            if line.startswith(begin):
                yield line[len(begin) :]
        if siblings:
            yield from line[siblings.end() :].split('; ')
        if expand:
            yield from json.loads(line[expand.end() :])
