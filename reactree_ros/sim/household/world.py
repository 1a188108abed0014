# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One household with a robot in it, or several: skills go in, observations come out."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, TypeVar

from reactree_ros.core.names import listing, numbered, parse_name
from reactree_ros.core.observation import Observation, ObservedObject, SkillResult, SkillStatus
from reactree_ros.errors import WorldError
from reactree_ros.sim.household.graph import Graph
from reactree_ros.sim.household.observe import Observer
from reactree_ros.sim.household.scene import Scene
from reactree_ros.sim.household.skills import SKILLS, Done, Refusal, Situation
from reactree_ros.sim.household.truth import check_lines

AnyWorld = TypeVar('AnyWorld', bound='World')


class World:
    """A household that a robot sees in part and changes by its skills.

    The same skills in the same scene give the same observations, always. Worlds share nothing
    but their scene, so that many can run in one process; only robots that ``join`` the same world
    are in one house. They are not for several threads at a time.

    Args:
        scene: the start.
        start_room: name of the room in whose middle the robot starts, e.g. ``bathroom 1``;
            empty: where the scene has it.

    Raises:
        WorldError: the scene has no such room.
    """

    def __init__(self, scene: Scene, start_room: str = '') -> None:
        self.scene = scene
        self._graph = Graph(scene)
        self._character = scene.character
        self._seen: set[int] = set()
        self._begin(start_room)

    def _begin(self, start_room: str) -> None:
        if start_room:
            scene = self.scene
            room = scene.by_name.get(parse_name(start_room) or ('', 0))
            if room not in scene.rooms:
                allowed = ', '.join(scene.nodes[i].name for i in scene.rooms)
                raise WorldError(f'there is no room {start_room!r}; the rooms are {allowed}')
            assert room is not None
            self.state.walk(room, None)
        self._observer = Observer(self.state)
        self._look()

    def join(self: AnyWorld, start_room: str = '') -> AnyWorld:
        """Return the same household as another robot in it sees and changes it.

        What one of them has seen, the others can be sent to: they are of one team.

        Args:
            start_room: as in the constructor.

        Raises:
            WorldError: the scene has no such room.
        """
        other = copy.copy(self)
        other._character = self._graph.add_robot()
        other._begin(start_room)
        return other

    @property
    def state(self) -> Graph:
        """The whole truth about the world, for goal checks; no robot sees it."""
        self._graph.turn_to(self._character)
        return self._graph

    def at_start(self) -> World:
        """A world in which nothing has been done yet."""
        return World(self.scene)

    def observe(self) -> Observation:
        """What the robot perceives now: the room's furniture, and what it holds.

        The rule of the initial observation in Tables 8 and 9 of the paper.
        """
        return self._eyes.observation(self._eyes.initial())

    def execute(self, skill: str, arguments: Sequence[str]) -> SkillResult:
        """Carry out one skill, or say why not.

        Args:
            skill: go_to, pick_up, put_down, put_into, open, close, turn_on, turn_off or slice.
            arguments: the names of one room or object, e.g. ``('fridge 1',)``; for put_into
                of the object and of the vessel.

        Returns:
            SUCCEEDED with what is seen afterwards; or REFUSED with the reason, after which the
            world is as it was.
        """
        try:
            done = self._do(skill, arguments)
        except Refusal as refusal:
            text = f'You cannot {_phrase(skill, arguments)}: {refusal}.'
            return SkillResult(SkillStatus.REFUSED, self._eyes.observation(text))
        self._look()
        text = self._eyes.text(skill, done)
        return SkillResult(SkillStatus.SUCCEEDED, self._eyes.observation(text))

    def survey(self) -> Observation:
        """Return all rooms, the furniture by room and the names of all movable objects.

        For planners that plan before they act (paper, Appendix C). It does not say where the
        movable objects are, nor in which state. Its text begins as the initial observation does
        and ends with the robot's own situation.
        """
        scene, graph = self.scene, self.state
        now = self.observe()
        first, _, situation = now.text.partition('. ')
        parts = [f'{first}.']
        things = []
        for room in scene.rooms:
            furniture = [scene.nodes[i] for i in graph.furniture_in(room)]
            if furniture:
                names = listing(node.key for node in furniture)
                parts.append(f'The {listing([scene.nodes[room].key])} has: {names}.')
            things += [
                ObservedObject(
                    node.words,
                    node.instance,
                    room=scene.nodes[room].name,
                    affordances=node.affordances,
                )
                for node in furniture
            ]
        movable = [
            node
            for node in scene.nodes.values()
            if 'grabbable' in node.affordances and node.id not in scene.furniture
        ]
        movable.sort(key=lambda node: node.key)
        if movable:
            parts.append(f'Somewhere in the house are: {listing(node.key for node in movable)}.')
        things += [
            ObservedObject(node.words, node.instance, affordances=node.affordances)
            for node in movable
        ]
        return Observation(
            text=' '.join([*parts, situation]).strip(),
            room=now.room,
            place=now.place,
            rooms=now.rooms,
            objects=tuple(things),
        )

    def missing(self, conditions: Sequence[str]) -> Sequence[str] | None:
        """Return which conditions do not hold.

        Args:
            conditions: lines of conditions.

        Returns:
            One line each; None if they cannot be read.
        """
        found = check_lines(self, conditions)
        return None if found is None else found.unsatisfied

    def everything(self) -> Observation:
        """Return all that there is, where and in which state; no robot sees it."""
        return self._eyes.everything()

    def graph(self) -> dict[str, Any]:
        """Write the world as an environment graph of VirtualHome, which loads as a scene."""
        return self._graph.to_dict()

    def changes(self) -> list[str]:
        """Say what differs from the start, the robot's own position excepted.

        Returns:
            Lines such as ``apple 1: on kitchen counter 1 -> inside fridge 1`` and
            ``dishwasher 1: off -> on``, in the order of names.
        """
        lines = []
        start, now = self._facts(Graph(self.scene)), self._facts(self.state)
        for node_id in self.scene.by_name.values():
            (old_at, old), (new_at, new) = start[node_id], now[node_id]
            name = self.scene.nodes[node_id].name
            if old_at != new_at:
                lines.append(f'{name}: {old_at} -> {new_at}')
            if old != new:
                gone = ', '.join(sorted(s.lower() for s in set(old) - set(new)))
                come = ', '.join(sorted(s.lower() for s in set(new) - set(old)))
                lines.append(f'{name}: {gone} -> {come}' if gone else f'{name}: {come}')
        return lines

    def _facts(self, graph: Graph) -> dict[int, tuple[str, tuple[str, ...]]]:
        facts = {}
        for node_id in self.scene.by_name.values():
            supports, room = graph.supports(node_id), graph.room_of(node_id)
            if graph.is_held(node_id):
                where = "in the robot's hand"
            elif supports:
                where = f'{supports[0].relation.lower()} {self.scene.nodes[supports[0].to_id].name}'
            else:
                where = f'in {self.scene.nodes[room].name}' if room is not None else ''
            facts[node_id] = (where, graph.states(node_id))
        return facts

    def _do(self, skill: str, arguments: Sequence[str]) -> Done:
        rule = SKILLS.get(skill)
        if rule is None:
            raise Refusal(f'there is no such skill, only {", ".join(SKILLS)}')
        if len(arguments) != rule.names:
            takes = 'one name' if rule.names == 1 else 'two names'
            raise Refusal(f'it takes {takes}, not {len(arguments)}')
        return rule.do(Situation(self.state, self._seen), *arguments)

    def _look(self) -> None:
        self._seen.update(self._eyes.visible())

    @property
    def _eyes(self) -> Observer:
        """What looks at the household from where this robot stands."""
        self._graph.turn_to(self._character)
        return self._observer


def _phrase(skill: str, arguments: Sequence[str]) -> str:
    names = [numbered(name) for name in arguments]
    rule = SKILLS.get(skill)
    if rule is not None and rule.names == len(names):
        return rule.phrase.format(*names)
    return ' '.join([skill.replace('_', ' '), *names]).strip()
