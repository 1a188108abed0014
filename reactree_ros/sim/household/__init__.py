# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The household world: scenes, skills, what is observed, goals and tasks."""

from __future__ import annotations

from reactree_ros.sim.household.goal import GoalCheck
from reactree_ros.sim.household.scene import Edge, Node, Scene, load_scene, scene_from_dict
from reactree_ros.sim.household.shipped import scene_names, shipped_scene, shipped_tasks
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.household.task_world import TaskWorld, judged
from reactree_ros.sim.household.truth import check_lines, true_situation
from reactree_ros.sim.household.world import World

__all__ = [
    'Edge',
    'GoalCheck',
    'Node',
    'Scene',
    'Task',
    'TaskWorld',
    'World',
    'check_lines',
    'judged',
    'load_scene',
    'scene_from_dict',
    'scene_names',
    'shipped_scene',
    'shipped_tasks',
    'true_situation',
]
