# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""After a planner's process was killed: what the next one finds, and what it does about it.

=================  ==================  ==========================================================
``restart.goals``  ``restart.skills``  what happens
=================  ==================  ==========================================================
``report``         ``stop``            robots are stopped; what was found is told
``report``         ``attach``          robots may come to their ends (``limits``); likewise
``resume``         ``stop``            robots are stopped; the run goes on, its skill has failed
``resume``         ``attach``          the run goes on with the skill that the robot is at
=================  ==================  ==========================================================
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from std_msgs.msg import String

from reactree_ros.core.option import parameters_of, values_of
from reactree_ros.core.settings import USER
from reactree_ros.paths import data
from reactree_ros.planner.assembly import library_file
from reactree_ros.planner.resume import under_way
from reactree_ros.ros.goals.journal import Journal, OpenGoal
from reactree_ros.ros.goals.recovery import Recovery
from reactree_ros.ros.goals.sent_goal import SentGoal
from reactree_ros.ros.nodes.planner_config import ATTACH, RESUME, PlannerConfig
from reactree_ros.ros.qos import LATEST
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.strategies.registry import strategy

RESTART_TOPIC = 'reactree/restart'


class Restart:
    """Finds what an earlier process left, brings it to an end, and keeps the journal.

    Args:
        node: the planner's node.
        config: its parameters.
        group: callback group of the clients and of the tick.

    Raises:
        ConfigurationError: the journal cannot be written, or another planner writes it.
    """

    def __init__(self, node: Node, config: PlannerConfig, group: CallbackGroup) -> None:
        self._node = node
        self._config = config
        self._group = group
        self._log = node.get_logger()
        self._publisher = node.create_publisher(String, RESTART_TOPIC, LATEST)
        self.journal = Journal(_journal_file(config.restart.journal, node), self._log.warning)
        self._found = self.journal.found
        self._recoveries: list[Recovery] = []
        self._first: Recovery | None = None
        self._taken_up: tuple[SentGoal, ...] = ()
        self._left_by: LeftBehind | None = None
        self._resumed: set[str] = set()
        self._stopped = ''
        self.report = ''
        """What was found, and what became of it; empty if nothing was."""
        if self._found:
            self.report = self._told()
            self._log.warning(self.report)
            self._first = self._begin()

    @property
    def busy(self) -> bool:
        """Whether robots are still being brought to an end."""
        return self._first is not None or not all(one.known for one in self._recoveries)

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Phrases of what robots may still be at: they were asked to stop and did not confirm it.

        It may be asked from any thread.
        """
        return tuple(phrase for one in tuple(self._recoveries) for phrase in one.unsettled)

    def look(self) -> list[OpenGoal]:
        """Go on as far as possible.

        Returns:
            Once, when it is done: the goals that go on, each with the inputs of its run.
        """
        for recovery in tuple(self._recoveries):
            recovery.look()
            if recovery.closed:
                recovery.destroy()
                self._recoveries.remove(recovery)
        if self._first is None or not self._first.known:
            return []
        first, self._first = self._first, None
        return self._conclude(first.verdicts)

    def stop_all(self, why: str) -> int:
        """Have all robots stop and let no goal go on; return how many goals that are."""
        if self._first is None or self._stopped:
            return 0
        going_on = [goal for goal in self._found.goals if not self._why_not(goal)]
        self._stopped = why
        self.stop_robots()
        return len(going_on)

    def stop_robots(self) -> None:
        """Have all robots stop that no run has taken over; goals may go on without that."""
        for recovery in self._recoveries:
            recovery.stop()
        if self._left_by is None:
            self._let_go()

    def ended(self, goal_id: str) -> None:
        """Hear that a goal has ended; what its run could have taken over and did not is stopped."""
        self.journal.ended(goal_id)
        if goal_id in self._resumed:
            self._resumed.remove(goal_id)
            if not self._resumed:
                self._let_go()

    def _conclude(self, verdicts: tuple[str, ...]) -> list[OpenGoal]:
        """Say what became of all that was found, and return the goals that go on."""
        going_on, kept_back = [], []
        for goal in self._found.goals:
            why = self._why_not(goal)
            if why:
                self.journal.ended(goal.goal_id)
                kept_back.append(f'"{goal.request["goal"]}" is not resumed: {why}')
            else:
                going_on.append(goal)
        resumed = [f'"{goal.request["goal"]}" goes on' for goal in going_on]
        self._resumed = {goal.goal_id for goal in going_on}
        self.report = '; '.join([self.report, *verdicts, *kept_back, *resumed])
        self._log.warning(f'after the restart: {self.report}')
        self._publisher.publish(String(data=self.report))
        return going_on

    def left_by(self, robots: Mapping[str, RosSkillExecutor]) -> LeftBehind:
        """Return what was left at robots, by name, for the run that goes on."""
        self._left_by = LeftBehind(self._taken_up, robots)
        return self._left_by

    def _let_go(self) -> None:
        """Stop what was to be taken over by a run, and was not."""
        left = self._taken_up if self._left_by is None else self._left_by.left()
        self._taken_up, self._left_by = (), None
        if left:
            self._recover(left, 0.0)

    def about(self, remembers: bool) -> dict[str, Any]:
        """Return what the planner is, where that matters for going on after a restart.

        Args:
            remembers: whether the run begins with what earlier goals have left in memory.
        """
        values = values_of(self._config)
        kept = [row.name for row in parameters_of(PlannerConfig) if row.kept_on_resume]
        return {
            'parameters': {name: _plain(values[name]) for name in kept},
            'skills': self._skills,
            'remembers': remembers,
        }

    @cached_property
    def _skills(self) -> str:
        """The SHA-256 of the skill library's file, which is read once as well."""
        return hashlib.sha256(library_file(self._config.skills).read_bytes()).hexdigest()

    def destroy(self) -> None:
        """Let go of everything; what is open stays in the journal."""
        if self._left_by is None:
            self._let_go()
        for recovery in self._recoveries:
            recovery.destroy()
        self.journal.close()
        self._node.destroy_publisher(self._publisher)

    def _begin(self) -> Recovery:
        """Begin with what robots may still be at, but for what runs that go on will take over."""
        attach = self._config.restart.skills == ATTACH
        resume = self._config.restart.goals == RESUME
        if attach and resume:
            keys = {
                key
                for goal in self._found.goals
                if not self._why_not(goal)
                for key in under_way(goal.inputs)
            }
            latest = {f'{sent.robot}: {sent.phrase}': sent for sent in self._found.sent}
            self._taken_up = tuple(latest[key] for key in latest if key in keys)
        others = [sent for sent in self._found.sent if sent not in self._taken_up]
        return self._recover(
            others, self._config.limits.max_duration_sec if attach and not resume else 0.0
        )

    def _recover(self, goals: Sequence[SentGoal], stop_after_sec: float) -> Recovery:
        limits = self._config.robot
        recovery = Recovery(self._node, goals, self.journal, limits, stop_after_sec, self._group)
        self._recoveries.append(recovery)
        return recovery

    def _why_not(self, goal: OpenGoal) -> str:
        """Return why a goal does not go on; empty if it does."""
        if self._stopped:
            return self._stopped
        if self._config.restart.goals != RESUME:
            return f'the parameter restart.goals is {self._config.restart.goals}'
        now, then = self.about(False), goal.about
        if not goal.begun:
            return ''
        name = goal.request['strategy'] or self._config.strategy
        if not strategy(name).asks_memory:
            return 'its strategy plans as a whole before it acts'
        if then.get('remembers'):
            return 'it began with what earlier goals had left in working memory'
        if then['skills'] != now['skills']:
            return 'the skill library has changed'
        before = then['parameters']
        changed = [
            key
            for key, value in now['parameters'].items()
            if before.get(key) != value
            and (not key.startswith('strategies.') or key.startswith(f'strategies.{name}.'))
        ]
        return f'parameters have changed: {", ".join(changed)}' if changed else ''

    def _told(self) -> str:
        running = [goal for goal in self._found.goals if goal.begun]
        waiting = len(self._found.goals) - len(running)
        told = ['an earlier planner of this name did not end by itself']
        if not self._found.goals:
            told = ['an earlier planner of this name did not hear that its robot had stopped']
        for goal in running:
            count = sum(entry['op'] in ('decide', 'write') for entry in goal.inputs)
            told.append(f'it was at "{goal.request["goal"]}", after {count} decisions')
        if waiting:
            told.append(f'{waiting} goal{"s" * (waiting > 1)} waited for their turn')
        told += [f'the robot may still be at "{sent.phrase}"' for sent in self._found.sent]
        return '; '.join(told)


class LeftBehind:
    """What an earlier process left at robots (``resume.Predecessor``).

    Args:
        goals: that are to be taken up.
        robots: by name.
    """

    def __init__(self, goals: Sequence[SentGoal], robots: Mapping[str, RosSkillExecutor]) -> None:
        self._goals = {(goal.robot, goal.phrase): goal for goal in goals}
        self._handed: dict[str, SentGoal] = {}
        self._robots = robots

    def attach(self, robot: str, skill: GroundedSkill) -> bool:
        """Have a robot attach to a skill when it is started next, if it may still run."""
        goal = self._goals.pop((robot, skill.phrase), None)
        if goal is None:
            return False
        self._handed[goal.goal_id] = goal
        self._robots[robot].attach(skill.phrase, goal.goal_id)
        return True

    def left(self) -> list[SentGoal]:
        """Return what nobody has taken up, and have it not be taken up any more."""
        waiting = [goal_id for one in self._robots.values() for goal_id in one.drop_attachments()]
        left = [*self._goals.values(), *(self._handed[goal_id] for goal_id in waiting)]
        self._goals = {}
        return left

    def done(self, robot: str, skill: GroundedSkill) -> None:
        """Hear of a skill that the robot had done then."""
        self._robots[robot].was_done(skill)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _journal_file(given: str, node: Node) -> Path | None:
    """Return where the journal of a node is; None for none."""
    if not given:
        return None
    if given != USER:
        return Path(given)
    name = node.get_fully_qualified_name().strip('/').replace('/', '.')
    return data('journal', f'{os.environ.get("ROS_DOMAIN_ID") or 0}.{name}.jsonl')
