# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A skill library says who the robot is: nothing of a household reaches another robot."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reactree_ros.memory.experience import Origin
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.paths import share
from reactree_ros.planner import memory_setup
from reactree_ros.planner.assembly import assemble, further_prompts, library_at, system_prompt
from reactree_ros.planner.memory_setup import experience_source
from reactree_ros.planner.options import planner_options
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import parse_library
from reactree_ros.strategies.registry import strategy_names

IN_A_HOME = ('household', 'kitchen_arm', 'apartment_arm')
OTHERS = sorted({path.stem for path in share('behaviors').glob('*.yaml')} - {*IN_A_HOME})
HOUSEHOLD_WORDS = re.compile(
    r'house|home|room|kitchen|fridge|oven|stove|sink|sofa|\bbed|furniture|closed places|apple|'
    r'\bcup\b|desk',
    re.IGNORECASE,
)
PROMPTS = {
    'reactree': 'b2f4050fdb28a7bb2db780f107774c3fb82e04278039133d06a724f29f53312d',
    'react': '7ab69c1217372028a8523170eef662900506f331c6f682566884eee1533ec9d7',
    'zsp': '992572d02c6953476cea2e94ad16a5f9bd8f5fa344ae2f7057689a67b06f3f53',
    'tree_planner': '678e109fe9dddf4bef9af1015ce0cc6476c307c78aea98331960d4c57d9fde8e',
    'adapt': '1808c89ebf8d86a3c5e69b0fb86a0fe62ebba3ac2ad91d11a2085f77339ad985',
    'plan_and_execute': '1808c89ebf8d86a3c5e69b0fb86a0fe62ebba3ac2ad91d11a2085f77339ad985',
    'try_again': '7ab69c1217372028a8523170eef662900506f331c6f682566884eee1533ec9d7',
    'reflexion': '592e23438e9dc80dca9e3f51d2966f4fe38c3be3cb8f70681fc69aab41478859',
    'hiagent': '3aa4fbc68414d53146ec8ffd87eb98e65c63f7519e3262066a6ec677c9f73548',
    'step': 'b3831e6d54a26a4405d924b54b3d604cf3b7b430a9c33c46135e06924451caa9',
}
"""SHA-256 of all prompts of the household, by strategy: the shipped model was trained on them."""
ENDINGS_AND_CONDITIONS = {'agent.read_conditions': True, 'agent.explain_endings': True}
PROMPTS_WITH_CONDITIONS = {
    'reactree': 'd9c3c0f953da6a124d355ae8105b90befe91e15d2885bd25d8e3258748a68d47',
    'react': '3c58790c01efd584fcd9174396a8825475061365177b2559b9caf6f086799d4d',
    'hiagent': 'eec04159f046058a40439dde8e283450ab22c0d5796211dc60fe9206ce2281e7',
}
MINIMAL = """
name: household
skills:
  beep: {phrase: beep, action: beeper/execute}
"""


def prompts(name: str, library: SkillLibrary, given: Mapping[str, Any] = {}) -> list[str]:
    """Return what all kinds of prompts of a strategy begin with."""
    without = dict.fromkeys(ENDINGS_AND_CONDITIONS, False)
    options = planner_options({'operator.ask': True, **without, **given})
    model: Any = ScriptedModel({})
    robot: Any = None
    services = assemble(options, model, robot, name=name, library=library)
    summarize, leaf_check = (
        further_prompts(options, other, library) for other in ('hiagent', 'step')
    )
    shared = summarize | leaf_check
    return [
        services.system_prompt,
        ''.join(own for key, own in services.prompts.items() if key not in shared),
        *shared.values(),
    ]


@pytest.mark.parametrize('name', strategy_names())
def test_the_prompts_of_the_household_are_those_its_model_knows(
    household: SkillLibrary, name: str
) -> None:
    text = '\0'.join(prompts(name, household))
    assert hashlib.sha256(text.encode()).hexdigest() == PROMPTS[name]
    assert HOUSEHOLD_WORDS.search(text)


@pytest.mark.parametrize('name', PROMPTS_WITH_CONDITIONS)
def test_the_prompts_of_the_household_with_conditions(household: SkillLibrary, name: str) -> None:
    text = '\0'.join(prompts(name, household, ENDINGS_AND_CONDITIONS))
    assert hashlib.sha256(text.encode()).hexdigest() == PROMPTS_WITH_CONDITIONS[name], text


def test_conditions_are_named_where_they_are_on_offer(household: SkillLibrary) -> None:
    (first, *_) = prompts('reactree', household, ENDINGS_AND_CONDITIONS)
    assert '\nConditions: ' in first and '"failure: " and why' in first
    without = replace(household, predicates=())
    for name, library in (('adapt', household), ('reactree', without)):
        (first, *_) = prompts(name, library, ENDINGS_AND_CONDITIONS)
        assert 'Conditions' not in first and '"failure: " and why' in first


def words(text: str) -> list[str]:
    """Return the words of a household that stand in a text."""
    return [word.lower() for word in HOUSEHOLD_WORDS.findall(text)]


@pytest.mark.parametrize('name', strategy_names())
@pytest.mark.parametrize('library', OTHERS)
def test_no_other_robot_reads_of_a_household(library: str, name: str) -> None:
    robot = library_at(library)
    text = '\n'.join(prompts(name, robot))
    own = [robot.agent, robot.rules, *(skill.phrase for skill in robot.skills)]
    assert {*words(text)} <= {*words('\n'.join(own))}, text
    assert '{' not in text


@pytest.mark.parametrize('name', strategy_names())
def test_a_robot_without_rules_has_neutral_prompts(name: str) -> None:
    library = parse_library(MINIMAL, 'minimal.yaml')
    texts = prompts(name, library)
    assert 'a robot' in texts[0]
    assert not HOUSEHOLD_WORDS.search('\n'.join(texts))
    assert not [text for text in texts if re.search(r'{|\s\n', text)], 'no gap is left by rules'


def test_a_library_has_prompts_of_its_own(tmp_path: Path) -> None:
    (tmp_path / 'zsp.txt').write_text('{agent} plans')
    library = replace(parse_library(MINIMAL, 'minimal.yaml'), prompts=tmp_path, agent='a crane')
    assert system_prompt(planner_options({}), 'zsp', library) == 'a crane plans'
    assert 'You steer a crane.' in system_prompt(planner_options({}), 'react', library)


@pytest.mark.parametrize('name', strategy_names())
@pytest.mark.parametrize('library', [*OTHERS, MINIMAL])
def test_no_run_of_the_household_is_loaded_for_another_robot(
    library: str, name: str, word_encoder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even for one of the same name, which lists none."""
    loaded: list[Path] = []
    read, archive = memory_setup.read_experiences, memory_setup.read_runs

    def reading(path: Path) -> Any:
        loaded.append(path.resolve())
        return read(path)

    def opening(path: Path, origin: Origin) -> Any:
        loaded.append(path.resolve())
        return archive(path, origin)

    monkeypatch.setattr(memory_setup, 'read_experiences', reading)
    monkeypatch.setattr(memory_setup, 'read_runs', opening)
    encoder = word_encoder('put place')
    model: Any = SimpleNamespace(
        embed=encoder.embed, count=encoder.count, encoder_name=encoder.encoder_name
    )
    skills = parse_library(library, 'm.yaml') if library == MINIMAL else library_at(library)
    options = planner_options(
        {'model.name': 'gemma-3-270m', 'memory.similarity_margin': 10.0}
    ).for_library(skills)
    source = experience_source(options, name, model, skills)
    assert source is not None
    asked = source.retrieve('put the plum on the kitchen table', True, 1_000_000)
    while (found := asked.poll()) is None:
        pass
    assert bool(found) == bool(loaded) == bool(skills.examples)
    household = library_at('household').examples.values()
    assert not {*loaded} & {path.resolve() for path in household}
    assert {*loaded} <= {path.resolve() for path in skills.examples.values()}


def test_the_household_has_its_runs(household: SkillLibrary, word_encoder: Any) -> None:
    encoder = word_encoder('put place')
    model: Any = SimpleNamespace(
        embed=encoder.embed, count=encoder.count, encoder_name=encoder.encoder_name
    )
    given: dict[str, Any] = {'model.name': 'gemma-3-270m', 'memory.similarity_margin': 10.0}
    source = experience_source(planner_options(given), 'reactree', model, household)
    assert source is not None
    asked = source.retrieve('put the plum on the kitchen table', True, 10_000_000)
    while (found := asked.poll()) is None:
        pass
    assert len(found) > 250, 'those by hand and those that were learned'
