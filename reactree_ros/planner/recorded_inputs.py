# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Recording of everything that reaches a run from outside; ``planner.resume`` replays it.

These inputs are the answers of the model, the results and observations of the robot, the
experiences retrieved from memory and the replies of the operator. With the same inputs a planner
makes the same decisions; where it does not, it has changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from reactree_ros.behaviours.goal_conditions import Corrections
from reactree_ros.behaviours.robots import Assignments
from reactree_ros.behaviours.services import ExperienceSource, RobotSkills, RunServices
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.observation import (
    Observation,
    SkillResult,
    SkillStatus,
)
from reactree_ros.core.operator import WITHOUT_ANSWER, Operator, Reply, ReplyStatus
from reactree_ros.core.situation import Situation
from reactree_ros.core.wire import Values
from reactree_ros.execution.pipeline import SkillPipeline, Stage
from reactree_ros.memory.belief import Correction
from reactree_ros.models.recorded import RecordingDecisions, recorded
from reactree_ros.planner.observation_json import observation_from_json, observation_to_json, texts
from reactree_ros.skills.conditions import Question
from reactree_ros.skills.executor import SkillRun
from reactree_ros.skills.library import GroundedSkill

Write = Callable[[Values], None]


def with_recording(services: RunServices, write: Write) -> RunServices:
    """Return services that record the inputs of a run.

    Args:
        services: what the run works with.
        write: called with every entry, which is plain data for JSON; must not wait.
    """
    write = _PromptDelta(write)
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
        skills_of=with_experiences(
            services,
            lambda one, skills: one and _RecordingExperiences(one, write, f'{skills}: '),
        ),
        operator=operator and _RecordingOperator(operator, write),
    )


def with_experiences(
    services: RunServices,
    change: Callable[[ExperienceSource | None, str], ExperienceSource | None],
) -> dict[str, RobotSkills]:
    """Return what each robot can do with another episodic memory.

    Args:
        services: of the run.
        change: takes the episodic memory of a skill library, and the library's name.
    """
    return {
        name: replace(one, experiences=change(one.experiences, one.library.name))
        for name, one in services.skills_of.items()
    }


class _PromptDelta:
    """Leaves the steps out of a prompt that an earlier prompt of the same node has."""

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
    """Restore the steps that ``_PromptDelta`` left out."""
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
    """Return an entry, after a check that it can be replayed.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: if it cannot.
    """
    op, answer = entry['op'], entry.get('answer')
    if op in ('observe', 'survey', 'skill') and 'answer' in entry:
        observation_from_json(entry['answer'])
    if op == 'skill':
        SkillStatus(entry['answer']['status'])
    if op == 'ask' and 'answer' in entry:
        reply_from_json(entry['answer'])
    if op == 'retrieve' and answer is not None:
        texts(answer)
    if op in ('robot', 'turn') and answer is not None:
        texts([answer])
    if op == 'present':
        hash(entry['from'])
    if op in ('conditions', 'corrected'):
        hash(entry['from'])
        texts([answer])
    if op == 'corrected':
        Correction.from_line(entry['answer'])
    texts([entry.get('key') or '', entry.get('error') or ''])
    return entry


def _head(prompt: Values) -> str:
    return '\n'.join([prompt['system'], *prompt['examples'], prompt['task']])


class RecordedInputs:
    """Recorded entries, each kind in its order.

    Args:
        entries: what ``with_recording`` wrote. One that is incomplete raises KeyError, TypeError,
            ValueError, IndexError or AttributeError.
    """

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
    """Stage ``record``: records the start and the result of skills, and what is perceived."""

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
        if result.gone:
            answer['gone'] = True
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

    def chosen(self, path: tuple[str, ...], robot: str) -> None:
        self._write({'op': 'robot', 'key': ' / '.join(path), 'answer': robot})

    def took_turn(self, robot: str) -> None:
        self._write({'op': 'turn', 'answer': robot})


class RecordingCorrections(Corrections):
    """Records a person's corrections, with the number of observations before each.

    Args:
        op: ``conditions`` for those of what must hold, ``corrected`` for those of memory.
    """

    def __init__(self, corrections: Corrections, write: Write, op: str) -> None:
        self._corrections = corrections
        self._write = write
        self._op = op
        self._asked = 0

    def put(self, line: str) -> None:
        """Add a correction."""
        self._corrections.put(line)

    def take(self) -> tuple[str, ...]:
        """Return all that are new, the oldest first."""
        lines = self._corrections.take()
        for line in lines:
            self._write({'op': self._op, 'from': self._asked, 'answer': line})
        self._asked += 1
        return lines


class _RecordingExperiences:
    def __init__(self, source: ExperienceSource, write: Write, of: str = '') -> None:
        self._source = source
        self._write = write
        self._of = of

    def retrieve(self, goal: str, root: bool, token_budget: int) -> Future[tuple[str, ...]]:
        pending = self._source.retrieve(goal, root, token_budget)
        asked = {'op': 'retrieve', 'key': f'{self._of}{goal}|{root}|{token_budget}'}
        return recorded(pending, self._write, asked, list)


class _RecordingOperator:
    def __init__(self, operator: Operator, write: Write) -> None:
        self._operator = operator
        self._write = write
        self._known: bool | None = None
        self._asked = 0

    @property
    def present(self) -> bool:
        return self._seen(self._operator.present)

    @property
    def person_present(self) -> bool:
        return self._seen(self._operator.person_present)

    def _seen(self, present: bool) -> bool:
        if present is not self._known:
            self._known = present
            self._write({'op': 'present', 'from': self._asked, 'answer': present})
        self._asked += 1
        return present

    def ask(
        self,
        question: str,
        options: Sequence[str] = (),
        otherwise: str = WITHOUT_ANSWER,
        person: bool = False,
    ) -> Future[Reply]:
        asked = {'op': 'ask', 'key': question}
        pending = self._operator.ask(question, options, otherwise, person)
        return recorded(pending, self._write, asked, _reply_to_json)


def reply_from_json(answer: Values) -> Reply:
    """Return the operator's reply of an entry."""
    (text,) = texts([answer['text']])
    return Reply(ReplyStatus(answer['status']), text)


def _reply_to_json(reply: Reply) -> Values:
    return {'status': reply.status.value, 'text': reply.text}


def result_from_json(answer: Values) -> SkillResult:
    """Return the result of a skill of an entry."""
    return SkillResult(
        SkillStatus(answer['status']),
        observation_from_json(answer),
        answer.get('confirmed') is not False,
        answer.get('gone') is True,
    )
