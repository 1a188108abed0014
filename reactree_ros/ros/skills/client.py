# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's skills as the actions, services and topics that its skill library names.

Everything is polled from the tick, and nothing waits. The clients and the caller must share one
mutually exclusive callback group: rclpy's ``send_goal_async`` may lose a response that another
thread handles while it runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from rclpy.action import ActionClient
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from reactree_interfaces.srv import Observe
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError, SkillError
from reactree_ros.ros.goals.sent_goal import GoalJournal
from reactree_ros.ros.nodes.node_main import SEND_SEC
from reactree_ros.ros.skills.action_goal import ActionChannel
from reactree_ros.ros.skills.action_run import ActionRun
from reactree_ros.ros.skills.answers import Answers, ForeignAnswers, OwnAnswers
from reactree_ros.ros.skills.asking import PendingObservation
from reactree_ros.ros.skills.checker import RosChecker
from reactree_ros.ros.skills.frames import Frames
from reactree_ros.ros.skills.message_guard import (
    check_arguments,
    check_limits,
    check_positions,
    limit_faults,
)
from reactree_ros.ros.skills.messages import interface, sent_type
from reactree_ros.ros.skills.run import CalledSkill, Clock, LookingRun, Timeouts
from reactree_ros.ros.skills.service_run import ServiceChannel, ServiceRun, TopicRun
from reactree_ros.ros.timers import steady_timer
from reactree_ros.skills.call import EXECUTE_SKILL, Call, Kind, Surroundings
from reactree_ros.skills.conditions import Question
from reactree_ros.skills.done_check import checked
from reactree_ros.skills.executor import EndedSkill, SkillRun, failed
from reactree_ros.skills.library import GroundedSkill, SkillLibrary
from reactree_ros.skills.references import filled as filled_from

_LOOK_SEC = 0.05
_MOST_OPEN = 100
"""Most skills that are watched; it takes that many that never ended to lose the oldest."""
_RUNS = {Kind.ACTION: ActionRun, Kind.SERVICE: ServiceRun, Kind.TOPIC: TopicRun}


def in_namespace(name: str, namespace: str) -> str:
    """Return a name as it is in a namespace; what is absolute or private stays as it is."""
    is_relative = namespace and name and not name.startswith(('/', '~'))
    return f'{namespace}/{name}' if is_relative else name


class RosSkillExecutor:
    """A robot that is reached through ROS (``SkillExecutor``).

    Args:
        observe_service: name of the ``Observe`` service; a library that declares its
            world needs none.
        group: callback group of the clients and of the tick.
        namespace: of the robot, within the planner's; relative names are looked up there.
        journal: records every action goal; None for none.
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
        self._made = ExitStack()
        """Destroys all clients."""
        self._servers: list[tuple[str, Callable[[], bool]]] = []
        """Kind and full name of each server, and whether it is there."""
        self._clients: dict[tuple[Kind, str, str], tuple[Any, Any]] = {}
        """What a call goes through, and the type of what is sent."""
        self._open: list[CalledSkill] = []
        self._to_attach: dict[str, str] = {}
        foreign = any(skill.call.type != EXECUTE_SKILL for skill in library.skills)
        listen = foreign or library.keep_out.needs_transforms(library.poses)
        self._frames = Frames(node, library.frame, listen)
        self._made.callback(self._frames.destroy)
        self._observe: Any = None
        if self._world_model is None:
            self._observe = self._service_client(Observe, self._full(observe_service))
        self._timer = steady_timer(node, _LOOK_SEC, self.look, group)
        self._timer.cancel()
        self._checker = RosChecker(
            node,
            check_service,
            timeouts,
            group,
            self._service_client,
            self._full,
            self._frames.transformed,
            clock,
        )
        try:
            for skill in library.skills:
                self._connect(skill.name, skill.call)
            self._checker.prepare(library)
        except ConfigurationError:
            self.destroy()
            raise

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill and return at once."""
        surroundings = self._library.surroundings(skill.named, situation)
        call = skill.call
        answers: Answers = (
            OwnAnswers(skill)
            if call.type == EXECUTE_SKILL
            else ForeignAnswers(skill, surroundings, self._frames.transformed)
        )
        channel, message_type = self._clients[call.kind, call.name, call.type]
        attach_to = self._to_attach.pop(skill.phrase, '')
        refused = None
        message = message_type()
        try:
            answers.fill(message)
            self._check(call, message, surroundings)
        except SkillError as error:
            refused = EndedSkill(failed(skill, str(error), SkillStatus.REFUSED))
            if not attach_to:
                return refused
        run = _RUNS[call.kind](
            channel, message, skill, answers, self._timeouts, self._clock, attach_to
        )
        self._open.append(run)
        self._timer.reset()
        if refused is not None:  # the robot is executing it already, and must not be
            run.cancel()
            return refused
        done = checked(run, skill, surroundings, self)
        if call.type == EXECUTE_SKILL and self._world_model is None:
            return done
        return LookingRun(done, lambda result: self._look_after(skill, result))

    def check(self, question: Question) -> Future[str]:
        """Ask for what speaks against a condition."""
        return self._checker.check(question)

    def attach(self, phrase: str, goal_id: str) -> None:
        """Attach to an action goal of an earlier process when the skill is started next."""
        self._to_attach[phrase] = goal_id

    def drop_attachments(self) -> list[str]:
        """Attach to nothing any more; return the ids of the goals that were waiting for it."""
        left, self._to_attach = [*self._to_attach.values()], {}
        return left

    def was_done(self, skill: GroundedSkill) -> None:
        """Apply a skill that an earlier process saw done to the model of the surroundings."""
        if self._world_model is not None:
            self._world_model.after(skill, '')

    def reset_world(self) -> None:
        """Forget what skills have changed in surroundings that the library declares."""
        if self._world_model is not None:
            self._world_model.reset()

    def observe(self) -> Future[Observation]:
        """Ask for the full description of what is perceived now."""
        return self._perceive(overview=False)

    def survey(self) -> Future[Observation]:
        """Ask what is in the whole environment."""
        return self._perceive(overview=True)

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Phrases of the skills that have ended, but that the robot may still be executing.

        It did not confirm in time that it stopped. It may be asked from any thread.
        """
        return tuple(run.phrase for run in tuple(self._open) if run.unsettled)

    def missing(self) -> list[str]:
        """Return kind and full name of each server of the library that is not there (yet)."""
        return sorted({name for name, is_ready in self._servers if not is_ready()})

    def look(self) -> None:
        """Look at every skill of which something may still come; a timer calls this.

        So time limits hold, and late answers arrive, also for skills that nobody polls.
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
        self._made.close()

    def _connect(self, skill: str, call: Call) -> None:
        """Make the client of a call, if there is none yet, and check the call's limits.

        Raises:
            ConfigurationError: if its type is not installed, or has no field that is limited.
        """
        try:
            found = interface(call.type)
        except ConfigurationError as error:
            raise ConfigurationError(f'skill {skill}: {error}') from error
        key = (call.kind, call.name, call.type)
        name = self._full(call.name)
        if key not in self._clients:
            self._clients[key] = self._channel(call, found, name), sent_type(call.kind, found)
        faults = limit_faults(self._clients[key][1], call.limits)
        if faults:  # limits of fields that are not there would limit nothing
            raise ConfigurationError(f'skill {skill}: {"; ".join(faults)}')

    def _channel(self, call: Call, found: Any, name: str) -> Any:
        if call.kind is Kind.ACTION:
            action = ActionClient(self._node, found, name, callback_group=self._group)
            resolved = self._node.resolve_topic_name(name)
            channel = ActionChannel(action, self._namespace, resolved, call.type, self._journal)
            self._made.callback(channel.destroy)
            self._servers.append((f'action {resolved}', channel.server_is_ready))
            return channel
        if call.kind is Kind.SERVICE:
            client = self._service_client(found, name, needed=False)
            service = ServiceChannel(client, self._timeouts.server_wait_sec, self._clock)
            self._servers.append((self._label(name), service.is_there))
            return service
        publisher = self._node.create_publisher(found, name, 10)
        self._made.callback(self._node.destroy_publisher, publisher)
        return publisher

    def _service_client(self, kind: Any, name: str, needed: bool = True) -> Any:
        client = self._node.create_client(kind, name, callback_group=self._group)
        self._made.callback(self._node.destroy_client, client)
        if needed:
            self._servers.append((self._label(name), client.service_is_ready))
        return client

    def _label(self, service: str) -> str:
        return f'service {self._node.resolve_service_name(service)}'

    def _check(self, call: Call, message: Any, surroundings: Surroundings) -> None:
        """Check whether a message may be sent; SkillError says why not."""
        check_limits(message, call.limits)
        library, to_frame = self._library, self._frames.transformed
        if library.keep_out.areas:
            values = filled_from(call.fields, surroundings)
            check_positions(message, values, library.keep_out, library.frame, to_frame)
            check_arguments(surroundings, library.keep_out, to_frame)

    def _full(self, name: str) -> str:
        """Return a name as the planner's node sees it."""
        return in_namespace(name, self._namespace)

    def _look_after(self, skill: GroundedSkill, done: SkillResult) -> Future[Observation] | None:
        """Ask what is perceived after a skill that was tried, if there is anything to ask.

        One that failed may have done half: a drive may have ended between two places.
        """
        said = done.observation.text
        if self._world_model is not None:
            succeeded = done.status is SkillStatus.SUCCEEDED
            return ready(self._world_model.after(skill, said)) if succeeded else None
        tried = done.status in (SkillStatus.SUCCEEDED, SkillStatus.FAILED)
        if not tried or done.is_robot_lost:
            return None
        return self._perceive(overview=False, said=said)

    def _perceive(self, overview: bool, said: str = '') -> Future[Observation]:
        if self._world_model is not None:
            return ready(self._world_model.observe())
        return PendingObservation(self._observe, self._timeouts, self._clock, overview, said)
