# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated world of your own: skills go in, observations come out.

    python own_world.py MODEL
    python own_world.py scripted:answers.yaml      answers written beforehand, no model

A world whose node should be started by ``sim:=NAME`` joins by an entry point of the group
``reactree_ros.worlds`` (``reactree_ros.sim.worlds.WorldNode``).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from reactree_ros import (
    Observation,
    ObservedObject,
    Planner,
    SimulatedWorld,
    SkillResult,
    SkillStatus,
)

GOAL = 'Water the tomatoes'


class Greenhouse(SimulatedWorld):
    """Two dry plants and an empty can."""

    def __init__(self) -> None:
        self.states = {'tomato 1': 'dry', 'cucumber 1': 'dry', 'can 1': 'empty'}

    def execute(self, skill: str, arguments: Sequence[str]) -> SkillResult:
        """Fill the can, or water a plant."""
        (name,) = arguments
        if skill == 'fill':
            self.states[name] = 'full'
        elif self.states['can 1'] == 'empty':
            # REFUSED: nothing was tried, and the model reads why in the text.
            return SkillResult(SkillStatus.REFUSED, self.observe('The can is empty.'))
        else:
            self.states |= {name: 'watered', 'can 1': 'empty'}
        return SkillResult(SkillStatus.SUCCEEDED, self.observe())

    def observe(self, text: str = '') -> Observation:
        """Describe everything: the text is for the model, the objects are for the skills."""
        seen = ', '.join(f'{name} ({state})' for name, state in self.states.items())
        states = [(*name.rsplit(' ', 1), state) for name, state in self.states.items()]
        return Observation(
            text=text or f'You see: {seen}.',
            room='greenhouse 1',
            rooms=('greenhouse 1',),
            objects=tuple(
                ObservedObject(words, int(number), room='greenhouse 1', states=frozenset({state}))
                for words, number, state in states
            ),
        )

    def missing(self, conditions: Sequence[str]) -> Sequence[str] | None:
        """Return which conditions do not hold; here each is the name of a plant to be watered."""
        if not set(conditions) <= set(self.states):
            return None
        return [f'{name} is watered' for name in conditions if self.states[name] != 'watered']


if __name__ == '__main__':
    library = str(Path(__file__).with_name('greenhouse.yaml'))
    with Planner(skills=library, model=sys.argv[1], robot=Greenhouse()) as planner:
        # "done" counts only once the world agrees.
        report = planner.run(GOAL, conditions=['tomato 1'], on_event=print)
    print(f'{report.status}: {report.message}')
