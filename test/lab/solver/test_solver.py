# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The solver: its plans can be carried out, reach the goal, and are as short as any."""

from __future__ import annotations

import copy
import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.errors import WorldError
from reactree_ros.lab.solver.solver import Plan, solve
from reactree_ros.sim.household import Scene, World, check, parse_conditions, scene_from_dict
from reactree_ros.sim.household.task_sets import TASK_SETS, task_set, world_of

Flat = Callable[..., dict[str, Any]]


def _node(i: int, class_name: str, category: str, properties: str, states: str = '') -> Any:
    return {
        'id': i,
        'class_name': class_name,
        'category': category,
        'properties': properties.split(),
        'states': states.split(),
    }


def _edge(from_id: int, relation: str, to_id: int) -> Any:
    return {'from_id': from_id, 'relation_type': relation, 'to_id': to_id}


def _furnished(flat: Flat, hands: int = 1) -> Scene:
    """The flat with what heats and lights, a bowl, and a mug in a closed microwave oven."""
    data = flat(hands)
    data['nodes'] += [
        _node(50, 'microwave', 'Appliances', 'CAN_OPEN CONTAINERS HAS_SWITCH', 'CLOSED OFF'),
        _node(51, 'tablelamp', 'Lamps', 'HAS_SWITCH', 'OFF'),
        _node(52, 'bowl', 'Props', 'GRABBABLE RECIPIENT'),
        _node(53, 'mug', 'Props', 'GRABBABLE', 'DIRTY'),
        _node(54, 'potato', 'Food', 'GRABBABLE CUTTABLE EATABLE'),
    ]
    data['edges'] += [_edge(50, 'INSIDE', 1), _edge(51, 'INSIDE', 2)]
    data['edges'] += [_edge(52, 'ON', 20), _edge(53, 'INSIDE', 50), _edge(54, 'INSIDE', 11)]
    return scene_from_dict(data)


def _carry_out(world: World, plan: Plan) -> None:
    for skill, arguments in plan:
        result = world.execute(skill, arguments)
        assert result.status is SkillStatus.SUCCEEDED, (skill, arguments, result.observation.text)


SOLVED = [
    # goal, skills of a shortest plan with one hand, with two
    ({'inside_juice_fridge': 1}, 0, 0),
    ({'inside_apple_fridge': 1}, 6, 6),
    ({'inside_apple_fridge': 2}, 10, 9),
    ({'on_juice_sofa': 1}, 6, 6),
    ({'holds_candy_bar': 1}, 3, 3),
    ({'on_candybar_chair': 1}, 6, 6),
    ({'inside_plate_dishwasher': 1, 'turnOn_dishwasher': 1}, 8, 8),
    ({'sliced_apple': 1}, 4, 4),
    ({'sliced_apple': 2}, 6, 6),
    ({'on_sliced.apple_chair': 1}, 8, 7),
    ({'inside_sliced.apple_fridge': 1, 'closed_fridge': 1}, 10, 9),
    ({'cold_apple': 1}, 7, 7),
    ({'on_cold.apple_sofa': 1}, 11, 11),
    ({'on_clean.mug_kitchentable': 1}, 11, 11),
    ({'on_hot.potato_kitchentable': 1}, 13, 13),
    ({'inside_hot.cooked.potato_microwave': 1}, 9, 9),
    ({'lit_apple': 1}, 4, 4),
    ({'turnOn_tablelamp': 1, 'holds_apple': 1}, 4, 4),
    ({'inside_apple_bowl': 1}, 3, 3),
    ({'on_bowl+apple_chair': 1}, 7, 7),
    ({'on_bowl+cutleryknife_kitchentable': 1}, 7, 7),
    ({'turnOff_tv': 1, 'open_fridge': 1}, 5, 5),
]


@pytest.mark.parametrize(('goal', 'one', 'two'), SOLVED, ids=lambda value: str(value))
@pytest.mark.parametrize('hands', [1, 2])
def test_a_plan_reaches_the_goal_in_as_many_skills_as_it_takes(
    flat: Flat, goal: dict[str, int], one: int, two: int, hands: int
) -> None:
    """With one hand and with two; counted by hand."""
    world = World(_furnished(flat, hands))
    plan = solve(world, parse_conditions(goal, world.scene))
    assert len(plan) == (one, two)[hands - 1]
    _carry_out(world, plan)
    assert check(world, goal).holds


@pytest.mark.parametrize(
    'goal',
    [
        {'hot_juice': 1},
        {'on_apple_fridge': 1},
        {'inside_apple_kitchentable': 1, 'sliced_apple': 2},
        {'on_plate+hot.apple_sofa': 1, 'inside_juice_dishwasher': 1},
        {'closed_fridge': 1, 'open_fridge': 1},
    ],
    ids=str,
)
def test_a_goal_that_cannot_be_reached_is_named(flat: Flat, goal: dict[str, int]) -> None:
    """The message has the goal; the world stays as it was."""
    world = World(scene_from_dict(flat()))
    with pytest.raises(WorldError, match=' hold in scene; check') as error:
        solve(world, parse_conditions(goal, world.scene))
    assert all(f'{key}: {count}' in str(error.value) for key, count in goal.items())
    assert not world.changes()


def test_the_same_world_gives_the_same_plan(flat: Flat) -> None:
    """Twice from the same scene."""
    goal = {'inside_apple_fridge': 1, 'on_sliced.apple_plate': 1, 'inside_mug_bowl': 1}
    plans = set()
    for _ in range(2):
        world = World(_furnished(flat))
        plans.add(solve(world, parse_conditions(goal, world.scene)))
    assert len(plans) == 1


@pytest.mark.parametrize('name', ['household', *(n for n in TASK_SETS if n[:3] in ('wah', 'alf'))])
def test_every_shipped_task_is_solved(name: str) -> None:
    """No goal holds in part at the start; the plan can be carried out and is as long as noted."""
    for task in task_set(name):
        world = world_of(task)
        conditions = parse_conditions(task.goal, world.scene)
        to_do = [c for c in conditions if c.predicate not in ('closed', 'turnOff')]
        assert not check(world, to_do).satisfied, task
        plan = solve(world, conditions)
        assert task.shortest in (0, len(plan)), task
        _carry_out(world, plan)
        assert check(world, conditions).holds, task


# Every goal in the smallest home that it makes sense in; all skills of the world are tried.
SEARCHED = [
    ({'inside_apple_fridge': 1}, 1),
    ({'inside_apple_fridge': 1, 'on_mug_stove': 1}, 2),
    ({'inside_apple_fridge': 1, 'closed_fridge': 1}, 1),
    ({'cold_apple': 1, 'turnOn_stove': 1}, 1),
    ({'on_cold.apple_stove': 1}, 1),
    ({'hot_mug': 1}, 2),
    ({'inside_hot.apple_fridge': 1}, 1),
    ({'on_sliced.apple_stove': 1}, 1),
    ({'inside_sliced.apple_fridge': 1}, 2),
    ({'on_bowl+apple_stove': 1}, 1),
    ({'on_bowl+hot.apple_stove': 1}, 1),
    ({'holds_bowl+apple': 1}, 1),
]


@pytest.mark.parametrize(('goal', 'hands'), SEARCHED, ids=lambda value: str(value))
def test_no_plan_is_shorter(goal: dict[str, int], hands: int) -> None:
    """A breadth-first search over ``World.execute`` finds none."""
    scene = _tiny(goal, hands)
    plan = solve(World(scene), parse_conditions(goal, scene))
    found = _shortest(scene, goal, len(plan))

    assert len(plan) == found


def _tiny(goal: dict[str, int], hands: int) -> Scene:
    nodes = [
        _node(1, 'kitchen', 'Rooms', ''),
        _node(2, 'bedroom', 'Rooms', ''),
        _node(3, 'character', 'Characters', ''),
        _node(10, 'fridge', 'Appliances', 'CAN_OPEN CONTAINERS', 'CLOSED'),
        _node(11, 'stove', 'Appliances', 'SURFACES HAS_SWITCH', 'OFF'),
        _node(12, 'desk', 'Furniture', 'SURFACES'),
    ]
    edges = [_edge(3, 'INSIDE', 2)]
    edges += [_edge(10, 'INSIDE', 1), _edge(11, 'INSIDE', 1), _edge(12, 'INSIDE', 2)]
    things = {
        'apple': (_node(20, 'apple', 'Food', 'GRABBABLE CUTTABLE EATABLE'), 12),
        'mug': (_node(21, 'mug', 'Props', 'GRABBABLE'), 10),
        'bowl': (_node(22, 'bowl', 'Props', 'GRABBABLE RECIPIENT'), 10),
        'sliced': (_node(23, 'cutleryknife', 'Props', 'GRABBABLE'), 11),
    }
    for word, (node, place) in things.items():
        if any(word in key for key in goal):
            nodes.append(node)
            edges.append(_edge(node['id'], 'INSIDE' if place == 10 else 'ON', place))
    return scene_from_dict({'metadata': {'hands': hands}, 'nodes': nodes, 'edges': edges})


def _shortest(scene: Scene, goal: dict[str, int], limit: int) -> int | None:
    conditions = parse_conditions(goal, scene)
    start = World(scene)
    queue = deque([(start, _seen(start, frozenset()), 0)])
    known = set()
    while queue:
        world, seen, length = queue.popleft()
        for after, noticed in _next(world, seen):
            if check(after, conditions).holds:
                return length + 1
            key = repr(after.graph()['edges']), repr(after.graph()['nodes']), noticed
            if key not in known and length + 1 < limit:
                known.add(key)
                queue.append((after, noticed, length + 1))
    return None


def _next(world: World, seen: frozenset[str]) -> Iterator[tuple[World, frozenset[str]]]:
    nodes = [n for n in world.scene.nodes.values() if n.words != 'character']
    names = [n.name for n in nodes]
    skills: list[tuple[str, tuple[str, ...]]] = [
        (skill, (name,))
        for skill in ('go_to', 'pick_up', 'put_down', 'open', 'close', 'turn_on', 'slice')
        for name in names
    ]
    vessels = [n.name for n in nodes if 'recipient' in n.affordances]
    skills += [('put_into', pair) for pair in itertools.product(names, vessels)]
    after = None
    for skill, arguments in skills:
        # A refused skill changes nothing: the copy can be used again.
        after = after or copy.deepcopy(world, {id(world.scene): world.scene})
        if after.execute(skill, arguments).status is SkillStatus.SUCCEEDED:
            yield after, _seen(after, seen)
            after = None


def _seen(world: World, before: frozenset[str]) -> frozenset[str]:
    return before | {item.name for item in world.observe().objects}
