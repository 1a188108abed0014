# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot perceives: the text that the model reads and the structure that grounds skills."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


@dataclass(frozen=True)
class ObservedObject:
    """One object as it was last perceived.

    Args:
        class_name: what it is, in words as the model reads them, e.g. ``kitchen table``.
        instance: number within its class, from 1.
        room: name of the room it is in, e.g. ``kitchen 1``.
        receptacle: name of the object that it lies on or in, e.g. ``fridge 1``; empty if none.
        relation: ``on`` or ``inside`` the receptacle; empty without a receptacle.
        states: lower-case states, e.g. ``open``, ``closed``, ``on``, ``off``, ``sliced``.
        affordances: what can be done with it, in VirtualHome's property words in lower case:
            ``grabbable``, ``can_open``, ``has_switch``, ``surfaces``, ``containers``,
            ``cuttable``, ``recipient``, ``cutter`` (a tool that slices), ``furniture``
            (a place the robot can go to).
        near: the robot can reach it from where it stands.
        held: the robot holds it.
    """

    class_name: str
    instance: int
    room: str = ''
    receptacle: str = ''
    relation: str = ''
    states: frozenset[str] = frozenset()
    affordances: frozenset[str] = frozenset()
    near: bool = False
    held: bool = False

    @property
    def name(self) -> str:
        """Class and instance as skills name them, e.g. ``kitchen table 1``."""
        return f'{self.class_name} {self.instance}'


@dataclass(frozen=True)
class Observation:
    """One observation, after a skill or at the start of an agent node.

    Args:
        text: what the model reads.
        room: name of the room the robot is in, e.g. ``kitchen 1``; empty if unknown.
        place: name of the object the robot stands at, e.g. ``fridge 1``; empty in the middle
            of a room.
        rooms: names of all rooms, in the order in which they are offered.
        objects: everything perceived at this moment: the furniture of the room, what lies
            visible within reach, and what is held.
    """

    text: str
    room: str = ''
    place: str = ''
    rooms: tuple[str, ...] = ()
    objects: tuple[ObservedObject, ...] = field(default_factory=tuple)

    @property
    def held(self) -> tuple[ObservedObject, ...]:
        """The objects in the robot's hands."""
        return tuple(item for item in self.objects if item.held)


class SkillStatus(Enum):
    """How a skill ended, as its action server reports it."""

    SUCCEEDED = 'succeeded'
    REFUSED = 'refused'
    """A precondition did not hold: nothing was tried and nothing changed."""
    FAILED = 'failed'
    """It was tried and did not work, or no answer came in time."""
    CANCELED = 'canceled'


@dataclass(frozen=True)
class SkillResult:
    """The result of one skill: how it ended and what is perceived afterwards.

    After anything but success the observation's text says why; without structure
    (``observation.rooms`` and ``observation.objects`` empty) the last known structure holds.

    Args:
        status: how it ended.
        observation: what is perceived then.
        confirmed: the robot has said that it is not at it any more; if not, a time limit passed.
        gone: it failed because what serves the skill is not there, or not any more.
    """

    status: SkillStatus
    observation: Observation
    confirmed: bool = True
    gone: bool = False

    @property
    def is_robot_lost(self) -> bool:
        """Whether it failed because the robot has left, or does not answer any more."""
        return self.status is SkillStatus.FAILED and (self.gone or not self.confirmed)
