# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold before a skill or a goal counts as done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from reactree_ros.core.futures import Future, Polled, Promise, first_of, mapped, ready, then
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.outcome import Outcome
from reactree_ros.core.situation import Situation
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.conditions import Asked, Check, Question, WorldCondition
from reactree_ros.skills.executor import SkillExecutor, SkillRun, WrappedRun
from reactree_ros.skills.library import GroundedSkill, SkillLibrary


def all_hold(objections: Sequence[Future[str]]) -> Future[str]:
    """Return the first objection to several conditions; empty if all of them hold."""
    return first_of(objections, bool, none='')


def missing_conditions(missing: Sequence[str]) -> str:
    """Return conditions that do not hold as an objection; empty if there are none."""
    return f'this does not hold: {"; ".join(missing)}' if missing else ''


def check_one(
    check: Check, situation: Situation, look: Surroundings, executor: SkillExecutor
) -> Future[str]:
    """Ask whether all of a check holds; the answer is an objection, or empty."""
    objection = check.objection(situation, look)
    if objection:
        return ready(objection)
    return all_hold([executor.check(Question(one, look)) for one in check.asked])


@dataclass(frozen=True)
class DoneCondition:
    """What must hold when the goal of a run is said to be reached.

    Args:
        check: what must hold.
        words: the words of the goal that its references name.
        is_of_goal: it was declared for this goal, not for whatever the robot does; if all of it
            holds, the goal is reached.
    """

    check: Check
    words: Mapping[str, str] = field(default_factory=dict)
    is_of_goal: bool = True


@dataclass(frozen=True)
class PendingSuccess:
    """A success that counts if the conditions of the goal hold.

    Args:
        outcome: the success.
        objection: which condition does not hold; empty if all do.
        at_start: nothing was done yet, and an objection means that there is something to do.
    """

    outcome: Outcome
    objection: Future[str]
    at_start: bool = False


def done_conditions(
    goal: str, library: SkillLibrary, conditions: Sequence[str] = (), ask_world: bool = False
) -> tuple[DoneCondition, ...]:
    """Return what must hold before a goal counts as reached.

    Args:
        goal: as the person put it.
        library: may have conditions for goals like it.
        conditions: what the person wants to hold, which the world is asked for.
        ask_world: ask the world for the goal itself; one that it cannot read is not an objection.
    """
    found = []
    for one in library.done:
        words = one.fits(goal)
        if words is not None:
            found.append(DoneCondition(one.check, words, is_of_goal=bool(one.goal)))
    if conditions:
        found.append(_of_world(conditions))
    if ask_world:
        found.append(_of_world((goal,), if_known=True))
    return tuple(found)


def start_conditions(conditions: Sequence[DoneCondition]) -> tuple[DoneCondition, ...]:
    """Return what must hold for a goal to be reached before anything was done.

    Returns:
        The same, but that what the world cannot read does not hold; nothing if none of them was
        declared for this goal.
    """
    if not any(one.is_of_goal for one in conditions):
        return ()
    return tuple(
        replace(one, check=replace(one.check, asked=tuple(map(_strict, one.check.asked))))
        for one in conditions
    )


def _strict(condition: Asked) -> Asked:
    if isinstance(condition, WorldCondition):
        return replace(condition, if_known=False)
    return condition


def check_all(
    conditions: Sequence[DoneCondition],
    library: SkillLibrary,
    situation: Situation,
    executor: SkillExecutor,
) -> Future[str]:
    """Ask whether all conditions hold; the answer is an objection, or empty."""
    return all_hold(
        [
            check_one(
                one.check,
                situation,
                library.surroundings(one.words, situation),
                executor,
            )
            for one in conditions
        ]
    )


def _of_world(lines: Sequence[str], if_known: bool = False) -> DoneCondition:
    condition = WorldCondition(tuple(lines), if_known=if_known, as_written=True)
    return DoneCondition(Check(asked=(condition,)))


def checked(
    run: SkillRun, skill: GroundedSkill, look: Surroundings, executor: SkillExecutor
) -> SkillRun:
    """Return a skill whose success counts only if the robot's side does not object."""
    if not skill.check.asked:
        return run
    check = Check(asked=skill.check.asked)
    return CheckedRun(run, skill, lambda _: check_one(check, look.situation, look, executor))


class CheckedRun(WrappedRun):
    """A skill whose success counts only if what must hold then does (``SkillRun``).

    Args:
        run: the skill as the robot reports it.
        skill: the skill.
        ask: asks for the objection to a success, given what the robot reports.
    """

    def __init__(
        self, run: SkillRun, skill: GroundedSkill, ask: Callable[[SkillResult], Future[str]]
    ) -> None:
        super().__init__(run)
        self._skill = skill
        self._ask = ask
        self._asked: Promise[SkillResult] | None = None
        self._result = then(Polled(run.poll), self._check)

    @property
    def doing(self) -> str:
        """What the robot does, or that the result is checked."""
        return self._run.doing if self._asked is None else 'checking what was done'

    def poll(self) -> SkillResult | None:
        """Return the result once there is one, and the same ever after; never waits."""
        return self._result.poll()

    def cancel(self) -> None:
        """Stop the skill; of one that the robot has done, give up the check."""
        if self._asked is None:
            self._run.cancel()
        elif not self._asked.ended:
            self._asked.cancel()
            text = f'"{self._skill.phrase}" was canceled before it was checked.'
            self._result = ready(SkillResult(SkillStatus.CANCELED, Observation(text)))

    def _check(self, done: SkillResult) -> Future[SkillResult]:
        if done.status is not SkillStatus.SUCCEEDED:
            return ready(done)
        self._asked = mapped(self._ask(done), partial(judged, self._skill, done))
        return self._asked


def judged(skill: GroundedSkill, done: SkillResult, objection: str) -> SkillResult:
    """Return what a success is worth after an objection to it; empty for none."""
    if not objection:
        return done
    why = objection.rstrip('.')
    text = f'"{skill.phrase}" was reported as done, but {why}.'
    return SkillResult(SkillStatus.FAILED, replace(done.observation, text=text))
