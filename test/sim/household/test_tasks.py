# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped tasks can be solved by the skills; wrong task files are refused by place."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household import (
    Task,
    World,
    check,
    load_tasks,
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


GOOD = """
  - id: 1
    type: put_fridge
    scene: apartment_1
    start: bathroom 1
    instruction: Put the apple in the fridge.
    goal: {inside_apple_fridge: 1, closed_fridge: 1}
"""

WRONG = [
    # in place of, this, message
    ('id: 1', 'id: one', "tasks[0].id: 'one' is not a whole number"),
    ('id: 1\n', 'id: 1\n    color: red\n', 'tasks[0].color: not a key of a task'),
    ('    start: bathroom 1\n', '', 'tasks[0].start: missing'),
    ('put_fridge', 'wash_car', "tasks[0].type: 'wash_car' is not one of put_fridge,"),
    ('apartment_1', 'castle', "tasks[0].scene: there is no scene 'castle', only apartment_1"),
    ('bathroom 1', 'attic 1', "tasks[0].start: there is no room 'attic 1'"),
    ('Put the apple in the fridge.', '""', "tasks[0].instruction: '' is not a text"),
    ('inside_apple_fridge: 1,', 'inside_apple_oven: 1,', 'tasks[0].goal.inside_apple_oven: '),
    ('inside_apple_fridge: 1,', 'inside_apple_fridge: 9,', 'the scene has fewer apple than 9'),
    ('inside_apple_fridge: 1,', 'inside_milk_fridge: 1,', 'holds already at the start: milk ins'),
    ('{inside_apple_fridge: 1, closed_fridge: 1}', '{}', 'tasks[0].goal: expected conditions'),
    ('id: 1\n', 'id: 1\n    unseen: maybe\n', "tasks[0].unseen: 'maybe' is not true or false"),
    ('id: 1\n', 'id: 1\n    shortest: true\n', 'tasks[0].shortest: True is not a whole number'),
    ('id: 1\n', 'id: 1\n    instructions: [3]\n', 'tasks[0].instructions[0]: 3 is not a text'),
    ('id: 1\n', 'id: 1\n    moved: [[apple 1, on, sofa 1]]\n', 'in YAML, write "on" in quotes'),
    ('id: 1\n', 'id: 1\n    moved: [apple 1]\n', "tasks[0].moved[0]: 'apple 1' is not three texts"),
    (
        'id: 1\n',
        'id: 1\n    moved: [[apple 1, "on", moon 1]]\n',
        "tasks[0].moved[0]: the scene has no furniture 'moon 1'",
    ),
    (
        'id: 1\n',
        'id: 1\n    moved: [[apple 1, inside, fridge 1], [milk 1, "on", sofa 1]]\n',
        'tasks[0].goal: holds already at the start: apple inside fridge',
    ),
    ('{inside_apple_fridge: 1, closed_fridge: 1}', '3', 'tasks[0].goal: 3 is not conditions'),
]


@pytest.mark.parametrize(('old', 'new', 'message'), WRONG)
def test_a_wrong_task_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    """One fault each, in an otherwise good file."""
    path = tmp_path / 'tasks.yaml'
    path.write_text('tasks:' + GOOD.replace(old, new), encoding='utf-8')

    with pytest.raises(ConfigurationError) as error:
        load_tasks(path, shipped_scene)

    assert message in str(error.value)


def test_a_second_task_with_the_same_id_is_refused(tmp_path: Path) -> None:
    """Ids name tasks on the command line."""
    path = tmp_path / 'tasks.yaml'
    path.write_text('tasks:' + GOOD + GOOD, encoding='utf-8')

    with pytest.raises(ConfigurationError, match=r'tasks\[1\].id: 1 is already the id'):
        load_tasks(path, shipped_scene)


@pytest.mark.parametrize('text', ['', 'tasks: 3', '- id: 1', 'tasks: []\nmore: 1', 'a: [', '\0'])
def test_a_file_that_is_no_list_of_tasks_is_refused(tmp_path: Path, text: str) -> None:
    """The message names the file."""
    path = tmp_path / 'tasks.yaml'
    path.write_text(text, encoding='utf-8')

    with pytest.raises(ConfigurationError, match=r'tasks\.yaml'):
        load_tasks(path, shipped_scene)


def test_a_good_file_loads(tmp_path: Path) -> None:
    """A condition that asks only for order afterwards may hold at the start."""
    path = tmp_path / 'tasks.yaml'
    path.write_text('tasks:' + GOOD, encoding='utf-8')

    assert [task.start for task in load_tasks(path, shipped_scene)] == ['bathroom 1']
