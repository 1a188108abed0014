# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""HiAgent: subgoals as chunks of the context, of which the finished ones are read as summaries.

Hu et al., *HiAgent: Hierarchical Working Memory Management for Solving Long-Horizon Agent Tasks
with Large Language Model*, section 3 and Appendices B and C.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.core.decision import Act, Choices, Decision, Think
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.prompt import GOAL_LINE, Prompt, Step, Trajectory

SUMMARY = 'Summary:'
_SUMMARY_TOKENS = 80
_RETRIEVE = 'retrieve subgoal '
_SUMMARY = 'Summary of subgoal {number}: {text}'


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


@dataclass
class Chunk:
    """Steps of a trajectory that belong together.

    Args:
        number: from 1.
        first: index of its first step, which says what it is for.
        end: index of the step after its last one; None while it is the current one.
        summary: what the model reads instead of its steps; None if it was not written yet.
        unfolded: the model asked for the steps themselves.
    """

    number: int
    first: int
    end: int | None = None
    summary: str | None = None
    unfolded: bool = False


class Chunks:
    """Folds the finished chunks of a trajectory.

    Args:
        trajectory: grows while chunks are opened.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self._trajectory = trajectory
        self._chunks: list[Chunk] = []

    @property
    def current(self) -> Chunk | None:
        """The chunk that is being worked on; None before the first."""
        return self._chunks[-1] if self._chunks else None

    @property
    def acted(self) -> bool:
        """Whether the current chunk has more than the line that opened it."""
        chunk = self.current
        return chunk is not None and len(self._trajectory.steps) > chunk.first + 1

    def open(self) -> Chunk | None:
        """Begin a chunk with the step that comes next; return the one that is finished by it."""
        finished = self.current
        now = len(self._trajectory.steps)
        if finished is not None:
            finished.end = now
        self._chunks.append(Chunk(len(self._chunks) + 1, now))
        return finished

    def steps_of(self, chunk: Chunk) -> tuple[Step, ...]:
        """Return all steps of a chunk."""
        return tuple(self._trajectory.steps[chunk.first : chunk.end])

    def folded(self) -> tuple[str, ...]:
        """Return how the model asks for the steps of chunks that it reads as summaries."""
        return tuple(
            f'{_RETRIEVE}{chunk.number}'
            for chunk in self._chunks
            if chunk.summary is not None and not chunk.unfolded
        )

    def unfold(self, phrase: str) -> Chunk:
        """Let the model read the steps of a chunk again, until the current one is finished."""
        chunk = self._chunks[int(phrase.removeprefix(_RETRIEVE)) - 1]
        chunk.unfolded = True
        return chunk

    def fold(self) -> None:
        """Fold all chunks that were asked for."""
        for chunk in self._chunks:
            chunk.unfolded = False

    def steps(self) -> tuple[Step, ...]:
        """Return what the model reads of the trajectory."""
        first = self._chunks[0].first if self._chunks else None
        steps = list(self._trajectory.steps[:first])
        for chunk in self._chunks:
            own = self.steps_of(chunk)
            if chunk.summary is None or chunk.unfolded:
                steps += own
            else:
                text = _SUMMARY.format(number=chunk.number, text=chunk.summary)
                steps += [own[0], Step(text, decided=False)]
        return tuple(steps)
