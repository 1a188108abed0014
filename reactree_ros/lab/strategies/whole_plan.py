# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ZSP: a whole plan at once, line by line, each mapped to a skill (paper, Appendix C)."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.behaviours.services import RunState
from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.core.decision import DONE
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.observation import SkillResult, SkillStatus
from reactree_ros.core.option import option
from reactree_ros.core.outcome import Outcome, Reason
from reactree_ros.lab.strategies.planned import STEP_TOKENS, PlannedNode

_LONGEST_LOOP = 3
"""Lines of the longest loop that ends a plan; moving one thing after another takes four."""


@dataclass(frozen=True)
class PlanOptions:
    """Options of whole plans."""

    max_steps: int = option(
        60,
        'Longest plan (paper: as many as there may be decisions).',
        unit='skills',
        minimum=1,
        maximum=1000,
        kept_on_resume=True,
    )


class WholePlan(PlannedNode):
    """Writes a plan greedily, then lets the robot do it; no observation is read in between.

    Every line is a decision. What a line was mapped to stands in the prompt of the next one
    (Huang et al., 2022). A step that the robot refuses is skipped.

    =======  ===================================================================
    RUNNING  a line is awaited or a skill is running
    SUCCESS  the plan ended with "done" and the robot tried all of its steps
    FAILURE  the plan was not completed, or ``outcome`` says what else
    INVALID  interrupted before its end
    =======  ===================================================================

    Args:
        goal: the goal of the run.
        state: what the run has.
    """

    def __init__(self, goal: str, state: RunState) -> None:
        super().__init__(goal, state)
        self._phrases: list[str] = []
        self._next = 0
        self._refused = 0
        self._broken_off: Outcome | None = None

    def _write(self) -> None:
        most = self._state.options(PlanOptions).max_steps
        spent = self._state.budget.spent()
        if spent is None and len(self._phrases) >= most:
            detail = f'the plan had no end after {most} skills'
            spent = Outcome(False, Reason.PLAN, detail)
        if spent is not None:
            self._stop_planning(spent)
            return
        self._decision = self._generate(
            TextRequest(
                self._planning_prompt(self._phrases),
                max_tokens=STEP_TOKENS,
                time_limit_s=self.settings.agent.decision_timeout_sec,
            )
        )

    def _written(self, answers: tuple[Answer, ...]) -> None:
        line = answers[0].text.strip()
        if line:
            self._matched = self._matcher.match((line,), self._steps)
        else:
            self._stop_planning(Outcome(False, Reason.PLAN, 'the plan broke off'))

    def _mapped(self, phrases: list[str]) -> None:
        (phrase,) = phrases
        self._publish('plan', phrase)
        if phrase == DONE:
            self._stop_planning(None)
            return
        self._phrases.append(phrase)
        limit = self.settings.agent.max_repetitions
        if limit and self._goes_in_circles(limit):
            detail = f'the plan had the same steps {limit} times in a row'
            self._stop_planning(Outcome(False, Reason.REPETITION, detail))

    def _goes_in_circles(self, times: int) -> bool:
        plan = self._phrases
        for length in range(1, _LONGEST_LOOP + 1):
            tail = plan[-length:]
            if len(plan) >= length * times and plan[-length * times :] == tail * times:
                return True
        return False

    def _stop_planning(self, broken_off: Outcome | None) -> None:
        """Begin to act; a plan that broke off is carried out as far as it goes."""
        self._broken_off = broken_off
        if broken_off is not None:
            self._publish('rejected', broken_off.detail)
        self._planned(f'plan of {len(self._phrases)} steps')

    def _act(self) -> None:
        if self._next < len(self._phrases):
            phrase = self._phrases[self._next]
            self._next += 1
            self._do(self._steps[phrase])
        elif self._broken_off is not None:
            self._end(self._broken_off)
        else:
            refused = f'; the robot refused {self._refused} of its steps' if self._refused else ''
            self._end(Outcome(True, Reason.DONE, f'the plan was carried out{refused}'))

    def _skill_ended(self, leaf: SkillLeaf, result: SkillResult) -> None:
        self._refused += result.status is not SkillStatus.SUCCEEDED
        self._observed(result.observation.text)
