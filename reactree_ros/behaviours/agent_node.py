# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The agent node: a language model that owns one subgoal (paper, Algorithm 1)."""

from __future__ import annotations

from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from reactree_ros.behaviours.ask_leaf import AskLeaf
from reactree_ros.behaviours.control_flow import build_control_flow
from reactree_ros.behaviours.node import DecidingNode, failure_below
from reactree_ros.behaviours.offer import Offer
from reactree_ros.behaviours.robots import Team
from reactree_ros.behaviours.services import RunState
from reactree_ros.behaviours.skill_leaf import RecallLeaf, SkillLeaf
from reactree_ros.behaviours.without_model import Recollection
from reactree_ros.core.decision import (
    Act,
    Ask,
    Choices,
    Decision,
    Done,
    Expand,
    Failure,
    Recall,
    Think,
    to_text,
)
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer
from reactree_ros.core.outcome import Costs, Outcome, Reason
from reactree_ros.core.prompt import Message, Prompt, build_prompt


class AgentNode(DecidingNode):
    """Decides step by step; its skills and its control flow join the tree as its children.

    =======  ===================================================================
    RUNNING  an answer is awaited or a child is running
    SUCCESS  the agent said done, or the control flow under it succeeded and nothing that was
             seen contradicts it
    FAILURE  anything else; ``outcome`` says what
    INVALID  interrupted before its end
    =======  ===================================================================

    A strategy changes what it does by overriding ``allowed_choices``, ``build_prompt``,
    ``make_child``, ``execute_decision`` and ``on_child_finished``; all of them run within a tick
    and must not wait.

    Args:
        goal: the subgoal it owns; it names the behaviour.
        state: what all nodes of the run share.
        path: goals from the root to this node's parent.
        message: what the parent tells; None for the root.
    """

    def __init__(
        self,
        goal: str,
        state: RunState,
        path: tuple[str, ...] = (),
        message: Message | None = None,
    ) -> None:
        super().__init__(goal, state, path, message)
        self._offer: Offer | None = None
        self._objections: set[str] = set()
        self._recollection: Recollection | None = None

    def _look_for_answers(self) -> None:
        if self._recollection is None:
            super()._look_for_answers()
            return
        known = self._recollection.poll()
        if known:
            self._do_next_again(self._recollection)
        elif known is not None:
            self._end(Outcome(False, Reason.MODEL, self._recollection.fault))

    def _without_model(self, why: str) -> None:
        remembered = self._state.services.remembered
        if remembered is None:
            super()._without_model(why)
            return
        self._tell('fault', f'{why}; looking for what was done for this goal before')
        self._recollection = Recollection(remembered.acts(self.goal), why)

    def _do_next_again(self, recollection: Recollection) -> None:
        """Do what was done for this goal before, if the robot can do it now."""
        phrase = recollection.next()
        if not phrase:
            self._did_all_again(recollection)
            return
        services, memory = self._state.services, self._state.memory
        executable = services.library.executable(memory.situation(), memory.rooms)
        skill = next((one for one in executable if one.phrase == phrase), None)
        if skill is None:
            why = f'{recollection.fault}; and "{phrase}", which was done before, cannot be done now'
            self._end(Outcome(False, Reason.MODEL, why))
            return
        self.trajectory.decide(Act(phrase))
        self._tell('act', phrase)
        self._show(phrase)
        self.account.wait()
        self._grow(SkillLeaf(skill, self._state.robot.executor, memory))

    def _did_all_again(self, recollection: Recollection) -> None:
        objection = Offer(self._state, self.path).check_success().objection
        if objection:
            why = f'{recollection.fault}; and after what was done before, {objection}'
            self._end(Outcome(False, Reason.MODEL, why))
        else:
            told = 'no model answered; it was done as it had been done before'
            self._end(Outcome(True, Reason.REMEMBERED, told))

    def _did_again(self, recollection: Recollection, leaf: SkillLeaf) -> None:
        """Go on after an act that was done again."""
        result = self._book_skill(leaf)
        self._observed(result.observation.text)
        if leaf.succeeded:
            self._do_next_again(recollection)
        else:
            why = f'{recollection.fault}; and what was done before failed now: '
            self._end(Outcome(False, Reason.MODEL, why + result.observation.text))

    def _pending(self) -> list[Future[Any] | None]:
        if self._recollection is not None:
            self._recollection.cancel()
        return super()._pending()

    def _ask(self) -> None:
        if self._offer is None:
            self._offer = Offer(self._state, self.path)
        self._offer.renew()
        self._decide(self.build_prompt(), self.allowed_choices(self._offer.choices))

    def allowed_choices(self, choices: Choices) -> Choices:
        """Return what the next decision may be.

        Args:
            choices: everything that is possible now; the hook may only take away from it.
        """
        return choices

    def build_prompt(self) -> Prompt:
        """Return what the model reads before the next decision.

        Source: paper, Algorithm 1: system prompt, retrieved experiences, then the trajectory.
        """
        return build_prompt(self._state.services.system_prompt, self._examples, self.trajectory)

    def _answered(self, answer: Answer) -> None:
        budget = self._state.budget
        decision = self._read(answer)
        if decision is None:
            return
        if isinstance(decision, Done):
            self.trajectory.decide(decision)
            self._end(Outcome(True, Reason.DONE, 'the agent said done'))
        elif isinstance(decision, Failure):
            self.trajectory.decide(decision)
            self._end(Outcome(False, Reason.GAVE_UP, 'the agent gave up'))
        elif (spent := budget.spent()) is not None:
            self._end(spent)
        else:
            self.execute_decision(decision)

    def execute_decision(self, decision: Decision) -> None:
        """Carry out a decision that is valid and within the budget.

        Args:
            decision: anything but done and failure, which end the node before this.
        """
        assert self._offer is not None
        if isinstance(decision, Expand):
            self._expand(decision)
            return
        if isinstance(decision, Ask) and (known := self._state.known_answer(decision.question)):
            self._offer.decided(decision)
            self._reject(to_text(decision), f'that was asked before; the answer was: {known}')
            return
        self._invalid = 0
        self.trajectory.decide(decision)
        self._offer.decided(decision)
        if isinstance(decision, Think):
            self._show(decision.text)
            self._tell('think', decision.text)
        elif isinstance(decision, Recall):
            self._tell('recall', decision.class_name)
            answer = self._state.memory.recall(decision.class_name)
            self._grow(RecallLeaf(decision.class_name, answer))
            self._observed(answer)
        elif isinstance(decision, Ask):
            self._put_question(decision.question)
        elif isinstance(decision, Act):
            self._tell('act', decision.phrase)
            self._show(decision.phrase)
            self.account.wait()
            skill = self._offer.skill(decision.phrase)
            self._grow(SkillLeaf(skill, self._state.robot.executor, self._state.memory))

    def _put_question(self, question: str) -> None:
        operator = self._state.services.operator
        assert operator is not None
        self._tell('ask', question)
        self._show(question)
        self.account.wait()
        self._grow(AskLeaf(question, operator))

    def _expand(self, proposed: Expand) -> None:
        assert self._offer is not None
        examined = self._offer.examine(proposed)
        expansion = examined.expansion
        if examined.faults:
            self._reject(to_text(proposed), '; '.join(examined.faults))
            return
        self._invalid = 0
        self.trajectory.decide(expansion)
        text = f'{expansion.control_flow.value}: {"; ".join(expansion.subgoals)}'
        self._tell('expand', text)
        for sentence in examined.adjustments():
            self._tell('adjusted', sentence)
        too_deep = self._state.budget.depth_is_exceeded(self.depth + 1)
        if too_deep is not None:
            self._end(too_deep)
            return
        message = Message(self.goal, expansion.control_flow, expansion.subgoals)
        agents = [self.make_child(subgoal, message) for subgoal in expansion.subgoals]
        policy = self._state.services.settings.agent.vote_policy
        team = Team(self._state.robot, self._state.pool)
        self._grow(build_control_flow(expansion.control_flow, agents, policy, team))

    def make_child(self, subgoal: str, message: Message) -> Behaviour:
        """Return the behaviour that works on a subgoal of an expansion.

        Args:
            subgoal: one line.
            message: goal, control flow and siblings, which the child's prompt begins with.
        """
        return type(self)(subgoal, self._state, self.path, message)

    def on_child_finished(self, child: Behaviour) -> None:
        """Go on deciding, or end, after a skill, a question or a control flow has ended.

        Args:
            child: its ``status`` is SUCCESS or FAILURE.
        """
        if isinstance(child, SkillLeaf) and self._recollection is not None:
            self._did_again(self._recollection, child)
        elif isinstance(child, SkillLeaf):
            self._skill_ended(child)
        elif isinstance(child, AskLeaf):
            self._question_ended(child)
        elif isinstance(child, RecallLeaf):
            return
        elif child.status == Status.SUCCESS:
            self._expansion_succeeded(child)
        else:
            self._expansion_failed(child)

    def _skill_ended(self, leaf: SkillLeaf) -> None:
        assert self._offer is not None
        result = self._book_skill(leaf)
        self._offer.executed(leaf.skill, result.status)
        self._observed(result.observation.text + self._offer.pointer())
        repetition = self._repetition(leaf, result)
        if repetition is None:
            return
        if self._offer.check_success().confirmed:
            told = f'the goal was seen to be reached before {repetition.detail}'
            self._end(Outcome(True, Reason.REPETITION, told))
        else:
            self._end(repetition)

    def _question_ended(self, leaf: AskLeaf) -> None:
        self.account.book(Costs(questions=1, operator_seconds=self.account.waited))
        answer = leaf.answer or ''
        self._state.answered(leaf.question, answer)
        if answer:
            self._observed(f'The operator answers: {answer}')
        else:
            self._observed(
                'The operator declined to answer.' if leaf.declined else 'Nobody answered.'
            )

    def _expansion_succeeded(self, control_flow: Behaviour) -> None:
        assert self._offer is not None
        detail = f'{control_flow.name} succeeded'
        objection = self._offer.check_success().objection
        if objection:
            self._contradicted(detail, objection, Reason.EXPANSION)
        else:
            self._end(Outcome(True, Reason.EXPANSION, detail))

    def _not_reached(self, outcome: Outcome, why: str) -> None:
        if outcome.reason is not Reason.DONE:
            self._contradicted(outcome.detail, why, Reason.UNMET)
            return
        said, steps = to_text(Done()), self.trajectory.steps
        if steps and steps[-1].text == said:
            steps.pop()
        self._reject(said, f'"done" does not count, {why}', Reason.UNMET)

    def _contradicted(self, detail: str, objection: str, reason: Reason) -> None:
        """Go on deciding after a success that something speaks against, once for each."""
        detail = f'{detail}, but {objection}'
        spent = self._state.budget.spent()
        if spent is None and objection not in self._objections:
            self._objections.add(objection)
            self._go_on_deciding(detail)
            return
        self._end(Outcome(False, spent.reason if spent else reason, detail))

    def _expansion_failed(self, control_flow: Behaviour) -> None:
        spent = self._state.budget.spent()
        if spent is None and self._state.services.settings.agent.replan_after_failure:
            self._go_on_deciding(failure_below(control_flow).detail)
        else:
            self._end_with(control_flow)

    def _go_on_deciding(self, told: str) -> None:
        """Decide again after an expansion: the situation changed while the children worked."""
        self._observed(told)
        self._offer = Offer(self._state, self.path)
