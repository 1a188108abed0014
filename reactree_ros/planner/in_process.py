# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a goal in this process, without ROS: the same tree, the robot called directly."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.outcome import RunReport
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.planner.run import GoalRun

IDLE_SEC = 0.002


def run_goal(
    goal: str,
    services: RunServices,
    limits: Limits,
    listen: Callable[[Event], None] = lambda event: None,
    *,
    conditions: tuple[str, ...] = (),
    memories: Mapping[str, WorkingMemory] | None = None,
    canceled: Callable[[], bool] = lambda: False,
) -> RunReport:
    """Run a goal to its end.

    Args:
        goal: what a person wants.
        services: what the planner works with; its executor is a robot or a world.
        limits: limits of the run.
        listen: called with every event.
        conditions: what must hold before the goal counts as reached.
        memories: working memory of the goals before, see ``GoalRun``.
        canceled: asked between ticks; the goal is canceled when it says yes.
    """
    run = GoalRun(goal, services, limits, listen, memories=memories, conditions=conditions)
    try:
        while not run.finished:
            if canceled():
                run.cancel()
            before = run.root.feedback_message
            run.tick()
            if run.root.feedback_message == before:
                time.sleep(IDLE_SEC)  # the model works in another process
        return run.report()
    except BaseException:
        run.cancel()  # nobody listens any more: the robot must not continue
        raise
    finally:
        run.close()
