# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the arm's skills work: known plans of the kitchen's tasks, done without a model."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from reactree_ros.core.observation import SkillStatus
from reactree_ros.sim.household import judged
from reactree_ros.sim.physics.task_world import KitchenTaskWorld
from reactree_ros.sim.physics.tasks import KitchenTask
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.phrases import unchecked


@dataclass
class PlanRuns:
    """What became of some runs of one plan.

    Args:
        runs: how many.
        reached: how many reached the goal.
        skills: how many skills were carried out.
        repeated: how many of them because the one before had failed.
        failed: how many did not succeed.
        simulated_sec: of all runs.
        wall_sec: of all runs.
        failures: why runs missed the goal, a line each.
    """

    runs: int = 0
    reached: int = 0
    skills: int = 0
    repeated: int = 0
    failed: int = 0
    simulated_sec: float = 0.0
    wall_sec: float = 0.0
    failures: list[str] = field(default_factory=list)

    def add(self, other: PlanRuns) -> None:
        """Count other runs, too."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def do_plan(task: KitchenTask, seed: int, retries: int = 0) -> PlanRuns:
    """Carry out the known plan of a task.

    Args:
        task: the task.
        seed: of where things stand, and of all motions.
        retries: how often a skill that fails is done again.
    """
    world = KitchenTaskWorld(task, seed)
    made, text = PlanRuns(runs=1), ''
    begin, start = time.perf_counter(), world.simulation.time
    for line in task.plan:
        skill, arguments = read_step(line, world.library)
        for attempt in range(retries + 1):
            made.skills += 1
            made.repeated += attempt > 0
            result = world.execute(skill, arguments)
            made.failed += result.status is not SkillStatus.SUCCEEDED
            if result.status is not SkillStatus.FAILED:
                break
        if result.status is not SkillStatus.SUCCEEDED:
            text = text or result.observation.text
            # a plan may have a failure in it, and what is done about that
            if task.impossible:
                break
    made.wall_sec = time.perf_counter() - begin
    made.simulated_sec = world.simulation.time - start
    if task.impossible:
        # To feel what cannot be done is right; to fail on the way there is not.
        made.reached = int(bool(text) and line == task.plan[-1])
    else:
        found = judged(task, world.judge(), task.answer[0] if task.asks else '')
        made.reached = int(found.holds)
        text = text or '; '.join(found.unsatisfied)
    if not made.reached:
        made.failures.append(f'task {task.id}, seed {seed}: {text}')
    return made


def read_step(line: str, library: SkillLibrary) -> tuple[str, tuple[str, ...]]:
    """Return the skill and the arguments that a step of a plan names.

    >>> read_step('put can into tray', arm_library())
    ('put_into', ('can 1', 'tray 1'))
    """
    found = unchecked(library, line)
    if found is None:
        raise ValueError(f'no skill is called {line!r}')
    return found.name, tuple(f'{argument} 1' for argument in found.arguments)
