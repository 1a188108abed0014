# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Putting down what the robot holds, before another goal starts."""

from __future__ import annotations

from collections.abc import Callable

import py_trees
from py_trees.common import Status

from reactree_ros.behaviours.robots import Robot
from reactree_ros.core.observation import SkillStatus
from reactree_ros.skills.executor import SkillRun
from reactree_ros.skills.library import GroundedSkill, SkillLibrary

MOST_SKILLS = 12


class TidyUp(py_trees.behaviour.Behaviour):
    """Empties the robot's hands, with the skills that the library names for that.

    =======  ===================================================================
    RUNNING  the robot executes a skill
    SUCCESS  it holds nothing
    FAILURE  it cannot put down what it holds; ``feedback_message`` says why
    =======  ===================================================================

    Args:
        library: the robot's skills.
        robot: the robot.
        publish: called with the kind and the text of every event: skills and observations.
    """

    def __init__(
        self, library: SkillLibrary, robot: Robot, publish: Callable[[str, str], None]
    ) -> None:
        super().__init__(name='tidy up')
        self._library = library
        self._robot = robot
        self._publish = publish
        self.run: SkillRun | None = None
        self._tried: set[str] = set()
        self._count = 0

    def update(self) -> Status:
        """Continue without waiting."""
        if self.run is not None:
            result = self.run.poll()
            if result is None:
                return Status.RUNNING
            self.run = None
            self._robot.update(result.observation)
            self._publish('observation', result.observation.text)
            if result.status is not SkillStatus.SUCCEEDED:
                self.feedback_message = result.observation.text
                return Status.FAILURE
        held = self._robot.memory.situation().held
        if not held:
            return Status.SUCCESS
        skill = self._next() if self._count < MOST_SKILLS else None
        if skill is None:
            self.feedback_message = f'no place was found to put down {held[0].name}'
            return Status.FAILURE
        self._count += 1
        self._publish('act', skill.phrase)
        self.run = self._robot.executor.start(skill, self._robot.memory.situation())
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        """Cancel the running skill."""
        if new_status == Status.INVALID and self.run is not None:
            self.run.cancel()

    def _next(self) -> GroundedSkill | None:
        """Return the skill that puts something down here, else one that leads to where it can."""
        wanted = self._library.tidy_up
        assert wanted is not None
        memory = self._robot.memory
        situation = memory.situation()
        executable = self._library.executable(situation, memory.rooms)
        held = {item.name for item in situation.held}
        for skill in executable:
            if skill.name == wanted.do and held & {*skill.arguments}:
                return skill
        at = wanted.at
        if at is None or not wanted.by:
            return None
        fit = [
            item.name
            for item in sorted(
                situation.objects.values(), key=lambda item: item.room != situation.room
            )
            if at.accepts(item, situation) and item.name not in self._tried
        ]
        for place in fit:
            for skill in executable:
                if skill.name == wanted.by and skill.arguments == (place,):
                    self._tried.add(place)
                    return skill
        return None
