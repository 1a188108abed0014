# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Everything that reaches a run from outside: written down, and given to it again.

A run is made of what its model answers, its robot tells, its memory finds and its operator says.
With the same of all these the planner decides the same; where it does not, it has changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from reactree_ros.behaviours.robots import Assignments
from reactree_ros.behaviours.services import ExperienceSource, RunServices
from reactree_ros.core.futures import Future, Promise, failed, ready
from reactree_ros.core.observation import (
    Observation,
    SkillResult,
    SkillStatus,
)
from reactree_ros.core.operator import WITHOUT_ANSWER, Operator, Reply, ReplyStatus
from reactree_ros.core.situation import Situation
from reactree_ros.core.wire import Values
from reactree_ros.errors import WorldError
from reactree_ros.execution.pipeline import SkillPipeline, Stage
from reactree_ros.models.recorded import RecordedModel, RecordingDecisions, recorded
from reactree_ros.planner.observation_json import observation_from_json, observation_to_json, texts
from reactree_ros.skills.conditions import Question
from reactree_ros.skills.executor import SENT, SkillRun
from reactree_ros.skills.library import GroundedSkill

Write = Callable[[Values], None]


def with_recording(services: RunServices, write: Write) -> RunServices:
    """Return services that write down what they bring into a run.

    Args:
        services: what the run works with.
        write: takes an entry, which JSON can hold; must not wait.
    """
    write = _Shorter(write)
    experiences, operator = services.experiences, services.operator
    return replace(
        services,
        model=RecordingDecisions(services.model, write),
        executor=SkillPipeline([_RecordStage(services.robot, write)], services.executor),
        helpers={
            name: SkillPipeline([_RecordStage(name, write)], robot)
            for name, robot in services.helpers.items()
        },
        assignments=_RecordingAssignments(write) if services.helpers else Assignments(),
        experiences=experiences and _RecordingExperiences(experiences, write),
        operator=operator and _RecordingOperator(operator, write),
    )


def from_recording(services: RunServices, entries: Iterable[Values], name: str) -> RunServices:
    """Return services that bring into a run what was written down.

    Args:
        services: their library, prompts and settings are taken.
        entries: what ``with_recording`` wrote.
        name: of the recording, for messages.

    Raises:
        KeyError, TypeError, ValueError, IndexError, AttributeError, DecisionError: if an entry is
            incomplete.
    """
    told = Told(entries)
    return replace(
        services,
        model=RecordedModel(told.of('decide', 'write'), name),
        executor=_RecordedRobot(told, services.robot),
        helpers={name: _RecordedRobot(told, name) for name in services.helpers},
        assignments=_RecordedAssignments(told) if services.helpers else Assignments(),
        experiences=_RecordedExperiences(told),
        operator=_RecordedOperator(told),
    )


class _Shorter:
    """Leaves out of a prompt what an earlier one of the same node has told."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._seen: dict[str, tuple[int, list[Any]]] = {}
        self._count = 0

    def __call__(self, entry: Values) -> None:
        if entry['op'] == 'decide':
            prompt = entry['prompt']
            key, steps = _head(prompt), prompt['steps']
            number, known = self._seen.get(key, (0, []))
            self._count += 1
            self._seen[key] = (self._count, steps)
            if number and steps[: len(known)] == known:
                entry = {**entry, 'prompt': {'after': number, 'steps': steps[len(known) :]}}
        self._write(entry)


def whole(entries: Iterable[Values]) -> Iterator[Values]:
    """Put back into prompts what ``_Shorter`` left out."""
    prompts: list[Values] = []
    for entry in entries:
        if entry['op'] == 'decide':
            prompt = entry['prompt']
            if 'after' in prompt:
                earlier = prompts[prompt['after'] - 1]
                prompt = {**earlier, 'steps': [*earlier['steps'], *prompt['steps']]}
            prompts.append(prompt)
            entry = {**entry, 'prompt': prompt}
        yield entry


def _checked(entry: Values) -> Values:
    """Return an entry that can be given to a run.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: if it cannot.
    """
    op, answer = entry['op'], entry.get('answer')
    if op in ('observe', 'survey', 'skill') and 'answer' in entry:
        observation_from_json(entry['answer'])
    if op == 'skill':
        SkillStatus(entry['answer']['status'])
    if op == 'ask':
        given_reply(entry)
    if op == 'retrieve' and answer is not None:
        texts(answer)
    if op == 'robot' and answer is not None:
        texts([answer])
    if op == 'present':
        hash(entry['from'])
    texts([entry.get('key') or '', entry.get('error') or ''])
    return entry


def _head(prompt: Values) -> str:
    return '\n'.join([prompt['system'], *prompt['examples'], prompt['task']])


class Told:
    """What was written down, each kind in its order."""

    def __init__(self, entries: Iterable[Values]) -> None:
        self._entries = list(map(_checked, whole(entries)))
        self._left: dict[Any, deque[Values]] = {}
        for entry in self._entries:
            self._left.setdefault((entry['op'], entry.get('key')), deque()).append(entry)

    def of(self, *ops: str) -> list[Values]:
        """Return all entries of some kinds."""
        return [entry for entry in self._entries if entry['op'] in ops]

    def next(self, op: str, key: str | None = None) -> Values:
        """Return the next entry of a kind; an empty one if there is none."""
        left = self._left.get((op, key))
        return left.popleft() if left else {}


class _RecordStage(Stage):
    """Stage ``record``: writes down what a robot is asked, and what comes of it."""

    name = 'record'

    def __init__(self, robot: str, write: Write) -> None:
        self._robot = robot
        self._write = write

    def before(self, skill: GroundedSkill, situation: Situation, run: SkillRun) -> None:
        self._write({'op': 'start', 'key': f'{self._robot}: {skill.phrase}'})

    def after(self, skill: GroundedSkill, result: SkillResult) -> Future[SkillResult]:
        answer = {'status': result.status.value, **observation_to_json(result.observation)}
        if not result.confirmed:
            answer['confirmed'] = False
        self._write({'op': 'skill', 'key': f'{self._robot}: {skill.phrase}', 'answer': answer})
        return ready(result)

    def check(self, question: Question, ask: Callable[[], Future[str]]) -> Future[str]:
        asked = {'op': 'check', 'key': f'{self._robot}: {question.text}'}
        return recorded(ask(), self._write, asked, str)

    def observe(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        asked = {'op': 'observe', 'key': self._robot}
        return recorded(ask(), self._write, asked, observation_to_json)

    def survey(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        asked = {'op': 'survey', 'key': self._robot}
        return recorded(ask(), self._write, asked, observation_to_json)


class _RecordingAssignments(Assignments):
    def __init__(self, write: Write) -> None:
        self._write = write

    def wanted(self, path: tuple[str, ...]) -> str | None:
        return None

    def chosen(self, path: tuple[str, ...], robot: str) -> None:
        self._write({'op': 'robot', 'key': ' / '.join(path), 'answer': robot})


class _RecordingExperiences:
    def __init__(self, source: ExperienceSource, write: Write) -> None:
        self._source = source
        self._write = write

    def retrieve(
        self, goal: str, root: bool, token_budget: int, held: int | None = None, room: str = ''
    ) -> Future[tuple[str, ...]]:
        pending = self._source.retrieve(goal, root, token_budget, held, room)
        asked = {'op': 'retrieve', 'key': f'{goal}|{root}|{token_budget}|{held}|{room}'}
        return recorded(pending, self._write, asked, list)


class _RecordingOperator:
    def __init__(self, operator: Operator, write: Write) -> None:
        self._operator = operator
        self._write = write
        self._known: bool | None = None
        self._asked = 0

    @property
    def present(self) -> bool:
        present = self._operator.present
        if present is not self._known:
            self._known = present
            self._write({'op': 'present', 'from': self._asked, 'answer': present})
        self._asked += 1
        return present

    def ask(
        self, question: str, options: Sequence[str] = (), otherwise: str = WITHOUT_ANSWER
    ) -> Future[Reply]:
        asked = {'op': 'ask', 'key': question}
        pending = self._operator.ask(question, options, otherwise)
        return recorded(pending, self._write, asked, _reply_to_json)


class _RecordedRobot:
    def __init__(self, told: Told, name: str) -> None:
        self._told = told
        self._name = name

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        return _GivenSkill(self._told.next('skill', f'{self._name}: {skill.phrase}').get('answer'))

    def check(self, question: Question) -> Future[str]:
        return given_check(self._told.next('check', f'{self._name}: {question.text}'))

    def observe(self) -> Future[Observation]:
        return given_observation(self._told.next('observe', self._name))

    def survey(self) -> Future[Observation]:
        return given_observation(self._told.next('survey', self._name))


class _RecordedAssignments(Assignments):
    def __init__(self, told: Told) -> None:
        self._told = told
        self._wanted: dict[tuple[str, ...], str | None] = {}

    def wanted(self, path: tuple[str, ...]) -> str | None:
        if path not in self._wanted:
            self._wanted[path] = self._told.next('robot', ' / '.join(path)).get('answer')
        return self._wanted[path]

    def chosen(self, path: tuple[str, ...], robot: str) -> None:
        self._wanted.pop(path, None)


class _RecordedExperiences:
    def __init__(self, told: Told) -> None:
        self._told = told

    def retrieve(
        self, goal: str, root: bool, token_budget: int, held: int | None = None, room: str = ''
    ) -> Future[tuple[str, ...]]:
        key = f'{goal}|{root}|{token_budget}|{held}|{room}'
        return given_experiences(self._told.next('retrieve', key) or {'answer': []})


class _RecordedOperator:
    def __init__(self, told: Told) -> None:
        self._told = told
        self._changes = {entry['from']: entry['answer'] for entry in told.of('present')}
        self._present = False
        self._asked = 0

    @property
    def present(self) -> bool:
        self._present = bool(self._changes.get(self._asked, self._present))
        self._asked += 1
        return self._present

    def ask(
        self, question: str, options: Sequence[str] = (), otherwise: str = WITHOUT_ANSWER
    ) -> Future[Reply]:
        return given_reply(self._told.next('ask', question))


def given_reply(entry: Values) -> Future[Reply]:
    """Return the operator's reply of an entry; without one nobody answered."""
    if 'answer' not in entry:
        return ready(Reply(ReplyStatus.UNANSWERED))
    answer = entry['answer']
    (text,) = texts([answer['text']])
    return ready(Reply(ReplyStatus(answer['status']), text))


def _reply_to_json(reply: Reply) -> Values:
    return {'status': reply.status.value, 'text': reply.text}


def given_result(answer: Values) -> SkillResult:
    """Return the result of a skill."""
    return SkillResult(
        SkillStatus(answer['status']),
        observation_from_json(answer),
        answer.get('confirmed') is not False,
    )


def given_observation(entry: Values) -> Future[Observation]:
    """Return the observation of an entry."""
    return _given(entry, observation_from_json)


def given_check(entry: Values) -> Future[str]:
    """Return the objection of an entry."""
    return _given(entry, str)


def given_experiences(entry: Values) -> Future[tuple[str, ...]]:
    """Return the experiences of an entry."""
    return _given(entry, tuple)


def _given(entry: Values, read: Callable[[Any], Any]) -> Future[Any]:
    """Return what was answered; what was not recorded, or was given up, never comes."""
    if 'error' in entry:
        return failed(WorldError(entry['error']))
    return ready(read(entry['answer'])) if 'answer' in entry else Promise[Any]()


class _GivenSkill:
    """A skill with the result that it had; without one it never ends by itself."""

    doing = ''
    goal_id = ''
    started = True
    settled = True
    costs = SENT

    def __init__(self, answer: Values | None) -> None:
        self._result = given_result(answer) if answer else None

    def poll(self) -> SkillResult | None:
        return self._result

    def cancel(self) -> None:
        gone = Observation('The skill was canceled.')
        self._result = self._result or SkillResult(SkillStatus.CANCELED, gone)
