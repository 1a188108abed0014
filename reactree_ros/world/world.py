# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One household with one robot in it: skills go in, observations come out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from reactree_ros.core.observation import Observation, ObservedObject, SkillResult, SkillStatus
from reactree_ros.exceptions import WorldError
from reactree_ros.world.graph import Graph
from reactree_ros.world.household_skills import SKILLS, Refusal, Situation
from reactree_ros.world.scene import Scene
from reactree_ros.world.words import listing, numbered, parse_name


class World:
    """A household that a robot sees in part and changes by its skills.

    The same skills in the same scene give the same observations, always. Worlds share nothing
    but their scene, so that many can run in one process.

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
        if start_room:
            room = scene.by_name.get(parse_name(start_room) or ('', 0))
            if room not in scene.rooms:
                allowed = ', '.join(scene.nodes[i].name for i in scene.rooms)
                raise WorldError(f'there is no room {start_room!r}; the rooms are {allowed}')
            assert room is not None
            self._graph.walk(room, None)
        self._start = self._facts()
        self._seen: set[int] = set()
        self._look()

    @property
    def state(self) -> Graph:
        """The whole truth about the world, for goal checks; no robot sees it."""
        return self._graph

    def observe(self) -> Observation:
        """What the robot perceives now: the room's furniture, and what it holds.

        The rule of the initial observation in Tables 8 and 9 of the paper.
        """
        scene, graph = self.scene, self._graph
        rooms = listing(scene.nodes[i].key for i in scene.rooms)
        count = f'{len(scene.rooms)} room' + ('s' if len(scene.rooms) > 1 else '')
        room, place = graph.room_of(scene.character), graph.place()
        where = f'in the {self._labels([room])}' if room is not None else 'in the house'
        if place is not None:
            where += f', at the {self._labels([place])}'
        text = f'The house has {count}: {rooms}. You are {where}. {self._quick_look()}'
        return self._observation(text + self._holding())

    def execute(self, skill: str, arguments: Sequence[str]) -> SkillResult:
        """Carry out one skill, or say why not.

        Args:
            skill: go_to, pick_up, put_down, open, close, turn_on, turn_off or slice.
            arguments: the name of one room or object, e.g. ``('fridge 1',)``.

        Returns:
            SUCCEEDED with what is seen afterwards; or REFUSED with the reason, after which the
            world is as it was.
        """
        phrase = ' '.join([skill.replace('_', ' '), *(numbered(name) for name in arguments)])
        try:
            if skill not in SKILLS:
                raise Refusal(f'there is no such skill, only {", ".join(SKILLS)}')
            if len(arguments) != 1:
                raise Refusal(f'it takes one name, not {len(arguments)}')
            node_id = SKILLS[skill](Situation(self._graph, frozenset(self._seen)), arguments[0])
        except Refusal as refusal:
            text = f'You cannot {phrase.strip()}: {refusal}.'
            return SkillResult(SkillStatus.REFUSED, self._observation(text))
        self._look()
        return SkillResult(SkillStatus.SUCCEEDED, self._observation(self._text(skill, node_id)))

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
        now = self._facts()
        for node_id in self.scene.by_name.values():
            (old_at, old), (new_at, new) = self._start[node_id], now[node_id]
            name = self.scene.nodes[node_id].name
            if old_at != new_at:
                lines.append(f'{name}: {old_at} -> {new_at}')
            if old != new:
                gone = ', '.join(sorted(s.lower() for s in set(old) - set(new)))
                come = ', '.join(sorted(s.lower() for s in set(new) - set(old)))
                lines.append(f'{name}: {gone} -> {come}' if gone else f'{name}: {come}')
        return lines

    def _facts(self) -> dict[int, tuple[str, tuple[str, ...]]]:
        held = self._graph.held()
        facts = {}
        for node_id in self.scene.by_name.values():
            supports, room = self._graph.supports(node_id), self._graph.room_of(node_id)
            if node_id in held:
                where = "in the robot's hand"
            elif supports:
                where = f'{supports[0].relation.lower()} {self.scene.nodes[supports[0].to_id].name}'
            else:
                where = f'in {self.scene.nodes[room].name}' if room is not None else ''
            facts[node_id] = (where, self._graph.states(node_id))
        return facts

    def _look(self) -> None:
        reach, neighbours = self._surroundings()
        room = self._graph.room_of(self.scene.character)
        self._seen |= {*reach, *neighbours, *self._graph.held(), *self._graph.furniture_in(room)}

    def _surroundings(self) -> tuple[set[int], set[int]]:
        place = self._graph.place()
        return self._graph.around(place) if place is not None else (set(), set())

    def _text(self, skill: str, node_id: int) -> str:
        """Say what happened and what is seen: one rule a skill, Tables 8 and 9 of the paper."""
        graph = self._graph
        label = self._labels([node_id])
        if skill == 'go_to':
            if node_id in self.scene.rooms:
                return f'You enter the {label}. {self._quick_look()}' + self._holding()
            door = ''
            if 'can_open' in self.scene.nodes[node_id].affordances:
                door = ' It is open.' if graph.is_open(node_id) else ' It is closed.'
            return f'You are at the {label}.{door} {self._view()}' + self._holding()
        did = f'You {skill.replace("_", " ")} {label}'
        if skill == 'pick_up':
            return f'{did}.' + self._holding()
        if skill == 'put_down':
            edge = graph.supports(node_id)[0]
            preposition = 'in' if edge.relation == 'INSIDE' else 'on'
            return f'{did} {preposition} {self._labels([edge.to_id])}.' + self._holding()
        if skill == 'open':
            return f'{did}. {self._view()}'
        if skill == 'slice':
            sliced = f'{label[0].upper()}{label[1:]} is sliced.'
            return f'{did}. {self._view()} {sliced}' + self._holding()
        return f'{did}.'

    def _quick_look(self) -> str:
        furniture = self._graph.furniture_in(self._graph.room_of(self.scene.character))
        return f'Around you: {self._labels(furniture)}.' if furniture else 'The room is empty.'

    def _view(self) -> str:
        reach, neighbours = self._surroundings()
        seen = (reach | neighbours) - {self._graph.place()}
        return f'You see: {self._labels(seen)}.' if seen else 'You see nothing there.'

    def _holding(self) -> str:
        held = self._graph.held()
        return f' You hold {self._labels(held)}.' if held else ''

    def _labels(self, node_ids: Iterable[int | None]) -> str:
        return listing(self.scene.nodes[i].key for i in node_ids if i is not None)

    def _observation(self, text: str) -> Observation:
        scene, graph = self.scene, self._graph
        room, place = graph.room_of(scene.character), graph.place()
        reach, neighbours = self._surroundings()
        held = graph.held()
        ids = {*graph.furniture_in(room), *reach, *neighbours, *held}
        nodes = sorted((scene.nodes[i] for i in ids), key=lambda node: node.key)
        near = reach | set(held)
        return Observation(
            text=text,
            room=scene.nodes[room].name if room is not None else '',
            place=scene.nodes[place].name if place is not None else '',
            rooms=tuple(scene.nodes[i].name for i in scene.rooms),
            objects=tuple(self._observed(n.id, n.id in near, n.id in held) for n in nodes),
        )

    def _observed(self, node_id: int, near: bool, held: bool) -> ObservedObject:
        node = self.scene.nodes[node_id]
        room = self._graph.room_of(node_id)
        support = next(iter(self._graph.supports(node_id)), None)
        return ObservedObject(
            class_name=node.words,
            instance=node.instance,
            room=self.scene.nodes[room].name if room is not None else '',
            receptacle=self.scene.nodes[support.to_id].name if support else '',
            relation=support.relation.lower() if support else '',
            states=frozenset(state.lower() for state in self._graph.states(node_id)),
            affordances=node.affordances,
            near=near,
            held=held,
        )
