# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped tasks can be solved by the skills; wrong task files are refused by place."""

from __future__ import annotations

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.sim.household import (
    Task,
    World,
    check,
    parse_conditions,
    shipped_scene,
    shipped_tasks,
)


class _KnowingRobot:
    """Solves a task by skills alone, but knows from the graph where everything is."""

    def __init__(self, world: World) -> None:
        self.world = world

    def solve(self, task: Task) -> None:
        conditions = parse_conditions(task.goal, self.world.scene)
        for condition in conditions:
            if condition.target:
                self._bring(condition.subject, condition.target, condition.count)
        for condition in conditions:
            if condition.predicate == 'turnOn':
                name = f'{condition.subject} 1'
                self._stand_at(name, open_it=False)
                self._do('turn_on', name)

    def _bring(self, subject: str, target: str, count: int) -> None:
        graph, scene = self.world.state, self.world.scene
        done = 0
        for node in scene.of_words(subject):
            place = scene.nodes[graph.supports(node.id)[0].to_id]
            if done < count and place.words != target:
                self._stand_at(place.name, open_it=True)
                self._do('pick_up', node.name)
                self._stand_at(f'{target} 1', open_it=True)
                self._do('put_down', node.name)
                done += 1

    def _stand_at(self, name: str, *, open_it: bool) -> None:
        graph, scene = self.world.state, self.world.scene
        words, _, instance = name.rpartition(' ')
        node_id = scene.by_name[words, int(instance)]
        room = graph.room_of(node_id)
        assert room is not None
        self._do('go_to', scene.nodes[room].name)
        self._do('go_to', name)
        if open_it and graph.is_closed(node_id):
            self._do('open', name)
        if not open_it and graph.is_open(node_id):
            self._do('close', name)

    def _do(self, skill: str, name: str) -> None:
        result = self.world.execute(skill, (name,))
        assert result.status is SkillStatus.SUCCEEDED, result.observation.text


@pytest.mark.parametrize('task', shipped_tasks(), ids=lambda task: str(task.id))
def test_a_shipped_task_is_open_at_the_start_and_can_be_solved(task: Task) -> None:
    """From its start room, with every precondition of the skills in force."""
    world = World(shipped_scene(task.scene), task.start)
    assert not check(world, task.goal).holds

    _KnowingRobot(world).solve(task)

    assert check(world, task.goal).holds


def test_the_shipped_tasks_are_ten_of_five_types_in_both_apartments() -> None:
    """The first is the demo's default."""
    tasks = shipped_tasks()

    assert [task.id for task in tasks] == list(range(1, 11))
    assert tasks[0].instruction == 'Put the apple in the fridge.'
    assert {task.scene for task in tasks} == {'apartment_1', 'apartment_2'}
    assert {task.type for task in tasks} == {
        'put_fridge', 'put_dishwasher', 'prepare_food', 'prepare_snack', 'setup_table',
    }  # fmt: skip
