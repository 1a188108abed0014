# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The worlds in which tasks start, and whether their goals are reached."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from reactree_ros.core.observation import SkillResult, SkillStatus
from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household.goal import GoalCheck
from reactree_ros.sim.household.rearrange import rearranged
from reactree_ros.sim.household.scene import Scene
from reactree_ros.sim.household.shipped import shipped_scene
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.household.truth import (
    checked,
    household_library,
    read_conditions,
    true_situation,
)
from reactree_ros.sim.household.wah_file import WahTask
from reactree_ros.sim.household.world import World
from reactree_ros.skills.goal_conditions import Condition, ConditionError, ConditionTracker

_YES = frozenset('yes yeah ja oui si sí sì sim tak да はい 네 예 是 有 对'.split())
_NO = frozenset('no nein non nie nee não nao нет いいえ 不 否 没有 아니'.split())
_NEGATED = re.compile(
    r"(?:\b(?:not|no|never|cannot|nicht|kein\w*|pas|niet|geen|не)|n't)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)


class TaskWorld(World):
    """A world in which a task starts, which follows in which order its conditions become true.

    Args:
        task: the task.
        start_room: where the robot starts; empty: where the task has it.

    Attributes:
        conditions: those of the task.

    Raises:
        ConfigurationError: the task's conditions do not fit its scene.
    """

    def __init__(self, task: Task, start_room: str = '') -> None:
        super().__init__(scene_of(task), start_room or task.start)
        self.task = task
        self.conditions: tuple[Condition, ...] = ()
        self._tracker: ConditionTracker | None = None
        if task.conditions:
            situation = true_situation(self)
            try:
                self.conditions = read_conditions(task.condition_line, situation)
            except ConditionError as error:
                raise ConfigurationError(f'the goal of task {task.id}: {error}') from error
            judged = [one for one in self.conditions if not one.asks]
            self._tracker = ConditionTracker(judged, household_library(), complete=True)
            self._tracker.update(situation)

    def execute(self, skill: str, arguments: Sequence[str]) -> SkillResult:
        """Carry out one skill; see ``World``."""
        result = super().execute(skill, arguments)
        if self._tracker is not None and result.status is SkillStatus.SUCCEEDED:
            self._tracker.update(true_situation(self))
        return result

    def check(self) -> GoalCheck:
        """Return which conditions of the task hold; ``judged`` knows of questions."""
        if self._tracker is None:
            return GoalCheck((), ())
        return checked(self._tracker, true_situation(self))


def judged(task: Task, found: GoalCheck, answer: str = '', refusal: str = '') -> GoalCheck:
    """Return whether a run reached the goal of its task.

    Args:
        task: the task.
        found: which of its conditions hold in the world.
        answer: what the agent said in the end.
        refusal: why the agent itself gave the goal up; empty if it did not.

    Returns:
        The conditions, together with the answer if it is a question. A task that is impossible is
        reached by a refusal and by nothing else.
    """
    if task.impossible:
        line = 'refused with a reason'
        return GoalCheck((line,), (), 1, 1) if refusal.strip() else GoalCheck((), (line,), 0, 1)
    if not task.asks:
        return found
    right = _is_right(answer, task.answer)
    line = f'answered: {" or ".join(task.answer)}'
    return replace(
        found,
        satisfied=(*found.satisfied, *((line,) if right else ())),
        unsatisfied=(*found.unsatisfied, *(() if right else (line,))),
        met=found.met + bool(right),
        wanted=found.wanted + 1,
    )


def scene_of(task: Task) -> Scene:
    """The scene of a task, with its things where the task has them; it never changes."""
    if isinstance(task, WahTask):
        return task.home
    return _scene(task.scene, task.moved, task.states)


# As many as run at once, and a few to come back to.
@lru_cache(maxsize=128)
def _scene(
    name: str, moved: tuple[tuple[str, str, str], ...], states: tuple[tuple[str, str], ...]
) -> Scene:
    return rearranged(shipped_scene(name), moved, states)


def _is_right(answer: str, words: Sequence[str]) -> bool:
    """Whether an answer has one of the words, not negated, and does not begin with the opposite.

    >>> _is_right('It is leaking.', ('yes', 'leaking')), _is_right('2 leaks', ('2',))
    (True, True)
    >>> _is_right('It is not leaking.', ('yes', 'leaking')), _is_right('2.5 leaks', ('2',))
    (False, False)
    >>> _is_right('Yes, it is shut, not open.', ('no', 'open')), _is_right('不是', ('是',))
    (False, False)
    """
    known = {word.lower() for word in words}
    for these, opposite in ((_YES, _NO), (_NO, _YES)):
        if known & these and not known & opposite and _begins(answer, opposite):
            return False
    found = re.finditer('|'.join(map(_pattern, words)), answer, re.IGNORECASE)
    return any(not _NEGATED.search(answer[: one.start()]) for one in found)


def _begins(answer: str, words: Iterable[str]) -> bool:
    either = '|'.join(map(_pattern, sorted(words)))
    return re.match(rf'\W*(?:{either})', answer, re.IGNORECASE) is not None


def _pattern(word: str) -> str:
    """Return the pattern of a word; in scripts without capitals, endings are joined to it."""
    if word[-1].isdigit():
        return rf'(?<!\w)(?<!\d[.,]){re.escape(word)}(?!\w|[.,]\d)'
    if word[-1].upper() != word[-1].lower():
        return rf'(?<!\w){re.escape(word)}(?!\w)'
    return rf'(?<![不没沒未無无]){re.escape(word)}'
