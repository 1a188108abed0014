# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks as an evaluation names them, and the worlds in which they start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household import GoalCheck, Task
from reactree_ros.sim.household.task_sets import TASK_SETS, task_set
from reactree_ros.sim.household.task_world import TaskWorld
from reactree_ros.sim.household.wah_file import is_wah_file, load_wah
from reactree_ros.sim.made.tasks import MADE_SETS, MadeTask, how_many, made_task
from reactree_ros.sim.pddl.drawn.domain import DRAWN_SETS
from reactree_ros.sim.pddl.drawn.tasks import DrawnTask, drawn_task
from reactree_ros.sim.pddl.shipped import PDDL_SETS, shipped_goals, shipped_library
from reactree_ros.sim.pddl.world import PddlWorld
from reactree_ros.sim.physics.tasks import ARM_SETS, KitchenTask, arm_tasks, needs_physics
from reactree_ros.sim.robots.tasks import ROBOT_SETS, RobotTask, robot_tasks
from reactree_ros.sim.textcraft.tasks import TEXTCRAFT_SETS, CraftTask, craft_tasks
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

ALL_SETS = (
    *(*TASK_SETS, *PDDL_SETS, *TEXTCRAFT_SETS, *ARM_SETS, *ROBOT_SETS, *MADE_SETS, *DRAWN_SETS),
)
"""Names of all task sets: of the household, of PDDL domains, of crafting, of the arm, of other
robots, of made-up ones, of PDDL domains drawn at random."""

ON_DEMAND = (*MADE_SETS, *DRAWN_SETS)
"""Sets of thousands of tasks, each drawn when it is asked for."""


def size_of(name: str) -> int:
    """Return how many tasks one of the sets ``ON_DEMAND`` has."""
    return how_many(name) if name in MADE_SETS else DRAWN_SETS[name]


def select_tasks(text: str, types: Sequence[str] = ()) -> tuple[tuple[str, Task], ...]:
    """Return tasks of a set, each with the name of the set.

    Args:
        text: name of a task set, or a file of Watch-And-Help (``*.json``); with ``:N``, only the
            first so many; with ``:A-B``, only those from the Ath to the Bth.
        types: only these task types; empty for all.

    Raises:
        ConfigurationError: if there is no such set, or it has fewer tasks of these types.
    """
    name, colon, part = text.partition(':')
    if name in ON_DEMAND and colon and not types:  # drawn one by one: no more than are wanted
        first, last = _bounds(text, part, size_of(name))
        return tuple((name, task_of(name, n)) for n in range(first, last + 1))
    tasks = _tasks(name)
    known = sorted({task.type for task in tasks})
    wrong = [kind for kind in types if kind not in known]
    if wrong:
        raise ConfigurationError(
            f'the task set {name} has no tasks of type {", ".join(wrong)}, only {", ".join(known)}'
        )
    tasks = tuple(task for task in tasks if not types or task.type in types)
    if not colon:
        return tuple((name, task) for task in tasks)
    first, last = _bounds(text, part, len(tasks))
    return tuple((name, task) for task in tasks[first - 1 : last])


def task_of(name: str, number: int) -> Task:
    """Return a task by its set and its number there.

    Raises:
        ConfigurationError: if there is no such task.
    """
    if name in MADE_SETS:
        return made_task(name, number)
    if name in DRAWN_SETS:
        return drawn_task(name, number)
    tasks = {task.id: task for task in _tasks(name)}
    if number not in tasks:
        raise ConfigurationError(
            f'the task set {name} has no task {number}: it has {len(tasks)}, from {min(tasks)} to '
            f'{max(tasks)}'
        )
    return tasks[number]


@cache
def _tasks(name: str) -> tuple[Task, ...]:
    if is_wah_file(name):
        return load_wah(name)
    if name not in ALL_SETS:
        known = ', '.join(ALL_SETS)
        raise ConfigurationError(
            f'there is no task set {name!r}, only {known}, and files of Watch-And-Help (*.json)'
        )
    if name in ARM_SETS:
        return arm_tasks(name)
    if name in ROBOT_SETS:
        return robot_tasks(name)
    if name in TEXTCRAFT_SETS:
        return craft_tasks(name)
    if name in ON_DEMAND:
        return tuple(task_of(name, n) for n in range(1, size_of(name) + 1))
    if name in TASK_SETS:
        return task_set(name)
    return tuple(
        Task(number, name, f'p{number:02}', '', goal)
        for number, goal in enumerate(shipped_goals()[name], start=1)
    )


def _bounds(text: str, part: str, count: int) -> tuple[int, int]:
    """Return the first and the last of the part that a text asks for, such as 20 or 11-20."""
    first, dash, last = part.partition('-')
    if not dash:
        first, last = '1', part
    decimal = first.isdecimal() and last.isdecimal()
    if not decimal or not 1 <= int(first) <= int(last) <= count:
        raise ConfigurationError(
            f'tasks {text!r}: after the colon stands how many, from 1 to {count}, or from which to '
            'which, as in 11-20'
        )
    return int(first), int(last)


@dataclass(frozen=True)
class Surroundings:
    """What is around one run, new for each.

    Args:
        executor: the robot in it.
        check: returns which conditions of the task's goal are met now.
        library: the skills there; None for those that the planner's options name.
    """

    executor: SkillExecutor
    check: Callable[[], GoalCheck]
    library: SkillLibrary | None = None


def surroundings_of(task: Task, seed: int = 0) -> Surroundings:
    """Return the surroundings in which a task starts.

    Args:
        task: the task.
        seed: of what is drawn in a physical world.

    Raises:
        ConfigurationError: the world is physical, and its simulator is not installed; or the robot
            is reached through ROS only.
    """
    if isinstance(task, MadeTask):
        made = task.world()
        return Surroundings(WorldExecutor(made), made.judge, task.made.library)
    if isinstance(task, RobotTask):
        raise ConfigurationError(f'the robot of {task.scene!r} has ROS servers only: add --ros')
    if isinstance(task, CraftTask):
        crafting = task.world()
        return Surroundings(WorldExecutor(crafting), crafting.check, task.library())
    if isinstance(task, DrawnTask):
        drawn = task.library()
        facts = PddlWorld(drawn.problem)
        return Surroundings(WorldExecutor(facts), facts.check, drawn)
    if task.type in PDDL_SETS:
        library = shipped_library(task.type, task.id)
        pddl = PddlWorld(library.problem)
        return Surroundings(WorldExecutor(pddl), pddl.check, library)
    if isinstance(task, KitchenTask):
        try:
            from reactree_ros.sim.physics.task_world import KitchenTaskWorld
        except ImportError as error:
            raise ConfigurationError(needs_physics(error)) from error
        kitchen = KitchenTaskWorld(task, seed)
        return Surroundings(WorldExecutor(kitchen), kitchen.judge, kitchen.library)
    world = TaskWorld(task)
    return Surroundings(WorldExecutor(world), world.check)
