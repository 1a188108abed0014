# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""STEP: a tree of subgoals that grows from coarse to fine, one subgoal at a time.

*STEP*, section III and Algorithm 1 (see docs/strategies.md).
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour

from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.core.decision import Act, Choices, Done, Think, to_text
from reactree_ros.core.model import Answer
from reactree_ros.core.outcome import Outcome, Reason
from reactree_ros.core.prompt import Note, Prompt, Step, build_prompt

SPLIT, AGAIN = 'split the subgoal', 'plan again'
"""Answers of the check besides a skill: it is more than one, or unfit."""
_LONGEST_SUBGOAL = 90
"""In characters, as long as a subgoal of an expansion may be."""


class StepNode(DecidingNode):
    """Names its next subgoal, has it checked, and carries it out, splits it, or names another.

    The model reads the goal of the parent, the subgoal before and what was seen since, and
    nothing of other branches. The check (section III-C) asks whether a subgoal is one skill, more
    than one, or unfit. What the robot cannot do now is not on offer, so a subgoal that is mapped to
    a skill is within its affordances and its surroundings; whether it fits what it is for is the
    model's to say. What is split becomes a node of this kind below.

    =======  ===================================================================
    RUNNING  an answer is awaited, or a subgoal is worked on
    SUCCESS  the model said done
    FAILURE  it gave up, or ``outcome`` says what else
    INVALID  interrupted before its end
    =======  ===================================================================
    """

    _subgoal = ''
    _since = 0
    _failures = 0

    def ask_model(self) -> None:
        """Ask for subgoals, or whether a subgoal can be executed as it is."""
        self._mask.update()
        services = self._state.services
        before = tuple(self.trajectory.steps[self._since :])
        if self._subgoal:
            deeper = self._state.budget.depth_is_exceeded(self.depth + 1) is None
            choices = Choices(
                skills=(*self._mask.skills, *((SPLIT,) if deeper else ()), AGAIN),
                think=False,
                control_flows=(),
                endings=(),
            )
            asked = Step(f'Subgoal: {self._subgoal}', decided=False)
            system = services.prompts['leaf_check']
            prompt = Prompt(system, (), self.trajectory.task, (*before, asked))
        else:
            choices = Choices(control_flows=(), max_thought_chars=_LONGEST_SUBGOAL)
            prompt = build_prompt(services.system_prompt, self._examples, self.trajectory)
            prompt = prompt.with_steps(before)
        self._decide(prompt, choices)

    def on_answer(self, answer: Answer) -> None:
        """Execute, split or plan again, as the model decided."""
        decision = self._read(answer)
        if decision is None:
            return
        spent = self._state.budget.spent()
        if isinstance(decision, Done):
            self._end(Outcome(True, Reason.DONE, 'the agent said done'))
        elif spent is not None:
            self._end(spent)
        elif isinstance(decision, Think):
            self._name(decision)
        elif isinstance(decision, Act):
            self._checked(decision.phrase)
        else:
            self._end(Outcome(False, Reason.GAVE_UP, 'the agent gave up'))

    def _name(self, decision: Think) -> None:
        """Take a subgoal as the next one, if it is none that is being worked on."""
        above = {' '.join(goal.casefold().split()) for goal in self.path}
        if ' '.join(decision.text.casefold().split()) in above:
            self._reject(to_text(decision), 'this is being worked on already; name a part of it')
            return
        self._subgoal = decision.text
        self._show(decision.text)
        self._publish('think', decision.text)

    def _checked(self, phrase: str) -> None:
        subgoal, self._subgoal = self._subgoal, ''
        self._publish('check', f'{subgoal}: {phrase}')
        if phrase == AGAIN:
            self._reject(subgoal, f'"{subgoal}" does not fit here; name another subgoal')
            return
        self._invalid = 0
        parent_saw = self._last_done()
        self._since = len(self.trajectory.steps)
        self.trajectory.decide(Think(subgoal))
        if phrase == SPLIT:
            note = Note(f'Part of: {self.goal}.{parent_saw}')
            self._grow(StepNode(subgoal, self._state, self.path, note))
            return
        self._run_skill(self._mask.skill(phrase))

    def _not_reached(self, outcome: Outcome, why: str) -> None:
        self._reject(to_text(Done()), f'"done" does not count, {why}', Reason.UNMET)

    def _last_done(self) -> str:
        """Return the subgoal before as a sentence; empty for the first."""
        steps = self.trajectory.steps
        if not steps or not steps[self._since].decided:
            return ''
        return f' Before: {steps[self._since].text.removeprefix("Think: ")}.'

    def on_child_finished(self, child: Behaviour) -> None:
        """Continue after a skill or a part has ended; end after too many failures."""
        if isinstance(child, SkillLeaf):
            result = self._skill_result(child)
            self._mask.executed(child.skill, result.status)
            self._observed(result.observation.text)
            self._end_if_repeated(child.skill.phrase, result.observation.text)
            return
        assert isinstance(child, StepNode)
        assert child.outcome is not None
        if child.outcome.success:
            self._failures = 0
            self._observed(f'"{child.goal}" is reached.')
            return
        self._failures += 1
        limit = self.settings.agent.max_invalid_answers
        detail = f'"{child.goal}" failed: {child.outcome.detail}'
        if self._failures >= limit or child.outcome.reason in (Reason.MODEL, Reason.ROBOT):
            self._end(Outcome(False, child.outcome.reason, detail))
        else:
            self._observed(f'{detail}.')
