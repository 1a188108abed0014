# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The teacher as a language model: it decides for any agent node of a run."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_ros.core.decision import (
    CONDITIONS_LINE,
    Conditions,
    Decision,
    Done,
)
from reactree_ros.core.model import DecisionRequest
from reactree_ros.core.observation import Observation
from reactree_ros.core.situation import Situation
from reactree_ros.lab.teacher.deciding import next_step
from reactree_ros.lab.teacher.jobs import Reach, See, read_job
from reactree_ros.lab.teacher.kind import given_up
from reactree_ros.lab.teacher.lesson import Lesson
from reactree_ros.lab.teacher.planning import answer, flat_step, limits, look, step_of
from reactree_ros.lab.teacher.view import Stuck, View
from reactree_ros.lab.teacher.watching import WatchingSolver
from reactree_ros.skills.goal_conditions import (
    ConditionError,
    ConditionTracker,
    ConditionWords,
    conditions_text,
    parse_conditions,
)
from reactree_ros.skills.goal_conditions.language import Condition
from reactree_ros.skills.library import SkillLibrary

_NOT_DONE = 'Not done yet'


class Teacher(WatchingSolver):
    """Decides by rules what a sensible person would, seeing what the agent nodes see.

    It is asked about single prompts, in any order: what it answers follows from the prompt, from
    what was perceived so far, and at the root from the conditions.

    Args:
        lesson: what it knows of the task.
        library: the robot's skills.
    """

    def __init__(self, lesson: Lesson, library: SkillLibrary) -> None:
        super().__init__(library)
        self._lesson = lesson
        self._trackers: dict[str, ConditionTracker] = {}

    @property
    def situation(self) -> Situation:
        """What was perceived so far."""
        return self._memory.situation()

    def update(self, observation: Observation) -> None:
        """Take note of what the robot perceives."""
        super().update(observation)
        for tracker in self._trackers.values():
            tracker.update(self._memory.situation())

    def decision(self, request: DecisionRequest) -> Decision | None:
        """Return what to decide; None for a goal that is not the teacher's."""
        view = View(request.choices, self._memory.situation(), request.prompt, self._library)
        try:
            if not request.prompt.parent:
                return self._at_root(view)
            return self._below(view)
        except Stuck as stuck:
            return given_up(str(stuck), request)

    # The root

    def _at_root(self, view: View) -> Decision:
        choices, prompt = view.choices, view.prompt
        said = [step.text for step in prompt.steps if step.text.startswith(CONDITIONS_LINE)]
        line = said[-1][len(CONDITIONS_LINE) :] if said else self._lesson.line
        conditions = parse_conditions(line, self._words())
        if choices.conditions is not None:
            return Conditions(conditions_text(conditions))
        if not conditions:
            raise Stuck(f'I cannot do this: {prompt.goal}')
        tracker = self._trackers.get(line)
        if tracker is None:
            tracker = self._trackers[line] = ConditionTracker(conditions, self._library)
        met = [state.met for state in tracker.states(view.situation)]
        unmet = [one for one, so in zip(conditions, met, strict=True) if not so]
        expanded = any(text.startswith('Expand: ') for text in view.decided)
        if not view.may_expand:
            # That nothing more is somewhere is met as long as nobody has looked.
            todo = [one for one in conditions if one in unmet or limits(one, view)]
            step = flat_step(todo, view) if todo else None
        elif expanded:
            step = step_of(unmet, view) if unmet else None
        else:
            step = step_of(conditions, view)
        return step or self._end(conditions, view)

    def _end(self, conditions: Sequence[Condition], view: View) -> Decision:
        question = next((one for one in conditions if one.asks), None)
        if question is not None:
            step = look(question, view)
            said = step or Done(answer(question, self._lesson.words, view))
            return said if view.choices.explain or step else Done()
        if _NOT_DONE in view.last:
            raise Stuck('I have done all I can, and it is not as it should be')
        return Done()

    # Nodes below it

    def _below(self, view: View) -> Decision | None:
        job = read_job(view.prompt.goal, view.rooms)
        if job is None:
            return None
        if not isinstance(job, Reach | See):
            return next_step(job, view) or Done()
        line = job.line if isinstance(job, Reach) else f'tell {job.question}'
        try:
            conditions = parse_conditions(line, self._words())
        except ConditionError:
            return None
        step = step_of(conditions, view)
        return step or self._end(conditions, view)

    def _words(self) -> ConditionWords:
        return ConditionWords.of(self._library, self._memory.situation())
