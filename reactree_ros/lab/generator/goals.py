# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws what tasks want, in the types of Watch-And-Help and of ALFRED."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reactree_ros.lab.generator.catalogue import FURNITURE, THINGS
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.household.words import words

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
_WAH = {
    'put_fridge': ('fridge', _FOR_FRIDGE),
    'put_dishwasher': ('dishwasher', _DISHES),
    'prepare_snack': ('coffeetable', _SNACK),
    'setup_table': ('kitchentable', _DISHES),
}
"""By type: the place, and what is put there."""

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
_TREATED: Mapping[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {
    'pick_clean_then_place': ('clean', 'sink', _WASHED, _SLICEABLE[:5]),
    'pick_heat_then_place': ('hot', 'microwave', _HEATED, ('potato', 'tomato', 'apple', 'carrot')),
    'pick_cool_then_place': ('cold', 'fridge', _COOLED, _SLICEABLE),
}
"""By type: the state, what brings it about, what is given it, and what of that sliced."""


@dataclass(frozen=True)
class Draft:
    """What one task wants.

    Args:
        type: its type.
        items: classes of the things that are wanted, with counts.
        place: class of the place where they are to be, or of the lamp.
        treatment: state that the things must be in: clean, hot, cooked or cold; or empty.
        sliced: whether they must be sliced.
        vessel: class of what the thing must lie in or on; or empty.
        switch: whether the place is to be switched on at the end.
        look: whether the thing is to be held in the light of the place, instead of put there.
        vague: what the wording leaves open: ``items`` or ``place``; or empty.
        from_places: classes of places where the things must not lie at the start, besides the
            place itself.
    """

    type: str
    items: tuple[tuple[str, int], ...]
    place: str
    treatment: str = ''
    sliced: bool = False
    vessel: str = ''
    switch: bool = False
    look: bool = False
    vague: str = ''
    from_places: tuple[str, ...] = ()

    def conditions(self) -> tuple[str, ...]:
        """What must hold, as lines of conditions."""
        place = words(self.place)
        switched_on = f'{place} switched on'
        if self.look:
            return f'{words(self.items[0][0])} held at {place}', switched_on
        relation = FURNITURE[self.place].relation.lower()
        before = f'{words(self.vessel)} with ' if self.vessel else ''
        states = f'{self.treatment} ' * bool(self.treatment) + 'sliced ' * self.sliced
        lines = (
            f'{f"{count} " if count > 1 else ""}{before}{states}{words(name)} {relation} {place}'
            for name, count in self.items
        )
        return *lines, *([switched_on] if self.switch else [])

    def things(self) -> tuple[str, ...]:
        """Classes of all things that the goal is about."""
        return tuple(name for name, _ in self.items) + ((self.vessel,) if self.vessel else ())

    def avoid(self) -> frozenset[str]:
        """Classes of places where none of those things may lie at the start."""
        return frozenset({self.place, *self.from_places})


def draw_wah(draw: Draw, task_type: str, have: Mapping[str, int]) -> Draft:
    """Draw a goal: one to four things in or on one place, and the dishwasher or oven started.

    Args:
        draw: chooses.
        task_type: one of ``task.WAH_TYPES``.
        have: how many of each class the home has.
    """
    total = draw.weighted(_HOW_MANY)
    if task_type == 'prepare_food':
        place = draw.weighted({'kitchentable': 0.6, 'microwave': 0.3, 'stove': 0.1})
        weights = {'kitchentable': _MEAL, 'microwave': _WARM, 'stove': _PANS}[place]
        total = min(total, {'kitchentable': 4, 'microwave': 2, 'stove': 1}[place])
    else:
        place, weights = _WAH[task_type]
    if task_type == 'setup_table' and have.get('diningtable') and draw.chance(0.5):
        place = 'diningtable'
    switch = place in ('dishwasher', 'microwave', 'stove')
    return Draft(task_type, _items(draw, weights, have, total), place, switch=switch)


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
        places = (*_SERVED, 'fridge') if _is_food(name) else _SERVED
        place = draw.pick(_there(('desk', 'bookshelf') if vessel == 'box' else places, have))
        return Draft(task_type, ((name, 1),), place, vessel=vessel)
    sliced = draw.chance(_SLICED)
    if task_type == 'pick_and_place_simple':
        name = draw.pick(_there(_SLICEABLE if sliced else _PUT, have))
        return Draft(task_type, ((name, 1),), _target(draw, name, have), sliced=sliced)
    state, device, whole, cut = _TREATED[task_type]
    name = draw.pick(_there(cut if sliced else whole, have))
    more: tuple[str, ...] = ()
    if state == 'clean':
        more = ('fridge',) if sliced else ('kitchencabinet',)
    elif state == 'hot':
        more = ('fridge',) if _is_food(name) else ('desk',)
    place = draw.pick(_there((*_SERVED, *more), have))
    # Nothing stays hot in a closed fridge, but what was cooked stays cooked.
    if (state, place) == ('hot', 'fridge'):
        state = 'cooked'
    item = ((name, 1),)
    return Draft(task_type, item, place, state, sliced, from_places=(device,))


def _items(
    draw: Draw, weights: Mapping[str, float], have: Mapping[str, int], total: int
) -> tuple[tuple[str, int], ...]:
    """Draw ``total`` things of a home by their weights, now and then two or three of a kind."""
    left = {name: weight for name, weight in weights.items() if have.get(name, 0)}
    chosen: dict[str, int] = {}
    while sum(chosen.values()) < total and left:
        more = [name for name, count in chosen.items() if count < have[name]]
        name = draw.pick(more) if more and draw.chance(0.15) else draw.weighted(left)
        chosen[name] = chosen.get(name, 0) + 1
        left.pop(name, None)
    return tuple(chosen.items())


def _there(names: tuple[str, ...], have: Mapping[str, int]) -> list[str]:
    return [name for name in names if have.get(name)]


def _target(draw: Draw, name: str, have: Mapping[str, int]) -> str:
    weights = {
        place: weight
        for place, weight in THINGS[name].places.items()
        if have.get(place) and place not in _NO_TARGETS and FURNITURE[place].room_for >= 2
    }
    return draw.weighted({**weights, 'kitchencounter': weights.get('kitchencounter', 0.5)})


def _is_food(name: str) -> bool:
    return 'EATABLE' in THINGS[name].properties
