# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals of the five task types of Watch-And-Help (paper, section 5.1)."""

from __future__ import annotations

from collections.abc import Mapping

from reactree_ros.lab.generator.draft import Draft, draw_items
from reactree_ros.lab.generator.draw import Draw

_HOW_MANY = {1: 0.2, 2: 0.35, 3: 0.3, 4: 0.15}
_FOR_FRIDGE = {'apple': 3.0, 'pudding': 3, 'cupcake': 3, 'pancake': 2, 'poundcake': 2, 'wine': 3,
               'juice': 3, 'milk': 1, 'tomato': 1, 'salmon': 1}  # fmt: skip
_DISHES = {'plate': 3.0, 'waterglass': 3, 'wineglass': 3, 'cutleryfork': 3, 'cutleryspoon': 1,
           'cutleryknife': 1, 'mug': 1, 'bowl': 1}  # fmt: skip
_MEAL = {'coffeepot': 2.0, 'cupcake': 2, 'pancake': 2, 'poundcake': 2, 'pudding': 2, 'apple': 2,
         'juice': 2, 'wine': 2}  # fmt: skip
_SNACK = {'pudding': 3.0, 'cupcake': 3, 'apple': 3, 'wine': 3, 'juice': 3, 'chips': 1,
          'crackers': 0.5}  # fmt: skip
_WARM = {'salmon': 2.0, 'chicken': 2, 'potato': 2, 'pancake': 2, 'poundcake': 1, 'tomato': 1}
_PANS = {'fryingpan': 1.0, 'cookingpot': 1}


def draw_wah(draw: Draw, task_type: str, have: Mapping[str, int]) -> Draft:
    """Draw a goal: one to four things in or on one place, and the dishwasher or oven started.

    Args:
        draw: chooses.
        task_type: one of ``task.WAH_TYPES``.
        have: how many of each class the home has.
    """
    total = draw.weighted(_HOW_MANY)
    if task_type == 'put_fridge':
        return Draft(task_type, draw_items(draw, _FOR_FRIDGE, have, total), 'fridge')
    if task_type == 'put_dishwasher':
        items = draw_items(draw, _DISHES, have, total)
        return Draft(task_type, items, 'dishwasher', switch=True)
    if task_type == 'prepare_snack':
        return Draft(task_type, draw_items(draw, _SNACK, have, total), 'coffeetable')
    if task_type == 'setup_table':
        place = 'diningtable' if have.get('diningtable') and draw.chance(0.5) else 'kitchentable'
        return Draft(task_type, draw_items(draw, _DISHES, have, total), place)
    how = draw.weighted({'table': 0.6, 'microwave': 0.3, 'stove': 0.1})
    if how == 'table':
        return Draft(task_type, draw_items(draw, _MEAL, have, total), 'kitchentable')
    if how == 'microwave':
        items = draw_items(draw, _WARM, have, min(total, 2))
        return Draft(task_type, items, 'microwave', switch=True)
    return Draft(task_type, draw_items(draw, _PANS, have, 1), 'stove', switch=True)
