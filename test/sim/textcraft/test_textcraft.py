# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""TextCraft: what can be got and crafted, by what the target is judged, and what examples show."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli import main
from reactree_ros.lab.evaluation.record import record
from reactree_ros.memory.experience import read_experiences
from reactree_ros.paths import share
from reactree_ros.planner.memory_setup import experience_source
from reactree_ros.planner.options import planner_options
from reactree_ros.sim.tasks import _tasks
from reactree_ros.sim.textcraft import recipes
from reactree_ros.sim.textcraft.library import TextCraftLibrary, textcraft_library
from reactree_ros.sim.textcraft.tasks import craft_tasks
from reactree_ros.sim.textcraft.world import (
    CraftProblem,
    TextCraftWorld,
    read_command,
    read_problem,
)

OF_METHODS = {
    'flat': ['Act: done'],
    'tree': ['Expand: ', 'Primary goal: ', 'Act: done'],
    'skills': ['Act: failure', 'Act: done', 'Could not find'],
    'hiagent': ['Subgoal reached.', 'Subgoal not reached.', 'Act: retrieve subgoal '],
    'step': ['Part of: ', ' Before: ', 'Not possible: '],
}


@pytest.fixture
def problem() -> CraftProblem:
    """Return the problem of the examples."""
    return read_problem(share('resource', 'textcraft', 'practice.yaml'))


def offered(library: TextCraftLibrary) -> dict[str, Any]:
    return {skill.phrase: skill for skill in library.executable(Situation())}


def do(library: TextCraftLibrary, world: TextCraftWorld, phrase: str) -> Any:
    skill = offered(library)[phrase]
    return world.execute(skill.name, skill.arguments)


def test_crafting_takes_what_the_command_says(problem: CraftProblem) -> None:
    world, library = TextCraftWorld(problem), textcraft_library(problem)
    text = world.observe().text
    assert 'craft 4 pine board using 1 pine beam; ' in text and text.endswith('Inventory: empty.')
    assert do(library, world, 'craft 4 pine board using 1 pine beam').observation.text == (
        'Not enough in the inventory: it takes 1 pine beam.'
    )
    assert do(library, world, 'get 2 pine beam').observation.text == (
        'Got 2 pine beam. You have 2 of it.'
    )
    for count in (4, 8):
        done = do(library, world, 'craft 4 pine board using 1 pine beam')
        assert done.observation.text == f'Crafted 4 pine board. You have {count} of it.'
    # any board will do, in its own name; there is no elm board among the commands
    assert do(library, world, 'craft 1 bird house using 5 pine board').status.name == 'SUCCEEDED'
    assert do(library, world, 'inventory').observation.text == (
        'Inventory: 1 bird house, 3 pine board.'
    )
    assert world.observe().text.endswith('Inventory: 1 bird house, 3 pine board.')


def test_what_has_to_be_crafted_is_on_offer_and_not_found(problem: CraftProblem) -> None:
    world, library = TextCraftWorld(problem), textcraft_library(problem)
    done = do(library, world, 'get 1 music box')
    assert (done.status, done.observation.text) == (
        SkillStatus.FAILED, 'Could not find music box.',
    )  # fmt: skip
    assert 'get 1 board' not in offered(library), 'that is a kind'


@pytest.mark.parametrize(
    ('line', 'why'),
    [
        ('craft 4 pine board using 1 pine beam', 'Not enough in the inventory'),
        ('craft 9 pine board using 1 pine beam', 'not among the crafting commands'),
        ('craft pine board', 'not possible like that'),
        ('get many pine beam', 'not possible like that'),
    ],
)
def test_what_is_refused_changes_nothing(problem: CraftProblem, line: str, why: str) -> None:
    world = TextCraftWorld(problem)
    done = world.execute(line)
    assert done.status is SkillStatus.REFUSED and why in done.observation.text
    assert not +world.inventory


def test_the_inventory_is_what_counts(problem: CraftProblem) -> None:
    world = TextCraftWorld(problem)
    world.inventory.update({'brass pin': 3, 'pine board': 2, 'spring coil': 1})
    assert not world.check().holds
    assert world.missing(['craft music box']) == ('music box in the inventory',)
    assert world.missing(['craft something']) is None
    done = world.execute('craft 1 music box using 3 brass pin, 2 pine board, 1 spring coil')
    assert done.status is SkillStatus.SUCCEEDED
    assert world.check().holds and world.missing(['craft music box']) == ()


@pytest.mark.parametrize('text', ['craft 4 stick', 'craft stick using 1 bar', 'get 4 stick'])
def test_a_wrong_command_is_named(text: str) -> None:
    with pytest.raises(ConfigurationError, match=text):
        read_command(text)


@pytest.mark.parametrize('kind', OF_METHODS)
def test_runs_of_the_methods_are_as_they_went_and_reach_the_goal(
    problem: CraftProblem, kind: str
) -> None:
    library = textcraft_library(problem)
    shown = library.examples[kind]
    ((_, text),) = record(shown.with_suffix('.yaml'), library).items()
    assert shown.read_text() == text
    assert [part for part in OF_METHODS[kind] if part not in text] == []
    whole = [one for one in read_experiences(shown) if one.goal == 'craft music box']
    assert len(whole) == 1
    assert 'Crafted 1 music box.' in text


@pytest.mark.parametrize(
    ('strategy', 'line'),
    [
        ('react', 'Act: craft 6 brass pin'),
        ('reactree', 'Expand: sequence'),
        ('adapt', 'Act: failure'),
        ('hiagent', 'Summary of subgoal 1: '),
        ('step', 'Think: make brass pins'),
    ],
)
def test_models_that_learn_from_their_prompt_read_the_form_of_the_method(
    problem: CraftProblem, word_encoder: Any, strategy: str, line: str
) -> None:
    library = textcraft_library(problem)
    encoder = word_encoder('craft box')
    model: Any = SimpleNamespace(
        embed=encoder.embed, count=encoder.count, encoder_name=encoder.encoder_name
    )
    options = planner_options({'model.name': 'gemma-3-270m'}).for_library(library)
    source = experience_source(options, strategy, model, library)
    assert source is not None
    asked = source.retrieve('craft lectern', True, 2000)
    while (found := asked.poll()) is None:
        pass
    assert any(one.startswith(line) for one in '\n'.join(found).splitlines())


def test_without_the_recipes_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(recipes, 'find_spec', lambda name: None)
    for remembered in (recipes.recipe_book, craft_tasks, _tasks):
        remembered.cache_clear()
    assert main.run(['tasks', 'list', 'textcraft_dev']) == 2
    assert 'pip install minecraft-data==' in capsys.readouterr().err
