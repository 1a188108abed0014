# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ADaPT: try a task as it is, and split it only where that fails.

Prasad et al., *ADaPT: As-Needed Decomposition and Planning with Language Models*, 2024
(Algorithm 1, Appendices A and B). Its recursion is a fallback of an attempt and the steps that a
planner splits the task into, each of which is such a fallback again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from reactree_ros.behaviours.control_flow import build_control_flow
from reactree_ros.behaviours.facts import facts_text
from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.services import RunState
from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.core.decision import Choices, ControlFlow, Expand, Think
from reactree_ros.core.futures import ready
from reactree_ros.core.model import Answer
from reactree_ros.core.option import option
from reactree_ros.core.prompt import Note, build_prompt
from reactree_ros.errors import DecisionError
from reactree_ros.strategies.attempt import Attempt, AttemptOptions, GrownNode
from reactree_ros.strategies.step_logic import Steps, read_steps

Work = Callable[[str, RunState, tuple[str, ...]], Behaviour]
"""Makes what works on a step, with the state of its Split and the goals from the root to it."""


@dataclass(frozen=True)
class AdaptOptions(AttemptOptions):
    """Options of ADaPT."""

    split_depth: int = option(
        3,
        'How deep steps are split into steps (d_max of Algorithm 1). 1: never.',
        minimum=1,
        maximum=20,
        kept_on_resume=True,
    )


def adapt(goal: str, state: RunState) -> GrownNode:
    """Return the root of ADaPT's tree."""
    last_success = LastSuccess()
    deepest = state.options(AdaptOptions).split_depth

    def task(step: str, state: RunState, path: tuple[str, ...], depth: int = 1) -> Behaviour:
        attempt = Attempt(step, state, path, last_success)
        if depth == deepest:
            return attempt

        def part(step: str, state: RunState, path: tuple[str, ...]) -> Behaviour:
            return task(step, state, path, depth + 1)

        split = Split(step, state, path, part)
        return py_trees.composites.Selector('try or split', memory=True, children=[attempt, split])

    return GrownNode(goal, state, lambda: task(goal, state, ()))


class LastSuccess:
    """Hands the last skill that succeeded in an attempt that did on to the next (Appendix A).

    What succeeded in a branch of a fallback that failed is not handed on: the next branch reads
    what the first one did.
    """

    def __init__(self) -> None:
        self._succeeded: list[Attempt] = []

    def before(self) -> Note | None:
        """Return the note for an attempt that starts."""
        for attempt in reversed(self._succeeded):
            if not _is_in_vain(attempt):
                return Note(_told(attempt))
        return None

    def after(self, attempt: Attempt) -> None:
        """Take note of an attempt that has ended."""
        if attempt.outcome is not None and attempt.outcome.success:
            self._succeeded.append(attempt)


def _is_in_vain(attempt: Attempt) -> bool:
    """Return whether something that an attempt is a part of has failed.

    A composite makes a child that failed INVALID when it continues with the next one.
    """
    above: Behaviour | None = attempt
    while above is not None:
        if above.status not in (Status.SUCCESS, Status.RUNNING):
            return True
        above = above.parent
    return False


def _told(attempt: Attempt) -> str:
    text = f'Done before: {attempt.goal}.'
    skills = [leaf for leaf in attempt.children if isinstance(leaf, SkillLeaf) and leaf.succeeded]
    if skills and skills[-1].result is not None:
        text += f' Last: {skills[-1].skill.phrase}. {skills[-1].result.observation.text}'
    return text


class Split(DecidingNode):
    """Asks for the steps of its goal and has them worked on.

    =======  ===================================================================
    RUNNING  the steps are awaited, or a step is worked on
    SUCCESS  the steps succeeded, as they are joined
    FAILURE  they failed, or ``outcome`` says what else
    INVALID  interrupted before its end
    =======  ===================================================================

    Args:
        goal: what is split.
        state: what all nodes of the run share.
        path: goals from the root to what it was begun for.
        work: makes what works on a step.
    """

    uses_safe_state = False

    def __init__(self, goal: str, state: RunState, path: tuple[str, ...], work: Work) -> None:
        super().__init__(goal, state, path)
        self.name = f'split: {goal}'
        self._work = work
        agent = self.settings.agent
        self._choices = Choices(
            control_flows=(ControlFlow.SEQUENCE, ControlFlow.FALLBACK),
            endings=(),
            max_thought_chars=agent.max_thought_chars,
            max_subgoals=agent.max_subgoals,
            max_subgoal_chars=2 * agent.max_subgoal_chars,  # a step may be several that are joined
        )

    def facts(self, full: bool = False) -> str:
        """Return the chosen facts, such as which rooms are left."""
        return facts_text(self.situation, self.settings.prompt.facts, full)

    def _retrieve(self) -> None:
        self._experiences = ready(())  # they show how tasks are done, not how they are split

    def ask_model(self) -> None:
        """Ask for the split of the task."""
        prompt = build_prompt(self._state.services.prompts['split'], (), self.trajectory)
        self._decide(prompt, self._choices)

    def on_answer(self, answer: Answer) -> None:
        """Expand into the split."""
        decision = self._read(answer)
        if decision is None:
            return
        if isinstance(decision, Think):
            self._thought(decision)
            return
        assert isinstance(decision, Expand)
        try:
            steps = self._steps(decision)
        except DecisionError as error:
            self._reject(answer.text, str(error))
            return
        if self._expands(decision):
            self._grow(self._build(steps))

    def _thought(self, thought: Think) -> None:
        if self._end_if_spent():
            return
        self._invalid = 0
        self.trajectory.decide(thought)
        self._show(thought.text)
        self._publish('think', thought.text)
        self._choices = replace(self._choices, think=False)

    def _steps(self, proposed: Expand) -> Steps:
        """Return the steps as they may join the tree.

        Raises:
            DecisionError: if they may not, or cannot be read.
        """
        parts = tuple(read_steps(subgoal) for subgoal in proposed.subgoals)
        steps = Steps(proposed.control_flow, parts)
        faults = [
            fault
            for level in steps.levels()
            for fault in self._mask.faults(Expand(level.control_flow, level.own))
        ]
        if faults:
            raise DecisionError('; '.join(faults))
        return steps

    def _build(self, steps: Steps) -> py_trees.composites.Composite:
        children = [
            self._build(part)
            if isinstance(part, Steps)
            else self._work(part, self._state, self.path)
            for part in steps.parts
        ]
        policy = self.settings.agent.vote_policy
        return build_control_flow(steps.control_flow, children, policy)
