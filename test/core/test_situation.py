# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot knows of its surroundings."""

from __future__ import annotations

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation


def test_a_situation_knows_what_is_held() -> None:
    apple, fridge = ObservedObject('apple', 2, held=True), ObservedObject('fridge', 1)
    assert Situation(objects={item.name: item for item in (apple, fridge)}).held == (apple,)
