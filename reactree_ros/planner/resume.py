# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Replay of the recorded inputs of a run: to resume it, or to compute it again.

A run that gets its recorded inputs again makes the same decisions and builds the same tree,
trajectories and working memory. A resumed run continues with the real model and robot after that;
a skill that was running is not started a second time: the run attaches to it, or it has failed.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from reactree_ros.behaviours.goal_conditions import Corrections
from reactree_ros.behaviours.robots import Assignments
from reactree_ros.behaviours.services import ExperienceSource, RunServices
from reactree_ros.core.futures import Future, Promise, ready
from reactree_ros.core.futures import failed as failed_future
from reactree_ros.core.model import Answer, DecisionRequest, LanguageModel, TextRequest
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.operator import WITHOUT_ANSWER, Operator, Reply, ReplyStatus
from reactree_ros.core.situation import Situation
from reactree_ros.core.wire import Values
from reactree_ros.errors import ConfigurationError, DecisionError, ModelError, WorldError
from reactree_ros.execution.approval import allows, approval_question
from reactree_ros.execution.pipeline import Gate, SkillPipeline, Stage
from reactree_ros.models.recorded import RecordedModel
from reactree_ros.planner.observation_json import observation_from_json
from reactree_ros.planner.recorded_inputs import (
    RecordedInputs,
    reply_from_json,
    result_from_json,
    with_experiences,
)
from reactree_ros.skills.conditions import Question
from reactree_ros.skills.executor import SENT, SkillExecutor, SkillRun, failed
from reactree_ros.skills.library import GroundedSkill

_MOST_REFUSALS = 200
"""So often robots wait for the one whose turn it was; then the run differs from the recording."""


class Predecessor(Protocol):
    """What the earlier process left running on the robots, which are named."""

    def attach(self, robot: str, skill: GroundedSkill) -> bool:
        """Have a robot attach to a skill when it is started next, if that may still run."""

    def done(self, robot: str, skill: GroundedSkill) -> None:
        """Note a skill that the robot had completed."""


def resumed(
    services: RunServices, entries: Sequence[Values], name: str, before: Predecessor
) -> RunServices:
    """Return services that replay the inputs of a run, and then pass on to the real ones.

    Args:
        services: the real ones.
        entries: what ``recorded_inputs.with_recording`` wrote.
        name: of the record, for messages.
        before: what the earlier process left.

    Raises:
        ConfigurationError: if an entry is incomplete.
    """
    inputs, recorded = _read(entries, name, lambda entry: 'answer' in entry or 'error' in entry)
    model = _ResumedModel(recorded, services.model, not services.helpers)
    operator = services.operator
    return replace(
        services,
        model=model,
        executor=_replayed(inputs, services.robot, services.executor, before),
        helpers={
            helper: _replayed(inputs, helper, robot, before)
            for helper, robot in services.helpers.items()
        },
        assignments=_ReplayedAssignments(inputs) if services.helpers else Assignments(),
        experiences=services.experiences and _ReplayedExperiences(inputs, services.experiences),
        skills_of=with_experiences(
            services, lambda one, skills: one and _ReplayedExperiences(inputs, one, f'{skills}: ')
        ),
        operator=operator
        and _ReplayedOperator(inputs, operator, lambda: model.replays, _started(inputs)),
        corrections=_ReplayedCorrections(inputs, 'conditions'),
        beliefs=_ReplayedCorrections(inputs, 'corrected'),
    )


def replayed(services: RunServices, entries: Sequence[Values], name: str) -> RunServices:
    """Return services that replay the inputs of a run, and nothing else.

    Args:
        services: their library, prompts and settings are taken.
        entries: what ``recorded_inputs.with_recording`` wrote.
        name: of the recording, for messages.

    Raises:
        ConfigurationError: if an entry is incomplete.
    """
    inputs, model = _read(entries, name, lambda entry: True)
    return replace(
        services,
        model=model,
        executor=_replayed(inputs, services.robot, _Silent(), None),
        helpers={helper: _replayed(inputs, helper, _Silent(), None) for helper in services.helpers},
        assignments=_ReplayedAssignments(inputs) if services.helpers else Assignments(),
        experiences=_ReplayedExperiences(inputs, _Silent()),
        skills_of=with_experiences(
            services, lambda _, skills: _ReplayedExperiences(inputs, _Silent(), f'{skills}: ')
        ),
        operator=_ReplayedOperator(inputs, _Silent(), lambda: True),
        corrections=_ReplayedCorrections(inputs, 'conditions'),
        beliefs=_ReplayedCorrections(inputs, 'corrected'),
    )


def _read(
    entries: Sequence[Values], name: str, counts: Callable[[Values], bool]
) -> tuple[RecordedInputs, RecordedModel]:
    try:
        inputs = RecordedInputs(entries)
        return inputs, RecordedModel([*filter(counts, inputs.of('decide', 'write'))], name)
    except (LookupError, TypeError, ValueError, AttributeError, DecisionError) as error:
        raise ConfigurationError(f'{name}: an entry is incomplete: {error!r}') from error


def _replayed(
    inputs: RecordedInputs, name: str, robot: SkillExecutor, before: Predecessor | None
) -> SkillPipeline:
    return SkillPipeline([_ReplayStage(inputs, name, before)], robot)


class _ResumedModel:
    """Gives the recorded answers, then those of the real model."""

    def __init__(self, recorded: RecordedModel, live: LanguageModel, alone: bool) -> None:
        self._recorded = recorded
        self._live = live
        self._alone = alone

    @property
    def replays(self) -> bool:
        """Whether there are answers that have not been asked for again."""
        return self._recorded.left > 0

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        return self._answering(request).decide(request)

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        return self._answering(request).write(request)

    def _answering(self, request: DecisionRequest | TextRequest) -> LanguageModel:
        """Return who answers a request.

        Raises:
            ModelError: if the run differs from the recording.
        """
        if self._recorded.has(request):
            return self._recorded
        # with several robots the order of simultaneous requests may differ
        if self._alone and self.replays:
            pending: Future[Any] = (
                self._recorded.decide(request)
                if isinstance(request, DecisionRequest)
                else self._recorded.write(request)
            )
            try:
                pending.poll()
            except ModelError as error:
                raise ModelError(f'the run cannot be resumed: {error}') from error
        return self._live


class _ReplayStage(Stage):
    """Stage ``replay``: a skill has its recorded result; one without a result is started."""

    name = 'replay'

    def __init__(self, inputs: RecordedInputs, robot: str, predecessor: Predecessor | None) -> None:
        self._inputs = inputs
        self._robot = robot
        self._predecessor = predecessor

    def before(self, skill: GroundedSkill, situation: Situation, run: SkillRun) -> Gate | None:
        key = f'{self._robot}: {skill.phrase}'
        if not self._inputs.next('start', key):
            return None
        ended = self._inputs.next('skill', key)
        if ended:
            result = result_from_json(ended['answer'])
            if self._predecessor and result.status is SkillStatus.SUCCEEDED:
                self._predecessor.done(self._robot, skill)
            return Gate(result, SENT)
        if self._predecessor is None or self._predecessor.attach(self._robot, skill):
            return None
        why = 'the planner was started again while it ran; whether it was done is not known'
        return Gate(failed(skill, why), SENT)

    def check(self, question: Question, ask: Callable[[], Future[str]]) -> Future[str]:
        entry = self._inputs.next('check', f'{self._robot}: {question.text}')
        return _answer(entry, str) if entry else ask()

    def observe(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        entry = self._inputs.next('observe', self._robot)
        return _answer(entry, observation_from_json) if entry else ask()

    def survey(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        entry = self._inputs.next('survey', self._robot)
        return _answer(entry, observation_from_json) if entry else ask()


class _ReplayedAssignments(Assignments):
    """Gives each agent node its robot again, and what robots see in the recorded order.

    What an agent knows depends on what the other robots have seen before it decides.
    """

    def __init__(self, inputs: RecordedInputs) -> None:
        self._inputs = inputs
        self._wanted: dict[tuple[str, ...], str | None] = {}
        self._turns = deque(entry['answer'] for entry in inputs.of('turn'))
        self._refusals = 0

    def wanted(self, path: tuple[str, ...]) -> str | None:
        if path not in self._wanted:
            self._wanted[path] = self._inputs.next('robot', ' / '.join(path)).get('answer')
        return self._wanted[path]

    def chosen(self, path: tuple[str, ...], robot: str) -> None:
        self._wanted.pop(path, None)

    def has_turn(self, robot: str) -> bool:
        if not self._turns or self._turns[0] == robot:
            return True
        self._refusals += 1
        if self._refusals > _MOST_REFUSALS:
            self._turns.clear()
        return False

    def took_turn(self, robot: str) -> None:
        self._refusals = 0
        if self._turns:
            self._turns.popleft()


class _ReplayedCorrections(Corrections):
    """Gives recorded corrections again after as many observations, then those of a person."""

    def __init__(self, inputs: RecordedInputs, op: str) -> None:
        super().__init__()
        self._recorded = [(entry['from'], entry['answer']) for entry in inputs.of(op)]
        self._asked = 0

    def take(self) -> tuple[str, ...]:
        recorded = tuple(line for asked, line in self._recorded if asked == self._asked)
        self._asked += 1
        return recorded or super().take()


class _ReplayedExperiences:
    def __init__(self, inputs: RecordedInputs, live: ExperienceSource, of: str = '') -> None:
        self._inputs = inputs
        self._live = live
        self._of = of

    def retrieve(self, goal: str, root: bool, token_budget: int) -> Future[tuple[str, ...]]:
        entry = self._inputs.next('retrieve', f'{self._of}{goal}|{root}|{token_budget}')
        if entry:
            return _answer(entry, tuple)
        return self._live.retrieve(goal, root, token_budget)


def _started(inputs: RecordedInputs) -> Counter[str]:
    """Return the questions whether a skill may start, for the skills that had started."""
    return Counter(
        approval_question(robot, phrase)
        for robot, _, phrase in (one['key'].partition(': ') for one in inputs.of('start'))
    )


class _ReplayedOperator:
    """Gives recorded replies again, then those of a person.

    A recorded "yes" never has a skill start: it counts for one that had started then, which is
    not started again (``_ReplayStage``).

    Args:
        inputs: of the run.
        live: who is asked after them.
        replays: whether there are decisions that have not been asked for again.
        started: the questions to which a recorded "yes" counts; None for all.
    """

    def __init__(
        self,
        inputs: RecordedInputs,
        live: Operator,
        replays: Callable[[], bool],
        started: Counter[str] | None = None,
    ) -> None:
        self._inputs = inputs
        self._live = live
        self._replays = replays
        self._started = started
        self._changes = {entry['from']: bool(entry['answer']) for entry in inputs.of('present')}
        self._present = False
        self._asked = 0
        self._answers = len(inputs.of('ask'))

    @property
    def present(self) -> bool:
        return self._seen() if self._replays() else self._live.present

    @property
    def person_present(self) -> bool:
        # the last answer is an approval, which comes after the last decision
        replays = self._replays() or self._answers > 0
        return self._seen() if replays else self._live.person_present

    def _seen(self) -> bool:
        self._present = self._changes.get(self._asked, self._present)
        self._asked += 1
        return self._present

    def ask(
        self,
        question: str,
        options: Sequence[str] = (),
        otherwise: str = WITHOUT_ANSWER,
        person: bool = False,
    ) -> Future[Reply]:
        entry = self._inputs.next('ask', question)
        if entry:
            self._answers -= 1
        reply = Reply(ReplyStatus.UNANSWERED)
        if 'answer' in entry:
            reply = reply_from_json(entry['answer'])
        if not entry or (person and not self._counts(question, reply)):
            return self._live.ask(question, options, otherwise, person)
        return ready(reply)

    def _counts(self, question: str, reply: Reply) -> bool:
        """Whether a recorded reply to a question that only a person may answer counts."""
        if self._started is None or not allows(reply):
            return True
        self._started[question] -= 1
        return self._started[question] >= 0


class _Silent:
    """Robot, memory and operator of a run whose inputs are all recorded: none of them answers."""

    present = person_present = False

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        return _EndlessSkill()

    def check(self, question: Question) -> Future[str]:
        return Promise()

    def observe(self) -> Future[Observation]:
        return Promise()

    survey = observe

    def retrieve(self, *asked: Any) -> Future[tuple[str, ...]]:
        return ready(())

    def ask(self, *asked: Any, person: bool = False) -> Future[Reply]:
        return ready(Reply(ReplyStatus.UNANSWERED))


class _EndlessSkill(SkillRun):
    """A skill that runs until it is canceled."""

    settled = True
    _result: SkillResult | None = None

    def poll(self) -> SkillResult | None:
        return self._result

    def cancel(self) -> None:
        gone = Observation('The skill was canceled.')
        self._result = SkillResult(SkillStatus.CANCELED, gone)


def _answer(entry: Values, read: Callable[[Any], Any]) -> Future[Any]:
    """Return the recorded answer; one that was canceled, and so is not recorded, never comes."""
    if 'error' in entry:
        return failed_future(WorldError(entry['error']))
    return ready(read(entry['answer'])) if 'answer' in entry else Promise[Any]()


def under_way(entries: Sequence[Values]) -> set[str]:
    """Return the skills that had started and not ended, each as "robot: phrase".

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
