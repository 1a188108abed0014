# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The solver's plans as experiences of planners that plan as a whole (paper, Appendix C)."""

from __future__ import annotations

from collections.abc import Iterable

from reactree_ros.core.decision import DONE
from reactree_ros.core.names import parse_name
from reactree_ros.core.prompt import GOAL_LINE
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.held_back import is_test_wording
from reactree_ros.lab.solver.fulfil import Plan, fulfil
from reactree_ros.memory.experience import SEPARATOR
from reactree_ros.sim.household import Scene, Task
from reactree_ros.sim.household.task_sets import task_set
from reactree_ros.sim.household.task_world import TaskWorld, scene_of
from reactree_ros.skills.library import SkillLibrary

SHIPPED_SET = 'wah_train'
"""The task set of the shipped plans."""

SHIPPED_PLANS = 183
"""How many plans are shipped: as many as the paper's baselines learn from."""


def shipped_plans(library: SkillLibrary) -> str:
    """Return the plans of the first training tasks that suit the robot.

    Their wording is unambiguous and none of a test task, and they need no more hands than the
    robot has.

    Raises:
        WorldError: the solver finds no plan for one of them.
    """
    tasks = [
        task
        for task in task_set(SHIPPED_SET)
        if not task.ambiguous
        and scene_of(task).hands <= library.hands
        and not is_test_wording(task.wording(task.id))
    ]
    return plans(tasks[:SHIPPED_PLANS], library)


def plans(tasks: Iterable[Task], library: SkillLibrary) -> str:
    """Solve tasks and return their plans, in the form that ``read_experiences`` reads.

    Args:
        tasks: the tasks; their wordings are used in turn.
        library: the robot's skills, for their phrases.

    Raises:
        WorldError: the solver finds no plan for one of them.
    """
    texts = []
    for task in tasks:
        world = TaskWorld(task)
        plan = fulfil(world, world.conditions)
        texts.append(plan_text(task.wording(task.id), plan, library, world.scene))
    head = '# Made by "reactree-lab experiences plans" from solved training tasks.\n'
    return head + f'{SEPARATOR}\n'.join(texts)


def plan_text(goal: str, plan: Plan, library: SkillLibrary, scene: Scene) -> str:
    """Return a plan as an experience: the goal, a phrase a line, and ``done``.

    Rooms and furniture keep their numbers, movable things lose them: which apple is taken is
    decided where the robot stands (paper, Appendix C).

    Raises:
        ConfigurationError: the library does not have a skill of the plan.
    """
    skills = {skill.name: skill for skill in library.skills}
    lines = [f'{GOAL_LINE}{goal}']
    for name, arguments in plan:
        if name not in skills:
            known = ', '.join(skills)
            raise ConfigurationError(f'{library.name}: no skill {name!r}, only {known}')
        lines.append(skills[name].ground(*(_without_number(a, scene) for a in arguments)).phrase)
    return '\n'.join([*lines, DONE]) + '\n'


def _without_number(name: str, scene: Scene) -> str:
    key = parse_name(name)
    if key is None or key not in scene.by_name:
        return name
    node = scene.nodes[scene.by_name[key]]
    return name if node.id in scene.rooms or 'furniture' in node.affordances else node.words
