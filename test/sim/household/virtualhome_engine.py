# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""VirtualHome's own executor, driven by the skills of this package's world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reactree_ros.sim.household import Scene, World

pytest.importorskip('virtualhome_eval', reason='requirements/virtualhome.txt is not installed')

import virtualhome_eval
from virtualhome_eval.simulation.evolving_graph.environment import (
    EnvironmentGraph,
    EnvironmentState,
    Relation,
)
from virtualhome_eval.simulation.evolving_graph.execution import ScriptExecutor
from virtualhome_eval.simulation.evolving_graph.scripts import (
    Action,
    Script,
    ScriptLine,
    ScriptObject,
)

ACTIONS = {
    'go_to': Action.WALK,
    'pick_up': Action.GRAB,
    'open': Action.OPEN,
    'close': Action.CLOSE,
    'turn_on': Action.SWITCHON,
    'turn_off': Action.SWITCHOFF,
    'slice': Action.CUT,
}
OURS = {'HOT', 'COLD', 'COOKED', 'CLEAN', 'DIRTY', 'SLICED'}
"""States that devices and knives change here and that nothing changes there."""


def scene_files() -> list[Path]:
    """All scenes of the package, sorted."""
    return sorted((Path(virtualhome_eval.__file__).parent / 'dataset').rglob('*_graph/*/*.json'))


class Engine:
    """VirtualHome's executor in a scene.

    Args:
        scene: the scene, as this package has read it.
        graph: the same scene in VirtualHome's own form; several engines may share it.
    """

    def __init__(self, scene: Scene, graph: Any) -> None:
        self._scene = scene
        self._executor = ScriptExecutor(graph, {})
        self._state = EnvironmentState(graph, {}, instance_selection=True)

    @staticmethod
    def graph(scene: Scene) -> Any:
        """Bring a scene into VirtualHome's own form."""
        return EnvironmentGraph(World(scene).graph())

    def refusal(self, skill: str, ids: tuple[int, ...]) -> str:
        """Say why an action cannot be done now; empty if it can be."""
        self._executor.info.messages.clear()
        if self._executor.check_one_step(self._script(skill, ids), self._state):
            return ''
        return self._executor.info.get_error_string() or 'no reason'

    def execute(self, skill: str, ids: tuple[int, ...]) -> None:
        """Do an action that can be done."""
        done, self._state = self._executor.execute_one_step(
            self._script(skill, ids), self._state, in_place=True
        )
        assert done

    def facts(self, carried: set[int]) -> dict[int, tuple[Any, ...]]:
        """States, supports, room and holder's hand of every node; of what is carried, no room."""
        nodes = self._scene.nodes
        held = {
            i: relation.name
            for relation in (Relation.HOLDS_RH, Relation.HOLDS_LH)
            for i in self._state.get_node_ids_from(self._scene.character, relation)
        }
        found = {}
        for node_id, node in nodes.items():
            supports = {
                (relation.name, to_id)
                for relation in (Relation.ON, Relation.INSIDE)
                for to_id in self._state.get_node_ids_from(node_id, relation)
            }
            rooms = {to_id for _, to_id in supports if nodes[to_id].category == 'Rooms'}
            states = {state.name for state in self._state.get_node(node_id).states} - OURS
            found[node_id] = (
                node.name,
                states,
                {one for one in supports if one[1] not in rooms},
                set() if node_id in carried else rooms,
                held.get(node_id, ''),
            )
        return found

    def _script(self, skill: str, ids: tuple[int, ...]) -> Any:
        action = Action.PUTIN if skill == 'put_in' else ACTIONS.get(skill, Action.PUTBACK)
        objects = [ScriptObject(self._scene.nodes[i].class_name, i) for i in ids]
        return Script([ScriptLine(action, objects, 0)])


def facts(world: World, carried: set[int]) -> dict[int, tuple[Any, ...]]:
    """The same facts about a world."""
    graph, nodes = world.state, world.scene.nodes
    edges = world.graph()['edges'] if graph.held() else []
    hands = {e['to_id']: e['relation_type'] for e in edges if 'HOLDS' in e['relation_type']}
    found = {}
    for node_id, node in nodes.items():
        room = graph.room_of(node_id)
        found[node_id] = (
            node.name,
            set(graph.states(node_id)) - OURS,
            {(edge.relation, edge.to_id) for edge in graph.supports(node_id)},
            set() if node_id in carried or room in (None, node_id) else {room},
            hands.get(node_id, ''),
        )
    return found
