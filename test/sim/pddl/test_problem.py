# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""PDDL domains become worlds: states, actions, words, and what is refused."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.pddl.generator import DOMAINS, PROBLEMS, problem_texts
from reactree_ros.lab.strategies.plan_steps import steps_of
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.paths import share
from reactree_ros.sim.pddl.library import pddl_library
from reactree_ros.sim.pddl.problem import PddlProblem
from reactree_ros.sim.pddl.shipped import shipped_problem
from reactree_ros.sim.pddl.words import Words, read_words
from reactree_ros.sim.pddl.world import PddlWorld, facts_of

from ...thorough import thorough

pytest.importorskip('unified_planning')

DOMAIN = """
(define (domain lights)
  (:requirements :strips :typing :negative-preconditions)
  (:types lamp room)
  (:predicates (lit ?l - lamp) (in ?l - lamp ?r - room) (power))
  (:action switch-on :parameters (?l - lamp ?r - room)
    :precondition (and (in ?l ?r) (power) (not (lit ?l))) :effect (lit ?l))
  (:action switch-off :parameters (?l - lamp ?r - room)
    :precondition (and (in ?l ?r) (lit ?l)) :effect (not (lit ?l))))
"""
PROBLEM = """
(define (problem one) (:domain lights)
  (:objects lamp1 floor-lamp - lamp hall - room)
  (:init (in lamp1 hall) (in floor-lamp hall) (lit floor-lamp) (power))
  (:goal (and (lit lamp1) (not (lit floor-lamp)))))
"""


@pytest.fixture
def lights() -> PddlProblem:
    return PddlProblem(DOMAIN, PROBLEM)


def situation(world: PddlWorld) -> Situation:
    return Situation(objects={item.name: item for item in world.observe().objects})


def test_a_problem_is_a_world(lights: PddlProblem) -> None:
    world = PddlWorld(lights)
    assert lights.domain == 'lights'
    assert lights.initial == world.state == {
        ('in', 'lamp1', 'hall'), ('in', 'floor-lamp', 'hall'), ('lit', 'floor-lamp'), ('power',),
    }  # fmt: skip
    assert world.observe().text == (
        'Floor lamp 1 in hall 1. Floor lamp 1 is lit. Lamp 1 in hall 1. Power.'
    )
    assert lights.instruction == ('Reach that lamp 1 is lit; it is not so that floor lamp 1 is lit')
    check = world.check()
    assert (check.met, check.wanted, check.holds) == (0, 2, False)


def test_actions_change_it_and_tell_what_changed(lights: PddlProblem) -> None:
    world = PddlWorld(lights)
    on = world.execute('switch-on', ('lamp 1', 'hall 1'))
    assert (on.status, on.observation.text) == (SkillStatus.SUCCEEDED, 'Lamp 1 is lit.')
    assert world.check().met == 1
    off = world.execute('switch-off', ('floor lamp 1', 'hall 1'))
    assert off.observation.text == 'Not any more: Floor lamp 1 is lit.'
    assert world.check().holds


@pytest.mark.parametrize(
    ('skill', 'arguments', 'why'),
    [
        ('switch-off', ('lamp 1', 'hall 1'), 'something that is not so: lamp 1 is lit'),
        ('switch-on', ('hall 1', 'lamp 1'), 'cannot be done now'),
        ('switch-on', ('lamp 1',), 'takes 2 of the objects'),
        ('switch-on', ('lamp 9', 'hall 1'), 'takes 2 of the objects'),
        ('break', ('lamp 1',), "no action 'break', only switch-on, switch-off"),
    ],
)
def test_what_cannot_be_done_is_refused(
    lights: PddlProblem, skill: str, arguments: tuple[str, ...], why: str
) -> None:
    world = PddlWorld(lights)
    result = world.execute(skill, arguments)
    assert result.status is SkillStatus.REFUSED
    assert why in result.observation.text
    assert world.state == lights.initial


def test_plans_have_every_action_on_objects_of_its_types(lights: PddlProblem) -> None:
    assert sorted(steps_of(pddl_library(lights), PddlWorld(lights).observe())) == [
        'switch off floor lamp 1 hall 1',
        'switch off lamp 1 hall 1',
        'switch on floor lamp 1 hall 1',
        'switch on lamp 1 hall 1',
    ]


def test_skills_are_the_actions_that_can_be_done(lights: PddlProblem) -> None:
    world, library = PddlWorld(lights), pddl_library(lights)
    assert [skill.phrase for skill in library.executable(situation(world))] == [
        'switch off floor lamp 1 hall 1', 'switch on lamp 1 hall 1',
    ]  # fmt: skip
    assert library.rules.splitlines()[0] == (
        'switch on l r: needs l in r; power; not: l is lit; makes l is lit.'
    )


@pytest.mark.parametrize(
    ('domain', 'problem', 'message'),
    [
        ('(define', PROBLEM, 'PDDL cannot be parsed'),
        (DOMAIN, PROBLEM.replace('lit lamp1', 'lit lamp7'), 'PDDL cannot be parsed'),
        (DOMAIN.replace('(power))', '(power)) (:functions (price))'), PROBLEM, 'numbers are not'),
        (DOMAIN, PROBLEM.replace('floor-lamp', 'lamp-1'), 'two objects have the same name'),
        (DOMAIN.replace('(power))', '(power) (p ?a ?b ?c ?d - lamp))'),
         PROBLEM.replace('lamp1 floor', f'{" ".join(f"lamp{n}" for n in range(30))} floor'),
         'ground facts and actions'),
    ],
)  # fmt: skip
def test_what_is_not_supported_is_said(domain: str, problem: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        PddlProblem(domain, problem)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r'gone\.pddl.*cannot be read'):
        PddlProblem.read(tmp_path / 'gone.pddl', tmp_path / 'gone.pddl')


DURATIVE = """
(define (domain rounds)
  (:requirements :strips :typing :negative-preconditions :durative-actions)
  (:types robot room)
  (:predicates (at ?r - robot ?x - room) (joined ?x ?y - room) (idle ?r - robot) (lit))
  (:functions)
  (:durative-action move :parameters (?r - robot ?x ?y - room) :duration (= ?duration 20)
    :condition (and (at start (and (at ?r ?x) (idle ?r))) (over all (not (idle ?r)))
                    (over all (joined ?x ?y)) (at end (lit)))
    :effect (and (at start (not (at ?r ?x))) (at start (not (idle ?r)))
                 (at end (at ?r ?y)) (at end (idle ?r)))))
"""
ROUND = """
(define (problem tonight) (:domain rounds) (:objects r2d2 - robot hall lab attic - room)
  (:init (at r2d2 hall) (idle r2d2) (joined hall lab) (lit)) (:goal (at r2d2 lab)))
"""


def test_a_durative_action_is_done_at_once() -> None:
    problem = PddlProblem(DURATIVE, ROUND)
    assert list(problem.applicable(problem.initial)) == [('move', 'r2d2', 'hall', 'lab')]
    after = problem.after(problem.initial, 'move', ('r2d2', 'hall', 'lab'))
    assert after == (problem.initial - {('at', 'r2d2', 'hall')}) | {('at', 'r2d2', 'lab')}
    for needed in ('(lit)', '(idle r2d2)', '(joined hall lab)'):
        problem = PddlProblem(DURATIVE, ROUND.replace(needed, ''))
        assert not [*problem.applicable(problem.initial)]


WORDS = """
agent: a caretaker
rules: Lamps are switched where they are.
objects: {lamp: bulb}
actions: {switch-on: "turn on {l} in the {r}"}
facts: {lit: "{l} burns", power: there is power}
"""


def test_words_say_it_otherwise(tmp_path: Path) -> None:
    (tmp_path / 'words.yaml').write_text(WORDS)
    problem = PddlProblem(DOMAIN, PROBLEM, read_words(tmp_path / 'words.yaml'))
    library = pddl_library(problem)
    assert (library.agent, library.rules) == ('a caretaker', 'Lamps are switched where they are.')
    phrases = [one.phrase for one in library.executable(situation(PddlWorld(problem)))]
    assert 'turn on bulb 1 in the hall 1' in phrases
    assert problem.fact_sentence(('lit', 'floor-lamp')) == 'floor lamp 1 burns'


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('[1]', 'expected a mapping'),
        ('actoins: {}', "'actoins' is not one of"),
        ('agent: [a]', 'agent must be a text'),
        ('facts: {lit: 3}', 'facts must be a mapping of names to texts'),
        ('facts: {lit: x, lit: y}', 'given twice'),
        ('actions: {switch-on: "turn on {l}"}', r'actions\.switch-on.*\{l\}, \{r\}'),
        ('facts: {lit: "{l} {x.y}"}', r'facts\.lit'),
    ],
)
def test_wrong_words_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / 'words.yaml').write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        problem = PddlProblem(DOMAIN, PROBLEM, read_words(tmp_path / 'words.yaml'))
        pddl_library(problem)
        PddlWorld(problem).observe()


def test_default_words_are_readable() -> None:
    words = Words()
    assert words.fact_sentence('on-table', ['x']) == '{x} is on table'
    assert words.fact_sentence('connected', ['x', 'y', 'z']) == '{x} is connected {y} {z}'
    assert words.object_name('wrench') == ('wrench', 1)


SOME = [(domain, number) for domain in DOMAINS for number in thorough((1, 6, 13, PROBLEMS), (1, 6))]


@pytest.mark.parametrize('domain', DOMAINS)
def test_the_shipped_problems_are_those_of_the_generator(domain: str) -> None:
    folder = share('resource', 'pddl', domain)
    texts = [(folder / f'p{n:02}.pddl').read_text() for n in range(1, PROBLEMS + 1)]
    assert tuple(texts) == problem_texts(domain)
    assert len({text.partition('(:domain')[2] for text in texts}) == PROBLEMS


def test_conditions_and_quantifiers_are_said() -> None:
    domain = """(define (domain d) (:requirements :adl :typing) (:types loc)
    (:predicates (lit ?l - loc) (hot ?l - loc) (p))
    (:action press :parameters (?l - loc) :precondition (p)
      :effect (and (when (p) (hot ?l)) (forall (?m - loc) (when (hot ?m) (not (lit ?m)))))))"""
    problem = """(define (problem q) (:domain d) (:objects l1 l2 - loc) (:init (p))
    (:goal (and (exists (?l - loc) (lit ?l)) (imply (hot l1) (lit l2)))))"""
    made = PddlProblem(domain, problem)
    assert made.action_rules() == (
        'press l: needs p; makes if p, l is hot; for every m: if m is hot, not: m is lit.'
    )
    assert made.instruction == ('Reach that for some l: l is lit; if l 1 is hot, l 2 is lit')


def test_an_action_that_changes_nothing_is_not_on_offer() -> None:
    problem = shipped_problem('gripper', 1)
    world, library = PddlWorld(problem), pddl_library(problem)
    phrases = [skill.phrase for skill in library.executable(situation(world))]
    assert sum(phrase.startswith('move') for phrase in phrases) == 1
    (room,) = (fact[2] for fact in world.state if fact[0] == 'robot-at')
    stay = world.execute('move', ('robot 1', *[problem.name_of(room)] * 2))
    assert stay.observation.text == 'Nothing has changed.'


@pytest.mark.parametrize(('domain', 'number'), SOME)
def test_a_walk_through_a_shipped_problem_agrees_with_what_is_observed(
    domain: str, number: int
) -> None:
    problem = shipped_problem(domain, number)
    world, library = PddlWorld(problem), pddl_library(problem)
    memory = WorkingMemory(namespace=f'pddl_{domain}_{number}')
    draw = random.Random(number)
    assert not world.check().holds
    memory.update(world.observe())
    for _ in range(15):
        known = memory.situation()
        assert facts_of(problem, known) == world.state
        skill: Any = draw.choice(library.executable(known))
        result = world.execute(skill.name, skill.arguments)
        assert result.status is SkillStatus.SUCCEEDED, skill
        assert result.observation.text
        memory.update(result.observation)
    memory.close()
