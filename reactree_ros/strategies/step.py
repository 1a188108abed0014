# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""STEP: a tree of subgoals that grows from coarse to fine, one subgoal at a time.

*STEP*, section III and Algorithm 1 (see docs/strategies.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from py_trees.behaviour import Behaviour

from reactree_ros.behaviours.action_mask import ActionMask, goal_words
from reactree_ros.behaviours.facts import facts_text
from reactree_ros.behaviours.node import REJECTION, DecidingNode
from reactree_ros.behaviours.skill_leaf import RecallLeaf, SkillLeaf
from reactree_ros.core.decision import (
    THINK_LINE,
    Act,
    Choices,
    Done,
    Recall,
    Think,
    to_text,
)
from reactree_ros.core.model import Answer
from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.option import option
from reactree_ros.core.outcome import Outcome, Reason
from reactree_ros.core.prompt import Note, Prompt, Step, build_prompt

CONSISTENT = 'consistent'
BEYOND, ELSEWHERE, NOT_NOW = 'beyond the robot', 'not for the goal', 'not possible here'
"""Answers to the question of consistency besides ``CONSISTENT``: the subgoal is against the
affordance, the task or the environment (section III-C)."""
CONSISTENCY = (CONSISTENT, BEYOND, ELSEWHERE, NOT_NOW)
"""All answers to it."""
MAPPABLE, REFINED = 'one skill', 'split the subgoal'
"""Answers to the question of mappability."""
NO_SKILL = 'none of these'
"""Answer to the question which skill it is, if none that can be done now does it."""
AGAIN = 'plan again'
"""What happens to a goal of which a part has failed."""
INCONSISTENT = (BEYOND, ELSEWHERE, NOT_NOW, NO_SKILL, AGAIN)
"""How the text of a ``check`` ends after which a goal is planned again."""
WHY_UNFIT = {
    BEYOND: 'no skill can do it or help with it',
    ELSEWHERE: 'it does not serve the goal',
    NOT_NOW: 'it is not possible here and now',
    NO_SKILL: 'no skill that can be done now does it',
}
"""Why a subgoal is not worked on, by the answer of the check."""


@dataclass(frozen=True)
class StepOptions:
    """Options of STEP."""

    replans: int = option(
        5,
        'After so many subgoals in a row that are not consistent, or that fail, a goal is given '
        'up, and the goal above it is planned again.',
        minimum=1,
        maximum=100,
        kept_on_resume=True,
    )


def check_choices(said: tuple[str, ...], skills: tuple[str, ...], deeper: bool = True) -> Choices:
    """Return what the next decision of the check of a subgoal may be.

    Args:
        said: the decisions of the check until now.
        skills: phrases of those that can be done now.
        deeper: whether the subgoal may be split.
    """
    answers: tuple[str, ...] = CONSISTENCY
    if said == (CONSISTENT,) and deeper:
        answers = MAPPABLE, REFINED
    elif said:
        answers = *skills, NO_SKILL
    return Choices(answers, think=False, control_flows=(), endings=())


def check_steps(subgoal: str, said: tuple[str, ...]) -> tuple[Step, ...]:
    """Return the lines with which the prompt of the check of a subgoal ends."""
    decided = (Step(to_text(Act(one)), decided=True) for one in said)
    return Step(f'Subgoal: {subgoal}', decided=False), *decided


class StepNode(DecidingNode):
    """Names its next subgoal, has it checked, and carries it out, splits it, or names another.

    The model reads the goal of the parent, the subgoal before and what was seen since, below it,
    too, and nothing of other branches; it may ask its memory before it names one. The check
    (section III-C) reads all subgoals that were reached before. It is up to three decisions:
    whether the subgoal is consistent with the robot, the goal and the surroundings; if so, whether
    it is one skill; if so, which of those that can be done now. If it is not consistent its
    parent, which is this node, is planned again: it names another. After too many it fails, and
    the node above names another in its place. What is split becomes a node of this kind below.

    =======  ===================================================================
    RUNNING  an answer is awaited, or a subgoal is worked on
    SUCCESS  the model said done
    FAILURE  it gave up, or ``outcome`` says what else
    INVALID  interrupted before its end
    =======  ===================================================================
    """

    _subgoal = ''
    _said: tuple[str, ...] = ()
    _seen = ''
    _room = ''
    _since = 0
    _unfit = 0
    _is_reached = False
    _earlier: tuple[Step, ...] = ()

    def facts(self, full: bool = False) -> str:
        """Return the chosen facts, with every observation: the steps before are not read."""
        room, self._room = self._room, self.situation.room
        full = full or room != self._room
        return facts_text(self.situation, self.settings.prompt.facts, full)

    def ask_model(self) -> None:
        """Ask for a subgoal, or for the next decision of its check."""
        self._mask.update()
        services = self._state.services
        before = tuple(self.trajectory.steps[self._since :])
        if not self._subgoal:
            choices = Choices(
                recall=self._mask.choices.recall,
                control_flows=(),
                max_thought_chars=self.settings.agent.max_subgoal_chars,
            )
            prompt = build_prompt(services.system_prompt, self._examples, self.trajectory)
            self._decide(prompt.with_steps(before), choices)
            return
        asked = check_steps(self._subgoal, self._said)
        read = (*self._earlier, *before, *asked)
        prompt = Prompt(services.prompts['leaf_check'], (), self.trajectory.task, read)
        deeper = self._state.budget.depth_is_exceeded(self.depth + 1) is None
        self._decide(prompt, check_choices(self._said, self._mask.skills, deeper))

    def on_answer(self, answer: Answer) -> None:
        """Take the next subgoal, or what its check has decided."""
        decision = self._read(answer)
        if decision is None:
            return
        if isinstance(decision, Done):
            self.trajectory.decide(decision)
            self._end(Outcome(True, Reason.DONE, 'the agent said done'))
        elif self._end_if_spent():
            return
        elif isinstance(decision, Think):
            self._name(decision)
        elif isinstance(decision, Recall):
            self._invalid = 0
            self.trajectory.decide(decision)
            self._recall(decision.class_name)
        elif isinstance(decision, Act):
            self._checked(decision.phrase)
        else:
            self.trajectory.decide(decision)
            self._end(Outcome(False, Reason.GAVE_UP, 'the agent gave up'))

    def _name(self, decision: Think) -> None:
        """Take a subgoal as the next one, if it is none that is being worked on."""
        recurs = goal_words(decision.text) in map(goal_words, self.path)
        if recurs and self.settings.agent.reject_recursion:
            self._reject(to_text(decision), 'this is being worked on already; name a part of it')
            return
        self._invalid = 0
        self._subgoal, self._said = decision.text, ()
        self._show(decision.text)
        self._publish('think', decision.text)

    def _checked(self, phrase: str) -> None:
        self._invalid = 0
        self._publish('check', f'{self._subgoal}: {phrase}')
        if phrase in (CONSISTENT, MAPPABLE):
            self._audit.close(phrase)
            self._said = (*self._said, phrase)
            return
        subgoal, self._subgoal = self._subgoal, ''
        if phrase in WHY_UNFIT:
            self._plan_again(f'{REJECTION}"{subgoal}": {WHY_UNFIT[phrase]}.')
            return
        before = self._last_subgoal()
        if self._is_reached:
            self._earlier += (self.trajectory.steps[self._since],)
            self._is_reached = False
        self._since = len(self.trajectory.steps)
        self.trajectory.decide(Think(subgoal))
        if phrase == REFINED:
            self._audit.close(phrase)
            end = '' if self.goal.endswith(('.', '?', '!')) else '.'
            note = Note(f'Part of: {self.goal}{end}{before}')
            self._grow(StepNode(subgoal, self._state, self.path, note))
        else:
            self._run_skill(self._mask.skill(phrase))

    def _plan_again(self, why: str, seen: str = '') -> None:
        """Let the model name another subgoal; after too many, let the node above do so.

        Args:
            why: what is wrong, as the model reads it.
            seen: what was observed last, which the model reads, too.
        """
        if self._is_hopeless():
            self._end(Outcome(False, Reason.PLAN, why.removeprefix(REJECTION).rstrip('.')))
        else:
            self._observed(why + seen)

    def _is_hopeless(self) -> bool:
        """Count what did not work; return whether that was too much in a row."""
        self._unfit += 1
        return self._unfit >= self._state.options(StepOptions).replans

    def _not_reached(self, outcome: Outcome, why: str) -> None:
        self._reject_done(why)

    def _last_subgoal(self) -> str:
        """Return the subgoal before as a sentence; empty for the first."""
        steps = self.trajectory.steps[self._since :]
        if not steps or not steps[0].text.startswith(THINK_LINE):
            return ''
        subgoal = steps[0].text.removeprefix(THINK_LINE)
        return f' Before: {subgoal}{"" if self._is_reached else ", which failed"}.'

    def on_child_finished(self, child: Behaviour) -> None:
        """Continue after a skill or a part has ended; end after too many failures."""
        if isinstance(child, RecallLeaf):
            return
        if isinstance(child, SkillLeaf):
            result = self._skill_result(child)
            self._mask.executed(child.skill, result.status)
            self._seen = result.observation.text
            self._observed(self._seen + self.facts())
            if result.status is SkillStatus.SUCCEEDED:
                self._unfit, self._is_reached = 0, True
            elif self._is_hopeless():
                self._end(Outcome(False, Reason.PLAN, f'{child.skill.phrase}: {self._seen}'))
                return
            self._end_if_repeated(child.skill.phrase, self._seen)
            return
        assert isinstance(child, StepNode)
        assert child.outcome is not None
        self._mask = ActionMask(self._state, self.path)  # what was refused may be possible now
        self._seen = child._seen or self._seen
        seen = f' {self._seen}{self.facts()}' if self._seen else ''
        if child.outcome.success:
            self._unfit, self._is_reached = 0, True
            self._observed(f'"{child.goal}" is reached.{seen}')
            return
        detail = f'"{child.goal}" failed: {child.outcome.detail}'
        if child.outcome.reason is Reason.ROBOT:
            self._end(Outcome(False, Reason.ROBOT, detail))
        elif not self._end_if_spent():
            self._publish('check', f'{child.goal}: {AGAIN}')
            self._plan_again(f'{detail.rstrip(".")}.', seen)
