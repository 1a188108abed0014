# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What every node that decides has in common: its life from the first tick to an outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from reactree_ros.behaviours.account import Account
from reactree_ros.behaviours.ask_leaf import AskLeaf
from reactree_ros.behaviours.audit import Audit
from reactree_ros.behaviours.robots import Robot
from reactree_ros.behaviours.services import RunState, StoppedSkill
from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.behaviours.without_model import SafeHold
from reactree_ros.core.audit import DecisionRecord
from reactree_ros.core.decision import Choices, Decision, parse_decision
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, DecisionRequest
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.outcome import Costs, Outcome, Reason
from reactree_ros.core.prompt import Message, Note, Prompt, Trajectory, observed_line
from reactree_ros.core.settings import Settings
from reactree_ros.core.situation import Situation
from reactree_ros.errors import DecisionError, ModelError, WorldError
from reactree_ros.skills.done_check import Ending, put_all, start_conditions

REJECTION = 'Not possible: '
"""How the line begins that says why a decision was rejected."""


class DecidingNode(py_trees.composites.Composite):
    """Decides step by step; what it does joins the tree as its children.

    A tick never waits: it looks whether what was asked for is there, or ticks the child that is
    running. A node that has ended stays as it is. Subclasses say what is done with an answer, what
    with a child that has ended, and what is asked for at the beginning besides an observation and
    experiences.

    =======  ===================================================================
    RUNNING  an answer is awaited or a child is running
    SUCCESS  ``outcome`` says why
    FAILURE  ``outcome`` says why
    INVALID  interrupted before its end
    =======  ===================================================================

    Args:
        goal: what it should reach; it names the behaviour.
        state: what all nodes of the run share.
        path: goals from the root to this node's parent.
        message: what the parent or the strategy tells; None for the root.
    """

    checks_goal = True
    """Whether its success at the top of the tree is held against what must hold of the goal."""

    def __init__(
        self,
        goal: str,
        state: RunState,
        path: tuple[str, ...] = (),
        message: Message | Note | None = None,
    ) -> None:
        super().__init__(name=goal, children=[])
        self.goal = goal
        self.path = (*path, goal)
        self.depth = len(self.path)
        if self.depth > 1:
            state = state.below()
        self.outcome: Outcome | None = None
        self.trajectory = Trajectory(goal, message, '')
        self.began_in: Situation | None = None
        self.account = Account(state.budget)
        self._audit = Audit(state.audit, lambda: state.budget.seconds)
        self._state = state
        self.blackboards.append(state.memory.board)
        self._observation: Future[Observation] | None = None
        self._experiences: Future[tuple[str, ...]] | None = None
        self._retrieved = False
        self._examples: tuple[str, ...] = ()
        self._decision: Future[Any] | None = None
        self._ending: Ending | None = None
        self._start_checked = False
        self._allowed = Choices()
        self._invalid = 0
        self._repeated: dict[tuple[str, str], int] = {}
        self._seen: set[tuple[str, str]] = set()
        self._held: frozenset[str] = frozenset()
        self._last: Outcome | None = None
        self._why_stopped = 'it was interrupted'

    @property
    def settings(self) -> Settings:
        """The settings of the run."""
        return self._state.services.settings

    @property
    def situation(self) -> Situation:
        """What working memory knows now."""
        return self._state.memory.situation()

    def work_with(self, robot: Robot) -> None:
        """Work with another robot than the parent; to be called before the first tick."""
        self._state = self._state.on(robot)
        self.blackboards = [robot.memory.board]

    def _look_for_answers(self) -> None:
        """Look whether what was asked for is there, and go on with it."""
        if not self._is_informed():
            return
        if self._decision is None:
            self._ask()
            return
        answer = self._decision.poll()
        if answer is not None:
            self._decision = None
            self._answered(answer)

    def _ask(self) -> None:
        """Ask the model, or end."""
        raise NotImplementedError

    def _answered(self, answer: Any) -> None:
        """Go on with what the model answered."""
        raise NotImplementedError

    def on_child_finished(self, child: Behaviour) -> None:
        """Go on after a child has ended; unless overridden, the node ends as the child did.

        Args:
            child: its ``status`` is SUCCESS or FAILURE.
        """
        self._end_with(child)

    def _request(self) -> None:
        """Ask for what is needed before the first decision."""
        self._observation = self._state.robot.executor.observe()
        situation = self._state.memory.situation()
        if situation.room:
            self._retrieve(situation)

    def _retrieve(self, situation: Situation) -> None:
        services = self._state.services
        self._retrieved = True
        if services.experiences is not None and services.settings.memory.example_tokens > 0:
            self._experiences = services.experiences.retrieve(
                self.goal,
                self.depth == 1,
                services.settings.memory.example_tokens,
                # A robot that perceives nothing but text is never in a room.
                held=len(situation.held) if situation.room else None,
                room=situation.room_class,
            )

    def _is_informed(self) -> bool:
        """Take in what was asked for at the beginning; whether all of it is there."""
        if self._observation is not None:
            observation = self._observation.poll()
            if observation is None:
                return False
            self._observation = None
            self._state.perceived(observation)
            self.began_in = self._state.memory.situation()
            self.trajectory.first_observation = observed_line(observation.text)
            if not self._retrieved:  # what the first node of a run perceives is its situation
                self._retrieve(self.began_in)
        if self._experiences is not None:
            examples = self._experiences.poll()
            if examples is None:
                return False
            self._experiences = None
            self._examples = examples
        return not self._checks_start()

    def _checks_start(self) -> bool:
        """Begin to check, once, whether the goal of the run is reached before anything is done."""
        state = self._state
        due = state.services.settings.agent.check_at_start and self.checks_goal and self.depth == 1
        conditions = start_conditions(state.done) if due and not self._start_checked else ()
        self._start_checked = True
        if not conditions:
            return False
        situation, executor = state.memory.situation(), state.robot.executor
        objection = put_all(conditions, state.services.library, situation, executor)
        reached = Outcome(True, Reason.DONE, 'already reached: what must hold for the goal holds')
        self._ending = Ending(reached, objection, at_start=True)
        self._show('checking whether the goal is reached already')
        return True

    def _decide(self, prompt: Prompt, choices: Choices) -> None:
        """Ask the model for a decision, which ``_read`` holds against what is allowed."""
        self._allowed = choices
        self.account.wait()
        services = self._state.services
        self._decision = services.model.decide(
            DecisionRequest(prompt, choices, services.settings.agent.decision_timeout_sec)
        )

    def _without_model(self, why: str) -> None:
        """Go on although no model answers, or end."""
        self._end(Outcome(False, Reason.MODEL, why))

    def _read(self, answer: Answer) -> Decision | None:
        """Book an answer and return its decision; None if it was rejected."""
        self._book(answer)
        try:
            return parse_decision(answer.text, self._allowed)
        except DecisionError as error:
            self._reject(answer.text, str(error))
            return None

    def _book(self, answer: Answer) -> None:
        """Count an answer, and begin its record."""
        self.account.book_decision(answer)
        self._audit.decided(
            DecisionRecord(
                index=self._state.budget.whole.costs.decisions,
                behaviour=self._state.numbers.of(self.id),
                path=self.path,
                robot=self._state.robot.name,
                prompt_sha256=answer.prompt_sha256,
                model=answer.model,
                decision=answer.text,
            )
        )

    def _reject(self, text: str, why: str, end: Reason = Reason.MODEL) -> None:
        """Tell the model why its answer does not count, or end after too many in a row."""
        self._audit.rejected(why)
        self._tell('rejected', f'{text}: {why}')
        self._invalid += 1
        spent = self._state.budget.spent()
        limit = self._state.services.settings.agent.max_invalid_answers
        if spent is not None:
            self._end(spent)
        elif self._invalid >= limit:
            self._end(Outcome(False, end, f'{limit} invalid decisions in a row: {why}'))
        else:
            # The rejected line itself stays out: small models repeat what they read.
            self._observed(f'{REJECTION}{why}.')

    def _pending(self) -> list[Future[Any] | None]:
        """Return what is under way besides a decision, and forget it."""
        pending: list[Future[Any] | None] = [self._observation, self._experiences]
        pending.append(self._ending.objection if self._ending is not None else None)
        self._observation = self._experiences = None
        return pending

    def tick(self) -> Iterator[Behaviour]:
        """Go on as far as possible without waiting."""
        if self.outcome is None:
            if self.status != Status.RUNNING:
                self._begin()
            yield from self._go_on()
            if self.outcome is None:
                self.status = Status.RUNNING
        yield self

    def _begin(self) -> None:
        self.account.open()
        self._tell('goal', self.goal)
        self.initialise()
        spent = self._state.budget.spent()
        if spent is not None:
            # Algorithm 1 would draw one more decision here; asking costs a prefill for nothing.
            self._end(spent)
            return
        self.account.wait()
        self._request()

    def _go_on(self) -> Iterator[Behaviour]:
        if self.outcome is not None:
            return  # it began with nothing left to spend
        # the safe hold has time limits of its own
        spent = None if self._last is not None else self._state.budget.time_is_up()
        if spent is not None:
            self._end(spent)
        elif self._ending is not None:
            self._look_at_ending(self._ending)
        elif self.current_child is not None:
            child = self.current_child
            yield from child.tick()
            if child.status != Status.RUNNING:
                self.current_child = None
                if isinstance(child, SafeHold):
                    self._held_still(child)
                else:
                    self.on_child_finished(child)
        else:
            try:
                self._look_for_answers()
            except ModelError as error:
                self._decision = None
                self._without_model(str(error))
            except WorldError as error:
                self._end(Outcome(False, Reason.ROBOT, str(error)))

    def tip(self) -> Behaviour | None:
        """Return the deepest behaviour that was ticked last.

        A child that has just joined is not ticked before the next tick; until then it is the node
        itself, for py_trees_ros takes a tree without a tip for broken.
        """
        below = self.current_child.tip() if self.current_child is not None else None
        if below is None and (self.status != Status.INVALID or self.outcome is not None):
            return self
        return below

    def stop(self, new_status: Status = Status.INVALID) -> None:
        """Stop what is under way; what has ended keeps its status, so that it can be read."""
        if new_status == Status.INVALID and self.outcome is not None:
            return
        self._book_what_is_cut_short()
        self.account.close()
        for pending in (*self._pending(), self._decision):
            if pending is not None:
                pending.cancel()
        self._decision = None
        for child in self.children:
            if child.status == Status.RUNNING:
                child.stop(Status.INVALID)
        self.status = new_status
        self.terminate(new_status)
        self.iterator = self.tick()

    def _book_what_is_cut_short(self) -> None:
        child, waited = self.current_child, self.account.waited
        leaf = self._running_skill()
        if leaf is not None and leaf.run is not None:
            self._audit.sent(leaf)
            self._state.stopped.append(StoppedSkill(leaf.run, partial(self._stopped, leaf)))
        else:
            self._audit.close(self._why_stopped)
        if self._decision is not None:
            self.account.book(Costs(model_seconds=waited))
        elif child is None or child.status != Status.RUNNING:
            return
        elif isinstance(child, SkillLeaf):
            self.account.book_skill(child.costs)
        elif isinstance(child, AskLeaf):
            self.account.book(Costs(questions=1, operator_seconds=waited))

    def _running_skill(self) -> SkillLeaf | None:
        child = self.current_child
        if isinstance(child, SafeHold):
            child = child.current_child
        if isinstance(child, SkillLeaf) and child.status == Status.RUNNING:
            return child
        return None

    def _stopped(self, leaf: SkillLeaf, result: SkillResult | None) -> None:
        """Take note of what the robot answered when it was stopped."""
        if result is None or result.confirmed:
            self._audit.close(self._why_stopped)
            return
        text = result.observation.text
        leaf.feedback_message = f'interrupted; {text}'
        self._audit.close(f'{self._why_stopped}; {text}')
        self._tell('fault', text)

    def _grow(self, child: Behaviour) -> None:
        self.add_child(child)
        self.current_child = child

    def _book_skill(self, leaf: SkillLeaf) -> SkillResult:
        """Count a skill that has ended, and return its result."""
        self._audit.sent(leaf)
        self.account.book_skill(leaf.costs)
        result = leaf.result or SkillResult(
            SkillStatus.CANCELED, Observation('The skill was interrupted.')
        )
        self._state.perceived(result.observation)
        return result

    def _repetition(self, leaf: SkillLeaf, result: SkillResult) -> Outcome | None:
        """Return the failure if the node did the same with the same result too often.

        Counted is since something new came into the hands or left them: a node that carries one
        thing after the other passes the same places, and one that takes the same thing up and
        down does nothing new.
        """
        key = (leaf.skill.phrase, result.observation.text)
        held = frozenset(item.name for item in self._state.memory.situation().held)
        if held != self._held and key not in self._seen:
            self._repeated.clear()
        self._held = held
        self._seen.add(key)
        self._repeated[key] = self._repeated.get(key, 0) + 1
        limit = self._state.services.settings.agent.max_repetitions
        if not limit or self._repeated[key] < limit:
            return None
        detail = f'"{leaf.skill.phrase}" had the same result {limit} times'
        return Outcome(False, Reason.REPETITION, detail)

    def _observed(self, text: str) -> None:
        self._audit.close(text)
        self.trajectory.observe(text)
        self._tell('observation', text)

    def _end_with(self, child: Behaviour) -> None:
        """End as what was grown below has ended."""
        if child.status == Status.SUCCESS:
            self._end(Outcome(True, Reason.EXPANSION, f'{child.name} succeeded'))
            return
        failed, spent = failure_below(child), self._state.budget.spent()
        self._end(replace(failed, reason=spent.reason) if spent else failed)

    def _must_be_checked(self, outcome: Outcome) -> bool:
        """Whether a success has to wait for what is said against it; it is asked for that."""
        state = self._state
        if not (outcome.success and state.done and self.checks_goal and self.depth == 1):
            return False
        situation, executor = state.memory.situation(), state.robot.executor
        objection = put_all(state.done, state.services.library, situation, executor)
        self._ending = Ending(outcome, objection)
        self._show('checking whether the goal is reached')
        return True

    def _look_at_ending(self, ending: Ending) -> None:
        objection = ending.objection.poll()
        if objection == '':
            self._end(ending.outcome)
        elif objection is not None:
            self._ending = None
            if not ending.at_start:
                self._not_reached(ending.outcome, objection.rstrip('.'))

    def _not_reached(self, outcome: Outcome, why: str) -> None:
        """Go on, or end, when something speaks against a success."""
        self._end(Outcome(False, Reason.UNMET, f'{outcome.detail}, but {why}'))

    def _end(self, outcome: Outcome) -> None:
        if self._ending is None and self._must_be_checked(outcome):
            return
        if self._holds(outcome):
            return
        self._why_stopped = outcome.detail
        if self._running_skill() is None:
            self._audit.close(outcome.detail)
        self._tell('done' if outcome.success else 'failure', outcome.detail)
        self.feedback_message = outcome.detail
        self.stop(Status.SUCCESS if outcome.success else Status.FAILURE)
        self.outcome = outcome
        self.current_child = None

    def _holds(self, outcome: Outcome) -> bool:
        """Begin the safe hold, if the run ends because no model answers and there is one."""
        skills = self._state.services.library.safe_hold
        if self.depth > 1 or outcome.reason is not Reason.MODEL or not skills or self._last:
            return False
        self._last = outcome
        self._tell('fault', f'{outcome.detail}; the robot goes into its safe hold')
        if self.current_child is not None and self.current_child.status == Status.RUNNING:
            self.current_child.stop(Status.INVALID)
        robot = self._state.robot
        self._grow(SafeHold(skills, robot.executor, robot.memory))
        return True

    def _held_still(self, hold: SafeHold) -> None:
        assert self._last is not None
        told = 'the robot is in its safe hold'
        if hold.status != Status.SUCCESS:
            failed = (one for one in hold.children if one.status == Status.FAILURE)
            told = f'the safe hold failed: {"; ".join(one.feedback_message for one in failed)}'
        self._end(replace(self._last, detail=f'{self._last.detail}; {told}'))

    def _show(self, text: str) -> None:
        """Show in the tree what the node is at, and what it has cost so far."""
        costs = self.account.costs
        count = f'{costs.decisions} decision{"s" if costs.decisions != 1 else ""}'
        self.feedback_message = f'{text} ({count}, {costs.tokens:,} tokens)'

    def _tell(self, kind: str, text: str) -> None:
        # The first event after an answer is the one that tells of the decision.
        decision, model = self.account.take_decision()
        self._state.tell(kind, text, self.id, self.path, self.account.costs, decision, model)


_LIMITS = (Reason.MAX_DEPTH, Reason.MAX_SECONDS, Reason.SUBTREE, Reason.MODEL, Reason.ROBOT)


def failure_below(control_flow: Behaviour) -> Outcome:
    """Return the outcome of a node whose control flow has failed: why, in the words below it."""
    if isinstance(control_flow, DecidingNode) and control_flow.outcome is not None:
        return control_flow.outcome
    failed = [
        (node.name, node.outcome)
        for node in _nearest(control_flow)
        if node.outcome is not None and not node.outcome.success
    ]
    told = '; '.join(f'{name}: {outcome.detail}' for name, outcome in failed)
    reasons = (outcome.reason for _, outcome in failed if outcome.reason in _LIMITS)
    reason = next(reasons, Reason.EXPANSION)
    return Outcome(False, reason, f'{control_flow.name} failed ({told})')


def _nearest(control_flow: Behaviour) -> Iterator[DecidingNode]:
    for child in control_flow.children:
        if isinstance(child, DecidingNode):
            yield child
        else:
            yield from _nearest(child)
