# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run that goes on where an earlier process left it.

What had reached it from outside is given to it again, so that it decides the same and builds the
same tree, trajectories and working memory; from there on it meets the real model and robot. A
skill that was under way is not begun a second time: it is taken up, or it has failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from reactree_ros.behaviours.services import ExperienceSource, RunServices
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel, TextRequest
from reactree_ros.core.observation import Observation, SkillStatus
from reactree_ros.core.operator import WITHOUT_ANSWER, Operator, Reply
from reactree_ros.core.situation import Situation
from reactree_ros.core.wire import Values
from reactree_ros.errors import ConfigurationError, DecisionError, ModelError
from reactree_ros.execution.pipeline import Gate, SkillPipeline, Stage
from reactree_ros.models.recorded import RecordedModel
from reactree_ros.planner.recorded_inputs import (
    Told,
    given_check,
    given_experiences,
    given_observation,
    given_reply,
    given_result,
)
from reactree_ros.skills.conditions import Question
from reactree_ros.skills.executor import SENT, SkillRun, failed
from reactree_ros.skills.library import GroundedSkill


class Predecessor(Protocol):
    """What the earlier process left at the robots, which are named."""

    def take_up(self, robot: str, skill: GroundedSkill) -> bool:
        """Have a robot take up a skill when it is started next, if it may still be at it."""

    def done(self, robot: str, skill: GroundedSkill) -> None:
        """Hear of a skill that the robot had done then."""


def continued(
    services: RunServices, entries: Sequence[Values], name: str, before: Predecessor
) -> RunServices:
    """Return services that give a run again what it had, and then what they bring.

    Args:
        services: the real ones.
        entries: what ``run_inputs.with_recording`` wrote.
        name: of the record, for messages.
        before: what the earlier process left.

    Raises:
        ConfigurationError: if an entry is incomplete.
    """
    try:
        told = Told(entries)
        answered = [one for one in told.of('decide', 'write') if {'answer', 'error'} & {*one}]
        model = _Model(RecordedModel(answered, name), services.model, not services.helpers)
    except (LookupError, TypeError, ValueError, AttributeError, DecisionError) as error:
        raise ConfigurationError(f'{name}: an entry is incomplete: {error!r}') from error
    experiences, operator = services.experiences, services.operator
    return replace(
        services,
        model=model,
        executor=SkillPipeline([_ReplayStage(told, services.robot, before)], services.executor),
        helpers={
            helper: SkillPipeline([_ReplayStage(told, helper, before)], robot)
            for helper, robot in services.helpers.items()
        },
        experiences=experiences and _Experiences(told, experiences),
        operator=operator and _Operator(told, operator, model),
    )


class _Model:
    """Answers what was answered; then the real one does."""

    def __init__(self, recorded: RecordedModel, live: LanguageModel, alone: bool) -> None:
        self._recorded = recorded
        self._live = live
        self._alone = alone

    @property
    def replays(self) -> bool:
        """Whether there are answers that have not been asked for again."""
        return self._recorded.left > 0

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        if self._recorded.has(request):
            return self._recorded.decide(request)
        self._check(request)
        return self._live.decide(request)

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        if self._recorded.has(request):
            return self._recorded.write(request)
        self._check(request)
        return self._live.write(request)

    def _check(self, request: DecisionRequest | TextRequest) -> None:
        # with several robots what happened at the same time comes in another order
        if not self._alone or not self.replays:
            return
        pending = (
            self._recorded.decide(request)
            if isinstance(request, DecisionRequest)
            else self._recorded.write(request)
        )
        try:
            pending.poll()
        except ModelError as error:
            raise ModelError(f'the run cannot go on where it was: {error}') from error


class _ReplayStage(Stage):
    """Stage ``replay``: a skill has the result that it had; one that has none goes on."""

    name = 'replay'

    def __init__(self, told: Told, robot: str, predecessor: Predecessor) -> None:
        self._told = told
        self._robot = robot
        self._predecessor = predecessor

    def before(self, skill: GroundedSkill, situation: Situation, run: SkillRun) -> Gate | None:
        key = f'{self._robot}: {skill.phrase}'
        if not self._told.next('start', key):
            return None
        ended = self._told.next('skill', key)
        if ended:
            result = given_result(ended['answer'])
            if result.status is SkillStatus.SUCCEEDED:
                self._predecessor.done(self._robot, skill)
            return Gate(result, SENT)
        if self._predecessor.take_up(self._robot, skill):
            return None
        why = 'the planner was started again while it ran; whether it was done is not known'
        return Gate(failed(skill, why), SENT)

    def check(self, question: Question, ask: Callable[[], Future[str]]) -> Future[str]:
        entry = self._told.next('check', f'{self._robot}: {question.text}')
        return given_check(entry) if entry else ask()

    def observe(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        entry = self._told.next('observe', self._robot)
        return given_observation(entry) if entry else ask()

    def survey(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        entry = self._told.next('survey', self._robot)
        return given_observation(entry) if entry else ask()


class _Experiences:
    def __init__(self, told: Told, live: ExperienceSource) -> None:
        self._told = told
        self._live = live

    def retrieve(
        self, goal: str, root: bool, token_budget: int, held: int | None = None, room: str = ''
    ) -> Future[tuple[str, ...]]:
        entry = self._told.next('retrieve', f'{goal}|{root}|{token_budget}|{held}|{room}')
        if entry:
            return given_experiences(entry)
        return self._live.retrieve(goal, root, token_budget, held, room)


class _Operator:
    def __init__(self, told: Told, live: Operator, model: _Model) -> None:
        self._told = told
        self._live = live
        self._model = model
        self._changes = {entry['from']: bool(entry['answer']) for entry in told.of('present')}
        self._present = False
        self._asked = 0

    @property
    def present(self) -> bool:
        if not self._model.replays:
            return self._live.present
        self._present = self._changes.get(self._asked, self._present)
        self._asked += 1
        return self._present

    def ask(
        self, question: str, options: Sequence[str] = (), otherwise: str = WITHOUT_ANSWER
    ) -> Future[Reply]:
        entry = self._told.next('ask', question)
        return given_reply(entry) if entry else self._live.ask(question, options, otherwise)


def under_way(entries: Sequence[Values]) -> set[str]:
    """Return what was begun and had not ended: the robot's name and the skill's phrase, each.

    >>> sorted(under_way([{'op': 'start', 'key': ': wave'}, {'op': 'start', 'key': ': nod'},
    ...                   {'op': 'skill', 'key': ': nod', 'answer': {}}]))
    [': wave']
    """
    left = Counter[str]()
    for entry in entries:
        if entry['op'] == 'start':
            left[entry['key']] += 1
        elif entry['op'] == 'skill':
            left[entry['key']] -= 1
    return {key for key, count in left.items() if count > 0}
