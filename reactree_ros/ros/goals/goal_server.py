# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner: accepts goals in plain language and executes them on a robot."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.action import ExecuteGoal
from reactree_interfaces.msg import PauseState
from reactree_interfaces.srv import CheckGoal, ConfirmGoal, CorrectMemory, SetConditions
from reactree_ros.core.option import values_of
from reactree_ros.core.outcome import Reason
from reactree_ros.core.wire import Values
from reactree_ros.errors import ConfigurationError, GoalError, ModelError
from reactree_ros.execution.pause import RUNNING, PauseSwitch
from reactree_ros.memory.belief import Correction
from reactree_ros.memory.postgres.address import shown
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.models.local.embedded import GENERALIST, trained_skills
from reactree_ros.models.person import PersonFirst
from reactree_ros.planner.first_inputs import read_first_inputs
from reactree_ros.planner.resume import resumed
from reactree_ros.planner.run import GoalRun, checked_goal, working_memories
from reactree_ros.ros.conversions import RELATIONS, goal_from_msg, goal_to_msg
from reactree_ros.ros.goals.client import (
    ACTION,
    CONDITIONS_SERVICE,
    CONFIRM_SERVICE,
    MEMORY_SERVICE,
)
from reactree_ros.ros.goals.continuing import Continuation, Continuations
from reactree_ros.ros.goals.evaluation import goal_verdict
from reactree_ros.ros.goals.journal import OpenGoal
from reactree_ros.ros.goals.learning import GoalLearning
from reactree_ros.ros.goals.operator_client import RosOperator
from reactree_ros.ros.goals.pause_server import PAUSE_TOPIC, PauseServer
from reactree_ros.ros.goals.queue import GoalQueue
from reactree_ros.ros.goals.restart import Restart, StillRunning
from reactree_ros.ros.goals.session import (
    NOT_RUNNING,
    AcceptedGoal,
    GoalSession,
    Listener,
    NullGoalHandle,
)
from reactree_ros.ros.nodes.diagnostics import (
    ERROR,
    OK,
    WARN,
    GoalCounts,
    Health,
    Pace,
    ServerWatch,
)
from reactree_ros.ros.nodes.planner_config import PREEMPT, QUEUE, REJECT, PlannerConfig, runs_folder
from reactree_ros.ros.nodes.services import make_parts
from reactree_ros.ros.nodes.tree_host import TreeHost
from reactree_ros.ros.qos import GOAL_FEEDBACK, LATEST
from reactree_ros.ros.recording.run_publisher import RunPublisher
from reactree_ros.ros.recording.run_recorder import RunRecorder
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.ros.timers import steady_timer
from reactree_ros.skills.library import SkillLibrary

_WRONG_FIELDS = (AssertionError, AttributeError, TypeError, ValueError)
"""What a message raises that is made of fields that it does not have."""


class GoalServer:
    """Executes goals by growing and ticking an agent tree.

    Actions:
        reactree/execute_goal (ExecuteGoal): one goal at a time. It is there between ``accept``
            and ``end_service``. A second goal while one runs is rejected, the reason is logged;
            or it waits for its turn, or it preempts, by parameter. A goal that can never be taken
            (empty, too long, an unknown strategy, a negative limit) is accepted and aborted at
            once, because a rejection in ROS carries no reason: its result has the reason
            ``bad_goal`` and a message.

    Action clients, service clients and publishers:
        those that the skill library names.

    Services:
        reactree/confirm_goal (ConfirmGoal): a person confirms or denies that a goal was reached.
        reactree/set_conditions (SetConditions): a person corrects what must hold in the end.
        reactree/correct_memory (CorrectMemory): a person corrects where a thing is.
        reactree/continue_run (ContinueRun): see ``Continuations``.
        reactree/pause (std_srvs/SetBool), reactree/step (std_srvs/Trigger): see ``PauseSwitch``.
        reactree/stop (std_srvs/Trigger): cancels all goals.

    Service clients:
        those of the parameters ``robot.observe_service`` (Observe), ``operator.service`` and
        ``operator.assistant_service`` (AskOperator), and ``robot.check_service`` (CheckGoal).

    Parameters:
        see ``planner_config.PlannerConfig``; the node loads them.

    Threads: whatever touches the tree, the robot's clients or the list of goals runs in one
    mutually exclusive callback group, so that nothing there needs a lock and nothing there ever
    waits. Only the execute callback of the running goal waits, on a thread of the executor's pool;
    those of goals that wait for their turn have not been called yet. So ``THREADS`` is 5: that
    one, that of a goal which is refused meanwhile, the group, one that reads the file of a run,
    and one for rclpy's own services. Waiting costs no CPU time; the model needs the cores.

    The tick keeps to a steady clock: a ROS time that jumps, or stands still, must not keep the
    planner from canceling a goal.

    Args:
        node: the node.
        config: its parameters; what is safe to change while it runs is taken for the next goal.
        host: ticks the trees; it outlives the planner.

    Raises:
        ConfigurationError: the skill library or the experiences are wrong.
        ModelError: the model is not there.
    """

    THREADS = 5
    """Most of its callbacks that run or wait at the same time."""

    def __init__(self, node: Node, config: PlannerConfig, host: TreeHost) -> None:
        self.node = node
        self.config = config
        self._log = node.get_logger()
        # the node's own: what py_trees_ros serves reads the tree, and is in it
        self._group = node.default_callback_group
        self._host = host
        # before the services below, which may be called at once
        self._server: ActionServer | None = None
        self.broken = ''
        """Why the planner cannot continue; empty if it can."""
        self._progress = self._notice = ''
        self._sessions: dict[bytes, GoalSession] = {}
        self._current: GoalSession | None = None
        self._queue = GoalQueue()
        self._to_resume: list[OpenGoal] = []
        self.counts = GoalCounts()
        self._accepting = self._draining = False
        self._give_up_at = float('inf')
        self._why_not = 'the planner is not active'
        self._idle = threading.Event()
        self._idle.set()
        self.loaded = threading.Event()
        """Set as soon as the model has been loaded for the first time."""
        self._robots: dict[str, RosSkillExecutor] = {}
        with ExitStack() as made:
            self._first_inputs = read_first_inputs(config.restart.recorded_inputs)
            self._restart = Restart(node, lambda: self.config, self._group)
            made.callback(self._restart.destroy)
            operator = self._operator = RosOperator(
                node,
                config.operator.service,
                config.robot.server_wait_sec,
                config.operator.answer_timeout_sec,
                self._group,
                assistant_service=config.operator.assistant_service,
            )
            made.callback(operator.destroy)

            def make_robot(library: SkillLibrary, name: str) -> RosSkillExecutor:
                robot = RosSkillExecutor(
                    node,
                    library,
                    config.robot.observe_service,
                    config.robot,
                    self._group,
                    namespace=name,
                    journal=self._restart.journal,
                    check_service=config.robot.check_service,
                )
                made.callback(robot.destroy)
                self._robots[name] = robot
                return robot

            self._parts = make_parts(config, make_robot, operator)
            self._servers = ServerWatch(self._missing_servers, self._log)
            made.callback(self._parts.close)
            self._model = self._parts.model
            self._kept_memories = self._memories_to_keep()
            self._remembers = False
            for memory in (self._kept_memories or {}).values():
                made.callback(memory.close)
            world = None
            if config.robot.check_service:
                world = node.create_client(
                    CheckGoal, config.robot.check_service, callback_group=self._group
                )
                made.callback(node.destroy_client, world)
            self._learning = GoalLearning(
                self._parts.learner,
                config.memory.learning_policy,
                self._parts.skills,
                partial(goal_verdict, world, config.robot.goal_response_sec),
                self._log,
                robot=config.memory.robot
                or node.get_namespace().strip('/')
                or socket.gethostname(),
            )
            made.callback(self._learning.close)
            self._publisher = RunPublisher(
                node,
                RunRecorder(
                    runs_folder(config.recording.runs_dir), config.recording.max_runs, self._log
                ),
            )
            made.callback(self._publisher.destroy)
            self._pause = PauseSwitch()
            self._pause_server = PauseServer(
                node, self._pause, self._on_pause, self._on_stop, self._group
            )
            made.callback(self._pause_server.destroy)
            for kind, name, answer in (
                (ConfirmGoal, CONFIRM_SERVICE, self._on_confirm),
                (SetConditions, CONDITIONS_SERVICE, self._on_conditions),
                (CorrectMemory, MEMORY_SERVICE, self._on_memory),
            ):
                service = node.create_service(kind, name, answer, callback_group=self._group)
                made.callback(node.destroy_service, service)
            self._continuations = Continuations(node, lambda: self.config, lambda: self._remembers)
            made.callback(self._continuations.destroy)
            self._made = made.pop_all()
        self._ready_at = time.monotonic()
        self._pace = Pace(1.0 / config.tick_hz)
        self._timer = steady_timer(node, 1.0 / config.tick_hz, self._tick, self._group)
        self._log.info('loading the language model')
        self._warn_of_other_skills()

    @property
    def health(self) -> Health:
        """The planner's state for diagnostics; thread-safe."""
        current, memory = self._current, self._parts.store
        unsettled = self._unsettled
        values = {
            'goal': current.goal if current is not None else '',
            'pause state': self._pause.state,
            'model': self._progress or self.config.model.name,
            'skills': self._parts.skills,
            'memory': 'none' if memory is None else shown(self.config.memory.store),
            'queued goals': str(len(self._queue)),
            'missing servers': ', '.join(self._servers.missing) or 'none',
            'tick': self._pace.word,
            'found at start-up': self._restart.report or 'nothing',
            'stops not confirmed': '; '.join(unsettled),
            **self.counts.values(),
        }
        if self.broken:
            return Health(ERROR, self.broken, values)
        if not self.loaded.is_set():
            return Health(WARN, 'the model is loading', values)
        faults = self._faults()
        if faults:
            return Health(WARN, '; '.join(faults), values)
        if not self._accepting:
            return Health(OK, 'not active', values)
        if self._pause.state != RUNNING:
            return Health(OK, self._pause.state, values)
        return Health(OK, 'a goal is running' if current is not None else 'ready', values)

    def _faults(self) -> list[str]:
        """Return the faults that do not end the planner."""
        found = (
            self._unsettled and 'the robot has not confirmed that it stopped',
            self._notice,
            self._restart.busy and 'stopping skills that an earlier planner left running',
            self._accepting and self._pace.late and f'overloaded: {self._pace.word}',
            self._accepting and self._servers.fault,
            self._publisher.fault,
            self._learning.fault,
            self._restart.journal.fault,
        )
        return [one for one in found if isinstance(one, str) and one]

    def _missing_servers(self) -> list[str]:
        return [one for robot in self._robots.values() for one in robot.missing()]

    @property
    def _unsettled(self) -> list[str]:
        of_robots = (phrase for robot in self._robots.values() for phrase in robot.unsettled)
        return [*self._restart.unsettled, *of_robots]

    def accept(self) -> None:
        """Accept goals from now on."""
        if self._server is None:
            self._server = ActionServer(
                self.node,
                ExecuteGoal,
                ACTION,
                self._execute,
                callback_group=self._group,
                goal_callback=self._on_goal,
                handle_accepted_callback=self._on_accepted,
                cancel_callback=lambda _: CancelResponse.ACCEPT,
                feedback_pub_qos_profile=GOAL_FEEDBACK,
            )
        self._accepting, self._draining = True, False
        self._servers.begin()
        self._log.info('planner is ready for goals')

    def drain(self, why: str, within_sec: float = float('inf')) -> threading.Event:
        """Accept no more goals and cancel all that run.

        Args:
            why: the reason, for the results of the goals.
            within_sec: after so long a goal has its result, also if the robot has not stopped.

        Returns:
            An event that is set when the robot has stopped and learning is done.
        """
        self._why_not = why
        self._give_up_at = time.monotonic() + within_sec
        self._idle.clear()
        self._accepting = False
        self._draining = True
        return self._idle

    def end_service(self) -> None:
        """Withdraw the action; the planner must be at rest, and the results must be sent."""
        if self._server is not None:
            self._server.destroy()
            self._server = None

    def close(self) -> None:
        """End the model's process, close the memory and destroy everything else."""
        self.node.destroy_timer(self._timer)
        self._idle.set()  # nobody else will: the timer was what noticed
        # a resumed goal has no client, and is not among the sessions
        current = [self._current] if self._current is not None else []
        for session in dict.fromkeys([*self._sessions.values(), *current]):
            session.shutdown()
        self._host.release()
        self._made.close()
        self.end_service()

    def _warn_of_other_skills(self) -> None:
        known = trained_skills(self.config.model.name)
        skills_of = self._parts.services(self.config.strategy).skills_of.values()
        others = {self._parts.skills, *(one.library.name for one in skills_of)} - {known}
        if known and others:
            self._log.warning(
                f"the model was trained on the skills of '{known}', this robot has those of "
                f"'{', '.join(sorted(others))}': set the parameter model.name to {GENERALIST} or "
                'another model (docs/models.md), or train one on runs of this robot '
                '(docs/training.md)'
            )

    def _tick(self) -> None:
        self._pace.tick()
        if not self._accepting:
            self._stop_all(self._why_not)
        if self._draining:
            self._restart.stop_robots()
        self._look_for_model()
        self._learning.tick()
        self._pause_server.look()
        self._servers.tick()
        # robots are stopped at once, also while the model is loading
        self._to_resume += self._restart.poll()
        while self._accepting and self._to_resume:
            self._resume(self._to_resume.pop(0))
        if self._current is not None:
            self._current.tick()
            if self._draining and time.monotonic() >= self._give_up_at:
                self._current.shutdown()
                self._host.release()
            if self._current.ended:
                self._count(self._current)
                self._current = None
        for session in self._queue.remove_canceled():
            self._count(session)
        if self._current is None and self._queue and not self._restart.busy:
            self._begin(*self._queue.take())
        if self._current is None:
            self._host.tick()
        busy = (
            self._current is not None
            or self._learning.busy
            or self._restart.busy
            or self._unsettled
        )
        if not self._accepting and not busy:
            self._idle.set()

    def _on_confirm(
        self, request: ConfirmGoal.Request, response: ConfirmGoal.Response
    ) -> ConfirmGoal.Response:
        goal_id = bytes(request.goal_id.uuid)
        response.accepted, response.message, response.run = self._learning.confirm(
            goal_id, request.reached
        )
        return response

    def _on_conditions(
        self, request: SetConditions.Request, response: SetConditions.Response
    ) -> SetConditions.Response:
        current = self._running(request.goal_id)
        if current is None:
            response.message = NOT_RUNNING
        else:
            response.accepted, response.message = current.correct(request.conditions)
        return response

    def _on_memory(
        self, request: CorrectMemory.Request, response: CorrectMemory.Response
    ) -> CorrectMemory.Response:
        current, relation = self._running(request.goal_id), RELATIONS.word(request.relation)
        if current is None:
            response.message = NOT_RUNNING
        elif relation not in RELATIONS.words:
            response.message = 'the relation is not one of CorrectMemory'
        else:
            said = Correction(request.name, relation, request.place)
            response.accepted, response.message = current.correct_memory(said)
        return response

    def _running(self, asked: UUID) -> GoalSession | None:
        """Return the running goal, if it has this id, or the id is all 0; None otherwise."""
        goal_id, current = bytes(asked.uuid), self._current
        if current is None or (any(goal_id) and goal_id.hex() != current.goal_id):
            return None
        return current

    def _on_pause(self, word: str, message: PauseState) -> None:
        self._log.info(f'planner state: {word}')
        self._publisher.note(PAUSE_TOPIC, message, LATEST)

    def _look_for_model(self) -> None:
        """Check whether the model is loaded, or has failed.

        While a restarted model loads, goals are accepted and their decisions wait for it.
        """
        if self.broken:
            return
        if self._model.progress != self._progress:
            self._progress = self._model.progress
            self._log.info(self._progress)
        notice = str(getattr(self._model, 'notice', ''))
        if notice != self._notice:
            self._notice = notice
            self._log.warning(notice or 'the model answers normally again')
        try:
            ready = self._model.poll_ready()
            if ready:
                self._ready_at = time.monotonic()
            elif time.monotonic() - self._ready_at > self.config.model.load_timeout_sec:
                limit = self.config.model.load_timeout_sec
                raise ModelError(f'the language model was not loaded within {limit:g} s')
        except (ModelError, ConfigurationError) as error:
            if self._current is None:  # a running goal ends by itself, with the robot at rest
                self.broken = ' '.join(str(error).split())
                self._log.fatal(self.broken)
            return
        if ready:
            self.loaded.set()

    def _on_goal(self, request: ExecuteGoal.Goal) -> GoalResponse:
        if not self._accepting:
            self.counts.rejected += 1
            self._log.warning(f'rejected a goal: {self._why_not}')
            return GoalResponse.REJECT
        why = self._why_rejected()
        if why and self._is_valid(request) and not self._replaces(request):
            self.counts.rejected += 1
            self._log.warning(f'rejected the goal {request.goal!r}: {why}')
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _why_rejected(self) -> str:
        """Return why no goal can be accepted now; empty if one can."""
        waiting = len(self._queue)
        if self._current is None and not waiting:
            return ''
        if self.config.goals.policy == REJECT:
            return 'another goal is running'
        if self.config.goals.policy == QUEUE and waiting >= self.config.goals.max_queued:
            return f'the queue is full: {waiting} goals'
        return ''

    def _replaces(self, request: ExecuteGoal.Goal) -> bool:
        """Return whether a goal continues the running one, and is to take its place."""
        name = request.strategy or self.config.strategy
        return self._continues_running(self._continuations.expects(request.goal, name))

    def _continues_running(self, continued: Continuation | None) -> bool:
        """Return whether what is continued is the running goal."""
        current = self._current
        return bool(continued and current and continued.run == current.goal_id)

    def _on_accepted(self, handle: ServerGoalHandle) -> None:
        session = GoalSession(handle, self._log, self._learning, self._publisher)
        self._sessions[bytes(handle.goal_id.uuid)] = session
        try:
            accepted = replace(self._validated(handle.request), inputs=self._first_inputs)
            self._first_inputs = ()
            continued = self._continuations.take(bytes(handle.goal_id.uuid))
            if continued is not None:
                accepted = replace(accepted, inputs=continued.inputs, by_person=continued.by_person)
        except (GoalError, ConfigurationError) as error:
            self._log.warning(f'aborted a goal: {error}')
            session.refuse('failed', Reason.BAD_GOAL, str(error))
            self.counts.end('failed', Reason.BAD_GOAL.value)
            return
        self._restart.journal.accepted(session.goal_id, accepted.request)
        if self._current is None and not self._queue and not self._restart.busy:
            self._begin(session, accepted)
        else:
            if self.config.goals.policy == PREEMPT:
                self._stop_all('a newer goal preempted this one')
            elif self._current and self._continues_running(continued):
                self._current.stop('a person continues this run from an earlier decision')
            self._queue.add(session, accepted)

    def _resume(self, goal: OpenGoal) -> None:
        """Queue a goal that an earlier process has left."""
        try:
            request = goal_to_msg(**goal.request)
            accepted = replace(self._validated(request), inputs=tuple(goal.inputs), journaled=True)
        except (GoalError, ConfigurationError, *_WRONG_FIELDS) as error:
            self._log.warning(f'"{goal.request.get("goal")}" cannot be resumed: {error}')
            self._restart.ended(goal.goal_id)
            return
        session = GoalSession(
            NullGoalHandle(goal.goal_id, request), self._log, self._learning, self._publisher
        )
        self._queue.add(session, accepted, goal.begun)

    def _execute(self, handle: ServerGoalHandle) -> ExecuteGoal.Result:
        """Wait for the goal's end; this runs on a thread of its own."""
        key = bytes(handle.goal_id.uuid)
        result = self._sessions[key].conclude()
        del self._sessions[key]
        return result

    def _begin(self, session: GoalSession, accepted: AcceptedGoal) -> None:
        if self.config.goals.reset_model_cache:
            self._model.forget()
        if self.config.goals.reset_world:
            for robot in self._robots.values():
                robot.reset_world()
        self._restart.journal.replay(accepted.inputs if accepted.journaled else ())
        self._restart.journal.begun(session.goal_id, self._restart.about(self._remembers))
        self._remembers = self._kept_memories is not None
        session.start(accepted, self._make_run, self._host)
        self._current = session

    def _make_run(self, accepted: AcceptedGoal, listen: Listener) -> GoalRun:
        services = self._parts.services(accepted.strategy)
        if accepted.by_person:
            first = PersonFirst(services.model, self._operator, accepted.by_person)
            services = replace(services, model=first)
        if accepted.inputs:
            left = (
                StillRunning((), self._robots)
                if accepted.by_person
                else self._restart.still_running(self._robots)
            )
            name = 'the journal' if accepted.journaled else 'the recorded run'
            services = resumed(services, accepted.inputs, name, left)
        return GoalRun(
            accepted.goal,
            services,
            accepted.limits,
            listen,
            memories=self._kept_memories,
            pause=self._pause,
            record=self._record,
            conditions=accepted.conditions,
            audit=self._publisher.audit,
        )

    def _record(self, entry: Values) -> None:
        self._restart.journal.input(entry)
        self._publisher.input(entry)

    def _memories_to_keep(self) -> dict[str, WorkingMemory] | None:
        """Return the working memory of all goals, by robot; None if each goal has its own."""
        if not self.config.memory.keep_between_goals:
            return None
        return working_memories(self._parts.services(self.config.strategy))

    def _stop_all(self, why: str) -> None:
        for session in self._queue.stop_all(why):
            self._count(session)
        if self._current is not None:
            self._current.stop(why)

    def _on_stop(self) -> int:
        why = 'all goals were stopped'
        count = len(self._queue) + (self._current is not None) + len(self._to_resume)
        self._stop_all(why)
        for goal in self._to_resume:
            self._restart.ended(goal.goal_id)
        self._to_resume = []
        return count + self._restart.stop_all(why)

    def _count(self, session: GoalSession) -> None:
        report = session.report
        assert report is not None
        self.counts.end(report.status, report.reason_word)
        self._restart.ended(session.goal_id)

    def _is_valid(self, request: ExecuteGoal.Goal) -> bool:
        """Return whether a goal is valid; an invalid one is accepted, to return why it is not."""
        try:
            self._validated(request)
        except (GoalError, ConfigurationError):
            return False
        return True

    def _validated(self, request: ExecuteGoal.Goal) -> AcceptedGoal:
        goal = checked_goal(request.goal, self.config.goals.max_chars)
        name = request.strategy or self.config.strategy
        self._parts.services(name)
        asked = goal_from_msg(request)
        limits = self.config.limits.requested(
            *(asked[f'max_{what}'] for what in ('decisions', 'depth', 'duration_sec', 'tokens'))
        )
        about = {
            'strategy': name,
            'limits': asdict(limits),
            'parameters': {
                **values_of(self.config),
                'memory.store': shown(self.config.memory.store),
            },
            'skills': self._parts.skills,
            'remembers': self._remembers,
            'conditions': asked['conditions'],
        }
        return AcceptedGoal(
            goal,
            limits,
            name,
            about,
            request.priority,
            tuple(asked['conditions']),
            request=asked,
        )
