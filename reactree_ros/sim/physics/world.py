# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A physical world with a robot: skills go in, observations in the household's words come out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from reactree_ros.core.observation import Observation
from reactree_ros.core.situation import Situation
from reactree_ros.paths import share
from reactree_ros.sim.household.goal import GoalCheck
from reactree_ros.sim.household.truth import check_conditions, situation_of
from reactree_ros.sim.physics.description import Description
from reactree_ros.sim.physics.geometry import Pose
from reactree_ros.sim.physics.manipulation.arm_world import ArmWorld, place_seen, thing_seen
from reactree_ros.sim.physics.relations import relations
from reactree_ros.sim.physics.simulation import SimulatedRobot, Simulation
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import read_library

_SETTLE_SEC = 0.2
"""What is judged has so long to come to rest."""


@cache
def arm_library(name: str = 'kitchen_arm') -> SkillLibrary:
    """The skills of the robot, whose predicates the world judges by; one of ``behaviors/``."""
    return read_library(share('behaviors', f'{name}.yaml'))


class PhysicsWorld(ArmWorld):
    """A physics simulation, which moves only while a skill runs.

    What is judged waits for the end of a skill.

    Args:
        description: what stands where.
        error: standard deviation of the positions that the camera reports (m).
        seed: of these errors and of all motions.
        before: called before every step, for disturbances.
        robot: the robot and the physics around it; None makes them.

    Attributes:
        library: the skills and the words of the world.

    Raises:
        ConfigurationError: there is no such library.
    """

    def __init__(
        self,
        description: Description,
        error: float = 0.0,
        seed: int = 0,
        before: Callable[[Simulation], None] | None = None,
        robot: SimulatedRobot | None = None,
    ) -> None:
        self.simulation = robot or SimulatedRobot(description, error, seed, before)
        super().__init__(self.simulation, description, seed)
        self.library = arm_library(description.skills)
        everything = self.everything()
        self._start = self._facts(everything)
        self._first = situation_of(everything, self.library)

    # The truth, which no robot sees.

    def everything(self) -> Observation:
        """Return where everything is, by the state of the physics."""
        simulation = self.simulation
        poses = simulation.poses()
        openings = simulation.openings()
        places = self._skills.belief.places
        held = simulation.in_hand()
        lying = relations(
            {name: pose for name, pose in poses.items() if name != held},
            openings,
            self._description.things,
            places,
        )
        things = []
        for name, pose in poses.items():
            thing = thing_seen(
                self._description.things[name],
                self._room_of(pose),
                *lying.get(name, ('', '')),
                name == held,
            )
            things.append(replace(thing, held=name == held))
        furniture = [place_seen(place, openings, '') for place in places.values()]
        return Observation(
            '',
            self._room(),
            self._skills.place,
            tuple(self._description.rooms),
            (*furniture, *things),
        )

    def _room_of(self, pose: Pose) -> str:
        return self._description.room_at(float(pose.position[0]), float(pose.position[1]))

    def true_situation(self, settled: bool = True) -> Situation:
        """Return what a robot would know that has seen everything.

        Args:
            settled: once all has come to rest; else as it is now, and no time passes.
        """
        with self._moving:
            if settled:
                self.simulation.advance(_SETTLE_SEC)
            return situation_of(self.everything(), self.library)

    def check(self, lines: Sequence[str]) -> GoalCheck | None:
        """Check conditions against the state of the physics.

        Args:
            lines: in the language of conditions.

        Returns:
            None if there are none, or they cannot be read.
        """
        return check_conditions(lines, self._first, self.true_situation(), self.library)

    def missing(self, conditions: Sequence[str]) -> Sequence[str] | None:
        """Return which conditions do not hold; None if they cannot be read."""
        found = self.check(conditions)
        return None if found is None else found.unsatisfied

    def changes(self) -> list[str]:
        """Say what differs from the start, such as ``drawer 1: closed -> open``."""
        with self._moving:
            now = self._facts(self.everything())
        return [
            f'{name}: {self._start[name]} -> {fact}'
            for name, fact in now.items()
            if fact != self._start[name]
        ]

    @staticmethod
    def _facts(truth: Observation) -> dict[str, str]:
        facts = {}
        for one in truth.objects:
            if 'furniture' in one.affordances:
                facts[one.name] = ', '.join(sorted(one.states))
            elif one.held:
                facts[one.name] = "in the robot's hand"
            else:
                facts[one.name] = f'{one.relation} {one.receptacle}'.strip() or 'on no furniture'
        return facts
