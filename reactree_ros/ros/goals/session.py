# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One ``ExecuteGoal`` goal from its acceptance to its result."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rclpy.action.server import ServerGoalHandle
from rclpy.impl.rcutils_logger import RcutilsLogger
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.action import ExecuteGoal
from reactree_interfaces.msg import Event as EventMsg
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.outcome import Costs, Reason, RunReport
from reactree_ros.core.wire import Values
from reactree_ros.errors import DecisionError, WorldError
from reactree_ros.memory.belief import Correction
from reactree_ros.planner.run import GoalRun
from reactree_ros.ros.conversions import EVENT_KINDS, feedback_to_msg, report_to_msg
from reactree_ros.ros.goals.learning import GoalLearning
from reactree_ros.ros.nodes.tree_host import TreeHost
from reactree_ros.ros.recording.run_publisher import RunPublisher

Listener = Callable[[Event], None]

NOT_RUNNING = 'no goal with this id is running'


class NullGoalHandle:
    """The handle of a goal that is resumed after a restart: its client is lost.

    Args:
        goal_id: of the goal, 32 hexadecimal digits.
        request: the goal.
    """

    is_cancel_requested = False

    def __init__(self, goal_id: str, request: ExecuteGoal.Goal) -> None:
        self.goal_id = UUID(uuid=list(bytes.fromhex(goal_id)))
        self.request = request

    def execute(self) -> None:
        """Do nothing: nobody waits for the result."""

    def publish_feedback(self, feedback: ExecuteGoal.Feedback) -> None:
        """Do nothing: the topics have the events."""

    succeed = abort = canceled = execute


@dataclass(frozen=True)
class AcceptedGoal:
    """A valid goal.

    Args:
        goal: one line, not too long.
        limits: limits of its run.
        strategy: name of its planning strategy.
        about: metadata for its recording; plain data.
        priority: the higher one starts first.
        conditions: conditions that must hold before "done" counts.
        inputs: recorded inputs of its run in an earlier process, from which it is resumed.
        by_person: so many decisions after the inputs are a person's.
        journaled: the inputs stand in the journal already.
        request: the arguments of ``conversions.goal_to_msg`` that make the goal message.
    """

    goal: str
    limits: Limits
    strategy: str
    about: Mapping[str, Any] = field(default_factory=dict)
    priority: int = 0
    conditions: tuple[str, ...] = ()
    inputs: tuple[Values, ...] = ()
    by_person: int = 0
    journaled: bool = False
    request: Values = field(default_factory=dict)


Starter = Callable[[AcceptedGoal, Listener], GoalRun]


class GoalSession:
    """Runs one goal and reports to its client.

    ``tick`` and ``stop`` are called from one callback group; only ``conclude`` waits, on a thread
    of its own.

    Args:
        handle: the goal's handle.
        log: logs the events.
        learning: learns from a run that succeeded.
        publisher: publishes and records the run.
    """

    def __init__(
        self,
        handle: ServerGoalHandle | NullGoalHandle,
        log: RcutilsLogger,
        learning: GoalLearning,
        publisher: RunPublisher,
    ) -> None:
        self._handle = handle
        self._log = log
        self._learning = learning
        self._publisher = publisher
        self._events: list[Event] = []
        self._run: GoalRun | None = None
        self._host: TreeHost | None = None
        self._stopped = ''
        self._model = ''
        self._models: dict[str, None] = {}
        self._strategy = ''
        self._finished = False
        self._behind: int | None = None
        self._broken = ''
        self._executed = False
        self.report: RunReport | None = None
        """How it ended; None if it has not."""
        self._ended = threading.Event()

    @property
    def goal_id(self) -> str:
        """Id of the action goal, 32 hexadecimal digits."""
        return bytes(self._handle.goal_id.uuid).hex()

    @property
    def goal(self) -> str:
        """What the person wants."""
        return str(self._handle.request.goal)

    @property
    def ended(self) -> bool:
        """Whether the result is there."""
        return self._ended.is_set()

    @property
    def cancel_requested(self) -> bool:
        """Whether its client has canceled it."""
        return bool(self._handle.is_cancel_requested)

    def wait_behind(self, count: int) -> None:
        """Report how many queued goals are ahead of this one."""
        if count != self._behind:
            self._behind = count
            text = f'waiting for its turn, behind {count} more' if count else 'next in turn'
            kind = EVENT_KINDS.number('queued')
            event = EventMsg(goal_id=self._handle.goal_id, kind=kind, text=text)
            self._handle.publish_feedback(ExecuteGoal.Feedback(event=event))

    def start(self, accepted: AcceptedGoal, make: Starter, host: TreeHost) -> None:
        """Start the run; nothing is requested before the first tick."""
        if self.ended:
            return
        self._execute()
        self._strategy = accepted.strategy
        try:
            self._run = make(accepted, self._events.append)
        except Exception as error:
            self._break(error)
            return
        self._host = host
        host.begin(self._run)
        self._publisher.begin(self._handle.goal_id, accepted.goal, accepted.about)

    def tick(self) -> None:
        """Tick the tree, publish the events, and end when the run has ended.

        An internal error of the planner ends the goal, and leaves no robot moving.
        """
        try:
            if self._broken:
                self._end_broken()
            else:
                self._continue()
        except Exception as error:
            self._break(error)

    def _break(self, error: Exception) -> None:
        lines = ''.join(traceback.format_exception(error))
        self._log.error(f'internal error of the planner:\n{lines}')
        first, self._broken = not self._broken, f'{type(error).__name__}: {error}'
        if self._run is None or not first:
            if self._host is not None:
                self._host.release()  # else it would be ticked until the next goal
            if self._run is not None:
                self._run.close()
            self.refuse('failed', Reason.ERROR, self._broken)
            return
        try:
            self._run.cancel(self._broken)
        except Exception as again:  # then nothing of it can be trusted
            self._break(again)

    def _end_broken(self) -> None:
        """End when the robot has stopped."""
        if self._run is not None and self._run.finished:
            self._run.close()
            message = f'internal error of the planner: {self._broken}'
            if self._run.unconfirmed:
                message += f'; {self._run.unconfirmed}'
            self.refuse('failed', Reason.ERROR, message, self._publisher.end)

    def _continue(self) -> None:
        if self._run is None or self._host is None or self.ended:
            return
        if self._finished:
            # The world is asked before anything else can change it.
            if not self._learning.checking:
                self._ended.set()
            return
        if self.cancel_requested:
            self.stop('the goal was canceled')
        due = len(self._events)
        if not self._stopped:
            self._host.tick()
        # One tick late: only the tick after an event shows in the tree what it started.
        self._publish(due)
        self._publisher.look(self._run)
        if self._run.finished:
            self._finish(self._run)

    def stop(self, why: str) -> None:
        """Cancel the run; it ends when the robot has stopped.

        Args:
            why: for the message; the first reason counts.
        """
        if self._finished or self.ended:
            return
        self._stopped = self._stopped or why
        if self._run is not None:
            self._run.cancel(why)
        else:
            self.refuse('canceled', Reason.CANCELED, why)

    def correct(self, conditions: Sequence[str]) -> tuple[bool, str]:
        """Correct what must hold; return whether it was taken, and how it was read or why not."""
        if self._run is None or self._finished or self.ended:
            return False, NOT_RUNNING
        try:
            return True, self._run.conditions.correct(conditions)
        except DecisionError as error:
            return False, str(error)

    def correct_memory(self, said: Correction) -> tuple[bool, str]:
        """Correct where a thing is believed to be; return whether, and what or why not."""
        if self._run is None or self._finished or self.ended:
            return False, NOT_RUNNING
        try:
            self._run.correct_memory(said)
        except WorldError as error:
            return False, str(error)
        return True, f'{said}, from the next observation on'

    def refuse(
        self,
        status: str,
        reason: Reason,
        message: str,
        record: Callable[[RunReport], None] = lambda report: None,
    ) -> None:
        """End without a run, or without its report; ``record`` is called before the client is."""
        self.report = RunReport(status, reason, message, Costs(), (), '')
        record(self.report)
        self._ended.set()
        self._execute()

    def shutdown(self) -> None:
        """End at once: the session is not ticked any more."""
        if self._finished:
            self._ended.set()
        elif not self.ended:
            why = self._stopped or 'the planner has shut down'
            if self._run is None or self._run.finished:
                self.refuse('canceled', Reason.CANCELED, why)
                return
            why += '; the robot has not confirmed that it stopped'
            self._log.warning(why)
            self._run.close()
            self.refuse('canceled', Reason.CANCELED, why, self._publisher.end)

    def _execute(self) -> None:
        """Have ``conclude`` called, once."""
        if not self._executed:
            self._executed = True
            self._handle.execute()

    def conclude(self) -> ExecuteGoal.Result:
        """Wait for the end and return the result, with the goal's handle set accordingly."""
        self._ended.wait()
        assert self.report is not None
        status = self.report.status
        if status == 'succeeded':
            self._handle.succeed()
        elif status == 'canceled' and self._handle.is_cancel_requested:
            self._handle.canceled()
        else:
            self._handle.abort()
        return report_to_msg(self.report)

    def _finish(self, run: GoalRun) -> None:
        report = run.report()
        if self._stopped and self._host is not None:
            self._host.show()
        self._publish(len(self._events))
        self._publisher.look(run)
        run.close()
        self.report = report
        self._publisher.end(report)
        # The result follows one tick later: rclpy's clients drop feedback that comes after it.
        self._finished = True
        if report.status == 'succeeded':
            goal_id = bytes(self._handle.goal_id.uuid)
            self._learning.succeeded(goal_id, run, self._strategy, ' + '.join(self._models))

    def _publish(self, count: int) -> None:
        """Log and publish the oldest events; the last of them carries the tree."""
        if not count or self._run is None:
            return
        due, self._events[:count] = self._events[:count], []
        tree = self._run.tree_text()
        for event in due:
            if event.model:
                self._models[event.model] = None
            robot = f'[{event.robot}] ' if event.robot else ''
            indent = '  ' * (event.depth - 1)
            line = f'{indent}{robot}{event.kind}: {event.text}{self._price(event)}'
            # two calls: rclpy allows one severity for each line of code
            if event.kind == 'fault':
                self._log.warning(line)
            else:
                self._log.info(line)
            last = event is due[-1]
            message = self._publisher.event(event)
            self._handle.publish_feedback(feedback_to_msg(event, message, tree if last else ''))

    def _price(self, event: Event) -> str:
        """Return what a decision cost, and which model made it if that changes."""
        if event.decision == Costs():
            return ''
        changed, self._model = event.model != self._model, event.model
        return f' ({price(event.decision)}{f"; {event.model}" if changed else ""})'


def price(costs: Costs) -> str:
    """Return the tokens and the model's seconds of a decision, shortly.

    >>> price(Costs(tokens_in=1290, tokens_reused=1240, tokens_out=9, prefill_seconds=0.33))
    '1,290 tokens in, 1,240 reused, 9 out; 0.00 s queued, 0.33 s prefill, 0.00 s decode'
    """
    dropped = f', {costs.dropped} parts left out' if costs.dropped else ''
    return (
        f'{costs.tokens_in:,} tokens in, {costs.tokens_reused:,} reused, {costs.tokens_out:,} out'
        f'{dropped}; {costs.queued_seconds:.2f} s queued, {costs.prefill_seconds:.2f} s prefill, '
        f'{costs.decode_seconds:.2f} s decode'
    )
