# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The world of a made-up robot, in this process, and whether a goal holds in it."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.sim.household.goal import GoalCheck
from reactree_ros.sim.household.truth import (
    check_conditions,
    checked,
    read_conditions,
    situation_of,
)
from reactree_ros.sim.made.belief import Belief
from reactree_ros.sim.made.robot import MadeRobot
from reactree_ros.sim.made.seeing import View, describe, describe_change
from reactree_ros.skills.goal_conditions import ConditionTracker
from reactree_ros.skills.simulated import SimulatedWorld


class MadeWorld(SimulatedWorld):
    """A made-up robot in its surroundings (``SimulatedWorld``).

    Args:
        robot: the robot.
        seed: of its start; see ``MadeRobot.start``.
        conditions: of the goal by which it is judged, if any.

    Raises:
        ConditionError: the conditions are not in the robot's language.
    """

    def __init__(self, robot: MadeRobot, seed: int, conditions: Sequence[str] = ()) -> None:
        self.robot = robot
        self.state = robot.start(seed)
        self.belief = Belief(robot)
        """What the robot has seen so far."""
        self.belief.update(View(robot, self.state))
        self.conditions = read_conditions(
            '; '.join(conditions) or 'none', self._situation(), robot.library
        )
        """Of the goal, questions too."""
        self._start = self._situation()
        judged = [one for one in self.conditions if not one.asks]
        self._goal = ConditionTracker(judged, robot.library, complete=True)
        self._goal.update(self._start)

    def execute(self, skill: str, arguments: Sequence[str]) -> SkillResult:
        """Carry out one skill, or refuse it."""
        done = self.robot.attempt(skill, arguments, self.state)
        if isinstance(done, str):
            return SkillResult(SkillStatus.REFUSED, Observation(self.robot.refusal(done)))
        before = View(self.robot, self.state)
        self.state = done.after(self.state)
        after = View(self.robot, self.state)
        self.belief.act(done)
        self.belief.update(after)
        self._goal.update(self._situation())
        text = describe_change(before, after, self.robot.say.seen['done'])
        return SkillResult(SkillStatus.SUCCEEDED, after.observation(text))

    def observe(self) -> Observation:
        """Return what the robot perceives now."""
        view = View(self.robot, self.state)
        return view.observation(describe(view))

    def survey(self) -> Observation:
        """Return the same: there is nothing else that it could know."""
        return self.observe()

    def truth(self) -> Observation:
        """Return everything that there is."""
        return View(self.robot, self.state).everything()

    def judge(self) -> GoalCheck:
        """Return which conditions of the goal hold, in their order; no questions."""
        return checked(self._goal, self._situation())

    def check(self, lines: Sequence[str] = ()) -> GoalCheck | None:
        """Return whether conditions hold now, or those of the goal if there are none."""
        if not lines:
            return self.judge()
        return check_conditions(lines, self._start, self._situation(), self.robot.library)

    def missing(self, conditions: Sequence[str]) -> Sequence[str] | None:
        """Return which conditions do not hold; None if they cannot be read."""
        found = self.check(conditions)
        return None if found is None else found.unsatisfied

    def _situation(self) -> Situation:
        return situation_of(self.truth(), self.robot.library)
