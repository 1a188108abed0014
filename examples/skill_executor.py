# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot of your own in Python: skills that take time, can be canceled and can fail.

python skill_executor.py MODEL
python skill_executor.py scripted:answers.yaml      answers written beforehand, no model
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from reactree_ros import (
    GroundedSkill,
    Observation,
    ObservedObject,
    Planner,
    Situation,
    SkillExecutor,
    SkillResult,
    SkillRun,
    SkillStatus,
)
from reactree_ros.core.futures import Future, ready
from reactree_ros.skills.conditions import Question

GOAL = 'Look out of the window'
PLACES = ('dock 1', 'window 1')
DRIVE_SEC = 0.2


class Rover(SkillExecutor):
    """Drives between two places. No method may wait: the tree is ticked on the same thread."""

    def __init__(self) -> None:
        self.place = 'dock 1'

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start driving; the planner polls what this returns."""
        return Drive(self, skill.arguments[0])

    def observe(self) -> Future[Observation]:
        """Describe what the rover perceives, as text for the model and as structure."""
        return ready(self.look())

    def survey(self) -> Future[Observation]:
        """Return what is known of all rooms: here no more than what is perceived."""
        return self.observe()

    def check(self, question: Question) -> Future[str]:
        """Answer a condition of the library; an empty text says that it holds."""
        return ready(f'the rover cannot check {question.text}')

    def look(self) -> Observation:
        """Return what the rover perceives now."""
        furniture = frozenset({'furniture'})
        places = [name.rpartition(' ') for name in PLACES]
        return Observation(
            text=f'You are at {self.place}. You see {" and ".join(PLACES)}.',
            room='office 1',
            place=self.place,
            rooms=('office 1',),
            objects=tuple(
                ObservedObject(words, int(number), room='office 1', affordances=furniture)
                for words, _, number in places
            ),
        )


class Drive(SkillRun):
    """One drive; a real robot would ask its driver in ``poll``."""

    def __init__(self, rover: Rover, target: str) -> None:
        self._rover = rover
        self._target = target
        self._arrives = time.monotonic() + DRIVE_SEC
        self._result: SkillResult | None = None

    @property
    def doing(self) -> str:
        """What is shown in the tree while the skill runs."""
        return f'driving to {self._target}'

    @property
    def settled(self) -> bool:
        """Whether the robot has come to rest."""
        return self._result is not None

    def poll(self) -> SkillResult | None:
        """Return None while the rover drives, then the result."""
        if self._result is None and time.monotonic() >= self._arrives:
            self._rover.place = self._target
            self._result = SkillResult(SkillStatus.SUCCEEDED, self._rover.look())
        return self._result

    def cancel(self) -> None:
        """Stop."""
        if self._result is None:
            self._result = SkillResult(SkillStatus.CANCELED, self._rover.look())


if __name__ == '__main__':
    library = str(Path(__file__).with_name('rover.yaml'))
    with Planner(skills=library, model=sys.argv[1], robot=Rover()) as planner:
        report = planner.run(GOAL, on_event=print)
    print(f'{report.status}: {report.message}')
