# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skill libraries that name a PDDL domain and problem."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.pddl.library import PddlLibrary
from reactree_ros.skills.call import EXECUTE_SKILL, Kind, Surroundings
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import library_at, read_library
from reactree_ros.skills.references import filled

pytest.importorskip('unified_planning')

DOMAIN = """
(define (domain lights)
  (:requirements :strips :typing)
  (:types lamp room)
  (:predicates (lit ?l1 - lamp) (in ?l1 - lamp ?r - room))
  (:action switch-on :parameters (?l1 - lamp ?r - room)
    :precondition (in ?l1 ?r) :effect (lit ?l1)))
"""
PROBLEM = """
(define (problem one) (:domain lights) (:objects lamp1 - lamp hall - room)
  (:init (in lamp1 hall)) (:goal (lit lamp1)))
"""
HEAD = """
name: house of lamps
pddl: {domain: domain.pddl, problem: problem.pddl, words: words.yaml}
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    (tmp_path / 'domain.pddl').write_text(DOMAIN)
    (tmp_path / 'problem.pddl').write_text(PROBLEM)
    (tmp_path / 'words.yaml').write_text('actions: {switch-on: "in {r} switch {l1} on"}\n')
    return tmp_path / 'lights.yaml'


def test_actions_are_skills_that_reach_the_robot_as_it_says(written: Path) -> None:
    written.write_text(
        HEAD
        + """
poses: {lamp 1: {x: 2}}
skills:
  switch-on:
    service: {name: lamp, type: std_srvs/srv/SetBool}
    request: {data: true}
    approval: true
"""
    )
    library = read_library(written)
    assert isinstance(library, PddlLibrary)
    assert (library.name, library.agent) == ('house of lamps', 'an agent')
    assert library.closed_world
    (skill,) = library.skills
    assert (skill.phrase, list(skill.arguments)) == ('in {r} switch {l1} on', ['l1', 'r'])
    assert (skill.call.kind, skill.call.name, skill.approval) == (Kind.SERVICE, 'lamp', True)
    assert library.poses['lamp 1'].position[0] == 2.0
    look = Surroundings({'l1': 'lamp 1', 'r': 'hall 1'}, {}, Situation(), library.ids)
    assert filled('{l1.id} in {r.id}', look) == 'lamp1 in hall'
    model = library.world_model()
    seen = model.observe()
    situation = Situation(objects={item.name: item for item in seen.objects})
    (on,) = library.executable(situation)
    assert (on.phrase, on.arguments) == ('in hall 1 switch lamp 1 on', ('lamp 1', 'hall 1'))
    assert on.named == {'l1': 'lamp 1', 'r': 'hall 1'}
    assert library.objections(on, situation) == []
    assert model.after(on, 'Click.').text == 'Click. Lamp 1 is lit.'
    assert 'Lamp 1 is lit.' in model.observe().text
    assert 'Lamp 1 is lit.' not in seen.text
    assert 'Lamp 1 is lit.' in library.world_model().observe().text, 'one state for all robots'


def test_a_safe_state_has_its_arguments_in_the_order_of_the_action(written: Path) -> None:
    written.write_text(HEAD + 'action: act\nsafe_state: [{switch-on: {r: hall 1, l1: lamp 1}}]\n')
    library = read_library(written)
    held = library.safe_state[0]
    assert held == library.skills[0].ground('lamp 1', 'hall 1')
    assert held.arguments == ('lamp 1', 'hall 1')
    assert held.phrase == 'in hall 1 switch lamp 1 on'


def test_it_says_itself_who_acts_and_by_which_rules(written: Path) -> None:
    (written.parent / 'runs.txt').touch()
    words = 'agent: an electrician\nrules: Lamps are hot.\nexamples: runs.txt\n'
    written.write_text(f'{HEAD}action: act\n{words}')
    library = read_library(written)
    assert (library.agent, library.rules) == ('an electrician', 'Lamps are hot.')
    assert library.examples == {'flat': written.parent / 'runs.txt'}


def test_without_skills_all_go_to_one_action(written: Path) -> None:
    written.write_text(HEAD + 'action: robot/act\n')
    (skill,) = read_library(written).skills
    assert (skill.call.name, skill.call.type) == ('robot/act', EXECUTE_SKILL)


@pytest.mark.parametrize(
    ('more', 'faults'),
    [
        ('', ['skills.switch-on: give an action, service or topic']),
        (
            'action: a\nskills: {switch-off: {}}\nhands: 2',
            [
                'hands: the domain says it',
                'skills.switch-off: the domain has no such action (it has switch-on)',
            ],
        ),
        (
            'action: a\nskills: {switch-on: {phrase: go}}',
            ['skills.switch-on.phrase: the domain says it'],
        ),
        (
            'action: {name: b, type: c/action/D}\nskills: {switch-on: {goal: {x: "{lamp}"}}}',
            ["skills.switch-on.goal: {lamp}: 'lamp' is not known there (known: l1, r, robot)"],
        ),
        ('action: a\nworld: {}', ['world: the domain says it']),
    ],
)
def test_what_does_not_fit_the_domain_is_named(written: Path, more: str, faults: list[str]) -> None:
    written.write_text(HEAD + more)
    with pytest.raises(ConfigurationError) as raised:
        read_library(written)
    assert str(written) in str(raised.value)
    for fault in faults:
        assert fault in str(raised.value)


@pytest.mark.parametrize(
    ('text', 'fault'),
    [
        ('name: a\npddl: {domain: x.pddl}', 'pddl: problem is missing'),
        ('name: a\naction: b', 'top level: skills is missing'),
        ('name: a\naction: b\nskills: {c: {}}', 'skills.c: phrase is missing'),
        ('name: a\npddl: {domain: x.pddl, problem: y.pddl}', 'PDDL file .*cannot be read'),
    ],
)
def test_its_form_is_checked(written: Path, text: str, fault: str) -> None:
    written.write_text(text)
    with pytest.raises(ConfigurationError, match=fault):
        read_library(written)


def test_the_shipped_one_is_a_pattern() -> None:
    library: SkillLibrary = library_at('blocksworld')
    assert {skill.call.name for skill in library.skills} == {'pddl/execute_skill'}
    assert library.world_model() is not None


def test_what_is_forbidden_is_not_offered(written: Path) -> None:
    for forbidden, offered in (('[]', 1), ('[hall]', 0), ('[lamp 1]', 0), ('[kitchen]', 1)):
        written.write_text(HEAD + f'action: robot/act\nkeep_out: {forbidden}\n')
        library = read_library(written)
        model = library.world_model()
        assert model is not None
        seen = Situation(objects={item.name: item for item in model.observe().objects})
        assert len(library.executable(seen)) == offered
