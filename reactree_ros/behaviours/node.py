# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What every node that decides has in common: its life from the first tick to an outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from reactree_ros.behaviours.action_mask import ActionMask
from reactree_ros.behaviours.ask_leaf import AskLeaf
from reactree_ros.behaviours.audit import Audit
from reactree_ros.behaviours.cost_tracker import CostTracker
from reactree_ros.behaviours.repetition import RepetitionGuard
from reactree_ros.behaviours.robots import Robot
from reactree_ros.behaviours.services import RunState, StoppedSkill
from reactree_ros.behaviours.skill_leaf import RecallLeaf, SafeState, SkillLeaf
from reactree_ros.core.decision import (
    RECALL,
    Choices,
    Conditions,
    Decision,
    Done,
    Expand,
    ending_of,
    parse_decision,
    to_text,
)
from reactree_ros.core.events import DecisionRecord
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.outcome import Costs, Outcome, Reason
from reactree_ros.core.prompt import Message, Note, Prompt, Trajectory, observed_line
from reactree_ros.core.settings import Settings
from reactree_ros.core.situation import Situation
from reactree_ros.core.wire import prompt_digest
from reactree_ros.errors import DecisionError, ModelError, WorldError
from reactree_ros.skills.done_check import (
    DoneCondition,
    PendingSuccess,
    check_all,
    start_conditions,
)
from reactree_ros.skills.executor import has_ended
from reactree_ros.skills.library import GroundedSkill, SkillLibrary

REJECTION = 'Not possible: '
"""How the line begins that says why a decision was rejected."""
_ALREADY = Outcome(True, Reason.DONE, 'already reached: what must hold for the goal holds')


class DecidingNode(py_trees.composites.Composite):
    """Decides step by step; what it does joins the tree as its children.

    A tick never waits: it polls what was asked for, or ticks the running child. A node that has
    ended stays as it is. Subclasses say what is done with an answer, what with a child that has
    ended, and what is asked for at the start besides an observation and experiences.

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
        message: from the parent or the strategy; None for the root.
    """

    _mask: ActionMask

    checks_goal = True
    """Whether its success as the root waits until the conditions of the goal were checked."""
    uses_safe_state = True
    """Whether it, as the root, has the robot go into its safe state when no model answers."""

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
        self.robot_named = ''
        if self.depth > 1:
            state = state.below()
        self.outcome: Outcome | None = None
        self.trajectory = Trajectory(goal, message, '')
        self.tracker = CostTracker(state.budget)
        self._state = state
        self.blackboards.append(state.memory.board)
        self._audit = Audit(state.on_record, lambda: state.budget.seconds)
        self._repetitions = RepetitionGuard()
        self._observation: Future[Observation] | None = None
        self._experiences: Future[tuple[str, ...]] | None = None
        self._examples: tuple[str, ...] = ()
        self._prompt: Prompt | None = None
        self._allowed = Choices()
        self._decision: Future[Any] | None = None
        self._invalid = 0
        self._requested = False
        self._start_checked = False
        self._success: PendingSuccess | None = None
        self._pending_outcome: Outcome | None = None
        self._why_stopped = 'it was interrupted'

    @property
    def settings(self) -> Settings:
        """The settings of the run."""
        return self._state.services.settings

    @property
    def situation(self) -> Situation:
        """What working memory knows now."""
        return self._state.memory.situation()

    @property
    def gave_up(self) -> bool:
        """Whether it ended because the model said that the goal cannot be reached."""
        return self.outcome is not None and self.outcome.reason is Reason.GAVE_UP

    @property
    def library(self) -> SkillLibrary:
        """The skills of its robot."""
        return self._state.services.library

    def assign_robot(self, robot: Robot) -> None:
        """Use another robot than the parent's; to be called before the first tick."""
        self._state = self._state.on(robot)
        self.blackboards = [robot.memory.board]

    # Overridden by subclasses

    def ask_model(self) -> None:
        """Ask the model, or end."""
        raise NotImplementedError

    def on_answer(self, answer: Any) -> None:
        """Act on what the model answered."""
        raise NotImplementedError

    def on_child_finished(self, child: Behaviour) -> None:
        """Continue after a child has ended; unless overridden, the node ends as the child did.

        Args:
            child: its ``status`` is SUCCESS or FAILURE.
        """
        self._end_with(child)

    def facts(self, full: bool = False) -> str:
        """Return what to append to an observation; nothing unless overridden.

        Args:
            full: no facts were stated before.
        """
        return ''

    def _pending(self) -> list[Future[Any] | None]:
        """Return everything that was asked for, to be canceled."""
        checked = self._success.objection if self._success is not None else None
        return [self._observation, self._experiences, checked, self._decision]

    def _not_reached(self, outcome: Outcome, why: str) -> None:
        """Continue, or end, when a condition of the goal does not hold after a success."""
        self._end(Outcome(False, Reason.UNMET, f'{outcome.detail}, but {why}'))

    def _unmet(self, outcome: Outcome, objection: str) -> None:
        """Continue, or end, when what was read or given does not hold after a success."""
        self._not_reached(outcome, objection[:1].lower() + objection[1:])

    # Ticks

    def tick(self) -> Iterator[Behaviour]:
        """Continue as far as possible without waiting."""
        if self.outcome is None:
            if self.status != Status.RUNNING:
                self._start()
            yield from self._continue()
            if self.outcome is None:
                self.status = Status.RUNNING
        yield self

    def _start(self) -> None:
        self._mask = ActionMask(self._state, self.path)
        self.tracker.start()
        self._publish('goal', self.goal)
        self.initialise()
        # Algorithm 1 would draw one more decision here; asking costs a prefill for nothing.
        if self._end_if_spent():
            return
        self.tracker.wait()
        self._request_at_rest()

    def _continue(self) -> Iterator[Behaviour]:
        if self.outcome is not None:
            return  # it started with nothing left to spend
        # the safe state has time limits of its own
        spent = None if self._pending_outcome is not None else self._state.budget.time_is_up()
        if spent is not None:
            self._end(spent)
        elif self._success is not None:
            self._guard(partial(self._check_success, self._success))
        elif not isinstance(self.current_child, py_trees.composites.Composite) and (
            not self._state.has_turn()
        ):
            return
        elif self.current_child is not None:
            child = self.current_child
            yield from child.tick()
            if child.status != Status.RUNNING:
                self.current_child = None
                if isinstance(child, SafeState):
                    self._safe_state_ended(child)
                elif isinstance(child, SkillLeaf) and self._has_lost_robot(child):
                    self._lose_robot(self._skill_result(child).observation.text)
                else:
                    self.on_child_finished(child)
        else:
            self._guard(self._poll)

    def _guard(self, poll: Callable[[], None]) -> None:
        """Poll; end if no model answers, or the robot is gone."""
        try:
            poll()
        except ModelError as error:
            if self._decision is not None:
                self.tracker.add(Costs(model_seconds=self.tracker.waited))
                self._decision = None
            self._end(Outcome(False, Reason.MODEL, str(error)))
        except WorldError as error:
            self._lose_robot(str(error))

    def _has_lost_robot(self, leaf: SkillLeaf) -> bool:
        """Whether a skill has failed for want of a robot, and another robot may take over."""
        return self._state.in_parallel and leaf.result is not None and leaf.result.is_robot_lost

    def _lose_robot(self, why: str) -> None:
        """End: the robot has failed or left."""
        self._state.robot.lost = self._state.robot.lost or self._state.in_parallel
        self._end(Outcome(False, Reason.ROBOT, why))

    def _poll(self) -> None:
        """Poll what was asked for, and continue with it."""
        if not (self._requested or self._request_at_rest()) or not self._is_informed():
            return
        if self._decision is None:
            self.ask_model()
            return
        answer = self._decision.poll()
        if answer is not None:
            self._decision = None
            self.on_answer(answer)

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
        self._count_what_is_cut_short()
        self.tracker.stop()
        for pending in self._pending():
            if pending is not None:
                pending.cancel()
        self._decision = None
        for child in self.children:
            if child.status == Status.RUNNING:
                child.stop(Status.INVALID)
        self.status = new_status
        self.terminate(new_status)

    def _count_what_is_cut_short(self) -> None:
        child = self.current_child
        leaf = self._running_skill()
        self._state.robot.claim(())
        if leaf is not None and leaf.run is not None:
            self._audit.sent(leaf)
            self._state.stopped.append(StoppedSkill(leaf.run, partial(self._skill_stopped, leaf)))
        else:
            self._audit.close(self._why_stopped)
        if self._decision is not None:
            self.tracker.add(Costs(model_seconds=self.tracker.waited))
        elif child is None or child.status != Status.RUNNING:
            return
        elif isinstance(child, (SkillLeaf, SafeState)):
            self.tracker.add_skill(child.costs)
        elif isinstance(child, AskLeaf):
            self.tracker.add_question()

    def _running_skill(self) -> SkillLeaf | None:
        child = self.current_child
        if isinstance(child, SafeState):
            child = child.current_child
        if isinstance(child, SkillLeaf) and child.status == Status.RUNNING:
            return child
        return None

    def _skill_stopped(self, leaf: SkillLeaf, result: SkillResult | None) -> None:
        """Record what the robot answered when it was stopped, which memory knows then."""
        if result is not None:
            self._state.robot.update(result.observation)
        if result is None or result.confirmed:
            self._audit.close(self._why_stopped)
            return
        text = result.observation.text
        leaf.feedback_message = f'interrupted; {text}'
        self._audit.close(f'{self._why_stopped}; {text}')
        self._publish('fault', text)

    # What is known at the start

    def _request_at_rest(self) -> bool:
        """Ask for what is needed before the first decision, unless a stopped skill still moves.

        A time limit of the node before may have stopped it: what was observed meanwhile would not
        hold for long.
        """
        if all(has_ended(one.run) for one in self._state.stopped):
            self._request()
            self._requested = True
        return self._requested

    def _request(self) -> None:
        """Ask for what is needed before the first decision."""
        self._observation = self._state.robot.executor.observe()
        self._retrieve()

    def _retrieve(self) -> None:
        source, most = self._state.services.experiences, self.settings.memory.example_tokens
        if source is None or most <= 0:
            self._experiences = ready(())
            return
        self._experiences = source.retrieve(self.goal, self.depth == 1, most)

    def _is_informed(self) -> bool:
        """Return whether everything that was asked for at the start is there, and use it."""
        if self._observation is not None:
            observation = self._observation.poll()
            if observation is None:
                return False
            self._observation = None
            self._perceived(observation)
            first = observation.text + self.facts(full=True)
            self.trajectory.first_observation = observed_line(first)
        if self._experiences is not None:
            examples = self._experiences.poll()
            if examples is None:
                return False
            self._examples = examples
        return not self._begin_start_check()

    def _begin_start_check(self) -> bool:
        """Check, once, whether the goal is reached at the start; return whether a check began."""
        if self._start_checked:
            return False
        self._start_checked = True
        if self.depth == 1 and self._begin_given_conditions():
            return True
        due = self.settings.agent.check_at_start
        conditions = start_conditions(self._state.done()) if due else ()
        return self._begin_goal_check(_ALREADY, conditions, at_start=True)

    def _begin_given_conditions(self) -> bool:
        """Take the conditions that came with the goal; return whether the node ends with them."""
        goal = self._state.goal
        try:
            if not goal.begin_given():
                return False
        except DecisionError as error:
            why = f'the conditions cannot be read: {error}'
            self._end(Outcome(False, Reason.BAD_GOAL, why))
            return True
        if goal.reads:
            self.trajectory.decide(Conditions(goal.shown()))
        self._publish('conditions', goal.text)
        return self._begin_end_at_once()

    def _begin_end_at_once(self) -> bool:
        """End if all conditions hold before anything was done; return whether that began."""
        due = self.settings.agent.check_at_start and not self._state.remembers
        if not (due and self._state.goal.met):
            return False
        if not self._begin_goal_check(_ALREADY, self._state.done(), at_start=True):
            self._end(_ALREADY)
        return True

    # The model

    def _decide(self, prompt: Prompt, choices: Choices) -> None:
        """Ask the model for a decision; ``_read`` checks it against the choices."""
        self._allowed = choices
        self._prompt = prompt
        self.tracker.wait()
        self._state.took_turn()
        limit = self.settings.agent.decision_timeout_sec
        self._decision = self._state.services.model.decide(DecisionRequest(prompt, choices, limit))

    def _generate(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Ask the model for free text; ``_count`` its answer."""
        self._prompt = request.prompt
        self.tracker.wait()
        self._state.took_turn()
        return self._state.services.model.write(request)

    def _read(self, answer: Answer) -> Decision | None:
        """Count an answer and return its decision; None if it was rejected."""
        self._count(answer)
        try:
            return parse_decision(answer.text, self._allowed)
        except DecisionError as error:
            self._reject(answer.text, str(error))
            return None

    def _count(self, answer: Answer) -> None:
        """Count an answer, and begin its record."""
        assert self._prompt is not None
        self._state.took_turn()
        self.tracker.add_decision(answer)
        self._audit.decided(
            DecisionRecord(
                index=self._state.budget.whole.costs.decisions,
                behaviour=self._state.numbers.of(self.id),
                path=self.path,
                robot=self._state.robot.name,
                prompt_sha256=prompt_digest(self._prompt),
                model=answer.model,
                decision=answer.text,
            )
        )

    def _end_if_spent(self) -> bool:
        """End if nothing is left to spend; return whether that is so."""
        spent = self._state.budget.spent()
        if spent is not None:
            self._end(spent)
        return spent is not None

    def _reject(self, text: str, why: str, end: Reason = Reason.MODEL) -> None:
        """Let the model know why its answer does not count, or end after too many in a row."""
        self._audit.rejected(why)
        self._publish('rejected', f'{text}: {why}')
        self._invalid += 1
        spent = self._state.budget.spent()
        limit = self.settings.agent.max_invalid_answers
        if spent is not None:
            self._end(spent)
        elif self._invalid >= limit:
            self._end(Outcome(False, end, f'{limit} invalid decisions in a row: {why}'))
        else:
            # The rejected line itself stays out: small models repeat what they read.
            self._observed(f'{REJECTION}{why}.')

    def _reject_done(self, why: str) -> None:
        """Let the model know why its "done" does not count."""
        self._take_back_ending()
        self._reject(to_text(Done()), f'"done" does not count, {why}', Reason.UNMET)

    def _take_back_ending(self) -> None:
        """Forget an ending that does not count: it is not read again."""
        steps = self.trajectory.steps
        if steps and ending_of(steps[-1].text):
            steps.pop()

    # Children

    def _expands(self, expansion: Expand) -> bool:
        """Note an expansion that is valid; return False, and end, if it would be too deep."""
        self.trajectory.decide(expansion)
        self._publish('expand', f'{expansion.control_flow.value}: {"; ".join(expansion.subgoals)}')
        too_deep = self._state.budget.depth_is_exceeded(self.depth + 1)
        if too_deep is not None:
            self._end(too_deep)
        return too_deep is None

    def _grow(self, child: Behaviour) -> None:
        self.add_child(child)
        self.current_child = child

    def _recall(self, class_name: str) -> None:
        """Answer a question to working memory."""
        self._publish('recall', class_name)
        answer = self._state.recall(class_name)
        self._grow(RecallLeaf(class_name, answer))
        self._observed(answer)
        self._end_if_repeated(RECALL + class_name, answer)

    def _run_skill(self, skill: GroundedSkill) -> None:
        self._publish('act', skill.phrase)
        self._show(skill.phrase)
        self.tracker.wait()
        self._state.robot.claim(skill.arguments)
        self._grow(SkillLeaf(skill, self._state.robot.executor, self._state.memory))

    def _skill_result(self, leaf: SkillLeaf) -> SkillResult:
        """Count a skill that has ended, and return its result, which memory knows then."""
        self._audit.sent(leaf)
        self._state.robot.claim(())
        self.tracker.add_skill(leaf.costs)
        result = leaf.result or SkillResult(
            SkillStatus.CANCELED, Observation('The skill was interrupted.')
        )
        self._perceived(result.observation)
        return result

    def _perceived(self, observation: Observation) -> None:
        self._state.took_turn()
        self._state.robot.update(observation)
        self._look_at_conditions()

    def _look_at_conditions(self) -> None:
        if self._state.goal.observe():
            self._publish('conditions', self._state.goal.text)

    def _end_if_repeated(self, act: str, observed: str) -> None:
        """End with a failure if the node did the same with the same result too often."""
        limit = self.settings.agent.max_repetitions
        times = self._repetitions.count(act, observed, self.situation)
        if 0 < limit <= times:
            detail = f'"{act}" had the same result {limit} times'
            self._end(Outcome(False, Reason.REPETITION, detail))

    # The end

    def _end_with(self, child: Behaviour) -> None:
        """End as the child has ended."""
        if child.status == Status.SUCCESS:
            self._end(Outcome(True, Reason.EXPANSION, f'{child.name} succeeded'))
            return
        failed, spent = failure_below(child), self._state.budget.spent()
        self._end(replace(failed, reason=spent.reason) if spent else failed)

    def _end(self, outcome: Outcome) -> None:
        if self.depth == 1 and self._success is None:
            self._look_at_conditions()  # a person may have corrected them meanwhile
            goal = self._state.goal
            undecided = outcome.reason in (Reason.EXPANSION, Reason.REPETITION)
            if undecided and not outcome.success and goal.met:
                detail = f'the conditions of the goal hold; {outcome.detail}'
                outcome = replace(outcome, success=True, detail=detail)
            objection = goal.objection(outcome.answer) if outcome.success else ''
            if objection and self.checks_goal:
                self._unmet(outcome, objection)
                return
        if self._success is None and self._begin_goal_check(outcome, self._state.done()):
            return
        if self._begin_safe_state(outcome):
            return
        self._why_stopped = outcome.detail
        if self._running_skill() is None:
            self._audit.close(outcome.detail)
        self._publish('done' if outcome.success else 'failure', outcome.detail)
        self.feedback_message = outcome.detail
        self.stop(Status.SUCCESS if outcome.success else Status.FAILURE)
        self.outcome = outcome
        self.current_child = None

    def _begin_goal_check(
        self, outcome: Outcome, conditions: tuple[DoneCondition, ...], *, at_start: bool = False
    ) -> bool:
        """Check the goal's conditions if success depends on them; return whether a check began."""
        if not (outcome.success and conditions and self.checks_goal and self.depth == 1):
            return False
        library, executor = self._state.services.library, self._state.robot.executor
        objection = check_all(conditions, library, self.situation, executor)
        self._success = PendingSuccess(outcome, objection, at_start)
        already = ' already' if at_start else ''
        self._show(f'checking whether the goal is reached{already}')
        return True

    def _check_success(self, success: PendingSuccess) -> None:
        objection = success.objection.poll()
        if objection == '':
            self._end(success.outcome)
        elif objection is not None:
            self._success = None
            if not success.at_start:
                self._not_reached(success.outcome, objection.rstrip('.'))

    def _begin_safe_state(self, outcome: Outcome) -> bool:
        """Begin the safe state if there is one and no model answers; return whether it began."""
        skills = self._state.services.library.safe_state
        if (
            self.depth > 1
            or not self.uses_safe_state
            or outcome.reason is not Reason.MODEL
            or not skills
            or self._pending_outcome
        ):
            return False
        self._pending_outcome = outcome
        self._publish('fault', f'{outcome.detail}; the robot goes into its safe state')
        if self.current_child is not None and self.current_child.status == Status.RUNNING:
            self.current_child.stop(Status.INVALID)
        robot = self._state.robot
        self.tracker.wait()
        self._grow(SafeState(skills, robot.executor, robot.memory))
        return True

    def _safe_state_ended(self, state: SafeState) -> None:
        assert self._pending_outcome is not None
        self.tracker.add_skill(state.costs)
        how = 'the robot is in its safe state'
        if state.status != Status.SUCCESS:
            failed = (one for one in state.children if one.status == Status.FAILURE)
            why = '; '.join(one.feedback_message for one in failed)
            how = f'the safe state was not reached: {why}'
        self._end(replace(self._pending_outcome, detail=f'{self._pending_outcome.detail}; {how}'))

    # What others see

    def _observed(self, text: str) -> None:
        self.trajectory.observe(text)
        self._close_step(text)

    def _received(self, text: str) -> None:
        """Note what a person says."""
        self.trajectory.receive(text)
        self._close_step(text)

    def _close_step(self, text: str) -> None:
        self._audit.close(text)
        self._publish('observation', text)

    def _show(self, text: str) -> None:
        """Show in the tree what the node does, and what it has cost so far."""
        costs = self.tracker.costs
        count = f'{costs.decisions} decision{"s" if costs.decisions != 1 else ""}'
        self.feedback_message = f'{text} ({count}, {costs.tokens:,} tokens)'

    def _publish(self, kind: str, text: str) -> None:
        # The first event after an answer is the one that reports the decision.
        self._state.publish(kind, text, self, *self.tracker.take_decision())


_LIMITS = (Reason.MAX_DEPTH, Reason.MAX_SECONDS, Reason.SUBTREE_BUDGET, Reason.MODEL, Reason.ROBOT)


def failure_below(control_flow: Behaviour) -> Outcome:
    """Return the outcome of a node whose control flow has failed: why, in the words below it."""
    if isinstance(control_flow, DecidingNode) and control_flow.outcome is not None:
        return control_flow.outcome
    failed = [
        (node.name, node.outcome)
        for node in nearest_nodes(control_flow)
        if node.outcome is not None and not node.outcome.success
    ]
    details = '; '.join(f'{name}: {outcome.detail}' for name, outcome in failed)
    reasons = (outcome.reason for _, outcome in failed if outcome.reason in _LIMITS)
    reason = next(reasons, Reason.EXPANSION)
    return Outcome(False, reason, f'{control_flow.name} failed ({details})')


def answers_below(control_flow: Behaviour) -> str:
    """Return what the nodes of a control flow answered, in parentheses; empty if nothing."""
    answers = [
        f'{node.name}: {node.outcome.answer}'
        for node in nearest_nodes(control_flow)
        if node.outcome is not None and node.outcome.answer
    ]
    return f' ({"; ".join(answers)})' if answers else ''


def nearest_nodes(behaviour: Behaviour) -> Iterator[DecidingNode]:
    """Return the nearest nodes that decide, the behaviour itself included."""
    if isinstance(behaviour, DecidingNode):
        yield behaviour
        return
    for child in behaviour.children:
        yield from nearest_nodes(child)
