# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""After a planner's process was killed: what the next one finds, and what it does about it.

==============  ====================  =========================================================
``on_restart``  ``restart_goals``     what happens
==============  ====================  =========================================================
``report``      ``stop``              robots are stopped; what was found is told
``report``      ``attach``            robots are left to come to their ends; likewise
``resume``      ``stop``              robots are stopped; the run goes on, its skill has failed
``resume``      ``attach``            the run goes on with the skill that the robot is at
==============  ====================  =========================================================
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from std_msgs.msg import String

from reactree_ros.behaviours.assembly import library_file
from reactree_ros.behaviours.continued import under_way
from reactree_ros.behaviours.strategies import strategy
from reactree_ros.paths import data
from reactree_ros.ros.journal import Journal, OpenGoal
from reactree_ros.ros.planner_config import ATTACH, RESUME, USER_JOURNAL, PlannerConfig
from reactree_ros.ros.qos import LATEST
from reactree_ros.ros.recovery import Recovery
from reactree_ros.ros.sent_goal import SentGoal
from reactree_ros.ros.skill_client import RosSkillExecutor
from reactree_ros.skills.library import GroundedSkill

RESTART_TOPIC = 'reactree/restart'
_SAME = (
    'strategy', 'control_flows', 'vote_policy', 'working_memory', 'keep_working_memory',
    'ask_operator', 'max_questions', 'think_twice', 'check_decisions', 'only_relevant',
    'search_memory', 'point_out', 'max_repetitions', 'max_invalid', 'replan_after_failure',
    'example_tokens', 'episodic_memory', 'chunk_acts', 'leaf_check', 'robots',
)  # fmt: skip
"""Parameters that must be the same for a run to go on: they decide what it reads and may do."""


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
        self.journal = Journal(_journal_file(config.journal, node), self._log.warning)
        self._found = self.journal.found
        self._recovery: Recovery | None = None
        self.busy = False
        """Whether robots are still being brought to an end."""
        self._taken_up: tuple[SentGoal, ...] = ()
        self.report = ''
        """What was found, and what became of it; empty if nothing was."""
        if self._found:
            self.report = self._told()
            self._log.warning(self.report)
            self._recovery = self._recover()
            self.busy = True

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Phrases of what robots may still be at: they were asked to stop and did not confirm it.

        It may be asked from any thread.
        """
        recovery = self._recovery
        return () if recovery is None else recovery.unsettled

    def look(self) -> list[OpenGoal]:
        """Go on as far as possible.

        Returns:
            Once, when it is done: the goals that go on, each with the inputs of its run.
        """
        if self._recovery is None:
            return []
        known = self._recovery.look()
        verdicts = self._recovery.verdicts
        if self._recovery.closed:
            self._recovery.destroy()
            self._recovery = None
        if not self.busy or not known:
            return []
        self.busy = False
        return self._conclude(verdicts)

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
        self.report = '; '.join([self.report, *verdicts, *kept_back, *resumed])
        self._log.warning(f'after the restart: {self.report}')
        self._publisher.publish(String(data=self.report))
        return going_on

    def left_by(self, robots: Mapping[str, RosSkillExecutor]) -> LeftBehind:
        """Return what was left at robots, by name, for the run that goes on."""
        return LeftBehind(self._taken_up, robots)

    def about(self, remembers: bool) -> dict[str, Any]:
        """Return what the planner is, where that matters for going on after a restart.

        Args:
            remembers: whether the run begins with what earlier goals have left in memory.
        """
        values = asdict(self._config)
        return {
            'parameters': {name: _plain(values[name]) for name in _SAME},
            'skills': self._skills,
            'remembers': remembers,
        }

    @cached_property
    def _skills(self) -> str:
        """The SHA-256 of the skill library's file, which is read once as well."""
        return hashlib.sha256(library_file(self._config.skills).read_bytes()).hexdigest()

    def destroy(self) -> None:
        """Let go of everything; what is open stays in the journal."""
        if self._recovery is not None:
            self._recovery.destroy()
        self.journal.close()
        self._node.destroy_publisher(self._publisher)

    def _recover(self) -> Recovery:
        attach = self._config.restart_goals == ATTACH
        resume = self._config.on_restart == RESUME
        if attach and resume:
            keys = {
                key
                for goal in self._found.goals
                if not self._why_not(goal)
                for key in under_way(goal.inputs)
            }
            self._taken_up = tuple(
                sent for sent in self._found.sent if f'{sent.robot}: {sent.phrase}' in keys
            )
        others = [sent for sent in self._found.sent if sent not in self._taken_up]
        stop = not attach or resume
        limits = self._config.timeouts
        return Recovery(self._node, others, self.journal, limits, stop, self._group)

    def _why_not(self, goal: OpenGoal) -> str:
        """Return why a goal does not go on; empty if it does."""
        if self._config.on_restart != RESUME:
            return f'the parameter on_restart is {self._config.on_restart}'
        now, then = self.about(False), goal.about
        if not goal.begun:
            return ''
        if not strategy(goal.request['strategy'] or self._config.strategy).asks_memory:
            return 'its strategy plans as a whole before it acts'
        if then.get('remembers'):
            return 'it began with what earlier goals had left in working memory'
        if then['skills'] != now['skills']:
            return 'the skill library has changed'
        before = then['parameters']
        changed = [name for name in _SAME if before.get(name) != now['parameters'][name]]
        return f'parameters have changed: {", ".join(changed)}' if changed else ''

    def _told(self) -> str:
        running = [goal for goal in self._found.goals if goal.begun]
        waiting = len(self._found.goals) - len(running)
        told = ['an earlier planner of this name did not end by itself']
        for goal in running:
            count = sum(entry['op'] in ('decide', 'write') for entry in goal.inputs)
            told.append(f'it was at "{goal.request["goal"]}", after {count} decisions')
        if waiting:
            told.append(f'{waiting} goal{"s" * (waiting > 1)} waited for their turn')
        told += [f'the robot may still be at "{sent.phrase}"' for sent in self._found.sent]
        return '; '.join(told)


class LeftBehind:
    """What an earlier process left at robots (``continued.Predecessor``).

    Args:
        goals: that are to be taken up.
        robots: by name.
    """

    def __init__(self, goals: tuple[SentGoal, ...], robots: Mapping[str, RosSkillExecutor]) -> None:
        self._goals = goals
        self._robots = robots

    def take_up(self, robot: str, skill: GroundedSkill) -> bool:
        """Have a robot take up a skill when it is started next, if it may still be at it."""
        for goal in reversed(self._goals):
            if (goal.robot, goal.phrase) == (robot, skill.phrase):
                self._robots[robot].take_up(skill.phrase, goal.goal_id)
                return True
        return False

    def done(self, robot: str, skill: GroundedSkill) -> None:
        """Hear of a skill that the robot had done then."""
        self._robots[robot].was_done(skill)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _journal_file(given: str, node: Node) -> Path | None:
    """Return where the journal of a node is; None for none."""
    if not given:
        return None
    if given != USER_JOURNAL:
        return Path(given)
    name = node.get_fully_qualified_name().strip('/').replace('/', '.')
    return data('journal', f'{os.environ.get("ROS_DOMAIN_ID") or 0}.{name}.jsonl')
