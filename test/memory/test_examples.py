# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Examples show only what is on offer; without retrieval every goal has the same one."""

from __future__ import annotations

from reactree_ros.core.decision import ControlFlow
from reactree_ros.memory.examples import EveryExample, FixedExample, as_plan, fitting
from reactree_ros.memory.experience import Experience, Termination, read_experiences
from reactree_ros.paths import share

SEQUENCE, FALLBACK, PARALLEL = ControlFlow


def experience(*lines: str) -> Experience:
    root = lines[0].startswith('Goal: ')
    goal = next(line for line in lines if line.startswith('Goal: '))
    return Experience(goal, '\n'.join(lines) + '\n', Termination.SUCCESS, root)


ROOT = experience('Goal: tidy up', 'Around you: bed (1).', 'Expand: parallel ["a", "b"]')
CHILD = experience(
    'Primary goal: tidy up',
    'Subgoals (parallel, independently of each other): a; b',
    'Goal: a',
    'Around you: bed (1).',
    'Act: recall location of mug',
    'mug: not seen so far.',
    'Act: done',
)
LEAF = experience('Goal: speak of Expand: parallel', 'Act: go to bed 1', 'Act: done')


def test_control_flows_that_are_not_on_offer_are_not_shown() -> None:
    known = (ROOT, CHILD, LEAF)
    assert fitting(known, ControlFlow) == known
    assert fitting(known, (SEQUENCE, FALLBACK)) == (LEAF,)


def test_without_working_memory_nothing_is_recalled() -> None:
    (without,) = fitting((CHILD,), ControlFlow, ('Act: recall',))
    assert without.text.splitlines()[2:] == ['Goal: a', 'Around you: bed (1).', 'Act: done']
    assert (without.goal, without.root) == (CHILD.goal, CHILD.root)


def test_the_fixed_example_is_one_whole_run_read_from_its_root() -> None:
    runs = (ROOT, CHILD, LEAF)
    found = {FixedExample(runs, seed).retrieve('x', True, 0).poll() for seed in range(20)}
    # Prompts lay examples out in reverse.
    assert found == {(CHILD.text, ROOT.text), (LEAF.text,)}
    assert FixedExample(runs, 3).retrieve('x', True, 0).poll() in found
    assert FixedExample((), 0).retrieve('x', True, 0).poll() == ()


def test_the_shipped_experiences_do_without_the_control_flows_that_they_are_named_for() -> None:
    folder = share('resource', 'experiences')
    for name, flows in (
        ('household_sequence_fallback', (SEQUENCE, FALLBACK)),
        ('household_sequence', (SEQUENCE,)),
        ('household_flat', ()),
        ('plans', ()),
    ):
        known = read_experiences(folder / f'{name}.txt')
        assert len(known) > 10
        assert fitting(known, flows) == known


def test_every_example_is_shown_whatever_the_goal() -> None:
    shown = [experience(f'Goal: {n}', 'Act: done') for n in range(3)]
    source = EveryExample(shown)
    texts = [one.text for one in reversed(shown)]  # a prompt lays them out in reverse
    assert [*(source.retrieve('x', True, 1).poll() or ())] == texts


def test_a_plan_is_made_of_the_skills_of_a_run() -> None:
    acts = ('recall location of cup', 'go to sink 1', 'wait', 'done: it is clean')
    lines = [line for act in acts for line in (f'Act: {act}', 'You see it.')]
    plan = as_plan(experience('Goal: wash the cup', *lines))
    assert plan.text == 'Goal: wash the cup\ngo to sink 1\nwait\ndone'
