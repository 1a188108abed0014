# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's skills as the actions, services and topics that its skill library names.

Everything is polled from the tick, and nothing waits. The clients and the caller must share one
mutually exclusive callback group: rclpy's ``send_goal_async`` may lose a response that another
thread handles while it runs.
"""

from __future__ import annotations

import time
from typing import Any

from rclpy.action import ActionClient
from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock as RosClock
from rclpy.clock_type import ClockType
from rclpy.node import Node

from reactree_interfaces.srv import Observe
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError, SkillError
from reactree_ros.ros.goals.sent_goal import GoalJournal
from reactree_ros.ros.nodes.node_main import SEND_SEC
from reactree_ros.ros.qos import SKILL_TOPIC
from reactree_ros.ros.skills.action_channel import ActionChannel
from reactree_ros.ros.skills.action_run import ActionRun
from reactree_ros.ros.skills.answers import answers_of
from reactree_ros.ros.skills.checker import RosChecker
from reactree_ros.ros.skills.frames import Frames
from reactree_ros.ros.skills.looking import LookingRun, PendingObservation
from reactree_ros.ros.skills.message_guard import (
    check_arguments,
    check_limits,
    check_positions,
    limit_faults,
)
from reactree_ros.ros.skills.messages import interface
from reactree_ros.ros.skills.run import CalledSkill, Clock, Timeouts
from reactree_ros.ros.skills.service_run import ServiceRun, TopicRun
from reactree_ros.skills.call import EXECUTE_SKILL, Call, Kind, Surroundings
from reactree_ros.skills.conditions import Question
from reactree_ros.skills.done_check import checked
from reactree_ros.skills.executor import SkillRun, failed
from reactree_ros.skills.library import GroundedSkill, SkillLibrary
from reactree_ros.skills.references import filled as filled_from

_LOOK_SEC = 0.05
_MOST_OPEN = 100
"""Most skills that are watched; it takes that many that never came to an end to lose the oldest."""


class RosSkillExecutor:
    """A robot that is reached through ROS (``behaviours.SkillExecutor``).

    Args:
        node: the node that the clients belong to.
        library: the robot's skills.
        observe_service: name of the ``Observe`` service; a library that declares its
            world needs none.
        timeouts: how long the robot is waited for.
        group: callback group of the clients and of the tick.
        clock: monotonic time in seconds.
        namespace: of the robot, within the planner's; relative names are looked up there.
        journal: is told of every action goal; None for nobody.
        check_service: name of the ``CheckGoal`` service; empty for none.

    Raises:
        ConfigurationError: if an interface type is not installed.
    """

    def __init__(
        self,
        node: Node,
        library: SkillLibrary,
        observe_service: str,
        timeouts: Timeouts,
        group: CallbackGroup,
        clock: Clock = time.monotonic,
        namespace: str = '',
        journal: GoalJournal | None = None,
        check_service: str = '',
    ) -> None:
        self._node = node
        self._journal = journal
        self._namespace = namespace
        self._library = library
        self._timeouts = timeouts
        self._clock = clock
        self._group = group
        self._world_model = library.world_model()
        self._frames = Frames(node, library.frame)
        self._observe: Any = None
        if self._world_model is None:
            self._observe = node.create_client(
                Observe, self._full(observe_service), callback_group=group
            )
        self._clients: dict[tuple[Kind, str, str], Any] = {}
        self._open: list[CalledSkill] = []
        self._taken_up: dict[str, str] = {}
        self._timer = node.create_timer(
            _LOOK_SEC,
            self.look,
            callback_group=group,
            clock=RosClock(clock_type=ClockType.STEADY_TIME),
        )
        self._timer.cancel()
        self._checker = RosChecker(
            node, check_service, timeouts, group, self._full, self._frames.transformed, clock
        )
        foreign = any(skill.call.type != EXECUTE_SKILL for skill in library.skills)
        if foreign or library.keep_out.needs_transforms(library.poses):
            self._frames.listen()
        try:
            for skill in library.skills:
                self._connect(skill.name, skill.call)
                self._check_limits(skill.name, skill.call)
            self._checker.prepare(library)
        except ConfigurationError:
            self.destroy()
            raise

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill and return at once."""
        surroundings = Surroundings(skill.named, self._library.poses, situation)
        answers = answers_of(skill, surroundings, self._frames.transformed)
        call = skill.call
        made, message = self._clients[call.kind, call.name, call.type]
        taken_up = self._taken_up.pop(skill.phrase, '')
        refused = ''
        filled = message()
        try:
            answers.fill(filled)
            self._check(call, filled, surroundings)
        except SkillError as error:
            refused = str(error)
            if not taken_up:
                return _Refused(skill, refused, self._timeouts)
        kinds = {Kind.ACTION: ActionRun, Kind.SERVICE: ServiceRun, Kind.TOPIC: TopicRun}
        run = kinds[call.kind](made, filled, skill, answers, self._timeouts, self._clock, taken_up)
        self._open.append(run)
        self._timer.reset()
        if refused:  # the robot is at it already, and must not be
            run.cancel()
            return _Refused(skill, refused, self._timeouts)
        done = checked(run, skill, surroundings, self)
        if call.type == EXECUTE_SKILL and self._world_model is None:
            return done
        return LookingRun(done, lambda said: self._look_after(skill, said))

    def check(self, question: Question) -> Future[str]:
        """Ask for what speaks against a condition."""
        return self._checker.check(question)

    def take_up(self, phrase: str, goal_id: str) -> None:
        """Take up an action goal of an earlier process when the skill is started next."""
        self._taken_up[phrase] = goal_id

    def forget_taken_up(self) -> list[str]:
        """Take up nothing any more; return the ids of what was to be."""
        left, self._taken_up = [*self._taken_up.values()], {}
        return left

    def was_done(self, skill: GroundedSkill) -> None:
        """Apply a skill that an earlier process saw done to the model of the surroundings."""
        if self._world_model is not None:
            self._world_model.after(skill, '')

    def observe(self) -> Future[Observation]:
        """Ask for the full description of what is perceived now."""
        if self._world_model is not None:
            return ready(self._world_model.observe())
        return PendingObservation(self._observe, self._timeouts, self._clock)

    def survey(self) -> Future[Observation]:
        """Ask what is in the whole house."""
        if self._world_model is not None:
            return ready(self._world_model.observe())
        return PendingObservation(self._observe, self._timeouts, self._clock, overview=True)

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Phrases of the skills that have ended, but that the robot may still be at.

        It did not confirm in time that it stopped. It may be asked from any thread.
        """
        return tuple(run.phrase for run in tuple(self._open) if run.unsettled)

    def missing(self) -> list[str]:
        """Return kind and full name of each server of the library that is not there (yet)."""
        found = []
        for (kind, name, _), (made, _) in self._clients.items():
            if kind is Kind.ACTION and not made.server_is_ready():
                found.append(f'action {self._node.resolve_topic_name(self._full(name))}')
            elif kind is Kind.SERVICE and not made.service_is_ready():
                found.append(f'service {self._node.resolve_service_name(made.srv_name)}')
        if self._observe is not None and not self._observe.service_is_ready():
            found.append(f'service {self._node.resolve_service_name(self._observe.srv_name)}')
        return sorted({*found, *self._checker.missing()})

    def look(self) -> None:
        """Look at every skill of which something may still come; a timer calls this.

        So time limits hold, and late answers are heard, also for skills that nobody polls.
        """
        for run in self._open:
            run.poll()
        left = [run for run in self._open if not run.closed]
        for run in left[:-_MOST_OPEN]:
            run.leave()
        self._open = left[-_MOST_OPEN:]
        if not left:
            self._timer.cancel()

    def destroy(self) -> None:
        """Have the robot stop whatever it may still be at, and destroy all clients.

        What is sent for that is given the time to leave; otherwise nothing waits here.
        """
        self._node.destroy_timer(self._timer)
        if any([run.leave() for run in self._open]):
            time.sleep(SEND_SEC)
        self._open = []
        for (kind, _, _), (made, _) in self._clients.items():
            if kind is Kind.ACTION:
                made.destroy()
            elif kind is Kind.SERVICE:
                self._node.destroy_client(made)
            else:
                self._node.destroy_publisher(made)
        if self._observe is not None:
            self._node.destroy_client(self._observe)
        self._checker.destroy()
        self._frames.destroy()

    def _connect(self, name: str, call: Call) -> None:
        """Make the client of a call, and keep it with the type of what is sent."""
        key = (call.kind, call.name, call.type)
        if key in self._clients:
            return
        try:
            found = interface(call.type)
        except ConfigurationError as error:
            raise ConfigurationError(f'skill {name}: {error}') from error
        if call.kind is Kind.ACTION:
            full = self._full(call.name)
            action = ActionClient(self._node, found, full, callback_group=self._group)
            resolved = self._node.resolve_topic_name(full)
            made = ActionChannel(action, self._namespace, resolved, call.type, self._journal)
            self._clients[key] = (made, found.Goal)
        elif call.kind is Kind.SERVICE:
            client = self._node.create_client(
                found, self._full(call.name), callback_group=self._group
            )
            self._clients[key] = (client, found.Request)
        else:
            publisher = self._node.create_publisher(found, self._full(call.name), SKILL_TOPIC)
            self._clients[key] = (publisher, found)

    def _check_limits(self, name: str, call: Call) -> None:
        """Refuse limits of fields that are not there: they would limit nothing."""
        _, message = self._clients[call.kind, call.name, call.type]
        faults = limit_faults(message, call.limits)
        if faults:
            raise ConfigurationError(f'skill {name}: {"; ".join(faults)}')

    def _check(self, call: Call, message: Any, surroundings: Surroundings) -> None:
        """Look whether a message may be sent; SkillError says why not."""
        check_limits(message, call.limits)
        library, to_frame = self._library, self._frames.transformed
        if library.keep_out.areas:
            values = filled_from(call.fields, surroundings)
            check_positions(message, values, library.keep_out, library.frame, to_frame)
            check_arguments(surroundings, library.keep_out, to_frame)

    def _full(self, name: str) -> str:
        """Return a name as the planner's node sees it."""
        if not self._namespace or name.startswith(('/', '~')):
            return name
        return f'{self._namespace}/{name}'

    def _look_after(self, skill: GroundedSkill, said: str) -> Future[Observation]:
        """Ask what is perceived after a skill; the text begins with what the robot said."""
        if self._world_model is not None:
            return ready(self._world_model.after(skill, said))
        return PendingObservation(self._observe, self._timeouts, self._clock, said=said)


class _Refused(CalledSkill):
    """A skill that the robot cannot be told."""

    def __init__(self, skill: GroundedSkill, why: str, timeouts: Timeouts) -> None:
        super().__init__(skill, timeouts)
        self._result: SkillResult | None = failed(skill, why, SkillStatus.REFUSED)
