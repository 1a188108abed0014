# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot knows of its surroundings."""

from __future__ import annotations

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation


def test_a_situation_knows_what_is_held_and_every_class() -> None:
    apple = ObservedObject('apple', 2, held=True)
    fridge = ObservedObject('fridge', 1)
    situation = Situation(
        objects={item.name: item for item in (apple, fridge)},
        movable=frozenset({'plum'}),
        places=frozenset({'desk'}),
    )
    assert situation.held == (apple,)
    assert situation.classes == {'apple', 'fridge', 'plum', 'desk'}
