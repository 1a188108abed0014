# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Carries out a goal in the workshop of the tutorial: python plan.py MODEL GOAL."""

from __future__ import annotations

import sys

from reactree_ros import Limits, Planner
from reactree_ros.sim.household import World, load_scene

if __name__ == '__main__':
    _, model, goal = sys.argv
    workshop = World(load_scene('workshop.json'), 'hall 1')
    with Planner(skills='workshop.yaml', model=model, robot=workshop) as planner:
        report = planner.run(goal, limits=Limits(max_decisions=30), on_event=print)
    print(report.tree)
    print(f'{report.status}: {report.message}')
