# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals of the seven task types of ALFRED (paper, section 5.1)."""

from __future__ import annotations

from collections.abc import Mapping

from reactree_ros.lab.generator.catalogue import FURNITURE, THINGS
from reactree_ros.lab.generator.draft import Draft
from reactree_ros.lab.generator.draw import Draw

_SLICED = 1 / 3
# A "cabinet" that is not a kitchen cabinet cannot be named so that everyone knows which is meant.
_NO_TARGETS = frozenset({'cabinet', 'chair', 'sink', 'bathtub', 'garbagecan', 'microwave', 'stove',
                         'washingmachine'})  # fmt: skip
_SERVED = ('kitchentable', 'kitchencounter', 'coffeetable', 'diningtable')
_SLICEABLE = ('apple', 'potato', 'tomato', 'carrot', 'pear', 'peach')
_EXAMINED = ('book', 'magazine', 'cellphone', 'remotecontrol', 'pillow', 'mug', 'bowl', 'candle',
             'box', 'notes', 'keys', 'plate')  # fmt: skip
_PUT = ('book', 'magazine', 'notes', 'folder', 'keys', 'cellphone', 'remotecontrol', 'candle',
        'pillow', 'towel', 'barsoap', 'toiletpaper', 'clothesshirt', 'clothespants', 'box', 'mug',
        'bowl', 'plate', 'fryingpan', 'cookingpot', 'cutleryfork', 'cutleryspoon', 'coffeepot',
        'wine', 'juice', 'washingsponge')  # fmt: skip
_PAIRS = ('book', 'candle', 'pillow', 'magazine', 'keys', 'cellphone', 'remotecontrol', 'towel',
          'notes', 'folder', 'apple', 'cupcake', 'plate', 'mug', 'bowl', 'cutleryfork',
          'waterglass', 'wineglass', 'toiletpaper', 'barsoap', 'clothesshirt')  # fmt: skip
_WASHED = ('mug', 'bowl', 'plate', 'waterglass', 'wineglass', 'cutleryfork', 'cutleryknife',
           'cutleryspoon', 'fryingpan', 'cookingpot')  # fmt: skip
_HEATED = ('mug', 'potato', 'tomato', 'apple', 'breadslice', 'chicken', 'salmon', 'pancake')
_COOLED = ('mug', 'wine', 'juice', 'pudding', 'apple', 'tomato', 'potato', 'waterglass',
           'wineglass', 'cookingpot')  # fmt: skip
_LOADS: Mapping[str, tuple[str, ...]] = {
    'bowl': ('apple', 'tomato', 'potato', 'cutleryspoon', 'keys'),
    'box': ('keys', 'notes', 'cellphone', 'remotecontrol'),
    'cookingpot': ('potato', 'carrot', 'cutleryspoon', 'tomato'),
    'fryingpan': ('potato', 'salmon', 'cutleryfork', 'tomato'),
    'mug': ('cutleryspoon', 'cutleryfork', 'cutleryknife'),
    'plate': ('apple', 'breadslice', 'cupcake', 'tomato', 'cutleryfork', 'cutleryknife'),
}


def draw_alfred(draw: Draw, task_type: str, have: Mapping[str, int]) -> Draft:
    """Draw a goal; about a third of those about food ask for it sliced.

    Args:
        draw: chooses.
        task_type: one of ``task.ALFRED_TYPES``.
        have: how many of each class the home has.
    """
    if task_type == 'look_at_obj_in_light':
        lamp = draw.pick(_there(('tablelamp', 'floorlamp'), have))
        return Draft(task_type, ((draw.pick(_there(_EXAMINED, have)), 1),), lamp, look=True)
    if task_type == 'pick_two_obj':
        name = draw.pick([name for name in _there(_PAIRS, have) if have[name] >= 2])
        return Draft(task_type, ((name, 2),), _target(draw, name, have))
    if task_type == 'pick_and_place_with_movable_recep':
        vessel = draw.pick(_there(tuple(_LOADS), have))
        name = draw.pick(_there(_LOADS[vessel], have))
        places = (*_SERVED, 'fridge') if 'EATABLE' in THINGS[name].properties else _SERVED
        place = draw.pick(_there(('desk', 'bookshelf') if vessel == 'box' else places, have))
        return Draft(task_type, ((name, 1),), place, vessel=vessel)
    if task_type == 'pick_and_place_simple':
        sliced = draw.chance(_SLICED)
        name = draw.pick(_there(_SLICEABLE if sliced else _PUT, have))
        return Draft(task_type, ((name, 1),), _target(draw, name, have), sliced=sliced)
    sliced = draw.chance(_SLICED)
    if task_type == 'pick_clean_then_place':
        name = draw.pick(_there(_SLICEABLE[:5] if sliced else _WASHED, have))
        targets = (*_SERVED, 'fridge') if sliced else (*_SERVED, 'kitchencabinet')
        return _treated(draw, task_type, name, 'clean', targets, sliced, have)
    if task_type == 'pick_heat_then_place':
        name = draw.pick(_there(('potato', 'tomato', 'apple', 'carrot')
                                if sliced else _HEATED, have))  # fmt: skip
        food = 'EATABLE' in THINGS[name].properties
        targets = (*_SERVED, 'fridge') if food else (*_SERVED, 'desk')
        return _treated(draw, task_type, name, 'hot', targets, sliced, have)
    name = draw.pick(_there(_SLICEABLE if sliced else _COOLED, have))
    return _treated(draw, task_type, name, 'cold', _SERVED, sliced, have)


def _there(names: tuple[str, ...], have: Mapping[str, int]) -> list[str]:
    return [name for name in names if have.get(name)]


def _target(draw: Draw, name: str, have: Mapping[str, int]) -> str:
    weights = {
        place: weight
        for place, weight in THINGS[name].places.items()
        if have.get(place) and place not in _NO_TARGETS and FURNITURE[place].room_for >= 2
    }
    return draw.weighted({**weights, 'kitchencounter': weights.get('kitchencounter', 0.5)})


def _treated(
    draw: Draw,
    task_type: str,
    name: str,
    treatment: str,
    targets: tuple[str, ...],
    sliced: bool,
    have: Mapping[str, int],
) -> Draft:
    place = draw.pick(_there(targets, have))
    # Nothing stays hot in a closed fridge, but what was cooked stays cooked.
    state = 'cooked' if (treatment, place) == ('hot', 'fridge') else treatment
    device = {'clean': 'sink', 'hot': 'microwave', 'cold': 'fridge'}[treatment]
    return Draft(
        task_type,
        ((name, 1),),
        place,
        treatment=state,
        sliced=sliced,
        from_places=(device,),
    )
