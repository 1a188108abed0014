# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A flat of two rooms with one object for every rule, and what builds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reactree_ros.sim.household import World, scene_from_dict


def _node(i: int, class_name: str, category: str, properties: str = '', states: str = '') -> Any:
    return {
        'id': i,
        'class_name': class_name,
        'category': category,
        'properties': properties.split(),
        'states': states.split(),
    }


def _edge(from_id: int, relation: str, to_id: int) -> Any:
    return {'from_id': from_id, 'relation_type': relation, 'to_id': to_id}


def _flat(hands: int = 1) -> dict[str, Any]:
    nodes = [
        _node(1, 'kitchen', 'Rooms'),
        _node(2, 'livingroom', 'Rooms'),
        _node(3, 'character', 'Characters'),
        _node(10, 'kitchentable', 'Furniture', 'SURFACES'),
        _node(11, 'fridge', 'Appliances', 'CAN_OPEN CONTAINERS', 'CLOSED'),
        _node(12, 'dishwasher', 'Appliances', 'CAN_OPEN CONTAINERS HAS_SWITCH', 'CLOSED OFF'),
        _node(13, 'chair', 'Furniture', 'SURFACES SITTABLE'),
        _node(14, 'chair', 'Furniture', 'SURFACES SITTABLE'),
        _node(15, 'faucet', 'Electronics', 'HAS_SWITCH', 'OFF'),
        _node(16, 'floor', 'Floor', 'SURFACES'),
        _node(17, 'sink', 'Furniture', 'CONTAINERS'),
        _node(20, 'sofa', 'Furniture', 'SURFACES SITTABLE'),
        _node(21, 'tv', 'Electronics', 'HAS_SWITCH', 'ON'),
        _node(30, 'apple', 'Food', 'GRABBABLE CUTTABLE'),
        _node(31, 'juice', 'Drinks', 'GRABBABLE'),
        _node(32, 'cutleryknife', 'Props', 'GRABBABLE'),
        _node(33, 'apple', 'Food', 'GRABBABLE CUTTABLE'),
        _node(34, 'plate', 'Props', 'GRABBABLE RECIPIENT SURFACES'),
        _node(35, 'cupcake', 'Food', 'GRABBABLE'),
        _node(36, 'box', 'Props', 'GRABBABLE CAN_OPEN CONTAINERS', 'CLOSED'),
        _node(37, 'candy_bar', 'Food', 'GRABBABLE'),
        _node(38, 'wallclock', 'Decor'),
    ]
    edges = [_edge(3, 'INSIDE', 2)]
    edges += [_edge(i, 'INSIDE', 1) for i in range(10, 18)]
    edges += [_edge(i, 'INSIDE', 2) for i in (20, 21, 38)]
    things = {30: 10, 31: 11, 32: 10, 33: 20, 34: 10, 36: 20}
    for thing, place in things.items():
        edges.append(_edge(thing, 'INSIDE' if place == 11 else 'ON', place))
        edges.append(_edge(thing, 'INSIDE', 2 if place == 20 else 1))
        edges.append(_edge(thing, 'CLOSE', place))
    edges += [_edge(35, 'ON', 34), _edge(35, 'INSIDE', 1), _edge(37, 'INSIDE', 36)]
    edges += [_edge(10, 'CLOSE', 13), _edge(13, 'CLOSE', 10), _edge(38, 'CLOSE', 20)]
    return {'metadata': {'hands': hands}, 'nodes': nodes, 'edges': edges}


@pytest.fixture
def flat() -> Callable[..., dict[str, Any]]:
    """Gives the flat as plain data, fresh at each call."""
    return _flat


@pytest.fixture
def world() -> World:
    """The flat, the robot in the middle of the living room."""
    return World(scene_from_dict(_flat()))


@pytest.fixture
def two_handed() -> World:
    """The same flat with a robot of two hands."""
    return World(scene_from_dict(_flat(hands=2)))
