# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The teacher's runs in the forms of ADaPT, HiAgent and STEP."""

from __future__ import annotations

import pytest

from reactree_ros.core.decision import ending_of
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.lab.dataset.collect import runs_of, teach
from reactree_ros.lab.dataset.dagger import Label
from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.lab.dataset.forms import Work, work_of
from reactree_ros.strategies.hiagent import NOT_REACHED, REACHED, SUMMARY
from reactree_ros.strategies.step import BEYOND, WHY_UNFIT


def examples(planner: str, *tasks: str, reached: int) -> list[TrainingExample]:
    """Return what is learned from runs, of which so many reach their goal."""
    found = [teach(run) for run in runs_of([planner], tasks, wordings=1)]
    assert sum(run.reached for run in found) == reached
    return [one for run in found for one in run.nodes]


def learned(examples: list[TrainingExample]) -> list[str]:
    return [step.text for one in examples for step in one.steps if step.decided]


def test_the_teachers_decisions_are_read_as_a_tree() -> None:
    def asked(goal: str, parent: str = '') -> Prompt:
        above = f'Primary goal: {parent}\nSubgoals (sequence): x\n' if parent else ''
        return Prompt('', (), f'{above}Goal: {goal}\nYou stand.\n')

    said = (
        (asked('a'), 'Conditions: c'),
        (asked('a'), 'Expand: sequence ["b", "d"]'),
        (asked('b', 'a'), 'Think: hm'),
        (asked('b', 'a'), 'Act: go'),
        (asked('b', 'a'), 'Expand: fallback ["e"]'),
        (asked('e', 'b'), 'Act: failure: no'),
        (asked('b', 'a'), 'Act: done'),
        (asked('d', 'a'), 'Act: stay'),
    )
    work = work_of(Label(prompt, text, executed=True) for prompt, text in said)
    first, second = work.below
    assert (work.goal, work.conditions, work.end) == ('a', 'Conditions: c', 'Act: done')
    assert (first.goal, first.ending, [*first.acts()]) == ('b', 'Act: done', ['Act: go'])
    assert first.below == [Work('e', ending='Act: failure: no')]
    assert first.below[0].failed
    assert (second.goal, second.parts, second.ending) == ('d', ['Act: stay'], '')
    with pytest.raises(ModelError, match='decided nothing'):
        work_of(())


def test_hiagent_names_subgoals_sums_them_up_and_retrieves() -> None:
    found = examples('hiagent+wm', 'wah_train:8', reached=8)
    texts = learned(found)
    assert {f'Act: {REACHED}', f'Act: {NOT_REACHED}'} <= {*texts}
    assert any(text.startswith('Act: retrieve subgoal ') for text in texts)
    for one in found:
        before = [step.text for step in one.steps]
        for number, step in enumerate(one.steps):
            if step.decided and before[number - 1] == SUMMARY:
                assert step.text.endswith('.')
                assert not step.text.startswith(('Act: ', 'Think: '))
    opened = [one.steps[0].text for one in found if one.steps[0].decided]
    assert any(text.startswith(('Think: ', 'Conditions: ')) for text in opened)


def test_the_first_summary_says_what_its_steps_have_changed() -> None:
    found = examples('hiagent+wm', 'goals_train:1-12', reached=12)
    first = [
        (one.steps[number + 1].text, '\n'.join(step.text for step in one.steps[:number]))
        for one in found
        for number, step in enumerate(one.steps)
        if step.text == SUMMARY and 'Summary of ' not in one.text()
    ]
    opened = [summary for summary, read in first if '\nAct: open ' in read]
    assert opened and any(' is open' in summary for summary in opened)


def test_what_a_generated_robot_looks_for_in_several_rooms_is_split() -> None:
    found = examples('adapt+wm[split_depth=5]', 'made_train:4531-4546', reached=15)
    searches = [one for one in found if one.steps[-1].text.startswith('Expand: fallback ')]
    assert any('it has to be looked for' in text for text in learned(found))
    assert searches


def test_nothing_is_learned_twice() -> None:
    found = examples('hiagent+wm', 'wah_train:2', reached=2)
    prompts = [
        (one.system, one.task, one.steps[:number])
        for one in found
        for number, step in enumerate(one.steps)
        if step.decided
    ]
    read = {(s, t, tuple(step.text for step in steps)) for s, t, steps in prompts}
    assert len(read) == len(prompts)


def test_step_checks_its_subgoals_and_its_mistakes_are_not_learned() -> None:
    found = examples('step+wm', 'wah_train:7', reached=7)
    texts = learned(found)
    assert {'Act: consistent', 'Act: one skill', 'Act: split the subgoal'} <= {*texts}
    unfit = [one.steps for one in found if one.steps[-1].text.removeprefix('Act: ') in WHY_UNFIT]
    assert {steps[-1].text.removeprefix('Act: ') for steps in unfit} == {*WHY_UNFIT}
    for steps in unfit:
        begun = max(i for i, step in enumerate(steps) if step.text.startswith('Subgoal: '))
        subgoal, *overseen, answer = steps[begun:]
        assert not any(step.decided for step in overseen)
        if answer.text == f'Act: {BEYOND}':  # others may be right later, or were before
            assert subgoal.text.replace('Subgoal: ', 'Think: ') not in texts


def test_adapt_fails_at_what_is_too_much_and_splits_it() -> None:
    found = examples('adapt+wm[split_depth=5]', 'wah_train:2', reached=2)
    texts = learned(found)
    assert any(text.startswith('Expand: sequence ') for text in texts)
    looked = next(
        one for one in found if one.steps[-1].text == 'Act: failure: it has to be looked for'
    )
    assert looked.steps[-2].text.endswith(': not seen so far.')
    assert sum(ending_of(text) == 'done' for text in texts) > 2
    systems = {one.system for one in found}
    assert len(systems) == 2
    assert any(one.origin.root for one in found)
    splits = [one for one in found if one.steps[-1].text.startswith('Expand: ')]
    assert all(one.steps == (Step(one.steps[-1].text, True),) for one in splits)


def test_of_further_wordings_the_conditions_are_learned() -> None:
    runs = runs_of(['hiagent+wm'], ['wah_train:1'], wordings=0, conditions=1)
    (one,) = (node for run in runs for node in teach(run).nodes)
    assert [step.text.partition(':')[0] for step in one.steps] == ['Conditions']


def test_made_up_robots_have_these_forms() -> None:
    assert examples('step+wm', 'made_train:2', reached=2)


def test_no_student_decides_in_these_forms() -> None:
    with pytest.raises(ConfigurationError, match="nothing can be learned for the planner 'adapt'"):
        runs_of(['adapt'], ['wah_train:1'], student='none-random')
