# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Solved tasks as experiences of planners that plan as a whole."""

from __future__ import annotations

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.plan_experiences import plan_text, plans, shipped_plans
from reactree_ros.memory.experience import Termination, read_experiences
from reactree_ros.paths import share
from reactree_ros.sim.household import shipped_scene
from reactree_ros.sim.household.task_sets import task_set
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import read_library


@pytest.fixture
def library() -> SkillLibrary:
    """The household's skills."""
    return read_library(share('behaviors', 'household.yaml'))


def test_the_shipped_plans_are_what_the_solver_makes(library: SkillLibrary) -> None:
    """All of them end with done; ``reactree-lab experiences plans`` writes them anew."""
    path = share('resource', 'experiences', 'plans.txt')

    assert path.read_text(encoding='utf-8') == shipped_plans(library)
    experiences = read_experiences(path)
    assert len(experiences) >= 150
    assert {e.termination for e in experiences} == {Termination.SUCCESS}
    assert all(e.root for e in experiences)


def test_a_plan_names_places_by_number_and_things_by_class(library: SkillLibrary) -> None:
    """The first household task: the apple belongs in the fridge."""
    assert plans(task_set('household')[:1], library).splitlines()[1:] == [
        'Goal: Put the apple in the fridge.',
        'go to kitchen 1',
        'go to kitchen counter 1',
        'pick up apple',
        'go to fridge 1',
        'open fridge 1',
        'put down apple',
        'done',
    ]


def test_things_lose_their_numbers_in_every_skill(library: SkillLibrary) -> None:
    """Vessels, too; what is not an object of the scene stays as it is."""
    scene = shipped_scene('apartment_1')
    plan = (('put_into', ('apple 2', 'bowl 1')), ('slice', ('apple 1',)), ('go_to', ('sofa 1',)))

    assert plan_text('Do it', plan, library, scene).splitlines() == [
        'Goal: Do it',
        'put apple into bowl',
        'slice apple',
        'go to sofa 1',
        'done',
    ]


def test_a_skill_that_the_robot_lacks_is_named(library: SkillLibrary) -> None:
    """With those it has."""
    with pytest.raises(ConfigurationError, match="no skill 'fly', only go_to"):
        plan_text('Do it', (('fly', ('sofa 1',)),), library, shipped_scene('apartment_1'))
