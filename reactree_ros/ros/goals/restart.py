# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Recovery from a killed planner process: what the next one finds, and what it does about it.

=================  ==================  ==========================================================
``restart.goals``  ``restart.skills``  what happens
=================  ==================  ==========================================================
``report``         ``stop``            robots are stopped; the report says what was found
``report``         ``attach``          robots may finish their skills (``limits``); likewise
``resume``         ``stop``            robots are stopped; the run is resumed, its skill has failed
``resume``         ``attach``          the run is resumed with the skill that the robot executes
=================  ==================  ==========================================================
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from std_msgs.msg import String

from reactree_ros.core.settings import USER
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import data
from reactree_ros.planner.resume import under_way
from reactree_ros.ros.goals.journal import Journal, OpenGoal
from reactree_ros.ros.goals.recovery import Recovery
from reactree_ros.ros.goals.sent_goal import SentGoal
from reactree_ros.ros.nodes.planner_config import (
    ATTACH,
    RESUME,
    PlannerConfig,
    changed_values,
    resume_values,
    robot_libraries,
)
from reactree_ros.ros.qos import LATEST
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.skills.reader import library_file
from reactree_ros.strategies.registry import strategy

RESTART_TOPIC = 'reactree/restart_report'


class Restart:
    """Finds what an earlier process left running, ends it, and keeps the journal.

    Args:
        node: the planner's node.
        config: returns its parameters as they are now.
        group: callback group of the clients and of the tick.

    Raises:
        ConfigurationError: the journal cannot be written, or another planner writes it.
    """

    def __init__(
        self, node: Node, config: Callable[[], PlannerConfig], group: CallbackGroup
    ) -> None:
        self._node = node
        self._config = config
        self._group = group
        self._log = node.get_logger()
        self._skills = _skills_digest(config())
        self.journal = Journal(_journal_file(config().restart.journal, node), self._log.warning)
        self._publisher = node.create_publisher(String, RESTART_TOPIC, LATEST)
        self._found = self.journal.found
        self._recoveries: list[Recovery] = []
        self._first: Recovery | None = None
        self._attachable: tuple[SentGoal, ...] = ()
        self._still_running: StillRunning | None = None
        self._taking_over: set[str] = set()
        self._stopped = ''
        self.report = ''
        """What was found, and what became of it; empty if nothing was."""
        if self._found:
            self.report = self._findings()
            self._log.warning(self.report)
            self._first = self._begin()

    @property
    def busy(self) -> bool:
        """Whether robots are still being brought to an end."""
        return self._first is not None or not all(one.known for one in self._recoveries)

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Phrases of skills that robots were asked to stop and did not confirm; thread-safe."""
        return tuple(phrase for one in tuple(self._recoveries) for phrase in one.unsettled)

    def poll(self) -> list[OpenGoal]:
        """Continue without waiting; return, once, the goals to resume, with their runs' inputs."""
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
        """Stop all robots and resume no goal; return how many would have been resumed."""
        if self._first is None or self._stopped:
            return 0
        count = sum(not self._why_not(goal) for goal in self._found.goals)
        self._stopped = why
        self.stop_robots()
        return count

    def stop_robots(self) -> None:
        """Stop the skills that no run has attached to; goals may still be resumed."""
        for recovery in self._recoveries:
            recovery.stop()
        if self._still_running is None:
            self._stop_unattached()

    def ended(self, goal_id: str) -> None:
        """Note that a goal has ended; skills that its run did not attach to are stopped."""
        self.journal.ended(goal_id)
        if goal_id in self._taking_over:
            self._taking_over.remove(goal_id)
            if not self._taking_over:
                self._stop_unattached()

    def _conclude(self, verdicts: tuple[str, ...]) -> list[OpenGoal]:
        """Complete the report, and return the goals to resume."""
        open_goals, dropped = [], []
        for goal in self._found.goals:
            why = self._why_not(goal)
            if why:
                self.journal.ended(goal.goal_id)
                dropped.append(f'"{goal.request["goal"]}" is not resumed: {why}')
            else:
                open_goals.append(goal)
        resumed = [f'"{goal.request["goal"]}" is resumed' for goal in open_goals]
        self._taking_over = {goal.goal_id for goal in open_goals if goal.begun}
        self.report = '; '.join([self.report, *verdicts, *dropped, *resumed])
        self._log.warning(f'after the restart: {self.report}')
        self._publisher.publish(String(data=self.report))
        return open_goals

    def still_running(self, robots: Mapping[str, RosSkillExecutor]) -> StillRunning:
        """Return what was left running on robots, by name, for the run that is resumed."""
        self._still_running = StillRunning(self._attachable, robots)
        return self._still_running

    def _stop_unattached(self) -> None:
        """Stop the skills that a run could have attached to, and did not."""
        left = self._attachable if self._still_running is None else self._still_running.unattached()
        self._attachable, self._still_running = (), None
        if left:
            self._recover(left, 0.0)

    def about(self, remembers: bool) -> dict[str, Any]:
        """Return the parameters and skills that a resumed run depends on.

        Args:
            remembers: whether the run starts with working memory of earlier goals.
        """
        return {
            'parameters': resume_values(self._config()),
            'skills': self._skills,
            'remembers': remembers,
        }

    def destroy(self) -> None:
        """Destroy the clients and close the journal, which keeps what is open."""
        if self._still_running is None:
            self._stop_unattached()
        for recovery in self._recoveries:
            recovery.destroy()
        self.journal.close()
        self._node.destroy_publisher(self._publisher)

    def _begin(self) -> Recovery:
        """Start with the skills that may still run, except those that a run will attach to."""
        attach = self._config().restart.skills == ATTACH
        resume = self._config().restart.goals == RESUME
        if attach and resume:
            keys = {
                key
                for goal in self._found.goals
                if not self._why_not(goal)
                for key in under_way(goal.inputs)
            }
            latest = {f'{sent.robot}: {sent.phrase}': sent for sent in self._found.sent}
            self._attachable = tuple(latest[key] for key in latest if key in keys)
        others = [sent for sent in self._found.sent if sent not in self._attachable]
        return self._recover(
            others, self._config().limits.max_duration_sec if attach and not resume else 0.0
        )

    def _recover(self, goals: Sequence[SentGoal], stop_after_sec: float) -> Recovery:
        limits = self._config().robot
        recovery = Recovery(self._node, goals, self.journal, limits, stop_after_sec, self._group)
        self._recoveries.append(recovery)
        return recovery

    def _why_not(self, goal: OpenGoal) -> str:
        """Return why a goal is not resumed; empty if it is."""
        if self._stopped:
            return self._stopped
        if self._config().restart.goals != RESUME:
            return f'the parameter restart.goals is {self._config().restart.goals}'
        now, then = self.about(False), goal.about
        if not goal.begun:
            return ''
        name = goal.request['strategy'] or self._config().strategy
        try:
            if not strategy(name).asks_memory:
                return 'its strategy plans as a whole before it acts'
        except ConfigurationError as error:
            return str(error)
        if then.get('remembers'):
            return 'it began with what earlier goals had left in working memory'
        if then['skills'] != now['skills']:
            return 'the skill library has changed'
        changed = changed_values(then['parameters'], now['parameters'], name)
        return f'parameters have changed: {", ".join(changed)}' if changed else ''

    def _findings(self) -> str:
        running = [goal for goal in self._found.goals if goal.begun]
        waiting = len(self._found.goals) - len(running)
        found = ['an earlier planner of this name was killed']
        if not self._found.goals:
            found = ['an earlier planner of this name ended before its robot confirmed a stop']
        for goal in running:
            count = sum(entry['op'] in ('decide', 'write') for entry in goal.inputs)
            found.append(f'it was executing "{goal.request["goal"]}" ({count} decisions made)')
        if waiting:
            found.append(f'{waiting} goal{"s" * (waiting > 1)} waited for their turn')
        found += [f'the robot may still be executing "{sent.phrase}"' for sent in self._found.sent]
        return '; '.join(found)


class StillRunning:
    """Skills that an earlier process left running on robots (``resume.Predecessor``).

    Args:
        goals: the skills' action goals.
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

    def unattached(self) -> list[SentGoal]:
        """Return what no run has attached to; no run can from now on."""
        waiting = [goal_id for one in self._robots.values() for goal_id in one.drop_attachments()]
        left = [*self._goals.values(), *(self._handed[goal_id] for goal_id in waiting)]
        self._goals = {}
        return left

    def done(self, robot: str, skill: GroundedSkill) -> None:
        """Note a skill that the robot had completed."""
        self._robots[robot].was_done(skill)


def _journal_file(given: str, node: Node) -> Path | None:
    """Return where the journal of a node is; None for none."""
    if not given:
        return None
    if given != USER:
        return Path(given)
    name = node.get_fully_qualified_name().strip('/').replace('/', '.')
    return data('journal', f'{os.environ.get("ROS_DOMAIN_ID") or 0}.{name}.jsonl')


def _skills_digest(config: PlannerConfig) -> str:
    """Return the SHA-256 of the skill library's file, or of all robots' together.

    Empty if one cannot be read: who makes the planner's parts says so.
    """
    try:
        named = robot_libraries(config.robots, config.skills, config.skills_of_robots)
        files = [library_file(one).read_bytes() for one in dict.fromkeys(named.values())]
    except (OSError, ConfigurationError):
        return ''
    return hashlib.sha256(b''.join(files)).hexdigest()
