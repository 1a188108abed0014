# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where training examples come from: the solver's runs and experiences; what is left of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.prompt import EXAMPLES, GOAL_LINE, NOW
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.collect import TAUGHT, CollectedRun, collect, runs_of, teach
from reactree_ros.lab.dataset.dataset import counts_of
from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.lab.dataset.held_back import is_judged_wording, normalised
from reactree_ros.lab.dataset.remembered import remembered
from reactree_ros.lab.dataset.retrieved import with_experiences
from reactree_ros.lab.dataset.thinning import outline_of, thinned
from reactree_ros.memory.exchange import write_records
from reactree_ros.memory.experience import Experience, Origin, Termination, Verification
from reactree_ros.memory.goal_key import describe
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Record
from reactree_ros.planner.assembly import system_prompt
from reactree_ros.planner.options import planner_options
from reactree_ros.sim.tasks import task_of
from reactree_ros.skills.library import SkillLibrary

PLANNERS = ('reactree+wm', 'react+wm')


@pytest.fixture(scope='module')
def runs() -> list[CollectedRun]:
    """Some of the first training tasks, solved in two forms."""
    asked = runs_of(PLANNERS, ['wah_train:4', 'alfred_train:4'], wordings=2)
    return list(collect(asked, workers=1))


@pytest.fixture(scope='module')
def nodes(runs: list[CollectedRun]) -> list[TrainingExample]:
    return [node for run in runs for node in run.nodes]


def test_runs_that_reach_their_goal_give_all_their_nodes(
    runs: list[CollectedRun], nodes: list[TrainingExample]
) -> None:
    reached = [run for run in runs if run.reached]
    assert len(reached) == len(runs)
    assert all(not run.nodes for run in runs if not run.reached)
    assert all(sum(node.origin.root for node in run.nodes) == 1 for run in reached)
    counts = counts_of(node for node in nodes)
    assert {*counts['termination']} == {'success', 'failure', 'expand'}
    text = '\n'.join(node.text() for node in nodes)
    assert all(f'Expand: {flow} ' in text for flow in ('sequence', 'fallback', 'parallel'))
    assert 'Act: failure' in text
    assert {*counts['planner']} == {*PLANNERS}
    assert counts['source'] == {'solver': len(nodes)}
    assert counts['examples'] == len(nodes)
    assert counts['tasks'] == 8
    assert counts['decisions'] == sum(s.decided for n in nodes for s in n.steps)


def test_an_example_says_where_it_comes_from(nodes: list[TrainingExample]) -> None:
    for node in nodes:
        origin = node.origin
        name, _, number = origin.task.partition(' ')
        task = task_of(name, int(number))
        assert origin.scene == task.scene
        assert task.instructions[origin.wording] == origin.instruction
        assert (node.goal == origin.instruction) is origin.root


def test_more_workers_make_the_same(runs: list[CollectedRun]) -> None:
    some = [run.run for run in runs[:4]]
    assert list(collect(some, workers=2)) == runs[:4]


def test_of_a_student_only_what_the_teacher_would_do_is_learned() -> None:
    (run,) = runs_of(['reactree+wm'], ['wah_train:1'], (), 1, 'none-random', 0.5)
    found = teach(run)
    texts = [node.text() for node in found.nodes]
    assert len(texts) > 5
    for node in found.nodes:
        *before, last = node.steps
        assert last.decided
        assert node.origin.source == 'none-random'
    branches = [n for n in found.nodes if sum(s.decided for s in n.steps) == 1]
    assert any('Act: ' in step.text for one in branches for step in one.steps[:-1]), (
        'what the student did stands there'
    )


def test_what_planners_are_judged_by_is_not_run() -> None:
    with pytest.raises(ConfigurationError, match=r"'wah_test:5' has test tasks.*wah_train"):
        runs_of(PLANNERS, ['wah_train:5', 'wah_test:5'])
    with pytest.raises(ConfigurationError, match="learned for the planner 'zsp'"):
        runs_of(['zsp'], ['wah_train:5'])
    every = runs_of(['react'], ['wah_train', 'alfred_train'])
    assert not any(is_judged_wording(run.instruction) for run in every)
    worded = {normalised(run.instruction) for run in every}
    wordings = [task_of('wah_train', 59).instructions[3], task_of('wah_train', 140).instruction]
    assert all(is_judged_wording(one) and normalised(one) not in worded for one in wordings)


def test_a_run_for_each_wording() -> None:
    found = runs_of(PLANNERS, ['wah_train:2'], wordings=3)
    assert Counter(run.wording for run in found) == dict.fromkeys((0, 1, 2), 4)
    assert len({run.instruction for run in found}) == 2 * 3


# What is left.


def test_of_further_wordings_the_conditions_are_learned() -> None:
    whole, *others = runs_of(['reactree+wm'], ['goals_train:1-1'], wordings=1, conditions=2)
    assert [run.conditions_only for run in (whole, *others)] == [False, True, True]
    (root, *_) = teach(whole).nodes
    for run in others:
        (node,) = teach(run).nodes
        assert node.task.startswith(f'{GOAL_LINE}{run.instruction}\n')
        assert node.steps == root.steps[:1] and node.steps[0].decided


def test_nothing_is_there_twice(nodes: list[TrainingExample], household: SkillLibrary) -> None:
    single = thinned(nodes, household)
    left = thinned([*nodes, *nodes], household)
    assert left.nodes == single.nodes
    assert left.same == len(nodes) + single.same
    texts = [node.text() for node in left.nodes]
    assert len(set(texts)) == len(texts)


def outlines(nodes: Sequence[TrainingExample], library: SkillLibrary) -> Counter[tuple[str, str]]:
    """Count what nodes below the root do."""
    return Counter(
        (node.system, outline_of([step.text for step in node.steps if step.decided], library))
        for node in nodes
        if not node.origin.root
    )


def test_what_is_alike_is_there_so_often(
    nodes: list[TrainingExample], household: SkillLibrary
) -> None:
    every = thinned(nodes, household)
    few = thinned(nodes, household, most_alike=2)
    assert few.alike == len(every.nodes) - len(few.nodes) > 0
    assert [n for n in every.nodes if n in few.nodes] == list(few.nodes), 'in their order'
    roots = [node for node in every.nodes if node.origin.root]
    assert [node for node in few.nodes if node.origin.root] == roots
    before, after = (outlines(found.nodes, household) for found in (every, few))
    assert max(before.values()) > 4
    for outline, count in before.items():
        assert after[outline] == (count if count <= 2 else max(2, round((2 * count) ** 0.5)))
    assert thinned(nodes, household, most_alike=2, seed=1).nodes != few.nodes
    assert {n.termination for n in few.nodes} == set(Termination)


def test_what_is_held_back_is_left_out(
    nodes: list[TrainingExample], household: SkillLibrary
) -> None:
    tested = replace(nodes[0], origin=replace(nodes[0].origin, task='wah_test 1'))
    left = thinned([tested, *nodes[1:]], household)
    assert left.held_back == 1
    assert all(node.origin.task != 'wah_test 1' for node in left.nodes)


# Experiences in the prompt.


def test_a_share_of_the_runs_reads_experiences(
    nodes: list[TrainingExample], word_encoder: Any
) -> None:
    def encoder() -> Any:
        return word_encoder('find pick put down move go thing place kitchen')

    some = [node for node in nodes if node.origin.task in ('wah_train 1', 'wah_train 2')]
    made = list(with_experiences(some, 0.5, 0, encoder))
    shown = {(e.origin.planner, e.origin.instruction) for e in made if e.examples}
    bare = {(e.origin.planner, e.origin.instruction) for e in made if not e.examples}
    assert shown
    assert bare
    assert not shown & bare, 'a run has them or not'
    for node, example in zip(some, made, strict=True):
        assert replace(example, examples=()) == node
        assert all(text.startswith((GOAL_LINE, 'Primary goal: ')) for text in example.examples)
        assert sum(len(text) // 4 for text in example.examples) <= 1200
        if example.examples:
            assert f'{EXAMPLES}\n\n{example.examples[0]}' in example.prompt.head
            assert f'{NOW}\n\n{example.task}' in example.prompt.head
    assert [e.examples for e in with_experiences(some, 0.5, 0, encoder)] == [
        e.examples for e in made
    ]


def test_without_a_share_no_encoder_is_needed(nodes: list[TrainingExample]) -> None:
    def encoder() -> Any:
        raise AssertionError('it was asked for')

    assert list(with_experiences(nodes, 0.0, 0, encoder)) == nodes


# Experiences as examples.


def record_of(example: TrainingExample, **origin: Any) -> Record:
    experience = Experience(
        example.goal,
        example.task + ''.join(f'{step.text}\n' for step in example.steps),
        example.termination,
        example.origin.root,
    )
    where = Origin(
        run='run 1',
        task=example.origin.task,
        skills='household',
        strategy=example.origin.planner.partition('+')[0],
        model='solver',
        verified=Verification.WORLD,
    )
    return Record(0, experience, replace(where, **origin), key='')


def texts_of(node: TrainingExample) -> tuple[Any, ...]:
    return node.task, node.steps


@pytest.fixture
def run_1(runs: list[CollectedRun]) -> CollectedRun:
    return runs[0]


def test_an_experience_is_the_example_again(run_1: CollectedRun, tmp_path: Path) -> None:
    path = tmp_path / 'runs.jsonl.gz'
    write_records(path, [record_of(node) for node in run_1.nodes])
    found = remembered(path, ['react+wm', 'reactree+wm'])
    assert [texts_of(node) for node in found.nodes] == [texts_of(node) for node in run_1.nodes]
    assert (found.unconfirmed, found.unlike) == (0, 0)


def test_a_store_gives_what_was_learned(
    run_1: CollectedRun, tmp_path: Path, word_encoder: Any
) -> None:
    encoder = word_encoder('find put')
    path = tmp_path / 'memory.sqlite'
    store = SqliteStore(path, encoder.encoder_name)
    records = [record_of(node) for node in run_1.nodes]
    vectors = encoder.embed(tuple(record.experience.goal for record in records)).poll()
    described = [
        describe(one.experience, vector) for one, vector in zip(records, vectors, strict=True)
    ]
    store.add_run(records[0].origin, described)
    store.close()
    found = remembered(path, ['reactree+wm'])
    merged = {texts_of(node) for node in run_1.nodes}
    assert {texts_of(node) for node in found.nodes} <= merged
    assert {node.origin.instruction for node in found.nodes} == {run_1.run.instruction}


def test_runs_written_down_by_hand_are_confirmed(tmp_path: Path) -> None:
    path = tmp_path / 'runs.txt'
    path.write_text('Goal: wave\nYou are in a hall (1).\nThink: I wave.\nAct: done\n')
    (node,) = remembered(path, ['react']).nodes
    given = {'skills': 'household', 'strategy': 'react', 'memory.recall': False}
    options = planner_options({**TAUGHT, **given})
    assert node.system == system_prompt(options, 'react')
    assert [step.decided for step in node.steps] == [True, True]
    origin = node.origin
    assert (origin.task, origin.scene, origin.source) == ('', '', 'unknown')
    assert origin.instruction == 'wave'


@pytest.mark.parametrize(
    ('origin', 'unconfirmed', 'unlike'),
    [
        ({'verified': Verification.REPORTED}, 1, 0),
        ({'strategy': 'react'}, 0, 1),
        ({'skills': 'workshop'}, 0, 1),
    ],
)
def test_what_cannot_be_learned_from_is_counted(
    run_1: CollectedRun,
    tmp_path: Path,
    origin: dict[str, Any],
    unconfirmed: int,
    unlike: int,
) -> None:
    path = tmp_path / 'runs.jsonl'
    write_records(path, [record_of(run_1.nodes[0], **origin)])
    found = remembered(path, ['reactree+wm'])
    assert (len(found.nodes), found.unconfirmed, found.unlike) == (0, unconfirmed, unlike)


def test_decisions_that_are_not_on_offer_are_not_learned(
    run_1: CollectedRun, tmp_path: Path
) -> None:
    path = tmp_path / 'runs.jsonl'
    write_records(path, [record_of(node) for node in run_1.nodes])
    found = remembered(path, ['reactree[control_flows=sequence]'])
    assert found.unlike > 0
    for node in found.nodes:
        assert 'fallback' not in node.task
        assert not any('recall' in step.text for step in node.steps)


def test_experiences_that_are_not_there_are_missed(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='no experiences in'):
        remembered(tmp_path / 'memory.sqlite', ['reactree+wm'])
