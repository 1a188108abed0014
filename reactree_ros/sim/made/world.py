# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The world of a generated robot, in this process, and whether a goal holds in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.household.goal import GoalCheck
from reactree_ros.sim.household.truth import (
    check_conditions,
    checked,
    read_conditions,
    situation_of,
)
from reactree_ros.sim.made.belief import Belief
from reactree_ros.sim.made.robot import MadeRobot
from reactree_ros.sim.made.seeing import Describer, View
from reactree_ros.skills.executor import aborted, done_text
from reactree_ros.skills.goal_conditions import Condition, ConditionTracker
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.skills.simulated import SimulatedWorld


class MadeWorld(SimulatedWorld):
    """A generated robot in its surroundings (``SimulatedWorld``).

    Args:
        robot: the robot.
        seed: of its start; see ``MadeRobot.start``.
        conditions: of the goal by which it is judged, if any.
        faults: skills with their arguments, and how often each fails before it can be done.

    Raises:
        ConditionError: the conditions are not in the robot's language.
    """

    def __init__(
        self,
        robot: MadeRobot,
        seed: int,
        conditions: Sequence[str] = (),
        faults: Mapping[tuple[str, ...], int] | None = None,
    ) -> None:
        self.robot = robot
        self._seed, self._faults = seed, dict(faults or {})
        self.failures: Counter[tuple[str, ...]] = Counter()
        """How often a skill with its arguments has failed, although it was possible."""
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
        """Carry out one skill, or refuse it, or fail."""
        done = self.robot.attempt(skill, arguments, self.state)
        if isinstance(done, str):
            return self._not_done(skill, arguments, done, SkillStatus.REFUSED)
        action = (skill, *arguments)
        if self.failures[action] < self._faults.get(action, 0):
            self.failures[action] += 1
            why = self.robot.fault(done, Draw(f'{self.robot.name} {self._seed} {action}'))
            return self._not_done(skill, arguments, why, SkillStatus.FAILED)
        before = View(self.robot, self.state)
        self.state = done.after(self.state)
        after = View(self.robot, self.state)
        self.belief.act(done)
        self.belief.update(after)
        self._goal.update(self._situation())
        say = self.robot.say
        said = done_text(self._grounded(skill, arguments)) if say.aborts else say.seen['done']
        text = Describer(after).change(before, said)
        return SkillResult(SkillStatus.SUCCEEDED, after.observation(text))

    def _not_done(
        self, skill: str, arguments: Sequence[str], why: str, status: SkillStatus
    ) -> SkillResult:
        if self.robot.say.aborts:
            return aborted(self._grounded(skill, arguments), why)
        return SkillResult(status, Observation(self.robot.refusal(why)))

    def _grounded(self, skill: str, arguments: Sequence[str]) -> GroundedSkill:
        named = next(one for one in self.robot.library.skills if one.name == skill)
        return named.ground(*arguments)

    def observe(self) -> Observation:
        """Return what the robot perceives now."""
        view = View(self.robot, self.state)
        return view.observation(Describer(view).first())

    def survey(self) -> Observation:
        """Return the same: there is nothing else that it could know."""
        return self.observe()

    def truth(self) -> Observation:
        """Return everything that there is."""
        return View(self.robot, self.state).everything()

    def judge(self) -> GoalCheck:
        """Return which conditions of the goal hold, in their order; no questions."""
        return checked(self._goal, self._situation())

    def at_once(self, conditions: Sequence[Condition]) -> GoalCheck:
        """Return which conditions hold now, whatever their turn is."""
        now = self._situation()
        due = [replace(one, stage=0) for one in conditions]
        tracker = ConditionTracker(due, self.robot.library, complete=True)
        tracker.update(now)
        return checked(tracker, now)

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
