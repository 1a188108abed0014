# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""HiAgent: subgoals as chunks of the context, of which the finished ones are read as summaries.

What does that with an agent node's steps is apart from HiAgent's own node: ``agent_tree`` uses it
inside ReAcTree's.

Hu et al., *HiAgent: Hierarchical Working Memory Management for Solving Long-Horizon Agent Tasks
with Large Language Model*, section 3 and Appendices B and C.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from py_trees.behaviour import Behaviour

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.core.decision import (
    THINK_LINE,
    Act,
    Choices,
    Decision,
    Think,
    is_prose,
    parse_decision,
)
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.prompt import ANSWER, CORRECTION, GOAL_LINE, Prompt, Step, Trajectory
from reactree_ros.errors import DecisionError

SUMMARY = 'Summary:'
SUBGOAL, PART = 'subgoal', 'part'
"""What a chunk is called: in HiAgent, and inside ReAcTree, whose subgoals are nodes."""
RETRIEVE = tuple(f'retrieve {word} ' for word in (SUBGOAL, PART))
"""How the model asks for the steps behind a summary; the number of the chunk follows."""
REACHED, NOT_REACHED = VERDICTS = 'subgoal reached', 'subgoal not reached'
"""What the model says of a subgoal whose steps it has summed up."""
_SUMMARY_TOKENS = 128
_SUMMARY = 'Summary of {word} {number}: {text}{verdict}'
_SAID = {REACHED: ' Subgoal reached.', NOT_REACHED: ' Subgoal not reached.', '': ''}


class ChunkedNode(AgentNode):
    """An agent node that reads the finished chunks of its steps as summaries.

    When a chunk is finished the model writes its summary; an empty one or a copied decision does
    not count, and the last observation stands for the steps. "retrieve subgoal 1" is on offer for
    each chunk that is folded; its steps are read again until the next chunk begins.
    """

    word = SUBGOAL
    """What a chunk is called."""
    has_verdicts = False
    """Whether the model says of each finished chunk if its subgoal was reached."""

    _chunks: Chunks
    _due: Chunk | None = None
    _summary: Future[tuple[Answer, ...]] | None = None
    _judges = False

    def _start(self) -> None:
        self._chunks = Chunks(self.trajectory, self.word)
        super()._start()

    def begins_chunk(self, decision: Decision) -> bool:
        """Return whether a decision is the first of a new chunk."""
        raise NotImplementedError

    def build_prompt(self) -> Prompt:
        """Return the prompt with summaries in place of finished steps."""
        return super().build_prompt().with_steps(self._chunks.steps())

    def allowed_choices(self, choices: Choices) -> Choices:
        """Offer to retrieve the steps behind a summary."""
        return replace(choices, skills=(*choices.skills, *self._chunks.folded()))

    def ask_model(self) -> None:
        """Ask for the summary of a chunk that is finished, and the verdict on it, first."""
        if self._due is None:
            super().ask_model()
        elif self._due.summary is None:
            self._summary = self._generate(
                TextRequest(
                    self._looking_back(self._due),
                    max_tokens=_SUMMARY_TOKENS,
                    time_limit_s=self.settings.agent.decision_timeout_sec,
                )
            )
        else:
            self._judges = True
            choices = Choices(skills=VERDICTS, think=False, control_flows=(), endings=())
            self._decide(self._looking_back(self._due), choices)

    def _looking_back(self, chunk: Chunk) -> Prompt:
        """Return the prompt for the summary of a chunk, or, once it is written, for the verdict."""
        steps = (*self._chunks.steps_of(chunk), Step(SUMMARY, decided=False))
        if chunk.summary is not None:
            steps = (*steps, Step(chunk.summary, decided=True))
        system = self._state.services.prompts['summarize']
        return Prompt(system, (), f'{GOAL_LINE}{self.goal}\n', steps)

    def _poll(self) -> None:
        answers = self._summary.poll() if self._summary is not None else None
        if answers is not None:
            self._summary = None
            self._summarized(answers)
        if self._summary is None and self.outcome is None:
            super()._poll()

    def _summarized(self, answers: tuple[Answer, ...]) -> None:
        (answer,) = answers
        self._count(answer)
        assert self._due is not None
        text = ' '.join(answer.text.removeprefix(SUMMARY).split())
        if is_prose(text):
            self._due.summary = text
            self._audit.close('the summary stands for the steps')
            self._publish('summary', f'{self._due.number}: {text}')
        else:
            # the last observation in its place, as the paper does without summaries (section 5.1)
            self._due.summary = self._due.observed or self._chunks.steps_of(self._due)[-1].text
            self._audit.rejected('no summary')
            why = 'not a summary; the last observation stands for the steps'
            self._publish('rejected', f'{text}: {why}')
        if not self.has_verdicts:
            self._due = None
        self._end_if_spent()

    def on_answer(self, answer: Answer) -> None:
        """Take the verdict on a chunk, or execute the decision."""
        if not self._judges:
            super().on_answer(answer)
            return
        self._judges = False
        chunk, self._due = self._due, None
        assert chunk is not None
        self._count(answer)
        try:
            said = parse_decision(answer.text, self._allowed)
        except DecisionError as error:  # the summary stands without a verdict
            self._audit.rejected(str(error))
            self._publish('rejected', f'{answer.text}: {error}')
        else:
            assert isinstance(said, Act)
            chunk.verdict = said.phrase
            self._audit.close(said.phrase)
            subgoal = self._chunks.steps_of(chunk)[0].text.removeprefix(THINK_LINE)
            self._publish('check', f'{subgoal}: {said.phrase}')
        self._end_if_spent()

    def _pending(self) -> list[Future[object] | None]:
        return [*super()._pending(), self._summary]

    def on_child_finished(self, child: Behaviour) -> None:
        """Keep what was observed, in case that the chunk gets no summary."""
        super().on_child_finished(child)
        if self._chunks.current is not None:
            self._chunks.current.observed = self.trajectory.steps[-1].text

    def execute_decision(self, decision: Decision) -> None:
        """Retrieve steps, or carry out the decision."""
        if isinstance(decision, Act) and decision.phrase in self._chunks.folded():
            self._retrieved_chunk(decision)
            return
        if self.begins_chunk(decision):
            self._chunks.fold()
            self._due = self._chunks.open()
        super().execute_decision(decision)

    def _retrieved_chunk(self, act: Act) -> None:
        chunk = self._chunks.unfold(act.phrase)
        self._invalid = 0
        self._publish('recall', act.phrase)
        self.trajectory.decide(act)
        self._observed(f'All of {self.word} {chunk.number} stands above again.')


class HiAgentNode(ChunkedNode):
    """An agent node that says each subgoal before it acts for it, and reads the rest as summaries.

    Here a thought is the next subgoal, and opens a chunk. There is no act before the first one,
    and no subgoal right after another. When a chunk is finished the model writes its summary and
    says whether the subgoal was reached: two requests for what the paper has in one line, so that
    the verdict is one of ``VERDICTS``.
    """

    has_verdicts = True
    _acted = False
    """Whether anything was done for the current subgoal."""

    @property
    def story(self) -> str:
        """The whole trajectory as an example: every step, and each summary where it was written."""
        return self.trajectory.task + ''.join(f'{one.text}\n' for one in self._chunks.unfolded())

    def begins_chunk(self, decision: Decision) -> bool:
        """Return whether it is the next subgoal."""
        begins = self._chunks.current is None or self._acted
        if not (isinstance(decision, Think) and begins):
            return False
        self._acted = False
        return True

    def on_child_finished(self, child: Behaviour) -> None:
        """Note that something was done for the subgoal."""
        self._acted = True
        super().on_child_finished(child)

    def allowed_choices(self, choices: Choices) -> Choices:
        """Ask for a subgoal first; offer to retrieve the steps behind a summary."""
        if self._chunks.current is None:
            return replace(
                choices, think=True, skills=(), recall=(), control_flows=(), endings=(), ask=False
            )
        choices = super().allowed_choices(choices)
        return replace(choices, think=self._acted)


@dataclass
class Chunk:
    """Steps of a trajectory that belong together.

    Args:
        number: from 1.
        first: index of its first step, which says what it is for.
        end: index of the step after its last one; None while it is the current one.
        observed: the last observation of an act of it; empty before the first.
        summary: what the model reads instead of its steps; None if it was not written yet.
        verdict: one of ``VERDICTS``; empty if none was given.
        unfolded: the model asked for the steps themselves.
        word: what it is called.
    """

    number: int
    first: int
    end: int | None = None
    observed: str = ''
    summary: str | None = None
    verdict: str = ''
    unfolded: bool = False
    word: str = SUBGOAL

    @property
    def folded(self) -> Step:
        """What stands for its steps."""
        said = _SAID[self.verdict]
        text = _SUMMARY.format(word=self.word, number=self.number, text=self.summary, verdict=said)
        return Step(text, decided=False)


class Chunks:
    """Folds the finished chunks of a trajectory.

    Args:
        trajectory: grows while chunks are opened.
        word: what a chunk is called. The first step of a subgoal, which says what it is, is read
            before its summary.
    """

    def __init__(self, trajectory: Trajectory, word: str = SUBGOAL) -> None:
        self._trajectory = trajectory
        self._word = word
        self._chunks: list[Chunk] = []

    @property
    def current(self) -> Chunk | None:
        """The chunk that is being worked on; None before the first."""
        return self._chunks[-1] if self._chunks else None

    def open(self) -> Chunk | None:
        """Begin a chunk with the step that comes next; return the one that is finished by it."""
        finished = self.current
        now = len(self._trajectory.steps)
        if finished is not None:
            finished.end = now
        self._chunks.append(Chunk(len(self._chunks) + 1, now, word=self._word))
        return finished

    def steps_of(self, chunk: Chunk) -> tuple[Step, ...]:
        """Return all steps of a chunk."""
        return tuple(self._trajectory.steps[chunk.first : chunk.end])

    def folded(self) -> tuple[str, ...]:
        """Return how the model asks for the steps of chunks that it reads as summaries."""
        return tuple(
            f'retrieve {self._word} {chunk.number}'
            for chunk in self._chunks
            if chunk.summary is not None and not chunk.unfolded
        )

    def unfold(self, phrase: str) -> Chunk:
        """Let the model read the steps of a chunk again, until the current one is finished."""
        chunk = self._chunks[int(phrase.rpartition(' ')[2]) - 1]
        chunk.unfolded = True
        return chunk

    def fold(self) -> None:
        """Fold all chunks that were asked for."""
        for chunk in self._chunks:
            chunk.unfolded = False

    def steps(self) -> tuple[Step, ...]:
        """Return what the model reads of the trajectory: all that a person said is in it."""
        first = self._chunks[0].first if self._chunks else None
        steps = list(self._trajectory.steps[:first])
        for chunk in self._chunks:
            own = self.steps_of(chunk)
            if chunk.summary is None or chunk.unfolded:
                steps += own
            else:
                said = [one for one in own if one.text.startswith((CORRECTION, ANSWER))]
                steps += [*own[: self._word == SUBGOAL], chunk.folded, *said]
        return tuple(steps)

    def unfolded(self) -> tuple[Step, ...]:
        """Return all steps, with each summary behind those that it stands for."""
        steps = list(self._trajectory.steps)
        for chunk in reversed(self._chunks):
            if chunk.summary is not None:
                steps.insert(chunk.end or len(steps), chunk.folded)
        return tuple(steps)
