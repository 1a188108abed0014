# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The solver as a language model: it decides for all agent nodes of one run."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from random import Random

from reactree_ros.core.decision import Decision, to_text
from reactree_ros.core.futures import Future, mapped, ready
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest
from reactree_ros.core.observation import Observation, SkillResult
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.execution.pipeline import SkillPipeline, Stage
from reactree_ros.lab.teacher.deciding import FlatPlan, next_step, parts_of
from reactree_ros.lab.teacher.jobs import Job, Parts
from reactree_ros.lab.teacher.kind import SOLVER
from reactree_ros.lab.teacher.planning import plan
from reactree_ros.lab.teacher.view import View
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.sim.household.goal import Condition
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.library import GroundedSkill, SkillLibrary

_COUNT = itertools.count(1)


class Teacher:
    """Decides by rules what a sensible person would, seeing what the agent nodes see.

    Args:
        conditions: of the task's goal.
        library: the robot's skills.
        seed: the same seed decides the same.
    """

    def __init__(self, conditions: Sequence[Condition], library: SkillLibrary, seed: int) -> None:
        self._conditions = tuple(conditions)
        self._library = library
        self._seed = seed
        self._jobs: dict[tuple[str, str], Job] = {}
        self._flat: FlatPlan | None = None
        namespace = f'teacher_{next(_COUNT)}'
        self._memory = WorkingMemory(library.objects, library.places, namespace)
        weakref.finalize(self, self._memory.close)

    def watching(self, executor: SkillExecutor) -> SkillExecutor:
        """Return a robot whose observations the solver gets, as the run's own memory does."""
        return SkillPipeline([_Watching(self._memory)], executor)

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Decide at once."""
        prompt = request.prompt
        view = View(
            request.choices,
            self._memory.situation(),
            self._memory.rooms,
            tuple(step.text for step in prompt.steps if step.decided),
        )
        decision = self._decision(prompt, view) or view.last_resort()
        return ready(Answer(to_text(decision), tokens_out=1, model=SOLVER))

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Raise ModelError: whole plans need the truth about the house."""
        raise ModelError(f'the {SOLVER} makes single decisions, it writes no plans')

    def _decision(self, prompt: Prompt, view: View) -> Decision | None:
        job = self._job(prompt)
        if not view.may_expand:
            if self._flat is None:
                self._flat = FlatPlan(job)
            return self._flat.next_step(view)
        if isinstance(job, Parts):
            thought = view.think(job.thought)
            if thought is not None:
                return thought
        step = next_step(job, view)
        if step is not None:
            return step
        draw = Random(f'{self._seed} {prompt.goal}')
        split = parts_of(job, view, draw)
        if split is None:
            return None
        control_flow, parts = split
        for part in parts:
            self._jobs[prompt.goal, part.text] = part
        return view.expand(control_flow, parts)

    def _job(self, prompt: Prompt) -> Job:
        """Return what the node of a prompt has to do: what its parent wanted with its goal."""
        key = (prompt.parent, prompt.goal)
        if key not in self._jobs:
            if prompt.parent:
                raise ModelError(f'the {SOLVER} did not ask for {prompt.goal!r}')
            known = self._library.objects | self._library.places
            read = self._library.in_class_words(prompt.goal)
            self._jobs[key] = plan(read, self._conditions, known)
        return self._jobs[key]


class _Watching(Stage):
    """Adds what the robot perceives to a memory."""

    name = 'teacher'

    def __init__(self, memory: WorkingMemory) -> None:
        self._memory = memory

    def after(self, skill: GroundedSkill, result: SkillResult) -> Future[SkillResult]:
        self._memory.update(result.observation)
        return ready(result)

    def observe(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        def remembered(observation: Observation) -> Observation:
            self._memory.update(observation)
            return observation

        return mapped(ask(), remembered)
