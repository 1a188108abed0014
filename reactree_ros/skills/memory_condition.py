# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What working memory must say when something is said to be done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reactree_ros.core.names import parse_name, plain_name
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation, receptacles
from reactree_ros.skills.references import Lookup, filled


@dataclass(frozen=True)
class MemoryCondition:
    """What working memory must say; everything that is set must hold.

    Names may have references. They are those of objects and rooms, or of their classes: of a
    class, one must be so.

    Args:
        object: what it is about; empty if only about the robot.
        held: it is in the hand, or not.
        on: what it lies on.
        inside: what it lies in.
        room: room that it is in.
        states: states that it has.
        not_states: states that it does not have.
        robot_in: room that the robot is in.
        robot_at: what the robot stands at.
    """

    object: str = ''
    held: bool | None = None
    on: str = ''
    inside: str = ''
    room: str = ''
    states: tuple[str, ...] = ()
    not_states: tuple[str, ...] = ()
    robot_in: str = ''
    robot_at: str = ''

    def objection(self, situation: Situation, look: Lookup) -> str:
        """Return what is not so, by working memory; empty if all is."""
        for wanted, actual, how in (
            (self.robot_in, situation.room, 'in'),
            (self.robot_at, situation.place, 'at'),
        ):
            if wanted and not _means(_name(wanted, look), actual):
                where = f'{how} {actual}' if actual else f'{how} no known place'
                return f'the robot is {where}, not {how} {_name(wanted, look)}'
        if not self.object:
            return ''
        name = _name(self.object, look)
        known = [item for item in situation.objects.values() if _means(name, item.name)]
        if not known:
            return f'nothing is known of {name}'
        objections = [self._of(item, situation, look) for item in known]
        return '' if '' in objections else objections[0]

    def _of(self, item: ObservedObject, situation: Situation, look: Lookup) -> str:
        if self.held is not None and item.held is not self.held:
            return f'{item.name} is {"still" if item.held else "not"} in the hand'
        for relation, wanted in (('on', self.on), ('inside', self.inside)):
            bearer = _name(wanted, look) if wanted else ''
            if bearer and not any(
                how == relation and _means(bearer, at) for how, at in _supports(item, situation)
            ):
                return f'{item.name} is {_where(item)}, not {relation} {bearer}'
        if self.room and not _means(_name(self.room, look), item.room):
            return f'{item.name} is {_where(item)}, not in {_name(self.room, look)}'
        for state in self.states:
            if state not in item.states:
                return f'{item.name} is not {state}'
        for state in self.not_states:
            if state in item.states:
                return f'{item.name} is {state}'
        return ''


def _name(text: str, look: Lookup) -> str:
    return plain_name(str(filled(text, look)))


def _means(wanted: str, name: str) -> bool:
    """Whether a name, or the class of it, is the wanted one."""
    parsed = parse_name(name)
    return bool(name) and wanted in (plain_name(name), parsed[0] if parsed else '')


def _supports(item: ObservedObject, situation: Situation) -> Iterator[tuple[str, str]]:
    """Yield how and where something lies, then how and where that stands, and so on."""
    for name in receptacles(item.name, situation.objects):
        one = situation.objects.get(name)
        if one is not None and one.receptacle:
            yield one.relation, one.receptacle


def _where(item: ObservedObject) -> str:
    if item.held:
        return 'in the hand'
    if item.receptacle:
        return f'{item.relation or "at"} {item.receptacle}'
    return f'in {item.room}' if item.room else 'at no known place'
