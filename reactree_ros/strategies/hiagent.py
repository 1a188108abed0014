# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""HiAgent: subgoals as chunks of the context; by itself, and inside ReAcTree's agent nodes.

Hu et al., *HiAgent: Hierarchical Working Memory Management for Solving Long-Horizon Agent Tasks
with Large Language Model*, section 3 and Appendices B and C.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.services import RunState
from reactree_ros.core.decision import Act, Choices, Decision, Think
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.option import option
from reactree_ros.core.prompt import GOAL_LINE, Prompt, Step
from reactree_ros.strategies.chunks import Chunk, Chunks

SUMMARY = 'Summary:'
_SUMMARY_TOKENS = 80


@dataclass(frozen=True)
class ChunkOptions:
    """Options of strategies whose agent nodes read what they did as summaries."""

    chunk_acts: int = option(
        0,
        'Show an agent node its earlier acts as summaries: one for each thought and for each so '
        'many acts (HiAgent, section 3). 0: no summaries by number of acts.',
        minimum=0,
        maximum=1000,
        kept_on_resume=True,
    )


class ChunkedNode(AgentNode):
    """An agent node that reads its finished chunks as summaries.

    A thought opens a chunk, and so does every act after as many as the option ``chunk_acts``.
    When a chunk is finished the model writes its summary, which also says whether the chunk
    reached what it was for. "retrieve subgoal 1" is on offer for each chunk that is folded; its
    steps are read again until the next chunk begins.
    """

    _chunks: Chunks
    _acts = 0
    _due: Chunk | None = None
    _summary: Future[tuple[Answer, ...]] | None = None

    def _start(self) -> None:
        self._chunks = Chunks(self.trajectory)
        super()._start()

    def build_prompt(self) -> Prompt:
        """Return the prompt with summaries in place of finished steps."""
        return super().build_prompt().with_steps(self._chunks.steps())

    def allowed_choices(self, choices: Choices) -> Choices:
        """Offer to retrieve the steps behind a summary, too."""
        return replace(choices, skills=(*choices.skills, *self._chunks.folded()))

    def ask_model(self) -> None:
        """Ask for a summary of the finished chunk first, if one is due."""
        if self._due is not None and self._state.budget.spent() is None:
            self._summarize(self._due)
        else:
            super().ask_model()

    def _poll(self) -> None:
        answers = self._summary.poll() if self._summary is not None else None
        if answers is not None:
            self._summary = None
            self._summarized(answers)
        if self._summary is None:
            super()._poll()

    def _summarize(self, chunk: Chunk) -> None:
        services = self._state.services
        steps = (*self._chunks.steps_of(chunk), Step(SUMMARY, decided=False))
        self._summary = self._generate(
            TextRequest(
                Prompt(services.prompts['summarize'], (), f'{GOAL_LINE}{self.goal}\n', steps),
                max_tokens=_SUMMARY_TOKENS,
                time_limit_s=self.settings.agent.decision_timeout_sec,
            )
        )

    def _summarized(self, answers: tuple[Answer, ...]) -> None:
        (answer,) = answers
        self._count(answer)
        assert self._due is not None
        self._due.summary = ' '.join(answer.text.removeprefix(SUMMARY).split())
        self._publish('summary', f'{self._due.number}: {self._due.summary}')
        self._due = None

    def _pending(self) -> list[Future[object] | None]:
        return [*super()._pending(), self._summary]

    def execute_decision(self, decision: Decision) -> None:
        """Retrieve steps, or carry out the decision."""
        if isinstance(decision, Act) and decision.phrase in self._chunks.folded():
            self._retrieved_chunk(decision)
            return
        if self._begins_chunk(decision):
            self._acts = 0
            self._chunks.fold()
            self._due = self._chunks.open()
        self._acts += isinstance(decision, Act)
        super().execute_decision(decision)

    def _begins_chunk(self, decision: Decision) -> bool:
        if self._chunks.current is None:
            return True
        if isinstance(decision, Think):
            return self._chunks.acted
        most = self._state.options(ChunkOptions).chunk_acts
        return isinstance(decision, Act) and 0 < most <= self._acts

    def _retrieved_chunk(self, act: Act) -> None:
        chunk = self._chunks.unfold(act.phrase)
        self._invalid = 0
        self._publish('recall', act.phrase)
        self.trajectory.decide(act)
        self._observed(f'All of subgoal {chunk.number} stands above again.')


class HiAgentNode(ChunkedNode):
    """Says each subgoal before it acts for it: here a thought is the next subgoal.

    There is no act before the first subgoal, and no subgoal right after another.
    """

    def allowed_choices(self, choices: Choices) -> Choices:
        """Ask for a subgoal first."""
        if self._chunks.current is None:
            return Choices(control_flows=(), endings=())
        choices = super().allowed_choices(choices)
        return replace(choices, think=self._chunks.acted or not choices.acts)


def hiagent(goal: str, state: RunState) -> HiAgentNode:
    """Return the one node of HiAgent."""
    return HiAgentNode(goal, state.without_expansion())
