# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What strategies share that plan as a whole before they act (paper, Appendix C)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.services import RunState
from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.core.decision import DONE
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer
from reactree_ros.core.observation import Observation, SkillResult
from reactree_ros.core.outcome import Outcome, Reason
from reactree_ros.core.prompt import GOAL_LINE, Prompt, Step
from reactree_ros.lab.strategies.matching import SkillMatcher
from reactree_ros.lab.strategies.plan_steps import PlanStep, steps_of

STEP_TOKENS = 24
"""Longest line of a plan, in tokens; the longest phrases of the household have about ten."""


class PlanLeaf(py_trees.behaviour.Behaviour):
    """Shows in the tree that something was planned; always SUCCESS.

    Args:
        name: what was planned, in a few words.
    """

    def update(self) -> Status:
        """Return SUCCESS: the plan is there."""
        return Status.SUCCESS


class PlannedNode(DecidingNode):
    """A root that first writes plans, from a survey of the whole house, and then acts.

    Subclasses ask the model in ``_write``, take what it wrote in ``_written`` and what that was
    mapped to in ``_mapped``. Once they have called ``_planned``, they act in ``_act``, which is
    called whenever no skill is running.

    Args:
        goal: the goal of the run.
        state: what the run has.
    """

    def __init__(self, goal: str, state: RunState) -> None:
        super().__init__(goal, state)
        self._matcher = SkillMatcher(state.services.encoder)
        self._survey: Future[Observation] | None = None
        self._matched: Future[list[str]] | None = None
        self._house = ''
        self._steps: dict[str, PlanStep] = {}
        self._planning = True

    def _write(self) -> None:
        """Ask the model for a plan, or for more of it."""
        raise NotImplementedError

    def _written(self, answers: tuple[Answer, ...]) -> None:
        """Have what the model wrote mapped to skills, or end planning."""
        raise NotImplementedError

    def _mapped(self, phrases: list[str]) -> None:
        """Take in which skills were meant."""
        raise NotImplementedError

    def _act(self) -> None:
        """Go on acting."""
        raise NotImplementedError

    def _skill_ended(self, leaf: SkillLeaf, result: SkillResult) -> None:
        """Record a skill that has ended; its result is in memory and was reported."""
        raise NotImplementedError

    def _pending(self) -> list[Future[Any] | None]:
        return [self._survey, self._matched, *super()._pending()]

    def _request(self) -> None:
        self._survey = self._state.robot.executor.survey()
        super()._request()

    def _poll(self) -> None:
        if self._is_informed():
            if self._planning:
                self._plan()
            else:
                self._act()

    def _plan(self) -> None:
        if self._matched is not None:
            phrases = self._matched.poll()
            if phrases is not None:
                self._matched = None
                self._mapped(phrases)
        elif self._decision is None:
            self._write()
        else:
            answers = self._decision.poll()
            if answers is not None:
                self._decision = None
                self._count(together(answers))
                self._written(answers)

    def _is_informed(self) -> bool:
        if self._survey is not None:
            survey = self._survey.poll()
            if survey is None:
                return False
            self._survey = None
            self._steps = steps_of(self._state.services.library, survey)
            self._house = ' '.join(survey.text.split())
            if not self._steps:
                detail = 'this strategy needs to know the whole house, and the robot does not'
                self._end(Outcome(False, Reason.ROBOT, detail))
                return False
        return super()._is_informed()

    def _planning_prompt(self, written: Sequence[str] = ()) -> Prompt:
        services = self._state.services
        return Prompt(
            services.system_prompt,
            tuple(reversed(self._examples)),
            f'{self._house}\n{GOAL_LINE}{self.goal}\n',
            tuple(Step(line, decided=True) for line in written),
        )

    def _planned(self, name: str) -> None:
        """End planning and show in the tree what was planned."""
        self._planning = False
        self._grow(PlanLeaf(name))

    def _do(self, step: PlanStep) -> None:
        """Let the robot do a step, on the instance that can be meant now."""
        skill = step.ground(self.situation)
        self._run_skill(skill)

    def on_child_finished(self, child: Behaviour) -> None:
        """Go on with the plan after a skill."""
        if isinstance(child, SkillLeaf):
            # No guard against repetition: what was planned has an end.
            self._skill_ended(child, self._skill_result(child))


def together(answers: Sequence[Answer]) -> Answer:
    """Return one answer with the costs of all, as one decision is booked."""
    total = answers[0]
    for answer in answers[1:]:
        total = replace(
            total,
            tokens_in=total.tokens_in + answer.tokens_in,
            tokens_reused=total.tokens_reused + answer.tokens_reused,
            tokens_out=total.tokens_out + answer.tokens_out,
            prefill_seconds=total.prefill_seconds + answer.prefill_seconds,
            decode_seconds=total.decode_seconds + answer.decode_seconds,
        )
    return total


def lines_until_done(text: str, most: int) -> tuple[tuple[str, ...], bool]:
    r"""Return the lines of a plan before ``done``, and whether it got there.

    >>> lines_until_done('go to kitchen 1\ndone\nmore', 9)
    (('go to kitchen 1',), True)
    """
    lines: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        if line.strip().lower().rstrip('.') == DONE:
            return tuple(lines), True
        if len(lines) == most:
            break
        lines.append(line.strip())
    return tuple(lines), False
