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
from reactree_ros.planner.assembly import assemble, system_prompt
from reactree_ros.planner.memory_setup import experience_source
from reactree_ros.planner.options import planner_options
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import library_at, parse_library
from reactree_ros.strategies.registry import strategy, strategy_names

IN_A_HOME = ('household', 'kitchen_arm', 'apartment_arm')
OTHERS = sorted({path.stem for path in share('behaviors').glob('*.yaml')} - {*IN_A_HOME})
HOUSEHOLD_WORDS = re.compile(
    r'house|home|room|kitchen|fridge|oven|stove|sink|sofa|\bbed|furniture|closed places|apple|'
    r'\bcup\b|desk',
    re.IGNORECASE,
)
PROMPTS = {
    'reactree': 'b58840f60254c2ad955df7ab44260c6e2d39a22c2af230e954dbe316fe375948',
    'react': '378505d0b845a9599909a620db371a5fb3b73649b25cfd5b3aa266b96bf3405a',
    'zsp': '1254b7fab7036414163c88a7f0290c7b54a5ff1a0d3842fa5c4765b34c02f5ed',
    'tree_planner': '8aecc76ac92f725ab016d55adc0b94f234fa621cb5fcfc2c28c2b322c429f2da',
    'adapt': '5d2324fb43909235d335ce86133c00e660bf24b938794b0fb2faba673aac3f65',
    'plan_and_execute': 'eea94579801f5df732b6435f01ffc97c9f752ec088d68aeb7899e959f90c0daa',
    'try_again': '378505d0b845a9599909a620db371a5fb3b73649b25cfd5b3aa266b96bf3405a',
    'reflexion': 'efdf68e374d7dd1522879cf6aba5e01055f0b46a49f0a72beb29eb7918e5b615',
    'hiagent': '2f9811906ba1e6bda916a561e229f6404f111d5840b34e8a41e53a9f3d1db32e',
    'step': '57da190052b9b90085b934a09e8fee1e1e3e594026efa8086ba8b4b6c87f7ccc',
}
"""SHA-256 of all prompts of the household, by strategy: the shipped model was trained on them."""
ENDINGS_AND_CONDITIONS = {'agent.read_conditions': True, 'agent.explain_endings': True}
PROMPTS_WITH_CONDITIONS = {
    'reactree': '5079a3caa606b29eb002d4dd5cc03438467bfec43af7a5d32ccfe01b79afc268',
    'react': '50861ffc8d67c1870dc931bdaa401d68edaffb5244cd9e3abad1d7268c9853e8',
    'hiagent': 'da000f80d39696b2f491faa61d31d259063055c443f43ef4e1caaf44d76d0ca7',
}
OWN_FORM = ('hiagent', 'step')
"""Kinds of experiences in whose place no others are read."""
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
    return [services.system_prompt, *services.prompts.values()]


def digest(name: str, read: list[str]) -> str:
    """Return the SHA-256 of prompts; of ReAcTree without those of its options, which are off."""
    return hashlib.sha256('\0'.join(read[: 1 if name == 'reactree' else None]).encode()).hexdigest()


@pytest.mark.parametrize('name', strategy_names())
def test_the_prompts_of_the_household_are_those_its_model_knows(
    household: SkillLibrary, name: str
) -> None:
    read = prompts(name, household)
    assert digest(name, read) == PROMPTS[name]
    assert HOUSEHOLD_WORDS.search('\0'.join(read))


@pytest.mark.parametrize('name', PROMPTS_WITH_CONDITIONS)
def test_the_prompts_of_the_household_with_conditions(household: SkillLibrary, name: str) -> None:
    read = prompts(name, household, ENDINGS_AND_CONDITIONS)
    assert digest(name, read) == PROMPTS_WITH_CONDITIONS[name], read


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
    kind = strategy(name).experiences
    shown = kind in skills.examples or (kind not in OWN_FORM and bool(skills.examples))
    assert bool(found) == bool(loaded) == shown
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
