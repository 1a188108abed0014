# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""STEP's leaf-node termination: is a subgoal one skill, more than one, or unfit (section III-C)?

What the robot cannot do now is not on offer, so a subgoal that is mapped to a skill is within
its affordances and its surroundings; whether it fits what it is for is the model's to say.
"""

from __future__ import annotations

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.core.decision import Act, Choices
from reactree_ros.core.model import Answer
from reactree_ros.core.outcome import Outcome, Reason
from reactree_ros.core.prompt import Prompt, Step, Trajectory

SPLIT, AGAIN = 'split the subgoal', 'plan again'


def check_choices(skills: tuple[str, ...], deeper: bool) -> Choices:
    """Return the choices of the check: a skill, a split, or planning again."""
    return Choices(
        skills=(*skills, *((SPLIT,) if deeper else ()), AGAIN),
        think=False,
        control_flows=(),
        endings=(),
    )


def check_prompt(
    system: str, trajectory: Trajectory, before: tuple[Step, ...], subgoal: str
) -> Prompt:
    """Return the prompt of the check of a subgoal."""
    asked = Step(f'Subgoal: {subgoal}', decided=False)
    return Prompt(system, (), trajectory.task, (*before, asked))


class CheckedNode(AgentNode):
    """An agent node whose goal is checked first, if it is a subgoal.

    A goal that is one skill is reached when the robot has done it; if the robot could not, the
    node decides as it would have. An unfit one fails, and its parent reads why.
    """

    _checked = False
    _checking = False
    _only = ''

    def ask_model(self) -> None:
        """Ask first whether the subgoal can be executed as it is."""
        if self._checked or self.trajectory.message is None:
            super().ask_model()
            return
        self._checking = self._checked = True
        self._mask.update()
        prompt = check_prompt(
            self._state.services.prompts['leaf_check'], self.trajectory, (), self.goal
        )
        self._decide(prompt, check_choices(self._mask.skills, deeper=True))

    def on_answer(self, answer: Answer) -> None:
        """Execute the subgoal as one skill, split it, or end for the parent to plan again."""
        if not self._checking:
            super().on_answer(answer)
            return
        self._checking = False
        decision = self._read(answer)
        if decision is None:
            return
        assert isinstance(decision, Act)
        self._publish('check', f'{self.goal}: {decision.phrase}')
        spent = self._state.budget.spent()
        if spent is not None:
            self._end(spent)
        elif decision.phrase == AGAIN:
            detail = f'"{self.goal}" does not fit here, the check says'
            self._end(Outcome(False, Reason.GAVE_UP, detail))
        elif decision.phrase != SPLIT:
            self._only = decision.phrase
            self.execute_decision(decision)

    def _skill_ended(self, leaf: SkillLeaf) -> None:
        super()._skill_ended(leaf)
        only, self._only = self._only, ''
        if only and self.outcome is None and leaf.succeeded:
            self._end(Outcome(True, Reason.DONE, f'it was one skill: {only}'))
