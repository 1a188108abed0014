# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Carries out a goal in a simulated kitchen, in this process and without ROS 2.

python in_process.py                            the default language model
python in_process.py scripted:answers.yaml      answers written beforehand, no model
"""

from __future__ import annotations

import sys

from reactree_ros import Limits, Planner
from reactree_ros.sim.household import World, shipped_scene

GOAL = 'Put the apple in the fridge'

if __name__ == '__main__':
    model = sys.argv[1] if len(sys.argv) > 1 else 'gemma-3-270m-household'
    world = World(shipped_scene('apartment_1'), 'kitchen 1')
    # Entering the planner loads the model; leaving it ends the model's process.
    with Planner(skills='household', model=model, robot=world) as planner:
        report = planner.run(GOAL, limits=Limits(max_decisions=30), on_event=print)
    print(report.tree)
    print(f'{report.status} after {report.costs.decisions} decisions: {report.message}')
