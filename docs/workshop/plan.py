# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Carries out a goal in the workshop of the tutorial: python plan.py MODEL GOAL."""

from __future__ import annotations

import sys
import time

from reactree_ros.behaviours.assembly import assemble
from reactree_ros.behaviours.options import planner_options
from reactree_ros.core.budget import Limits
from reactree_ros.evaluation.local import WorldExecutor, run_goal
from reactree_ros.models.start import start_model
from reactree_ros.world import World, load_scene

if __name__ == '__main__':
    _, model_name, goal = sys.argv
    options = planner_options(
        {'skills': 'workshop.yaml', 'model': model_name, 'example_tokens': 0, 'memory': ''}
    )
    robot = WorldExecutor(World(load_scene('workshop.json'), 'hall 1'))
    model = start_model(options.model_options)
    try:
        while not model.poll_ready():
            time.sleep(0.1)
        limits = Limits(max_decisions=30)
        report = run_goal(
            goal,
            assemble(options, model, robot),
            limits,
            lambda event: print(f'{event.kind}: {event.text}'),
        )
    finally:
        model.close()
    print(report.tree)
    print(f'{report.status}: {report.message}')
