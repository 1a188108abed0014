# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the teacher knows of a task: the right conditions and, of a question, the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reactree_ros.lab.generator.wordings import YES_NO
from reactree_ros.sim.household.task import ALFRED_TYPES, WAH_TYPES, Task

_SUBJECT = re.compile(r'(?:\d+ )?(.+?) (?:inside|on|held|switched) ?')
_LAST = re.compile(r'switched (?:on|off)')


@dataclass(frozen=True)
class Lesson:
    """What the teacher knows of a task.

    Args:
        line: its goal as a line of conditions.
        words: what an answer may be, if it is a question.
    """

    line: str
    words: tuple[str, ...] = ()


def lesson_of(task: Task, instruction: str) -> Lesson:
    """Return what the teacher knows of a task whose goal is said in some wording."""
    if task.type not in (*WAH_TYPES, *ALFRED_TYPES):
        languages = dict(zip(task.instructions, task.languages, strict=False))
        yes, no = YES_NO[languages.get(instruction, 'en')]
        # Of yes in all languages of the task, first the one in which it is asked.
        words = sorted(task.answer, key=lambda word: word not in (*yes, *no))
        return Lesson(task.condition_line, tuple(words))
    # Their conditions have no order; it is that of the words.
    text = instruction.casefold()
    parts = sorted(task.condition_line.split('; '), key=lambda part: _first_named(part, text))
    return Lesson('; '.join(parts))


def _first_named(part: str, text: str) -> tuple[bool, int]:
    """Return where a text first names what a condition is about; switching comes last."""
    subject = _SUBJECT.match(part)
    name = subject[1] if subject else part
    last = name.partition(' with ')[0].split()[-1]
    found = [text.find(word) for word in (name, last, last[:4]) if word in text]
    return _LAST.search(part) is not None, min(found, default=len(text))
