# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How a skill reaches the robot: an action, a service or a topic of any type, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from reactree_ros.core.names import parse_name, plain_name
from reactree_ros.core.situation import Situation
from reactree_ros.errors import SkillError
from reactree_ros.skills.declared_world import Effects
from reactree_ros.skills.limits import Range
from reactree_ros.skills.pose import Pose
from reactree_ros.skills.references import Path, references

EXECUTE_SKILL = 'reactree_interfaces/action/ExecuteSkill'
"""The type of actions that take the skill's name and arguments, and answer with an observation."""

OF_ARGUMENT = ('class', 'number', 'id', 'pose', 'tf', 'room', 'receptacle')
"""What can be said of an argument behind its name, such as ``{item.pose}``."""
OF_ROBOT = ('held', 'place', 'room')
"""What can be said of the robot, by working memory."""
ANSWERS = ('result', 'feedback')
"""What comes from the robot's side, field by field, such as ``{result.error_msg}``."""


class Kind(Enum):
    """What a skill calls."""

    ACTION = 'action'
    SERVICE = 'service'
    TOPIC = 'topic'

    @property
    def filled(self) -> str:
        """What of it has fields: ``goal``, ``request`` or ``message``."""
        return {'action': 'goal', 'service': 'request', 'topic': 'message'}[self.value]


@dataclass(frozen=True)
class Call:
    """One action, service or topic, what it is given and how its answer is read.

    Args:
        kind: what it is.
        name: its name, relative to the planner's namespace.
        type: its interface type, e.g. ``nav2_msgs/action/NavigateToPose``.
        limit_sec: seconds after which its answer is no longer awaited; for a topic, how long it
            is waited after the message was sent.
        fields: of the goal, request or message; texts in it may have references. A text is the
            reference to a pose that is the whole message.
        success_if: values that fields of the result must have; a tuple gives several.
        refused_if: values of result fields by which it says that nothing was tried.
        success_text: what the observation begins with after a success; empty for a sentence of
            its phrase.
        failure_text: why it failed; empty takes the result's own words.
        feedback_text: what it is doing, from its feedback; empty for no text.
        effects: what it changes, where the surroundings are declared.
        limits: allowed ranges of numbers in what is sent; ``*`` in a path is every element.
    """

    kind: Kind
    name: str
    type: str = EXECUTE_SKILL
    limit_sec: float = 30.0
    fields: Mapping[str, Any] | str = field(default_factory=dict)
    success_if: Mapping[Path, tuple[Any, ...]] = field(default_factory=dict)
    refused_if: Mapping[Path, tuple[Any, ...]] = field(default_factory=dict)
    success_text: str = ''
    failure_text: str = ''
    feedback_text: str = ''
    effects: Effects = Effects()  # noqa: RUF009 - immutable
    limits: Mapping[Path, Range] = field(default_factory=dict)

    @property
    def posed(self) -> tuple[str, ...]:
        """Names of the arguments whose poses it is given."""
        paths = (one.path for one in references(self.fields))
        return tuple(dict.fromkeys(path[0] for path in paths if path[1:] == ('pose',)))


@dataclass(frozen=True)
class Surroundings:
    """What references of a grounded skill are looked up in.

    Args:
        arguments: names of rooms and objects, by the names of the skill's arguments.
        poses: by the names of places and things, or their classes.
        situation: working memory when the skill was started.
        ids: what the robot calls them, by name; without one it is the name with underscores.
    """

    arguments: Mapping[str, str]
    poses: Mapping[str, Pose]
    situation: Situation
    ids: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, path: Path) -> Any:
        """Return the value of a reference.

        Raises:
            SkillError: if there is none, e.g. no pose of a thing.
        """
        word, *rest = path
        if word == 'robot' and word not in self.arguments:
            return self._of_robot(rest[0] if rest else '')
        if word not in self.arguments:
            raise SkillError(f'there is no argument {word!r}')
        name = self.arguments[word]
        return self._of_argument(name, rest[0]) if rest else name

    def _of_robot(self, what: str) -> str:
        if what == 'held':
            return ' and '.join(item.name for item in self.situation.held)
        return self.situation.place if what == 'place' else self.situation.room

    def _of_argument(self, name: str, what: str) -> Any:
        class_name, number = parse_name(name) or (name, 1)
        item = self.situation.objects.get(name)
        if what == 'pose':
            pose = self.poses.get(plain_name(name)) or self.poses.get(class_name)
            if pose is None:
                raise SkillError(f'no pose is known of {name}')
            return pose
        values: dict[str, Any] = {
            'class': class_name,
            'number': number,
            'id': self._id(name),
            'tf': Pose(self._id(name)),
            'room': item.room if item else '',
            'receptacle': item.receptacle if item else '',
        }
        return values[what]

    def _id(self, name: str) -> str:
        return self.ids.get(name) or name.replace(' ', '_')
