# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Example runs of PDDL domains: what they show is true, and who reads them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.record import record
from reactree_ros.lab.pddl.examples import example_run
from reactree_ros.lab.pddl.generator import DOMAINS, practice_text, problem_texts, task_index
from reactree_ros.memory.experience import read_experiences
from reactree_ros.paths import share
from reactree_ros.planner.memory_setup import experience_source
from reactree_ros.planner.options import planner_options
from reactree_ros.sim.pddl.library import pddl_library
from reactree_ros.sim.pddl.problem import PddlProblem
from reactree_ros.sim.pddl.shipped import TASK_INDEX, shipped_library, shipped_problem
from reactree_ros.sim.pddl.world import PddlWorld

pytest.importorskip('unified_planning')


@pytest.mark.parametrize('domain', DOMAINS)
def test_the_shipped_run_solves_the_problem_for_practice(domain: str) -> None:
    folder = share('resource', 'pddl', domain)
    text = (folder / 'practice.pddl').read_text()
    assert text == practice_text(domain)
    bodies = [one.partition('(:objects')[2] for one in problem_texts(domain)]
    assert text.partition('(:objects')[2] not in bodies, 'it is none that is evaluated'
    problem = PddlProblem.read(
        folder / 'domain.pddl', folder / 'practice.pddl', folder / 'words.yaml'
    )
    shown = shipped_library(domain, 1).examples['flat']
    remark, goal, seen, *rest = shown.read_text().splitlines()
    world, library = PddlWorld(problem), pddl_library(problem)
    assert goal == f'Goal: {problem.instruction}'
    assert seen == world.observe().text
    assert rest.pop() == 'Act: done'
    for act, observation in zip(rest[::2], rest[1::2], strict=True):
        items = {item.name: item for item in world.observe().objects}
        offered = {skill.phrase: skill for skill in library.executable(Situation(objects=items))}
        skill = offered[act.removeprefix('Act: ')]
        assert world.execute(skill.name, skill.arguments).observation.text == observation
    assert world.check().holds


@pytest.mark.thorough
def test_the_index_has_the_goals_of_all_problems() -> None:
    folder = share('resource', 'pddl')
    assert (folder / TASK_INDEX).read_text() == task_index(folder)


def test_a_plan_that_does_not_work_makes_no_example() -> None:
    problem = shipped_problem('blocksworld', 1)
    with pytest.raises(ConfigurationError, match='does not reach its goal'):
        example_run(problem, [('pick-up', 'b4')])
    with pytest.raises(ConfigurationError, match='cannot be done now'):
        example_run(problem, [('put-down', 'b4')])


def test_a_machine_without_a_planning_engine_says_so() -> None:
    with pytest.raises(ConfigurationError, match='pip install up-pyperplan'):
        shipped_problem('blocksworld', 1).solved()


OF_METHODS = {
    'tree': ['Expand: ', 'Primary goal: ', 'Act: done'],
    'skills': ['Act: failure', 'Act: done'],
    'hiagent': ['Subgoal reached.', 'Subgoal not reached.', 'Act: retrieve subgoal '],
    'step': ['Part of: ', ' Before: ', 'Not possible: '],
}


@pytest.mark.parametrize('kind', OF_METHODS)
@pytest.mark.parametrize('domain', DOMAINS)
def test_runs_of_the_methods_are_as_they_went_and_reach_the_goal(domain: str, kind: str) -> None:
    source = share('resource', 'pddl', domain, f'{kind}.yaml')
    shown = shipped_library(domain, 1).examples[kind]
    ((_, text),) = record(source, shipped_library(domain, 1)).items()
    assert shown.read_text() == text
    assert [part for part in OF_METHODS[kind] if part not in text] == []
    whole = [one for one in read_experiences(shown) if one.goal.startswith('Reach that ')]
    assert len(whole) == 1


@pytest.mark.parametrize('kind', OF_METHODS)
@pytest.mark.parametrize('domain', DOMAINS)
def test_the_acts_of_such_a_run_reach_the_goal(domain: str, kind: str) -> None:
    folder = share('resource', 'pddl', domain)
    files = (folder / name for name in ('domain.pddl', 'practice.pddl', 'words.yaml'))
    problem = PddlProblem.read(*files)
    world, library = PddlWorld(problem), pddl_library(problem)
    (run,) = (
        one
        for one in yaml.safe_load((folder / f'{kind}.yaml').read_text())['runs']
        if one['goal'] == problem.instruction
    )
    # in the order in which their goals stand in the script, which is that of the run but for the
    # parents, who do nothing themselves
    for line in (line for lines in run['script'].values() for line in lines):
        items = {item.name: item for item in world.observe().objects}
        offered = {skill.phrase: skill for skill in library.executable(Situation(objects=items))}
        skill = offered.get(line.removeprefix('Act: '))
        if skill is not None:
            world.execute(skill.name, skill.arguments)
    assert world.check().holds


@pytest.mark.parametrize(
    ('strategy', 'line'),
    [
        ('react', 'Act: stack'),
        ('hiagent', 'Think: put block'),
        ('adapt', 'Act: stack'),
        ('step', 'Think: '),
        ('reactree', 'Expand: '),
        ('zsp', 'stack'),
    ],
)
def test_models_that_learn_from_their_prompt_read_it(
    word_encoder: Any, strategy: str, line: str
) -> None:
    library = shipped_library('blocksworld', 1)
    encoder: Any = word_encoder('block on')
    model: Any = SimpleNamespace(
        embed=encoder.embed, count=encoder.count, encoder_name=encoder.encoder_name
    )

    def read(model_name: str, **given: Any) -> tuple[str, ...]:
        options = planner_options({'model.name': model_name, **given}).for_library(library)
        source = experience_source(options, strategy, model, library)
        if source is None:
            return ()
        asked = source.retrieve('Reach that block 1 is on block 2', True, 2000)
        while (found := asked.poll()) is None:
            pass
        return found

    texts = read('gemma-3-270m')
    whole = [text for text in texts if text.startswith('Goal: Reach that block')]
    assert len(whole) == 1
    assert (len(texts) > 1) is (strategy == 'adapt'), 'all skills, or what is most like the goal'
    assert any(one.startswith(line) for one in whole[0].splitlines())
    tells = 'Nothing is on' in '\n'.join(texts)
    assert tells is (strategy != 'zsp'), 'a plan tells of no observation'
    assert whole[0] in read('gemma-3-270m', **{'memory.episodic': False})
    assert read('gemma-3-270m-household') == (), 'it was trained without examples'
