# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The first thought of a run says in the robot's words what the person wants."""

from __future__ import annotations

import pytest

from reactree_ros.core.prompt import Step
from reactree_ros.lab.dataset.altered import wanted
from reactree_ros.lab.dataset.collect import runs_of, solve
from reactree_ros.sim.household.goal import Condition, Kind


def _lies(predicate: str, kind: Kind, target: str, count: int = 1) -> Condition:
    return Condition(f'{predicate}_{kind.words}_{target}', predicate, kind, target, count)


PLATES = _lies('inside', Kind('plate'), 'dishwasher', 2)
KNIFE = _lies('inside', Kind('cutlery knife'), 'dishwasher')
KNIVES = _lies('on', Kind('cutlery knife'), 'kitchen table', 3)
ON = Condition('turnOn_dishwasher', 'turnOn', Kind('dishwasher'), '', 1)
POTATO = _lies('on', Kind('potato', ('sliced', 'hot')), 'desk')
BOX = _lies('on', Kind('box', load=Kind('pen', ('clean',))), 'desk')


@pytest.mark.parametrize(
    ('conditions', 'order', 'said'),
    [
        ((PLATES, KNIFE), (), 'Two plates and one cutlery knife in the dishwasher.'),
        ((PLATES, KNIFE), ('cutlery knife', 'plate'),
         'One cutlery knife and two plates in the dishwasher.'),
        ((ON, PLATES), ('plate',), 'Two plates in the dishwasher; the dishwasher turned on.'),
        ((KNIVES,), (), 'Three cutlery knives on the kitchen table.'),
        ((POTATO, BOX), (), 'One sliced hot potato and one box with one clean pen on the desk.'),
        ((Condition('lit_book', 'lit', Kind('book'), '', 1),), (), 'The book in the hand.'),
        ((Condition('cold_pear', 'cold', Kind('pear'), '', 1),), (), 'The pear cold.'),
    ],
)  # fmt: skip
def test_conditions_are_said_by_place(
    conditions: tuple[Condition, ...], order: tuple[str, ...], said: str
) -> None:
    assert wanted(conditions, order) == said


@pytest.mark.parametrize('planner', ['reactree+wm', 'react+wm'])
def test_the_root_thinks_it_and_no_other_node_does(planner: str) -> None:
    (run,) = runs_of([planner], ['wah_train:8-8'], wordings=1)
    nodes = solve(run).nodes
    thought = (
        'Think: One pancake and one chicken in the microwave oven; the microwave oven turned on.'
    )
    assert nodes[0].example.steps[0] == Step(thought, decided=True)
    assert not any(step.text == thought for node in nodes[1:] for step in node.example.steps)
