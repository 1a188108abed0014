# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A planning strategy of your own: the model has to think before everything that it does.

    pip install .
    python custom_strategy.py MODEL

Installing registers the strategy as ``careful`` (pyproject.toml), for the planner node, too.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from reactree_ros import AgentNode, Choices, Planner, Strategy
from reactree_ros.sim.household import World, shipped_scene

GOAL = 'Go to the fridge'


class CarefulNode(AgentNode):
    """An agent node that decides like ReAcTree's, but never twice without a thought."""

    def allowed_choices(self, choices: Choices) -> Choices:
        """Allow a thought only, or everything but a thought."""
        steps = [step.text for step in self.trajectory.steps if step.decided]
        if steps and steps[-1].startswith('Think: '):
            return replace(choices, think=False)
        return replace(
            choices,
            think=True,
            skills=(),
            recall=(),
            control_flows=(),
            ask=False,
            endings=(),
        )


CAREFUL = Strategy(CarefulNode, prompt='reactree', experiences='reactree', expands=True)

if __name__ == '__main__':
    world = World(shipped_scene('apartment_1'), 'kitchen 1')
    with Planner(skills='household', model=sys.argv[1], robot=world, strategy='careful') as planner:
        report = planner.run(GOAL, on_event=print)
    print(f'{report.status}: {report.message}')
