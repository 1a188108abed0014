# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One goal, from its root agent node to a report."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from reactree_ros.behaviours.failed_at import failed_at
from reactree_ros.behaviours.goal_conditions import Corrections, GoalConditions
from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.robots import Robot
from reactree_ros.behaviours.services import RunServices, RunState
from reactree_ros.behaviours.snapshot import BehaviourState, snapshot
from reactree_ros.core.budget import Budget, Limits
from reactree_ros.core.events import DecisionRecord, Event
from reactree_ros.core.observation import Observation
from reactree_ros.core.outcome import NodeCosts, Outcome, Reason, RunReport
from reactree_ros.core.plain_text import one_line
from reactree_ros.core.situation import Situation
from reactree_ros.errors import GoalError, WorldError
from reactree_ros.execution.approval import ApprovalStage
from reactree_ros.execution.checking import CheckStage
from reactree_ros.execution.pause import PausableModel, PauseStage, PauseSwitch
from reactree_ros.execution.pipeline import SkillPipeline
from reactree_ros.execution.rest import RestStage
from reactree_ros.memory.belief import Correction
from reactree_ros.memory.working import NAMESPACE, WorkingMemory
from reactree_ros.planner.recorded_inputs import RecordingCorrections, Write, with_recording
from reactree_ros.skills.done_check import DoneCondition, done_conditions
from reactree_ros.skills.executor import has_ended
from reactree_ros.strategies.registry import strategy

_COLOURS = re.compile(r'\x1b\[[0-9;]*m')


def checked_goal(goal: str, max_chars: int) -> str:
    """Return a goal as one line.

    Raises:
        GoalError: if it is empty or longer than ``max_chars`` characters.
    """
    line = one_line(goal, len(goal))
    if not line:
        raise GoalError('the goal is empty: say what the robot should do')
    if len(line) > max_chars:
        raise GoalError(f'the goal has {len(line)} characters, at most {max_chars} are allowed')
    return line


class GoalRun:
    """One goal on its way; a host ticks ``root`` until ``finished``.

    Args:
        goal: what a person wants, one line.
        services: what the planner works with.
        limits: limits of this run.
        listen: called with every event, on the tick's thread; must not wait.
        namespace: where working memory lies on the blackboard.
        clock: monotonic time in seconds.
        memories: working memory of the goals before, by robot, as ``working_memories`` returns it;
            it stays when the run is closed. None begins with an empty one, which goes with the
            run.
        pause: may keep it from beginning anything new.
        record: takes everything that reaches the run from outside, an entry each; None for nobody.
        audit: called with the record of every decision when its outcome is known, likewise.
        conditions: what must hold before the goal counts as reached, besides what the library says:
            in its predicates, or, if it has none, as the world is asked for it.
    """

    def __init__(
        self,
        goal: str,
        services: RunServices,
        limits: Limits,
        listen: Callable[[Event], None] = lambda event: None,
        namespace: str = NAMESPACE,
        clock: Callable[[], float] = time.monotonic,
        memories: Mapping[str, WorkingMemory] | None = None,
        pause: PauseSwitch | None = None,
        record: Write | None = None,
        audit: Callable[[DecisionRecord], None] = lambda record: None,
        conditions: tuple[str, ...] = (),
    ) -> None:
        self.goal = goal
        self._pause = pause = pause or PauseSwitch(clock)
        if record is not None:
            services = with_recording(services, record)
        library = services.library
        self._own_memories: Sequence[WorkingMemory] = ()
        if memories is None:
            memories = working_memories(services, namespace, clock)
            self._own_memories = (*memories.values(),)
        else:
            for kept in memories.values():
                kept.begin_goal()
        remembers = any(one.reader.situation().objects for one in memories.values())
        self._memories = memories
        executors = {services.robot: services.executor, **services.helpers}
        first, *others = self._robots = [
            Robot(
                name,
                services.of_robot(name).library.name,
                SkillPipeline(
                    [
                        RestStage(),
                        PauseStage(pause),
                        ApprovalStage(services.operator, pause.now, name),
                        CheckStage(memories[name].reader),
                    ],
                    executor,
                    memories[name].reader.situation,
                ),
                memories[name].reader,
                partial(self._observed, name),
                partial(_note_claims, memories, name),
            )
            for name, executor in executors.items()
        ]
        corrections = services.corrections or Corrections()
        self._beliefs = services.beliefs or Corrections()
        if record is not None:
            corrections = RecordingCorrections(corrections, record, 'conditions')
            self._beliefs = RecordingCorrections(self._beliefs, record, 'corrected')
        self._given = conditions
        self._state = RunState(
            services=replace(services, model=PausableModel(services.model, pause)),
            budget=Budget(limits, pause.now),
            robot=first,
            goal=GoalConditions(
                library,
                lambda: first.memory.situation(),
                services.settings.agent,
                conditions if library.predicates else (),
                corrections,
            ),
            on_event=listen,
            free_robots=others,
            robots=tuple(self._robots),
            on_record=audit,
            done=self._done_conditions,
            remembers=remembers,
        )
        self.root = strategy(services.strategy).root(goal, self._state)
        self._state.numbers.of(self.root.id)
        self._report: RunReport | None = None
        self._total_seconds: float | None = None
        self._unconfirmed: list[str] = []

    @property
    def given(self) -> tuple[str, ...]:
        """What must hold in the end, as it was given or as a person has corrected it."""
        library = self._state.services.library
        return self._state.goal.given if library.predicates else self._given

    def _done_conditions(self) -> tuple[DoneCondition, ...]:
        services = self._state.services
        checks = services.settings.agent.check_done
        asked = self.given if checks or not services.library.predicates else ()
        return done_conditions(self.goal, services.library, asked, checks)

    @property
    def finished(self) -> bool:
        """Whether the run has ended and the robot has come to rest."""
        self._look_at_stopped()
        if self.root.outcome is None or not self._at_rest():
            return False
        if self._total_seconds is None:
            self._look_at_stopped(at_rest=True)
            self._total_seconds = self._state.budget.seconds
        return True

    @property
    def unconfirmed(self) -> str:
        """What the robot was stopped at without confirming it in time; empty for nothing."""
        return '; '.join(self._unconfirmed)

    def _look_at_stopped(self, at_rest: bool = False) -> None:
        """Take what the robot has answered to being stopped."""
        waiting = []
        for one in self._state.stopped:
            if not (at_rest or has_ended(one.run)):
                waiting.append(one)
                continue
            try:
                result = one.run.poll()
            except WorldError:
                result = None
            if result is not None and not result.confirmed:
                self._unconfirmed.append(result.observation.text.rstrip('.'))
            one.ended(result)
        self._state.stopped[:] = waiting

    def _at_rest(self) -> bool:
        # each is looked at: looking is what notices that a skill has ended
        return all([robot.executor.at_rest() for robot in self._robots])

    def tick(self) -> None:
        """Tick the tree once, unless it has ended; for callers without a tree host."""
        if self.root.outcome is None:
            self.root.tick_once()

    def cancel(self, why: str = 'the goal was canceled') -> None:
        """Stop the tree, the running skill and the running model request.

        The run is ``finished`` when the robot has come to rest.

        Args:
            why: the reason, for the report.
        """
        if self.root.outcome is None:
            self.root.stop(Status.INVALID)
            self._pause.decided_nothing()
            self.root.outcome = Outcome(False, Reason.CANCELED, why)

    def _publish(self, kind: str, text: str) -> None:
        self._state.publish(kind, text, self.root)

    def agents(self) -> tuple[DecidingNode, ...]:
        """Return the nodes that decide and that began, each before the nodes below it."""
        nodes = (node for node in _below(self.root) if isinstance(node, DecidingNode))
        return tuple(node for node in nodes if node.tracker.started)

    def snapshot(self) -> tuple[BehaviourState, ...]:
        """Return the tree as it is now, each behaviour before those below it."""
        return snapshot(self.root, self._state.numbers)

    def situation(self) -> Situation:
        """Return what working memory knows now; the same object as long as that is the same."""
        return self._state.memory.situation()

    @property
    def conditions(self) -> GoalConditions:
        """What must hold in the end; a person may correct it."""
        return self._state.goal

    def correct_memory(self, said: Correction) -> None:
        """Correct where a thing is believed to be, before the next observation is taken.

        Raises:
            WorldError: if memory does not know the thing or the place, or the robot has the thing.
        """
        why = next(filter(None, (one.objection(said) for one in self._memories.values())), '')
        if why:
            raise WorldError(why)
        self._beliefs.put(said.line)

    def _observed(self, robot: str, observation: Observation) -> None:
        """Take the corrections of memory, then what a robot observes, which is newer."""
        for line in self._beliefs.take():
            said = Correction.from_line(line)
            try:
                for memory in self._memories.values():
                    memory.correct(said)
            except WorldError as error:  # meanwhile it does not hold any more
                self._publish('corrected', f'{said}: rejected, {error}')
            else:
                self._publish('corrected', f'{said}, says a person')
        _share(self._memories, robot, observation)

    def tree_text(self, **options: Any) -> str:
        """Return the tree as text, every past act in it; without colours, wherever it is read."""
        text = py_trees.display.unicode_tree(self.root, show_status=True, **options)
        return _COLOURS.sub('', text)

    def report(self) -> RunReport:
        """Return how the run ended and what it cost.

        Raises:
            RuntimeError: before the run is finished.
        """
        if self._report is not None:
            return self._report
        outcome = self.root.outcome
        if outcome is None or not self.finished:
            raise RuntimeError('the run has not ended yet')
        costs = replace(self._state.budget.costs, total_seconds=self._total_seconds or 0.0)
        is_canceled = outcome.reason is Reason.CANCELED
        is_failed = not outcome.success and not is_canceled
        status = 'failed' if is_failed else 'succeeded'
        self._report = report = RunReport(
            status='canceled' if is_canceled else status,
            reason=outcome.reason,
            message='; '.join(filter(None, [outcome.detail, self.unconfirmed])),
            costs=costs,
            nodes=tuple(
                NodeCosts(
                    path=node.path,
                    reason=node.outcome.reason if node.outcome else None,
                    costs=node.tracker.costs,
                )
                for node in self.agents()
            ),
            tree=self.tree_text(),
            failed_at=failed_at(self.root, self._state.numbers.of) if is_failed else '',
            conditions=self.conditions.after(outcome.answer),
            unconfirmed=outcome.success and self.conditions.unconfirmed(outcome.answer),
            answer=outcome.answer,
        )
        self._publish('ended', f'{report.status}: {report.message}')
        return report

    def close(self) -> None:
        """Release the blackboard; calling it again does nothing."""
        for memory in self._own_memories:
            memory.close()


def working_memories(
    services: RunServices,
    namespace: str = NAMESPACE,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, WorkingMemory]:
    """Return an empty working memory for each robot, by its name.

    Args:
        services: of a run, which say what robots there are.
        namespace: where working memory lies on the blackboard; that of helping robots below it.
        clock: monotonic time in seconds.
    """
    found = {}
    for name in (services.robot, *services.helpers):
        library = services.of_robot(name).library
        place = f'{namespace}/{name}' if name in services.helpers else namespace
        found[name] = WorkingMemory(library.objects, library.places, place, clock)
    return found


def _share(memories: Mapping[str, WorkingMemory], robot: str, observation: Observation) -> None:
    """Add what a robot observes to all memories."""
    for name, memory in memories.items():
        if name == robot:
            memory.update(observation)
        else:
            memory.share(observation, robot)


def _note_claims(memories: Mapping[str, WorkingMemory], robot: str, claims: Sequence[str]) -> None:
    """Tell all other memories what a robot is about to do something with."""
    for name, memory in memories.items():
        if name != robot:
            memory.note_claims(claims, robot)


def _below(node: Behaviour) -> Iterator[Behaviour]:
    yield node
    for child in node.children:
        yield from _below(child)
