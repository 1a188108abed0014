# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tree-Planner: sampled plans merged into a tree of actions, and a decision at every fork.

Hu et al., *Tree-Planner*, 2024, as the paper sets it up (Appendix C, Listing 4).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from reactree_ros.behaviours.services import RunState
from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.core.decision import DONE, Act, Choices, Done
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.observation import SkillResult, SkillStatus
from reactree_ros.core.option import option
from reactree_ros.core.outcome import Outcome, Reason
from reactree_ros.core.prompt import build_prompt
from reactree_ros.lab.strategies.action_tree import ActionTree
from reactree_ros.lab.strategies.planned import STEP_TOKENS, PlannedNode, lines_until_done
from reactree_ros.lab.strategies.whole_plan import PlanOptions

_END_OF_PLAN = ('\n\n', '\nGoal:')


@dataclass(frozen=True)
class SampledPlanOptions(PlanOptions):
    """Options of Tree-Planner."""

    samples: int = option(
        25,
        'How many plans are sampled (paper: 25 and 50).',
        minimum=1,
        maximum=1000,
        kept_on_resume=True,
    )
    temperature: float = option(
        0.8,
        'Temperature of sampled plans. 0: all plans are the same.',
        minimum=0.0,
        maximum=10.0,
        kept_on_resume=True,
    )
    top_p: float = option(
        0.95,
        'Plans are sampled from the likeliest tokens that together have this probability.',
        minimum=0.01,
        maximum=1.0,
        kept_on_resume=True,
    )


class TreePlanner(PlannedNode):
    """Samples whole plans, then walks their tree: at a fork the model decides by what it sees.

    Where there is one way only, it is taken without asking. An action that the robot refuses is
    struck out, and another one of the same fork is chosen; where none is left, the walk goes
    back to the nearest fork that has one, and on from there with the world as it now is.

    =======  ===================================================================
    RUNNING  plans or a decision are awaited, or a skill is running
    SUCCESS  the walk came to a "done"
    FAILURE  no way is left, or ``outcome`` says what else
    INVALID  interrupted before its end
    =======  ===================================================================

    Args:
        goal: the goal of the run.
        state: what the run has.
    """

    def __init__(self, goal: str, state: RunState) -> None:
        super().__init__(goal, state)
        self._plans: list[tuple[tuple[str, ...], bool]] = []
        self._here = ActionTree()

    def _write(self) -> None:
        settings = self._state.services.settings
        options = self._state.options(SampledPlanOptions)
        self._decision = self._generate(
            TextRequest(
                self._planning_prompt(),
                stop=_END_OF_PLAN,
                max_tokens=STEP_TOKENS // 2 * options.max_steps,
                samples=options.samples,
                temperature=options.temperature,
                top_p=options.top_p,
                seed=settings.seed,
                time_limit_s=settings.agent.decision_timeout_sec * options.samples,
            )
        )

    def _written(self, answers: tuple[Answer, ...]) -> None:
        most = self._state.options(SampledPlanOptions).max_steps
        self._plans = [lines_until_done(answer.text, most) for answer in answers]
        lines = [line for plan, _ in self._plans for line in plan]
        self._matched = self._matcher.match(lines, self._steps)

    def _mapped(self, phrases: list[str]) -> None:
        """Merge the plans into a tree.

        Args:
            phrases: those of all lines of all plans, in a row.
        """
        plans = Counter[tuple[str, ...]]()
        mapped = iter(phrases)
        for lines, finished in self._plans:
            plan = tuple(next(mapped) for _ in lines)
            if DONE in plan:  # a line that meant it
                plan, finished = plan[: plan.index(DONE)], True
            plan += (DONE,) if finished else ()
            if plan:
                plans[plan] += 1
        for plan, times in plans.items():
            self._publish('plan', f'{times}x {"; ".join(plan)}')
        self._here = ActionTree.merge(plans)
        steps, forks = self._here.size()
        self._planned(f'{len(plans)} plans of {len(self._plans)}: {steps} steps, {forks} forks')

    def _act(self) -> None:
        if self._decision is not None:
            answer = self._decision.poll()
            if answer is not None:
                self._decision = None
                self.on_answer(answer)
            return
        options = self._here.options()
        if not options:
            back = self._here.back()
            if back is None:
                self._end(Outcome(False, Reason.PLAN, 'no way through the plans is left'))
            else:
                self._here = back
        elif len(options) == 1:
            self._go(options[0])
        else:
            self._choose(options)

    def _choose(self, options: tuple[ActionTree, ...]) -> None:
        services = self._state.services
        spent = self._state.budget.spent()
        if spent is not None:
            self._end(spent)
            return
        phrases = tuple(option.phrase for option in options)
        choices = Choices(
            skills=tuple(phrase for phrase in phrases if phrase != DONE),
            think=False,
            control_flows=(),
            endings=(DONE,) if DONE in phrases else (),
        )
        self._decide(build_prompt(services.prompts['choose'], (), self.trajectory), choices)

    def on_answer(self, answer: Answer) -> None:
        """Take the branch of the plan tree that the model chose."""
        decision = self._read(answer)
        if decision is None:
            return
        self._invalid = 0
        assert isinstance(decision, (Act, Done))
        self._go(self._here.below[decision.phrase if isinstance(decision, Act) else DONE])

    def _go(self, option: ActionTree) -> None:
        if option.phrase == DONE:
            self.trajectory.decide(Done())
            self._end(Outcome(True, Reason.DONE, 'the plan was carried out'))
            return
        self._here = option
        self.trajectory.decide(Act(option.phrase))
        self._do(self._steps[option.phrase])

    def _skill_ended(self, leaf: SkillLeaf, result: SkillResult) -> None:
        self._observed(result.observation.text)
        if result.status is not SkillStatus.SUCCEEDED:
            assert self._here.above is not None
            self._here.struck_out = True
            self._here = self._here.above
