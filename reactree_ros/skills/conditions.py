# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold when a skill, or a goal, is said to be done."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from reactree_ros.core.situation import Situation
from reactree_ros.skills.call import Call, Surroundings
from reactree_ros.skills.limits import Range
from reactree_ros.skills.memory_condition import MemoryCondition
from reactree_ros.skills.references import Lookup, Path, filled


@dataclass(frozen=True)
class WorldCondition:
    """What the world must say.

    Args:
        lines: conditions in the world's own notation; each may have references.
        if_known: what the world cannot read is not an objection.
        as_written: what looks like a reference is none: a person has written it.
    """

    lines: tuple[str, ...]
    if_known: bool = False
    as_written: bool = False


@dataclass(frozen=True)
class ServiceCondition:
    """What a service must answer.

    Args:
        call: which, what it is asked, and what its answer must be.
    """

    call: Call


@dataclass(frozen=True)
class TopicCondition:
    """What a message must say that comes afterwards.

    Args:
        name: of the topic, relative to the planner's namespace.
        type: its type.
        values: allowed values of fields, as a tuple or a range.
        within_sec: how long such a message is waited for.
    """

    name: str
    type: str
    values: Mapping[Path, tuple[Any, ...] | Range]
    within_sec: float = 2.0

    def objection(self, path: Path, value: Any) -> str:
        """Return why the value of a field is not as wanted; empty if it is."""
        wanted = self.values[path]
        if wanted.has(value) if isinstance(wanted, Range) else value in wanted:
            return ''
        words = str(wanted) if isinstance(wanted, Range) else ' or '.join(map(str, wanted))
        return f'{".".join(path)} of {self.name} is {value}, not {words}'


Asked = WorldCondition | ServiceCondition | TopicCondition
"""Conditions that the robot's side is asked for."""


@dataclass(frozen=True)
class Check:
    """All that must hold; nothing asks nothing.

    Args:
        memory: what working memory must say.
        asked: what is asked for when memory does not object.
    """

    memory: tuple[MemoryCondition, ...] = ()
    asked: tuple[Asked, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to hold."""
        return bool(self.memory or self.asked)

    def objection(self, situation: Situation, look: Lookup) -> str:
        """Return what working memory says against it; empty if nothing."""
        objections = (one.objection(situation, look) for one in self.memory)
        return next(filter(None, objections), '')


@dataclass(frozen=True)
class GoalCheck:
    """What must hold when some goals are said to be done.

    Args:
        check: what must hold; references name the words in braces of ``goal``.
        goal: which goals, such as ``put {item} on {place}``; empty for all.
    """

    check: Check
    goal: str = ''

    def fits(self, goal: str) -> dict[str, str] | None:
        """Return the words of a goal in place of those in braces; None if it is another goal.

        >>> GoalCheck(Check(), 'put the {item} on {place}').fits('Put the cup on table 2.')
        {'item': 'cup', 'place': 'table 2'}
        """
        if not self.goal:
            return {}
        found = self._pattern.fullmatch(' '.join(goal.lower().split()).rstrip('.!'))
        return found and found.groupdict()

    @property
    def names(self) -> frozenset[str]:
        """The words in braces."""
        return frozenset(_WILDCARD.findall(self.goal))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        words = ' '.join(self.goal.lower().split()).rstrip('.!')
        parts = _WILDCARD.split(words)
        texts = [re.escape(one) for one in parts[::2]]
        wildcards = [f'(?P<{name}>.+)' for name in parts[1::2]]
        return re.compile(texts[0] + ''.join(map(''.join, zip(wildcards, texts[1:], strict=True))))


_WILDCARD = re.compile(r'\{([a-z][a-z0-9_]*)\}')


@dataclass(frozen=True)
class Question:
    """A condition with what its references are looked up in.

    Args:
        condition: what must hold.
        look: gives the values of references.
    """

    condition: Asked
    look: Surroundings = field(compare=False)

    @property
    def text(self) -> str:
        """It in words, which name it in recordings."""
        if isinstance(self.condition, WorldCondition):
            return f'world: {"; ".join(self.lines)}'
        if isinstance(self.condition, ServiceCondition):
            return f'service: {self.condition.call.name}'
        return f'topic: {self.condition.name}'

    @property
    def lines(self) -> tuple[str, ...]:
        """Conditions of the world, with all references filled in; empty for other kinds."""
        if not isinstance(self.condition, WorldCondition):
            return ()
        if self.condition.as_written:
            return self.condition.lines
        return tuple(str(filled(line, self.look)) for line in self.condition.lines)
