# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plays skills of a robot's library in this process: without ROS, in plain data."""

from __future__ import annotations

from typing import Any

from reactree_ros.core.observation import Observation
from reactree_ros.core.situation import Situation
from reactree_ros.sim.household.truth import situation_of
from reactree_ros.sim.robots.robot import EXECUTE_SKILL, Server
from reactree_ros.sim.robots.tasks import RobotTask
from reactree_ros.sim.robots.world import RobotWorld
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.skills.pose import Pose
from reactree_ros.skills.references import filled


class Player:
    """Does what a planner would have sent, and reads the replies as the library says.

    Args:
        robot: name of the robot.
        task: that it is in; None for none.
    """

    def __init__(self, robot: str, task: RobotTask | None = None) -> None:
        self.world = RobotWorld(robot, task)
        self._model = self.world.library.world_model()
        model = self._model
        self.seen: Observation = self.world.observe() if model is None else model.observe()
        self.said = ''

    @property
    def situation(self) -> Situation:
        """What the robot knows."""
        return situation_of(self.seen, self.world.library)

    @property
    def offered(self) -> dict[str, GroundedSkill]:
        """What can be done, by its phrase."""
        return {one.phrase: one for one in self.world.library.executable(self.situation)}

    def do(self, phrase: str) -> bool:
        """Do a skill that is possible, and return whether it succeeded."""
        assert phrase in self.offered, f'{phrase!r} is not in {[*self.offered]}'
        skill = self.offered[phrase]
        return self.send(skill)

    def send(self, skill: GroundedSkill) -> bool:
        """Do a skill, and return whether it succeeded."""
        call, library = skill.call, self.world.library
        request: Any = {'skill': skill.name, 'arguments': list(skill.arguments)}
        if call.type != EXECUTE_SKILL:
            look = Surroundings(skill.named, library.poses, self.situation)
            request = _plain(filled(call.fields, look))
        attempt = self.world.attempt(Server(call.name, call.type), request)
        self.world.settle(attempt)
        fields = attempt.reply.fields
        self.said = str(
            fields.get('message') or fields.get('error_msg') or fields.get('observation') or ''
        )
        done = attempt.reply.succeeded and all(
            _at(fields, path) in values for path, values in call.success_if.items()
        )
        if self._model is None:
            self.seen = self.world.observe()
        elif done:
            self.seen = self._model.after(skill, self.said)
        return done


def _at(fields: Any, path: tuple[str, ...]) -> Any:
    for word in path:
        fields = fields[word]
    return fields


def _plain(value: Any) -> Any:
    if isinstance(value, Pose):
        position = dict(zip('xyz', value.position, strict=True))
        return {'header': {'frame_id': value.frame}, 'pose': {'position': position}}
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return value
