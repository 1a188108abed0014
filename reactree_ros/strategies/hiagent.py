# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""HiAgent: subgoals as chunks of the context, of which the finished ones are read as summaries.

Hu et al., *HiAgent: Hierarchical Working Memory Management for Solving Long-Horizon Agent Tasks
with Large Language Model*, section 3 and Appendices B and C.
"""

from __future__ import annotations

from dataclasses import replace

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.core.decision import Act, Choices, Decision, Think
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.prompt import GOAL_LINE, Prompt, Step
from reactree_ros.strategies.chunks import Chunk, Chunks

SUMMARY = 'Summary:'
_SUMMARY_TOKENS = 80


class HiAgentNode(AgentNode):
    """An agent node that says each subgoal before it acts for it, and reads the rest as summaries.

    Here a thought is the next subgoal, and opens a chunk. There is no act before the first one,
    and no subgoal right after another. When a chunk is finished the model writes its summary,
    which also says whether the subgoal was reached. "retrieve subgoal 1" is on offer for each
    chunk that is folded; its steps are read again until the next chunk begins.
    """

    _chunks: Chunks
    _due: Chunk | None = None
    _summary: Future[tuple[Answer, ...]] | None = None

    def _start(self) -> None:
        self._chunks = Chunks(self.trajectory)
        super()._start()

    def build_prompt(self) -> Prompt:
        """Return the prompt with summaries in place of finished steps."""
        return super().build_prompt().with_steps(self._chunks.steps())

    def allowed_choices(self, choices: Choices) -> Choices:
        """Ask for a subgoal first; offer to retrieve the steps behind a summary."""
        if self._chunks.current is None:
            return Choices(control_flows=(), endings=())
        choices = replace(choices, skills=(*choices.skills, *self._chunks.folded()))
        return replace(choices, think=self._chunks.acted or not choices.acts)

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
        if isinstance(decision, Think) and (self._chunks.current is None or self._chunks.acted):
            self._chunks.fold()
            self._due = self._chunks.open()
        super().execute_decision(decision)

    def _retrieved_chunk(self, act: Act) -> None:
        chunk = self._chunks.unfold(act.phrase)
        self._invalid = 0
        self._publish('recall', act.phrase)
        self.trajectory.decide(act)
        self._observed(f'All of subgoal {chunk.number} stands above again.')
