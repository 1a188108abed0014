# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plan and execute, try again, and Reflexion: ADaPT is compared with them (its section 4.2).

Their papers reset the environment before each try; a robot's house stays as the last try left
it, and what the robot has seen is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import py_trees
from py_trees.behaviour import Behaviour

from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.services import RunState
from reactree_ros.core.decision import is_prose
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.option import option
from reactree_ros.core.outcome import Outcome, Reason
from reactree_ros.core.prompt import Note, Prompt, Step
from reactree_ros.strategies.adapt import LastSuccess, Split
from reactree_ros.strategies.attempt import Attempt, AttemptOptions, GrownNode

LESSON = 'Lesson:'
_LESSON_TOKENS = 80
_KEPT_LESSONS = 3
"""As many as Shinn et al. keep at most (*Reflexion*, 2023, section 4)."""


@dataclass(frozen=True)
class RetryOptions(AttemptOptions):
    """Options of Reflexion and of trying again."""

    max_attempts: int = option(
        3,
        'How often a goal is tried.',
        minimum=1,
        maximum=100,
        kept_on_resume=True,
    )


def plan_and_execute(goal: str, state: RunState) -> GrownNode:
    """Return the root of a tree whose goal is split once, before anything is tried."""
    last_success = LastSuccess()

    def attempt(step: str, state: RunState, path: tuple[str, ...]) -> Behaviour:
        return Attempt(step, state, path, last_success)

    return GrownNode(goal, state, lambda: Split(goal, state, (), attempt))


def try_again(goal: str, state: RunState) -> GrownNode:
    """Return a root that starts over, with an empty trajectory, as often as it may."""

    def tries() -> Behaviour:
        attempts = [Attempt(goal, state) for _ in range(state.options(RetryOptions).max_attempts)]
        return py_trees.composites.Selector('tries', memory=True, children=attempts)

    return GrownNode(goal, state, tries)


def reflexion(goal: str, state: RunState) -> GrownNode:
    """Return a root that lets the model say after each failed try what went wrong."""

    def tries() -> Behaviour:
        lessons = Lessons()
        children: list[Behaviour] = [Attempt(goal, state, handover=lessons)]
        for _ in range(state.options(RetryOptions).max_attempts - 1):
            again = [Reflection(goal, state, lessons), Attempt(goal, state, handover=lessons)]
            children.append(py_trees.composites.Sequence('learn', memory=True, children=again))
        return py_trees.composites.Selector('tries', memory=True, children=children)

    return GrownNode(goal, state, tries)


class Lessons:
    """What failed tries have taught, and the last of them."""

    def __init__(self) -> None:
        self.failed: Attempt | None = None
        self._lessons: list[str] = []

    def before(self) -> Note | None:
        """Return the latest lessons; None before the first."""
        if not self._lessons:
            return None
        return Note(f'Learned from earlier tries: {" ".join(self._lessons[-_KEPT_LESSONS:])}')

    def after(self, attempt: Attempt) -> None:
        """Keep a try that has ended for reflection."""
        self.failed = attempt

    def learn(self, lesson: str) -> int:
        """Keep a lesson; return its number."""
        self._lessons.append(lesson)
        return len(self._lessons)


class Reflection(DecidingNode):
    """Lets the model read the try that failed and write a lesson.

    =======  ===================================================================
    RUNNING  the lesson is awaited
    SUCCESS  it is written, or nothing was
    FAILURE  ``outcome`` says what
    INVALID  interrupted before its end
    =======  ===================================================================

    Args:
        goal: of the tries.
        state: what all nodes of the run share.
        lessons: has the try and gets the lesson.
    """

    checks_goal = False
    uses_safe_state = False

    def __init__(self, goal: str, state: RunState, lessons: Lessons) -> None:
        super().__init__(goal, state)
        self.name = f'learn: {goal}'
        self._lessons = lessons

    def _request(self) -> None:
        """Ask for nothing: it looks back."""

    def _is_informed(self) -> bool:
        return True

    def ask_model(self) -> None:
        """Ask what to learn from the attempt that failed."""
        failed = self._lessons.failed
        assert failed is not None, 'a try comes first'
        services = self._state.services
        why = failed.outcome.detail if failed.outcome is not None else ''
        steps = (*failed.trajectory.steps, Step(f'Failed: {why}', decided=False))
        self._decision = self._generate(
            TextRequest(
                Prompt(services.prompts['reflect'], (), failed.trajectory.task, (*steps, _ASKED)),
                max_tokens=_LESSON_TOKENS,
                time_limit_s=services.settings.agent.decision_timeout_sec,
            )
        )

    def on_answer(self, answers: tuple[Answer, ...]) -> None:
        """Keep the lesson for the next attempt."""
        (answer,) = answers
        self._count(answer)
        lesson = ' '.join(answer.text.removeprefix(LESSON).split())
        if is_prose(lesson):
            self._publish('summary', f'{self._lessons.learn(lesson)}: {lesson}')
        else:
            self._audit.rejected('no lesson')
            self._publish('rejected', f'{lesson}: not a lesson; the next try begins without it')
        self._end(Outcome(True, Reason.DONE, lesson))


_ASKED = Step(LESSON, decided=False)
