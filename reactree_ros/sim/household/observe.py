# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot perceives of a world: texts and structure, by Appendix B.2 of the paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reactree_ros.core.names import listing
from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.sim.household.graph import Graph
from reactree_ros.sim.household.skills import Done

REMARKABLE = ('hot', 'cold', 'cooked', 'sliced', 'dirty', 'clean', 'on')
"""States that a text mentions, in this order; it never says that something is off or closed."""


class Observer:
    """Looks at a world from where its robot stands.

    Args:
        graph: the world; it is read, not changed.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._scene = graph.scene
        # In scenes of VirtualHome nearly everything is clean: no news there.
        self._remarkable = tuple(
            state for state in REMARKABLE if state != 'clean' or not self._scene.tidy
        )
        self._last: dict[int, tuple[tuple[object, ...], ObservedObject]] = {}

    def visible(self) -> set[int]:
        """Ids of all that the robot sees now: furniture, what is in reach, what is in its hands."""
        reach, neighbours = self._surroundings()
        room = self._graph.room_of(self._graph.character)
        return {*reach, *neighbours, *self._graph.in_hand(), *self._graph.furniture_in(room)}

    def initial(self) -> str:
        """Say where the robot is: the rule of the initial observation in Tables 8 and 9."""
        scene, graph = self._scene, self._graph
        rooms = self._labels(scene.rooms)
        count = f'{len(scene.rooms)} room' + ('s' if len(scene.rooms) > 1 else '')
        room, place = graph.room_of(graph.character), graph.place()
        where = f'in the {self._labels([room])}' if room is not None else 'in the house'
        if place is not None:
            where += f', at the {self._labels([place])}'
        text = f'The house has {count}: {rooms}. You are {where}. {self._quick_look()}'
        return text + self._holding() + self._remarks(graph.in_hand())

    def text(self, skill: str, done: Done) -> str:
        """Say what a skill did and what is seen: one rule a skill, Tables 8 and 9 of the paper.

        The last sentences name remarkable states of visible objects, if there are any.
        """
        graph, target = self._graph, done.target
        label = self._labels([target])
        did = f'You {skill.replace("_", " ")} {label}'
        if skill == 'go_to' and target in self._scene.rooms:
            text = f'You enter the {label}. {self._quick_look()}' + self._holding()
            return text + self._remarks(graph.in_hand())
        if skill == 'go_to':
            door = ''
            if 'can_open' in self._scene.nodes[target].affordances:
                door = ' It is open.' if graph.is_open(target) else ' It is closed.'
            text = f'You are at the {label}.{door} {self._view()}' + self._holding()
            return text + self._remarks([*self._in_view(), target, *graph.in_hand()])
        if skill == 'pick_up':
            return f'{did}.' + self._holding() + self._remarks(graph.in_hand())
        if skill in ('put_down', 'put_into'):
            edge = graph.supports(target)[0]
            preposition = 'in' if edge.relation == 'INSIDE' else 'on'
            if skill == 'put_into':
                did, preposition = f'You put {label}', {'in': 'into'}.get(preposition, 'on')
            text = f'{did} {preposition} {self._labels([edge.to_id])}.' + self._holding()
            return text + self._remarks(self._seen_of(done.changed))
        if skill == 'open':
            stopped = ' It switches off.' if done.switched_off else ''
            return f'{did}.{stopped} {self._view()}' + self._remarks(self._in_view())
        if skill == 'slice':
            sliced = f'{label[0].upper()}{label[1:]} is sliced.'
            text = f'{did}. {self._view()} {sliced}' + self._holding()
            others = {*self._in_view(), *graph.in_hand()} - {target}
            return text + self._remarks(others)
        return f'{did}.' + self._remarks(self._seen_of(done.changed))

    def observation(self, text: str) -> Observation:
        """Put a text together with the structure of what the robot perceives now."""
        scene, graph = self._scene, self._graph
        room, place = graph.room_of(graph.character), graph.place()
        reach, neighbours = self._surroundings()
        held, in_hand = graph.held(), graph.in_hand()
        ids = {*graph.furniture_in(room), *reach, *neighbours, *in_hand}
        near = {*reach, *in_hand}
        return Observation(
            text=text,
            room=scene.nodes[room].name if room is not None else '',
            place=scene.nodes[place].name if place is not None else '',
            rooms=tuple(scene.nodes[i].name for i in scene.rooms),
            objects=tuple(
                self._observed(i, i in near, i in held)
                for i in sorted(ids, key=scene.ranks.__getitem__)
            ),
        )

    def everything(self) -> Observation:
        """Return the structure of all that there is, seen or not."""
        now = self.observation('')
        near = {*self._surroundings()[0], *self._graph.in_hand()}
        nodes = self._scene.nodes
        ids = [i for i in self._scene.by_name.values() if nodes[i].affordances]
        held = self._graph.is_held  # by any robot
        return replace(now, objects=tuple(self._observed(i, i in near, held(i)) for i in ids))

    def _surroundings(self) -> tuple[frozenset[int], frozenset[int]]:
        place = self._graph.place()
        return self._graph.around(place) if place is not None else (frozenset(), frozenset())

    def _in_view(self) -> set[int]:
        reach, neighbours = self._surroundings()
        return {i for i in reach | neighbours if i != self._graph.place()}

    def _seen_of(self, node_ids: Iterable[int]) -> list[int]:
        visible = self._in_view() | set(self._graph.in_hand())
        return [node_id for node_id in node_ids if node_id in visible]

    def _quick_look(self) -> str:
        furniture = self._graph.furniture_in(self._graph.room_of(self._graph.character))
        return f'Around you: {self._labels(furniture)}.' if furniture else 'The room is empty.'

    def _view(self) -> str:
        seen = self._in_view()
        return f'You see: {self._labels(seen)}.' if seen else 'You see nothing there.'

    def _holding(self) -> str:
        held = self._graph.held()
        if not held:
            return ''
        text = f' You hold {self._labels(held)}.'
        visible = set(self._graph.in_hand())
        for vessel in held:
            inner = [i for i in self._graph.with_contents(vessel)[1:] if i in visible]
            if inner:
                on = 'SURFACES' in self._scene.nodes[vessel].properties
                preposition = 'On' if on else 'In'
                text += f' {preposition} {self._labels([vessel])}: {self._labels(inner)}.'
        return text

    def _remarks(self, node_ids: Iterable[int]) -> str:
        """Say which things are hot, sliced and so on, things in the same states together."""
        by_states: dict[tuple[str, ...], list[int]] = {}
        for node_id in sorted(set(node_ids), key=self._scene.ranks.__getitem__):
            now = {state.lower() for state in self._graph.states(node_id)}
            # Of furniture, only whether it is switched on: that a floor is dirty is not news.
            movable = 'GRABBABLE' in self._scene.nodes[node_id].properties
            shown = self._remarkable if movable else ('on',)
            found = tuple(state for state in shown if state in now)
            if found:
                by_states.setdefault(found, []).append(node_id)
        sentences = ''
        for states, ids in by_states.items():
            *first, last = states
            said = f'{", ".join(first)} and {last}' if first else last
            labels = self._labels(ids)
            verb = 'is' if len(ids) == 1 else 'are'
            sentences += f' {labels[0].upper()}{labels[1:]} {verb} {said}.'
        return sentences

    def _labels(self, node_ids: Iterable[int | None]) -> str:
        return listing(self._scene.nodes[i].key for i in node_ids if i is not None)

    def _observed(self, node_id: int, near: bool, held: bool) -> ObservedObject:
        room = self._graph.room_of(node_id)
        support = next(iter(self._graph.supports(node_id)), None)
        states = self._graph.states(node_id)
        # Most of what is seen was seen like that a moment ago.
        key = (near, held, room, support, states)
        last = self._last.get(node_id)
        if last is not None and last[0] == key:
            return last[1]
        node = self._scene.nodes[node_id]
        seen = ObservedObject(
            class_name=node.words,
            instance=node.instance,
            room=self._scene.nodes[room].name if room is not None else '',
            receptacle=self._scene.nodes[support.to_id].name if support else '',
            relation=support.relation.lower() if support else '',
            states=frozenset(state.lower() for state in states),
            affordances=node.affordances,
            near=near,
            held=held,
        )
        self._last[node_id] = (key, seen)
        return seen
