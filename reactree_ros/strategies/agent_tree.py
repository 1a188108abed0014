# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ReAcTree's agent nodes, and what HiAgent and STEP add to them where the options say so."""

from __future__ import annotations

from dataclasses import dataclass, replace

import py_trees
from py_trees.behaviour import Behaviour

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.services import RunState
from reactree_ros.behaviours.skill_leaf import SkillLeaf
from reactree_ros.core.decision import (
    Act,
    ControlFlow,
    Decision,
    Done,
    Expand,
    Failure,
    Think,
    to_text,
)
from reactree_ros.core.model import Answer
from reactree_ros.core.option import option
from reactree_ros.core.outcome import Outcome, Reason
from reactree_ros.core.prompt import GOAL_LINE, Message, Prompt, Step
from reactree_ros.strategies.hiagent import PART, ChunkedNode
from reactree_ros.strategies.step import (
    CONSISTENT,
    MAPPABLE,
    REFINED,
    WHY_UNFIT,
    check_choices,
    check_steps,
)


@dataclass(frozen=True)
class AgentTreeOptions:
    """Options of ReAcTree."""

    chunk_acts: int = option(
        0,
        'Let an agent node read its earlier steps as summaries that the model writes, one for each '
        'so many acts (HiAgent, section 3). 0: all steps themselves.',
        minimum=0,
        maximum=1000,
        kept_on_resume=True,
    )
    check_subgoals: bool = option(
        False,
        'Ask the model of each subgoal of an expansion, before it is worked on, whether it is '
        'consistent, whether it is one skill, and which (STEP, section III-C).',
        kept_on_resume=True,
    )


class PartsNode(ChunkedNode):
    """An agent node that reads its earlier acts as summaries, one for each so many.

    HiAgent's subgoals are nodes here: a part has none, and therefore no verdict.
    """

    word = PART
    _acts = 0

    def build_prompt(self) -> Prompt:
        """Return the prompt, which says what summaries are."""
        prompt = super().build_prompt()
        return replace(prompt, system=prompt.system + self._state.services.prompts['chunks'])

    def begins_chunk(self, decision: Decision) -> bool:
        """Return whether the part before is full."""
        if isinstance(decision, Expand):
            return False
        most = self._state.options(AgentTreeOptions).chunk_acts
        begins = self._chunks.current is None or self._acts >= most
        self._acts = (0 if begins else self._acts) + isinstance(decision, Act)
        return begins


class CheckedNode(AgentNode):
    """An agent node whose goal, if it is a subgoal, is checked first.

    One that is not consistent fails, and its parent, which reads why, may plan again. One that is
    a single skill is reached when the robot has done it; if the robot could not, the node decides
    as any other, and so it does if the subgoal is more than one skill.
    """

    _said: tuple[str, ...] = ()
    _checked = False
    _checking = False
    _only = ''

    def ask_model(self) -> None:
        """Ask for the next decision of the check, or for the next decision after it."""
        message = self.trajectory.message
        self._checking = isinstance(message, Message) and not self._checked
        if not isinstance(message, Message) or not self._checking:
            super().ask_model()
            return
        self._mask.update()
        siblings = message.text().splitlines()[1]
        lines = (f'{GOAL_LINE}{message.primary_goal}', siblings, self.trajectory.first_observation)
        task = ''.join(f'{line}\n' for line in lines)
        system = self._state.services.prompts['leaf_check']
        read = (
            *self._reached(message),
            *self.trajectory.steps,
            *check_steps(self.goal, self._said),
        )
        prompt = Prompt(system, (), task, read)
        self._decide(prompt, check_choices(self._said, self._mask.skills))

    def _reached(self, message: Message) -> tuple[Step, ...]:
        """Return the subgoals of a sequence that were reached before this one."""
        if message.control_flow is not ControlFlow.SEQUENCE:
            return ()
        step: Behaviour = self
        while step.parent is not None and not isinstance(step.parent, py_trees.composites.Sequence):
            step = step.parent  # another robot's step has a composite of its own
        assert step.parent is not None
        before = message.siblings[: step.parent.children.index(step)]
        return tuple(Step(to_text(Think(subgoal)), decided=True) for subgoal in before)

    def on_answer(self, answer: Answer) -> None:
        """Take what the check has decided, or execute the decision."""
        if not self._checking:
            super().on_answer(answer)
            return
        decision = self._read(answer)
        if decision is None:
            return
        assert isinstance(decision, Act)
        phrase = decision.phrase
        self._publish('check', f'{self.goal}: {phrase}')
        if self._end_if_spent():
            return
        if phrase in WHY_UNFIT:
            why = WHY_UNFIT[phrase]
            self.trajectory.decide(Failure(why if self.settings.agent.explain_endings else ''))
            self._end(Outcome(False, Reason.GAVE_UP, why))
        elif phrase in (CONSISTENT, MAPPABLE):
            self._invalid = 0
            self._audit.close(phrase)
            self._said = (*self._said, phrase)
        else:
            self._invalid = 0
            self._checked = True
            if phrase == REFINED:
                self._audit.close(phrase)
            else:
                self._only = phrase
                self.execute_decision(decision)

    def on_child_finished(self, child: Behaviour) -> None:
        """End if the subgoal was one skill and the robot has done it."""
        super().on_child_finished(child)
        only, self._only = self._only, ''
        if only and self.outcome is None and isinstance(child, SkillLeaf) and child.succeeded:
            self.trajectory.decide(Done())
            self._end(Outcome(True, Reason.DONE, f'it was one skill: {only}'))


class CheckedPartsNode(CheckedNode, PartsNode):
    """An agent node with both."""


def agent_tree(goal: str, state: RunState) -> AgentNode:
    """Return the root of ReAcTree's tree; the nodes below it are of its kind."""
    options = state.options(AgentTreeOptions)
    kinds = {
        (False, False): AgentNode,
        (True, False): PartsNode,
        (False, True): CheckedNode,
        (True, True): CheckedPartsNode,
    }
    return kinds[options.chunk_acts > 0, options.check_subgoals](goal, state)
