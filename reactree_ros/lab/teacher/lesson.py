# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the teacher knows of a task: the right conditions and, of a question, the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reactree_ros.lab.generator.wordings import YES_NO
from reactree_ros.sim.household.task import Task

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
    if task.conditions or not task.goal:
        return Lesson(task.condition_line, in_language_of(instruction, task.answer))
    # Counts by condition have no order; it is that of the words.
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


_LANGUAGES = {
    'de': 'der die das den ein eine einen ist sind und im wie wo haben gibt auf noch mal nicht',
    'fr': "le la les un une des est sont et dans sur où combien il y a qu'on tu vous je pas dis",
    'es': 'el la los las un una es está están hay y en cuántos cuántas dónde si que algún alguna',
    'en': 'the a an is are there in on of how many where do we have you me i it any',
}
_MARKS = {'de': 'äöüß', 'fr': 'èêàçœù', 'es': 'ñ¿¡íó', 'en': ''}


def in_language_of(text: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return words of yes or no with those in the language of a text first.

    >>> in_language_of('Ist die Milch im Kühlschrank?', ('yes', 'ja'))
    ('ja', 'yes')
    """
    found = re.findall(r"[\w']+", text.casefold())
    scores = {
        name: sum(word in common.split() for word in found)
        + 2 * sum(mark in text.casefold() for mark in _MARKS[name])
        for name, common in _LANGUAGES.items()
    }
    best = max(scores, key=lambda name: scores[name])
    yes, no = YES_NO[best]
    return tuple(sorted(words, key=lambda word: word not in (*yes, *no)))
