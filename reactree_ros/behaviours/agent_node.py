# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The agent node: a language model that owns one subgoal (paper, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from reactree_ros.behaviours.action_mask import ActionMask
from reactree_ros.behaviours.ask_leaf import AskLeaf
from reactree_ros.behaviours.control_flow import VotingParallel, build_control_flow
from reactree_ros.behaviours.facts import facts_text
from reactree_ros.behaviours.node import DecidingNode, answers_below, failure_below
from reactree_ros.behaviours.robots import Team
from reactree_ros.behaviours.services import RunState
from reactree_ros.behaviours.skill_leaf import RecallLeaf, SafeState, SkillLeaf
from reactree_ros.core.decision import (
    Act,
    Ask,
    Choices,
    Conditions,
    ControlFlow,
    Decision,
    Done,
    Expand,
    Failure,
    Recall,
    Think,
    to_text,
)
from reactree_ros.core.model import Answer
from reactree_ros.core.observation import Observation
from reactree_ros.core.outcome import Outcome, Reason
from reactree_ros.core.prompt import (
    ANSWER,
    CORRECTION,
    DECLINED,
    NO_ANSWER,
    Message,
    Prompt,
    build_prompt,
)
from reactree_ros.core.situation import Situation, unsearched
from reactree_ros.skills.goal_conditions import conditions_text


class AgentNode(DecidingNode):
    """Decides step by step; its skills and its control flow join the tree as its children.

    =======  ===================================================================
    RUNNING  an answer is awaited or a child is running
    SUCCESS  the agent said done, or the control flow under it succeeded
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
        message: from the parent; None for the root.
    """

    def __init__(
        self,
        goal: str,
        state: RunState,
        path: tuple[str, ...] = (),
        message: Message | None = None,
    ) -> None:
        super().__init__(goal, state, path, message)
        self._objections: set[str] = set()
        self._sought: set[str] = set()
        self._is_found = False
        self._room = self._facts = self._news = ''

    # Hooks of strategies

    def allowed_choices(self, choices: Choices) -> Choices:
        """Return what the next decision may be.

        Args:
            choices: everything that is possible now; the hook may remove from it. A phrase that it
                adds must be handled in ``execute_decision``.
        """
        return choices

    def build_prompt(self) -> Prompt:
        """Return what the model reads before the next decision.

        Source: paper, Algorithm 1: system prompt, retrieved experiences, then the trajectory.
        """
        services = self._state.services
        # the agent may have got another robot of the same skills meanwhile
        system = services.of_robot(self._state.robot.name).system_prompt
        return build_prompt(system, self._examples, self.trajectory)

    def make_child(self, subgoal: str, message: Message) -> Behaviour:
        """Return the behaviour that works on a subgoal of an expansion.

        Args:
            subgoal: one line.
            message: goal, control flow and siblings, which the child's prompt begins with.
        """
        return type(self)(subgoal, self._state, self.path, message)

    def facts(self, full: bool = False) -> str:
        """Return the chosen facts, and where others saw what was recalled; empty without news."""
        news, self._news = self._news + self._state.news(), ''
        self._sought = {one for one in self._sought if not self._state.memory.seen_by(one)}
        return self._surroundings(full) + news

    def _surroundings(self, full: bool) -> str:
        situation, chosen = self.situation, self.settings.prompt.facts
        entered, self._room = situation.room != self._room, situation.room
        if not (full or entered) and self._is_at_closed_place(situation):
            return ''
        before, self._facts = self._facts, facts_text(situation, chosen, full=False)
        if full or entered:
            return facts_text(situation, chosen, full=True)
        return self._facts if self._facts != before else ''

    def _is_at_closed_place(self, situation: Situation) -> bool:
        """Return whether one of several robots stands at a place that it has to open first.

        What others have looked into meanwhile would read as if this place had been looked into.
        """
        if len(self._state.robots) < 2:
            return False
        unclaimed = replace(situation, claimed=frozenset())  # another robot may be on its way here
        return situation.place in unsearched(situation.room, unclaimed)

    def execute_decision(self, decision: Decision) -> None:
        """Carry out a decision that is valid and within the budget.

        Args:
            decision: anything but done and failure, which end the node before this.
        """
        if isinstance(decision, Expand):
            self._expand(decision)
            return
        if isinstance(decision, Ask) and (known := self._state.known_answer(decision.question)):
            self._mask.decided(decision)
            self._reject(to_text(decision), f'that was asked before; the answer was: {known}')
            return
        if isinstance(decision, Ask) and not self._mask.may_ask():
            self._mask.decided(decision)
            self._reject(to_text(decision), 'another agent has asked the operator meanwhile')
            return
        self._invalid = 0
        self.trajectory.decide(decision)
        self._mask.decided(decision)
        if isinstance(decision, Think):
            self._show(decision.text)
            self._publish('think', decision.text)
        elif isinstance(decision, Recall):
            if not self._state.memory.seen_by(decision.class_name):
                self._sought.add(decision.class_name)
            self._recall(decision.class_name)
        elif isinstance(decision, Ask):
            self._put_question(decision.question)
        elif isinstance(decision, Act):
            self._run_skill(self._mask.skill(decision.phrase))

    def on_child_finished(self, child: Behaviour) -> None:
        """Continue deciding, or end, after a skill, a question or a control flow has ended.

        Args:
            child: its ``status`` is SUCCESS or FAILURE.
        """
        if isinstance(child, SkillLeaf):
            self._skill_ended(child)
        elif isinstance(child, AskLeaf):
            self._question_ended(child)
        elif isinstance(child, RecallLeaf):
            return
        elif child.status == Status.SUCCESS:
            detail = f'{child.name} succeeded{answers_below(child)}'
            self._end(Outcome(True, Reason.EXPANSION, detail))
        else:
            self._expansion_failed(child)

    # Ticks

    def _continue(self) -> Iterator[Behaviour]:
        child, has_others = self.current_child, len(self._state.robots) > 1
        if has_others and isinstance(child, Composite) and not isinstance(child, SafeState):
            self._stop_if_found(child)
        yield from super()._continue()

    def _stop_if_found(self, expansion: Composite) -> None:
        """Stop the expansion if a robot that does not work for it saw what was sought.

        What an agent below has decided on ends first: in a replay it may begin in
        another tick. A robot that was lent to others meanwhile comes back first.
        """
        if not (self._sought or self._is_found):
            return
        running = (one for one in expansion.iterate() if one.status == Status.RUNNING)
        agents = [one for one in running if isinstance(one, DecidingNode)]
        working = {'', *(one._state.robot.name for one in agents)}
        seen = {name: by for name in self._sought if (by := self._state.memory.seen_by(name))}
        self._sought -= seen.keys()
        for name, by in seen.items():
            asked = any(isinstance(one, AgentNode) and name in one._sought for one in agents)
            self._is_found = self._is_found or not (asked or by & working)
        below = [one.current_child for one in agents if one.current_child is not None]
        busy = any(not child.children for child in below)
        flows = (one for one in expansion.iterate() if isinstance(one, VotingParallel))
        busy = busy or any(one.is_robot_away for one in flows)
        if self._is_found and not busy:
            self._is_found = False
            self.current_child = None
            expansion.stop(Status.INVALID)
            self._decide_again(f'{expansion.name} was stopped')

    # Decisions

    def ask_model(self) -> None:
        """Ask for the next decision."""
        if self.depth == 1 and self._asks_for_conditions():
            return
        self._mask.update()
        self._decide(self.build_prompt(), self.allowed_choices(self._mask.choices))

    def _asks_for_conditions(self) -> bool:
        """Ask what must hold in the end, if that is not known; return whether it was asked."""
        goal = self._state.goal
        if goal.due and self._invalid + 1 < max(2, self.settings.agent.max_invalid_answers):
            self._decide(self.build_prompt(), Choices(conditions=goal.language()))
            return True
        if goal.due:  # what the model cannot put into conditions has none
            goal.begin(conditions_text(()))
            self._conditions_read()
        elif goal.news:
            self._received(f'{CORRECTION}{goal.shown()}.')
        return False

    def _conditions_read(self) -> None:
        self._invalid = 0
        goal = self._state.goal
        self.trajectory.decide(Conditions(goal.shown()))
        self._publish('conditions', goal.text)
        self._begin_end_at_once()

    def on_answer(self, answer: Answer) -> None:
        """Execute the decision; an answer that is not one is rejected."""
        decision = self._read(answer)
        if decision is None:
            return
        if isinstance(decision, Done):
            self.trajectory.decide(decision)
            said = decision.answer
            self._end(Outcome(True, Reason.DONE, said or 'the agent said done', said))
        elif isinstance(decision, Failure):
            self.trajectory.decide(decision)
            self._end(Outcome(False, Reason.GAVE_UP, decision.why or 'the agent gave up'))
        elif self._end_if_spent():
            return
        elif isinstance(decision, Conditions):
            self._state.goal.begin(decision.line)
            self._conditions_read()
        else:
            self.execute_decision(decision)

    def _put_question(self, question: str) -> None:
        operator = self._state.services.operator
        assert operator is not None
        self._state.answered(question, '')  # no other agent asks before there is an answer
        self._publish('ask', question)
        self._show(question)
        self.tracker.wait()
        self._grow(AskLeaf(question, operator))

    def _expand(self, expansion: Expand) -> None:
        faults = self._mask.faults(expansion)
        if faults:
            self._reject(to_text(expansion), '; '.join(faults))
            return
        self._invalid = 0
        if not self._expands(expansion):
            return
        message = Message(self.goal, expansion.control_flow, expansion.subgoals)
        flow, policy = expansion.control_flow, self.settings.agent.vote_policy

        def agent(place: int) -> Behaviour:
            named, goal = self._state.addressed(expansion.subgoals[place])
            child = self.make_child(goal, message)
            if isinstance(child, DecidingNode):
                child.robot_named = named
            return child

        def step(place: int) -> Behaviour:
            child = agent(place)
            named, _ = self._state.addressed(expansion.subgoals[place])
            if flow is ControlFlow.PARALLEL or named in ('', self._state.robot.name):
                return child
            team = self._team()
            return VotingParallel(f'by {named}', policy, [child], team, lambda _: agent(place))

        children = [step(place) for place in range(len(expansion.subgoals))]
        self._is_found = False
        self._grow(build_control_flow(flow, children, policy, self._team(), agent))

    def _team(self) -> Team:
        state = self._state
        assignments = state.services.assignments
        return Team(state.robot, state.free_robots, state.robots, assignments, state.lends)

    # Their outcomes

    def _perceived(self, observation: Observation) -> None:
        self._news += self._state.news()
        super()._perceived(observation)
        self._state.news()  # its own robot's observation says this already

    def _skill_ended(self, leaf: SkillLeaf) -> None:
        result = self._skill_result(leaf)
        self._mask.executed(leaf.skill, result.status)
        self._observed(result.observation.text + self.facts())
        self._end_if_repeated(leaf.skill.phrase, result.observation.text)

    def _question_ended(self, leaf: AskLeaf) -> None:
        self.tracker.add_question()
        answer = leaf.answer or ''
        self._state.answered(leaf.question, answer)
        none = f'{DECLINED} to answer.' if leaf.declined else f'{NO_ANSWER}.'
        self._received(f'{ANSWER}{answer}' if answer else none)

    def _expansion_failed(self, control_flow: Behaviour) -> None:
        holds = self.depth == 1 and self._state.goal.met
        replans = self.settings.agent.replan_after_failure and not holds
        replans = replans and not self._state.robot.lost
        why = failure_below(control_flow).detail
        if self._state.budget.spent() is not None or not (replans or holds):
            self._end_with(control_flow)
        elif holds:  # whatever ended the node below
            self._end(Outcome(False, Reason.EXPANSION, why))
        else:
            self._decide_again(why)

    def _not_reached(self, outcome: Outcome, why: str) -> None:
        if outcome.reason is Reason.DONE:
            self._reject_done(why)
            return
        detail, spent = f'{outcome.detail}, but {why}', self._state.budget.spent()
        if spent is None and why not in self._objections:
            self._objections.add(why)  # once for each objection
            self._decide_again(detail, outcome.reason is Reason.EXPANSION)
        else:
            self._end(Outcome(False, spent.reason if spent else Reason.UNMET, detail))

    def _unmet(self, outcome: Outcome, objection: str) -> None:
        if self._end_if_spent():
            return
        self._take_back_ending()
        is_expansion = outcome.reason is Reason.EXPANSION
        why = f'{outcome.detail}. {objection}' if is_expansion else objection
        self._decide_again(why, is_expansion)

    def _decide_again(self, detail: str, was_expanded: bool = True) -> None:
        """Tell what is wrong, with the facts of now, and decide again.

        Args:
            detail: what is wrong.
            was_expanded: children worked meanwhile: what was refused may be possible now.
        """
        facts = self.facts(full=True)
        self._observed(f'{detail.rstrip(".")}.{facts}' if facts else detail)
        if was_expanded:
            self._mask = ActionMask(self._state, self.path)
