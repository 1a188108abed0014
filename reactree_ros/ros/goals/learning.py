# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Learning from goals that the planner reported as succeeded, once they are verified."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger

from reactree_ros.core.futures import Future
from reactree_ros.core.settings import NEVER, REPORTED
from reactree_ros.errors import ReactreeError
from reactree_ros.memory.experience import Experience, Origin, Verification
from reactree_ros.memory.learning import Learner
from reactree_ros.memory.store import Saved
from reactree_ros.planner.experiences import experiences_of
from reactree_ros.planner.run import GoalRun
from reactree_ros.strategies.registry import strategy

MOST_REMEMBERED = 20
"""So many of the latest goals can still be confirmed by a person."""
_LATEST = bytes(16)
_BY = {
    Verification.WORLD: 'verified by the world',
    Verification.PERSON: 'verified by a person',
    Verification.REPORTED: 'verified by nobody',
}


@dataclass(frozen=True)
class Verdict:
    """What the world says about a goal.

    Args:
        known: it could read the goal.
        holds: the goal is reached; without meaning if it is not known.
        missing: what is not as wanted, one line each.
    """

    known: bool = False
    holds: bool = False
    missing: tuple[str, ...] = ()


@dataclass
class _Run:
    """A run that succeeded, as long as a person may confirm it."""

    origin: Origin
    experiences: tuple[Experience, ...]
    check: Future[Verdict] | None
    unconfirmed: bool = False
    work: Future[Any] | None = None
    report: Callable[[Any], None] = lambda _: None
    kept: bool = False
    reached: bool | None = None
    """A person's verdict that was not acted on yet."""


class GoalLearning:
    """Verifies runs and learns from them, without waiting; ``tick`` polls.

    The world is asked first. If the goal is not reached there, nothing is learned; if the world
    does not know, that depends on the parameter ``memory.learning_policy``. A person may confirm
    or deny the goal later, which overrides the world.

    Args:
        learner: learns; None if there is no store or no encoder.
        policy: the parameter ``memory.learning_policy``.
        skills: name of the robot's skill library.
        check: asks the world whether conditions hold, or the goal of its task is reached.
        log: logs what was learned.
        clock: time in seconds since 1970.
        robot: name of the robot that learns.
    """

    def __init__(
        self,
        learner: Learner | None,
        policy: str,
        skills: str,
        check: Callable[[Sequence[str]], Future[Verdict]],
        log: RcutilsLogger,
        clock: Callable[[], float] = time.time,
        robot: str = '',
    ) -> None:
        self._learner = None if policy == NEVER else learner
        self._policy = policy
        self._skills = skills
        self._check = check
        self._log = log
        self._clock = clock
        self._robot = robot
        self._runs: dict[bytes, _Run] = {}
        self._news: list[tuple[str, Future[int]]] = []
        self.fault = ''
        """Why nothing can be learned; empty if something can."""

    @property
    def checking(self) -> bool:
        """Whether the world's answer is awaited; until then nothing may move."""
        return any(run.check is not None for run in self._runs.values())

    @property
    def busy(self) -> bool:
        """Whether anything is under way."""
        return bool(self._news) or any(
            run.check is not None or run.work is not None or run.reached is not None
            for run in self._runs.values()
        )

    def succeeded(self, goal_id: bytes, run: GoalRun, name: str, model: str) -> None:
        """Begin to learn from a run that was reported as succeeded.

        A goal that was reached before anything was done would teach to do nothing.

        Args:
            goal_id: the goal's id, 16 bytes.
            run: the run, which has ended.
            name: name of its planning strategy.
            model: names of the models that decided.
        """
        if self._learner is None or not strategy(name).learns:
            return
        if run.report().costs.skills == 0:
            self._log.info('learned nothing from this run: it executed no skill')
            return
        now = self._clock()
        stamp = time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))
        origin = Origin(
            run=f'{stamp}-{goal_id.hex()[:8]}',
            skills=self._skills,
            strategy=name,
            model=model,
            time=now,
            robot=self._robot,
        )
        # Conditions that the model read prove no more than its "done".
        verdict = self._check(run.given or (run.goal,))
        unconfirmed = run.report().unconfirmed
        self._runs[goal_id] = _Run(origin, experiences_of(run), verdict, unconfirmed)
        while len(self._runs) > MOST_REMEMBERED:
            del self._runs[next(iter(self._runs))]

    def confirm(self, goal_id: bytes, reached: bool) -> tuple[bool, str, str]:
        """Act on a person's verdict about a goal.

        Args:
            goal_id: the goal's id; 16 zero bytes for the latest.
            reached: whether it was reached.

        Returns:
            Whether it is accepted, one sentence about that, and the run's name.
        """
        if self._learner is None:
            why = (
                'the planner does not learn: it has no memory, or its parameter '
                'memory.learning_policy is never'
            )
            return False, why, ''
        if goal_id == _LATEST and self._runs:
            goal_id = next(reversed(self._runs))
        if goal_id not in self._runs:
            why = (
                f'this is not one of the last {MOST_REMEMBERED} goals that agent nodes succeeded '
                'in; what was learned before can be changed with "reactree memory"'
            )
            return False, why, ''
        run = self._runs[goal_id]
        run.reached = reached
        name = run.origin.run
        what = 'is learned from' if reached else 'is forgotten, if anything of it was learned'
        return True, f'the run {name} {what}', name

    def tick(self) -> None:
        """Continue as far as possible."""
        for run in self._runs.values():
            try:
                self._continue(run)
            except ReactreeError as error:
                run.check = run.work = None
                self._failed(error)
        while self._news:
            text, count = self._news[0]
            try:
                known = count.poll()
            except ReactreeError:
                known = 0
            if known is None:
                return
            del self._news[0]
            self._log.info(f'{text}; memory holds {known:,}' if known else text)

    def close(self) -> None:
        """Cancel what is pending."""
        for run in self._runs.values():
            for pending in (run.check, run.work):
                if pending is not None:
                    pending.cancel()

    def _continue(self, run: _Run) -> None:
        if run.check is not None:
            verdict = run.check.poll()
            if verdict is None:
                return
            run.check = None
            if run.reached is None:
                self._decide(run, verdict)
        if run.work is not None:
            answer = run.work.poll()
            if answer is None:
                return
            run.work = None
            self.fault = ''
            run.report(answer)
        if run.reached is not None:
            reached, run.reached = run.reached, None
            self._follow(run, reached)

    def _decide(self, run: _Run, verdict: Verdict) -> None:
        name = run.origin.run
        if verdict.known and verdict.holds:
            self._learn(run, Verification.WORLD)
        elif verdict.known:
            missing = '; '.join(verdict.missing)
            self._log.warning(
                f'learned nothing from the run {name}: in the world the goal is not reached '
                f'({missing})'
            )
        elif self._policy == REPORTED and not run.unconfirmed:
            self._learn(run, Verification.REPORTED)
        else:
            self._log.info(
                f'learned nothing from the run {name} so far: only the planner says that the goal '
                'is reached; a person may confirm it (reactree send --ask, or the service '
                'reactree/confirm_goal)'
            )

    def _learn(self, run: _Run, verified: Verification) -> None:
        assert self._learner is not None
        run.origin = replace(run.origin, verified=verified)
        run.work = self._learner.learn(run.origin, run.experiences)

        def report(saved: Saved) -> None:
            run.kept = True
            self._report(_kept(run.origin, saved))

        run.report = report

    def _follow(self, run: _Run, reached: bool) -> None:
        """Act on a person's verdict about a run."""
        assert self._learner is not None
        name = run.origin.run
        denial = 'a person says that the goal is not reached'
        if reached and run.kept:
            run.work = self._learner.verify(name, Verification.PERSON)
            run.report = lambda count: self._report(
                f'{count} experiences of the run {name} are now verified by a person'
            )
        elif reached:
            self._learn(run, Verification.PERSON)
        elif run.kept:

            def forgotten(count: int) -> None:
                run.kept = False
                self._report(f'forgot {count} experiences of the run {name}: {denial}')

            run.work = self._learner.forget(name)
            run.report = forgotten
        else:
            self._log.info(f'learned nothing from the run {name}: {denial}')

    def _report(self, text: str) -> None:
        """Log what was learned, as soon as the number of experiences is known."""
        assert self._learner is not None
        self._news.append((text, self._learner.count()))

    def _failed(self, error: ReactreeError) -> None:
        """Log why the store failed, once until it works again; goals continue without it."""
        text = ' '.join(str(error).split())
        if text != self.fault:
            self.fault = text
            self._log.warning(
                f'cannot write to episodic memory: {text}; goals continue without learning'
            )


def _kept(origin: Origin, saved: Saved) -> str:
    parts = [f'kept {saved.added} experiences of the run {origin.run} ({_BY[origin.verified]})']
    if saved.merged:
        parts.append(f'{saved.merged} merged')
    if saved.forgotten:
        parts.append(f'{saved.forgotten} older ones forgotten')
    return ', '.join(parts)
