# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner: takes goals in plain language and works them out on a robot."""

from __future__ import annotations

import sys
import threading
import time

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from reactree_interfaces.action import ExecuteGoal
from reactree_ros.behaviours.run import GoalRun, checked_goal
from reactree_ros.behaviours.strategies import strategy
from reactree_ros.exceptions import ConfigurationError, GoalError, ModelError
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.models.embedded import trained_skills
from reactree_ros.ros.goal_check import RosGoalCheck
from reactree_ros.ros.goal_judge import GoalJudge
from reactree_ros.ros.goal_learning import GoalLearning
from reactree_ros.ros.goal_session import GoalSession, Listener, Order
from reactree_ros.ros.node_main import run_node
from reactree_ros.ros.operator_client import RosOperator
from reactree_ros.ros.parameters import load
from reactree_ros.ros.planner_config import PlannerConfig
from reactree_ros.ros.planner_parameters import PARAMETERS, REJECT
from reactree_ros.ros.planner_services import make_parts
from reactree_ros.ros.qos import GOAL_FEEDBACK
from reactree_ros.ros.skill_client import RosSkillExecutor
from reactree_ros.ros.tree_host import make_tree_host
from reactree_ros.skills.library import SkillLibrary


class Planner:
    """Executes goals by growing and ticking an agent tree.

    Actions:
        reactree/execute_goal (ExecuteGoal): one goal at a time. It appears when the model is
            loaded. A second goal while one runs is rejected, the reason is logged; or it
            preempts, by parameter. A goal that can never be taken (empty, too long, an unknown
            strategy, a negative limit) is accepted and aborted at once, because a rejection in
            ROS carries no reason: its result has the reason ``bad_goal`` and a message.
    Action clients:
        those that the skill library names (ExecuteSkill).
    Services:
        reactree/verify_goal (VerifyGoal): a person says whether a goal was reached.
    Service clients:
        those of the parameters ``observe_service`` (Observe), ``operator_service``
        (AskOperator) and ``check_service`` (CheckGoal).
    Parameters:
        see ``planner_parameters.PARAMETERS``.

    Threads: whatever touches the tree, the robot's clients or the list of goals runs in one
    mutually exclusive callback group, so that nothing there needs a lock and nothing there ever
    waits. Only the execute callbacks wait, each on a thread of the executor's pool: for the
    running goal, and for the one that preempts it. So ``threads`` is 4: those two, the group,
    and one for rclpy's own services. Waiting costs no CPU time; the model needs the cores.

    Args:
        node: the node; its parameters are loaded here.

    Raises:
        ConfigurationError: a parameter, the skill library or the experiences are wrong.
        ModelError: the model is not there.
    """

    threads = 4

    def __init__(self, node: Node) -> None:
        self.node = node
        self._log = node.get_logger()
        self._config = load(node, PARAMETERS, PlannerConfig)
        self._group = MutuallyExclusiveCallbackGroup()
        self._host = make_tree_host(node)
        self._operator = RosOperator(
            node,
            self._config.operator_service,
            self._config.server_wait_sec,
            self._config.operator_sec,
            self._group,
        )
        self._parts = make_parts(self._config, self._make_robot, self._operator)
        self._model = self._parts.model
        self._working_memory = self._memory_to_keep()
        self._check = RosGoalCheck(
            node, self._config.check_service, self._config.goal_response_sec, self._group
        )
        self._learning = GoalLearning(
            self._parts.learner, self._config.learn, self._parts.skills, self._check, self._log
        )
        self._judge = GoalJudge(node, self._learning, self._group)
        self._ready_at = time.monotonic()
        self._server: ActionServer | None = None
        self._broken = ''
        self._progress = ''
        self._sessions: dict[bytes, GoalSession] = {}
        self._current: GoalSession | None = None
        self._next: tuple[GoalSession, Order] | None = None
        self._leaving = False
        self._idle = threading.Event()
        node.create_timer(1.0 / self._config.tick_hz, self._tick, callback_group=self._group)
        self._log.info('loading the language model')
        self._warn_of_other_skills()

    @property
    def broken(self) -> str:
        """Why the planner cannot go on; empty if it can."""
        return self._broken

    def leave(self) -> threading.Event:
        """Cancel all goals; the event is set when the robot has stopped and learning is done."""
        self._leaving = True
        return self._idle

    def close(self) -> None:
        """End the model's process, close the memory and let go of everything else."""
        for session in self._sessions.values():
            session.refuse('canceled', 'canceled', 'the planner has left')
        self._learning.close()
        self._parts.close()
        if self._working_memory is not None:
            self._working_memory.close()
        self._judge.destroy()
        self._check.destroy()
        self._robot.destroy()
        self._operator.destroy()
        self._host.shutdown()
        if self._server is not None:
            self._server.destroy()

    def _warn_of_other_skills(self) -> None:
        known = trained_skills(self._config.model)
        if known not in ('', self._parts.skills):
            self._log.warning(
                f"the model was trained on the skills of '{known}', this robot has those of "
                f"'{self._parts.skills}': take another model (parameter 'model', docs/models.md), "
                'or train it on runs of this robot (docs/training.md)'
            )

    def _make_robot(self, library: SkillLibrary) -> RosSkillExecutor:
        self._robot = RosSkillExecutor(
            self.node, library, self._config.observe_service, self._config.timeouts, self._group
        )
        return self._robot

    def _tick(self) -> None:
        if self._leaving:
            self._stop_all('the planner is leaving')
        else:
            self._look_for_model()
        self._learning.tick()
        if self._current is not None:
            self._current.tick()
            if self._current.ended:
                self._current = None
        if self._current is None and self._next is not None:
            self._begin(*self._next)
            self._next = None
        if self._leaving and self._current is None and not self._learning.busy:
            self._idle.set()

    def _look_for_model(self) -> None:
        """Take goals when the model is loaded; end the process if there is no model any more.

        A model that had to start again is waited for like at the beginning; goals that come
        meanwhile are taken, and their decisions wait for it.
        """
        if self._broken:
            return
        if self._model.progress != self._progress:
            self._progress = self._model.progress
            self._log.info(self._progress)
        try:
            ready = self._model.poll_ready()
            if ready:
                self._ready_at = time.monotonic()
            elif time.monotonic() - self._ready_at > self._config.model_load_sec:
                limit = self._config.model_load_sec
                raise ModelError(f'the language model was not loaded within {limit:g} s')
        except ModelError as error:
            if self._current is None:  # a running goal ends by itself, with the robot at rest
                self._broken = ' '.join(str(error).split())
                self._log.fatal(self._broken)
            return
        if ready and self._server is None:
            self._server = ActionServer(
                self.node,
                ExecuteGoal,
                'reactree/execute_goal',
                self._execute,
                callback_group=self._group,
                goal_callback=self._on_goal,
                handle_accepted_callback=self._on_accepted,
                cancel_callback=lambda _: CancelResponse.ACCEPT,
                feedback_pub_qos_profile=GOAL_FEEDBACK,
            )
            self._log.info('planner is ready for goals')

    def _on_goal(self, request: ExecuteGoal.Goal) -> GoalResponse:
        if self._leaving:
            self._log.warning('rejected a goal: the planner is leaving')
            return GoalResponse.REJECT
        busy = self._current is not None or self._next is not None
        if busy and self._config.goal_policy == REJECT and not self._fault(request):
            self._log.warning(f'rejected the goal {request.goal!r}: another goal is running')
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle: ServerGoalHandle) -> None:
        session = GoalSession(handle, self._log, self._learning)
        self._sessions[bytes(handle.goal_id.uuid)] = session
        fault = self._fault(handle.request)
        if fault:
            self._log.warning(f'aborted a goal: {fault}')
            session.refuse('failed', 'bad_goal', fault)
        elif self._current is None:
            self._begin(session, self._order(handle.request))
        else:
            why = 'a newer goal preempted this one'
            self._current.stop(why)
            if self._next is not None:
                self._next[0].stop(why)
            self._next = (session, self._order(handle.request))
        handle.execute()

    def _execute(self, handle: ServerGoalHandle) -> ExecuteGoal.Result:
        """Wait for the goal's end; this runs on a thread of its own."""
        key = bytes(handle.goal_id.uuid)
        result = self._sessions[key].conclude()
        del self._sessions[key]
        return result

    def _begin(self, session: GoalSession, order: Order) -> None:
        if self._config.forget_between_goals:
            self._model.forget()
        session.start(order, self._make_run, self._host)
        self._current = session

    def _make_run(self, order: Order, listen: Listener) -> GoalRun:
        services = self._parts.services[order.strategy]
        return GoalRun(order.goal, services, order.limits, listen, memory=self._working_memory)

    def _memory_to_keep(self) -> WorkingMemory | None:
        """Return the working memory of all goals; None if each of them begins with its own."""
        if not self._config.keep_working_memory:
            return None
        library = self._parts.services[self._config.strategy].library
        return WorkingMemory(library.objects, library.places)

    def _stop_all(self, why: str) -> None:
        if self._next is not None:
            self._next[0].stop(why)
            self._next = None
        if self._current is not None:
            self._current.stop(why)

    def _fault(self, request: ExecuteGoal.Goal) -> str:
        try:
            self._order(request)
        except (GoalError, ConfigurationError) as error:
            return str(error)
        return ''

    def _order(self, request: ExecuteGoal.Goal) -> Order:
        goal = checked_goal(request.goal, self._config.max_goal_chars)
        name = request.strategy or self._config.strategy
        strategy(name)
        limits = self._config.limits(request.max_decisions, request.max_depth, request.max_seconds)
        return Order(goal, limits, name)


def main() -> None:
    """Run the planner as a process."""
    sys.exit(run_node('reactree_planner', Planner))


if __name__ == '__main__':
    main()
