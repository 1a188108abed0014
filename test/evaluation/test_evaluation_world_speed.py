# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the world: what it walks through and what it counts."""

from __future__ import annotations

from reactree_ros.evaluation.world_speed import enlarged, measure
from reactree_ros.world import World, shipped_scene


def test_a_scene_is_enlarged_by_things_that_can_be_found() -> None:
    """To as many nodes as asked for, always the same ones; each in a room, on or in something."""
    scene = shipped_scene('apartment_1')

    larger = enlarged(scene, 400)

    assert len(larger.nodes) == 400
    assert larger.rooms == scene.rooms
    state = World(larger).state
    assert all(state.supports(i) for i in larger.nodes.keys() - scene.nodes.keys())
    assert enlarged(scene, 400).edges == larger.edges != enlarged(scene, 400, seed=1).edges


def test_every_action_is_counted_once_under_its_skill() -> None:
    """The walk is the same each time; nearly every skill comes up, some actions are refused."""
    scene = shipped_scene('apartment_1')

    first, second = measure(scene, 600), measure(scene, 600)

    assert first.actions == 600 == sum(one.actions for one in first.skills)
    assert first.characters == second.characters > 600 * 20
    assert {one.skill: one.actions for one in first.skills} == {
        one.skill: one.actions for one in second.skills
    }
    assert len(first.skills) >= 8
    assert 0 < sum(one.refused for one in first.skills) < 300
    assert first.per_second > 0
