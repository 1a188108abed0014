# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How often a model takes the decision that a published run took at the same point.

The model reads a node of the run up to a decision and decides; then the run goes on as it was,
whatever the model said. Agreement is not success: a run may be won in another way, and a model
that agrees nine times of ten may fail every run.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from reactree_ros.core.decision import (
    Ask,
    Choices,
    ControlFlow,
    Decision,
    Expand,
    Think,
    parse_decision,
)
from reactree_ros.core.prompt import Prompt, Trajectory, build_prompt
from reactree_ros.evaluation.local import IDLE_SEC
from reactree_ros.evaluation.wah_choices import make_choices, read_vocabulary
from reactree_ros.evaluation.wah_runs import RecordedNode
from reactree_ros.exceptions import DecisionError
from reactree_ros.memory.embedding_cache import CachedEncoder
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.memory.experience import Origin
from reactree_ros.models.interface import Encoder

TEST_SHARE = 0.25
"""Share of the tasks that decisions are drawn from; the others give the experiences."""

_ARTICLE = re.compile(r'\b(?:a|an|the)\b')


@dataclass(frozen=True)
class Case:
    """One decision of a published run.

    Args:
        node: the agent node that took it.
        taken: which of the node's decisions it is.
        choices: what the node may have had to choose from.
        added: whether the decision had to be added to the choices.
    """

    node: RecordedNode
    taken: int
    choices: Choices
    added: bool

    @property
    def decision(self) -> Decision:
        """What the run decided."""
        return self.node.decisions[self.taken][1]

    @property
    def trajectory(self) -> Trajectory:
        """What the node had been told and had decided before."""
        whole = self.node.trajectory
        before = whole.steps[: self.node.decisions[self.taken][0]]
        return Trajectory(whole.goal, whole.message, whole.first_observation, before)


@dataclass(frozen=True)
class Match:
    """What an answer has in common with the decision of the run.

    Args:
        kind: both think, both act (skill, recall, done, failure), or both expand.
        flow: both expand under the same control flow.
        decision: the same decision. Of two thoughts only the kind is compared: the same thought
            can be put in many words. Subgoals are compared without regard to case, articles and
            space, those of a parallel expansion without regard to order.
    """

    kind: bool
    flow: bool
    decision: bool


def split_tasks(
    nodes: Sequence[RecordedNode], seed: int
) -> tuple[tuple[RecordedNode, ...], tuple[RecordedNode, ...]]:
    """Return the nodes of the test tasks and those of all other tasks."""
    tasks = sorted({node.task_id for node in nodes})
    random.Random(seed).shuffle(tasks)
    test = frozenset(tasks[: max(1, round(len(tasks) * TEST_SHARE))])
    return (
        tuple(node for node in nodes if node.task_id in test),
        tuple(node for node in nodes if node.task_id not in test),
    )


def draw_cases(
    nodes: Sequence[RecordedNode],
    test: Sequence[RecordedNode],
    count: int,
    seed: int,
    think_twice: bool = False,
) -> tuple[Case, ...]:
    """Draw decisions.

    Nodes are drawn, each with all of its decisions, so that a model which keeps its cache reads
    a node once; every decision is as likely to be drawn as every other.

    Args:
        nodes: all nodes, which tell what can be done with which object.
        test: those of the test tasks.
        count: number of decisions; all if there are fewer.
        seed: of the draw.
        think_twice: offer a thought after a thought, too.
    """
    vocabulary = read_vocabulary(nodes)
    order = list(test)
    random.Random(seed).shuffle(order)
    places = [(node, taken) for node in order for taken in range(len(node.decisions))]
    return tuple(
        Case(node, taken, *make_choices(node, taken, vocabulary, think_twice))
        for node, taken in places[:count]
    )


class PromptMaker:
    """Makes the prompts of cases.

    Args:
        system: the system prompt.
        rest: nodes that experiences are retrieved from, by goal alone as in the paper.
        encoder: compares goals and counts tokens; None leaves experiences out.
        token_budget: most tokens of a prompt's experiences together.
    """

    def __init__(
        self, system: str, rest: Sequence[RecordedNode], encoder: Encoder | None, token_budget: int
    ) -> None:
        self._system = system
        seeds = [(Origin('published'), [node.experience for node in rest])]
        self._memory = encoder and EpisodicMemory(seeds, CachedEncoder(encoder))
        self._token_budget = token_budget
        self._found: dict[str, tuple[str, ...]] = {}

    def make(self, case: Case) -> Prompt:
        """Return the prompt of a case; waits for its examples."""
        goal = case.node.trajectory.goal
        if self._memory and goal not in self._found:
            retrieval = self._memory.retrieve(goal, case.node.root, self._token_budget)
            while (found := retrieval.poll()) is None:
                time.sleep(IDLE_SEC)
            self._found[goal] = found
        return build_prompt(self._system, self._found.get(goal, ()), case.trajectory)


def compare(decision: Decision, answer: str, choices: Choices) -> Match:
    """Compare an answer with the decision of the run; an invalid one agrees in nothing."""
    try:
        other = parse_decision(answer, choices)
    except DecisionError:
        return Match(kind=False, flow=False, decision=False)
    kind = kind_of(decision) == kind_of(other)
    if isinstance(decision, Expand) and isinstance(other, Expand):
        flow = decision.control_flow is other.control_flow
        return Match(kind, flow, flow and _subgoals(decision) == _subgoals(other))
    thoughts = isinstance(decision, Think) and isinstance(other, Think)
    return Match(kind, flow=False, decision=thoughts or decision == other)


def kind_of(decision: Decision) -> str:
    """Return the word that a decision's line begins with."""
    if isinstance(decision, (Think, Expand, Ask)):
        return type(decision).__name__
    return 'Act'


def _subgoals(expand: Expand) -> tuple[str, ...]:
    plain = [' '.join(_ARTICLE.sub(' ', goal.casefold()).split()) for goal in expand.subgoals]
    stripped = [goal.strip(' .,!?') for goal in plain]
    return tuple(sorted(stripped) if expand.control_flow is ControlFlow.PARALLEL else stripped)
