# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks: an instruction in everyday words, where it starts, and what must hold at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from reactree_ros.skills.goal_conditions.language import NONE

WAH_TYPES = ('put_fridge', 'put_dishwasher', 'prepare_food', 'prepare_snack', 'setup_table')
"""The task types of Watch-And-Help (paper, section 5.1)."""

ALFRED_TYPES = (
    'pick_and_place_simple',
    'look_at_obj_in_light',
    'pick_clean_then_place',
    'pick_heat_then_place',
    'pick_cool_then_place',
    'pick_two_obj',
    'pick_and_place_with_movable_recep',
)
"""The task types of ALFRED (paper, section 5.1)."""

GOAL_TYPES = (
    *('put', 'put_two', 'put_three', 'put_start', 'put_room', 'hold'),
    *('open', 'close', 'switch_on', 'switch_off', 'close_all', 'close_all_room'),
    *('switch_off_all', 'switch_off_all_room', 'switch_on_all_room', 'leave_open'),
    *('go_place', 'go_room', 'empty_hands'),
    *('put_hot', 'put_cold', 'put_clean', 'put_cooked', 'put_sliced', 'heat_sliced'),
    *('make_hot', 'make_cold', 'make_clean', 'make_cooked', 'make_sliced', 'vessel'),
    *('all', 'all_room', 'exactly', 'at_most', 'number', 'clear', 'clear_all'),
    *('either', 'either_thing', 'not_but'),
    *('order_two', 'order_switch', 'order_three', 'order_go', 'order_state'),
    *('whether_at', 'whether_home', 'whether_on', 'whether_open'),
    *('where', 'how_many', 'how_many_at'),
    *('impossible_thing', 'impossible_act', 'impossible_place', 'impossible_use', 'nonsense'),
    'long',
)
"""The shapes of goals whose conditions are lines of the robot's language."""

TASK_TYPES = (*WAH_TYPES, *ALFRED_TYPES, *GOAL_TYPES)


@dataclass(frozen=True)
class Task:
    """One task.

    Args:
        id: number, unique in its file.
        type: one of TASK_TYPES.
        scene: name of the scene.
        start: name of the room in which the robot starts, e.g. ``bathroom 1``.
        instruction: the goal as text, for the robot.
        instructions: all wordings of the instruction, the first one first; empty if it has one.
        languages: of each of ``instructions``, ``en`` and the like; empty if all are English.
        ambiguous: the wording leaves open which objects or which place is meant, on purpose.
        unseen: its apartment is in no training task.
        steps: skills of a known solution; 0 if none was looked for.
        moved: objects that lie elsewhere than in the scene: (name, relation, name of the place).
        states: objects in another state than in the scene: (name, state).
        conditions: lines of conditions (``skills.goal_conditions``); empty if it makes no sense.
        answer: words of which one must stand in the answer; empty if nothing is asked.
        impossible: the goal cannot be reached, or makes no sense; to say so is right.
    """

    id: int
    type: str
    scene: str
    start: str
    instruction: str
    instructions: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    ambiguous: bool = False
    unseen: bool = False
    steps: int = 0
    moved: tuple[tuple[str, str, str], ...] = ()
    states: tuple[tuple[str, str], ...] = ()
    conditions: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    impossible: bool = False

    @property
    def condition_line(self) -> str:
        """What must hold, as one line of conditions."""
        return '; '.join(self.conditions) or NONE

    @property
    def asks(self) -> bool:
        """It wants an answer."""
        return bool(self.answer)

    def wording(self, seed: int) -> str:
        """Return the instruction in the wording of a seed."""
        wordings = self.instructions or (self.instruction,)
        return wordings[seed % len(wordings)]

    def is_said_by(self, lines: Sequence[str]) -> bool:
        """Return whether a single line is the instruction, in any of its wordings."""
        wordings = {' '.join(text.split()) for text in (self.instruction, *self.instructions)}
        return len(lines) == 1 and ' '.join(lines[0].split()) in wordings


AnyTask = TypeVar('AnyTask', bound=Task)


def tasks_of(entries: Iterable[Mapping[str, Any]], kind: type[AnyTask]) -> tuple[AnyTask, ...]:
    """Return tasks given as plain data.

    Args:
        entries: mappings with the names of the arguments.
        kind: of the tasks.
    """
    return tuple(
        kind(**{name: _frozen(value) for name, value in entry.items()}) for entry in entries
    )


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
