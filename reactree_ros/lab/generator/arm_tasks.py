# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws tasks of the arm in the kitchen, each with a plan that is known to lead to its goal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.generator.goal_sets import said_text
from reactree_ros.lab.generator.wordings import Counted, Hand, Named, Said, hands
from reactree_ros.paths import share
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.physics.description import (
    CUPBOARD_HEIGHT,
    DRAWER_DEPTH,
    Description,
    Thing,
    shipped_description,
)
from reactree_ros.sim.physics.manipulation.grasps import WIDEST
from reactree_ros.sim.physics.tasks import KitchenTask, arm_tasks, start_of
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import read_library

SIZE = 200
"""How many tasks the set has."""
_SCENE = 'kitchen'
_WORDINGS = 4
_CLOSED = 0.3
"""So many of the things of a goal are in something closed at the start."""
_APART = 0.03
_DRAWER = 0.27, 0.34
"""Depth and width of an open drawer in which things can be put down (m)."""
_BOARD = 0.03
"""Thickness of the board above a drawer or in a cupboard, with what a drawer needs to slide (m)."""
_RIM = 0.01
_LOW = 0.06
"""Height of the hand when it comes from the side (m)."""
_SEEDS = range(10)


class _UnfitError(Exception):
    """What was drawn does not fit the kitchen."""


@dataclass(frozen=True)
class Kitchen:
    """The places and things of a world by class, of which it has one each.

    Args:
        description: the world.
    """

    description: Description

    @cached_property
    def things(self) -> dict[str, Thing]:
        """All things."""
        return {_class(name): thing for name, thing in self.description.things.items()}

    @cached_property
    def loads(self) -> list[str]:
        """What the hand can carry."""
        return [name for name, thing in self.things.items() if not thing.fixed]

    @cached_property
    def library(self) -> SkillLibrary:
        """The robot's words."""
        return read_library(share('behaviors', f'{self.description.skills}.yaml'))

    @cached_property
    def flat(self) -> list[str]:
        """Of what can be carried, that on which goals can want something."""
        on = next(one for one in self.library.predicates if one.name == 'on')
        return [name for name in self.loads if name in on.arguments[1]]

    @cached_property
    def kinds(self) -> dict[str, list[str]]:
        """What the hand can carry of each kind of which there are things that it can carry only."""
        kinds = {kind: sorted(classes) for kind, classes in self.library.kinds.items()}
        return {kind: names for kind, names in kinds.items() if {*names} <= {*self.loads}}

    @cached_property
    def areas(self) -> dict[str, tuple[float, float]]:
        """Depth and width in which things stand, of each piece of furniture and drawer (m)."""
        pieces = self.description.furniture.values()
        areas = {
            _class(piece.name): (piece.size[0] - 0.04, piece.size[1] - 0.04) for piece in pieces
        }
        return areas | {_class(piece.drawer): _DRAWER for piece in pieces if piece.drawer}

    @cached_property
    def headroom(self) -> dict[str, float]:
        """Height of each place that can be closed (m)."""
        found = {}
        for piece in self.description.furniture.values():
            if piece.kind == 'cupboard':
                found[_class(piece.name)] = CUPBOARD_HEIGHT - _BOARD
            if piece.drawer:
                found[_class(piece.drawer)] = DRAWER_DEPTH - _BOARD
        return found

    @cached_property
    def open_places(self) -> list[str]:
        """Furniture that cannot be closed."""
        return [name for name in self.areas if name not in self.headroom]

    @cached_property
    def where(self) -> dict[str, str]:
        """Where each thing stands, unless a task moves it."""
        return {_class(name): _class(on[0]) for name, on in self.description.on.items()}

    def takes(self, name: str, place: str) -> bool:
        """Return whether the hand can take a thing from a place, wherever it stands there."""
        thing = self.things[name]
        piece = self.description.furniture.get(f'{place} 1')
        # In a cupboard the hand comes from the side, and of a low thing the bottom is in its way.
        level = piece is not None and piece.kind == 'cupboard' and not _is_wide(thing)
        return not level or thing.height > _LOW

    def relation(self, place: str) -> str:
        """Return ``inside`` or ``on``."""
        thing = self.things.get(place)
        hollow = thing is not None and thing.shape == 'vessel'
        return 'inside' if hollow or place in self.headroom else 'on'

    def fit(self, names: Iterable[str], place: str) -> bool:
        """Return whether things stand together on or in furniture, a drawer or another thing."""
        things = [self.things[name] for name in names]
        below = self.things.get(place)
        if below is None:
            high = self.headroom.get(place, math.inf)
            depth, width = self.areas[place]
            needed = sum((2 * thing.radius + _APART) ** 2 for thing in things)
            if place in self.headroom and len(things) > 1 and any(map(_is_wide, things)):
                # The hand holds it by its rim, and has no room beside others.
                return False
            return (
                all(thing.height < high and 2 * thing.radius < depth for thing in things)
                and needed < 0.7 * depth * width
            )
        if below.name in {thing.name for thing in things}:
            return False
        if below.shape == 'vessel':
            # What is much higher topples.
            return sum(thing.radius for thing in things) < below.size[0] - _RIM and all(
                thing.height < 2 * below.height for thing in things
            )
        depth, width, _ = below.extents
        if below.shape == 'tray':
            return sum((2 * thing.radius + _APART) ** 2 for thing in things) < 0.7 * depth * width
        return (
            below.shape == 'box'
            and len(things) == 1
            and things[0].shape == 'box'
            and things[0].extents[0] <= depth
            and things[0].extents[1] <= width
        )


@dataclass
class ArmGoal:
    """A goal as it was drawn.

    Args:
        shape: one of SHAPES.
        lines: its conditions.
        said: shapes of frames with what fills them; a sentence each.
        start: where things stand at the start that the goal is about.
        moves: which thing is put where, in this order; a place that is empty leaves it in the hand.
        opened: what is open at the end, though nothing is put into it.
        closed: what is closed again at the end.
    """

    shape: str
    lines: list[str] = field(default_factory=list)
    said: list[tuple[str, Said]] = field(default_factory=list)
    start: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[str, str]] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)


def known_plan(goal: ArmGoal, kitchen: Kitchen) -> tuple[str, ...]:
    """Return skills that lead to a goal, such as ``go to drawer``."""
    where = kitchen.where | goal.start
    plan: list[str] = []
    here, opened = '', set()

    def go(place: str) -> None:
        nonlocal here
        while place in where:
            place = where[place]
        if place != here:
            plan.append(f'go to {place}')
            here = place

    def go_and_open(place: str) -> None:
        go(place)
        if here in kitchen.headroom and here not in opened:
            plan.append(f'open {here}')
            opened.add(here)

    for name, place in goal.moves:
        go_and_open(where[name])
        plan.append(f'pick up {name}')
        if place:
            go_and_open(place)
            plan.append(f'put {name} into {place}' if place in where else f'put down {name}')
            where[name] = place
    for place in goal.opened:
        if place not in opened:
            go_and_open(place)
    for place in goal.closed:
        go(place)
        plan.append(f'close {place}')
    return tuple(plan)


def make_arm_tasks() -> list[dict[str, Any]]:
    """Draw the training tasks of the kitchen.

    Returns:
        Tasks as plain data. No two have the same goal and start, and no goal is one of the test
        tasks of the same kitchen.
    """
    kitchen = Kitchen(shipped_description(_SCENE))
    judged = {wanted(task.conditions) for task in arm_tasks('kitchen')}
    taken: set[tuple[frozenset[str], tuple[tuple[str, str, str], ...]]] = set()
    tasks = []
    for index in range(SIZE):
        shape = [*SHAPES][index % len(SHAPES)]
        for attempt in range(1000):
            draw = Draw(f'kitchen_train/{index + 1}/{attempt}')
            task = _task(draw, kitchen, shape, index + 1)
            if task is None or wanted(task.conditions) in judged:
                continue
            if (wanted(task.conditions), task.moved) not in taken:
                break
        else:
            raise AssertionError(f'kitchen_train: no task {index + 1} of {shape} can be drawn')
        taken.add((wanted(task.conditions), task.moved))
        tasks.append(_plain(task))
    return tasks


def wanted(conditions: Sequence[str]) -> frozenset[str]:
    """Return the single conditions of a goal, in no order."""
    return frozenset(one for line in conditions for one in line.split('; '))


def _task(draw: Draw, kitchen: Kitchen, shape: str, number: int) -> KitchenTask | None:
    maker = _Maker(draw, kitchen, shape)
    try:
        SHAPES[shape](maker)
    except _UnfitError:
        return None
    goal = maker.goal
    if not all(kitchen.fit(_ever_at(place, goal, kitchen), place) for place in kitchen.areas):
        return None
    if not all(kitchen.takes(name, place) for name, place in goal.start.items()):
        return None
    moved = tuple(
        (f'{name} 1', kitchen.relation(place), f'{place} 1')
        for name, place in goal.start.items()
        if kitchen.where[name] != place
    )
    instructions = _instructions(goal, draw)
    light = [name for name, _ in goal.moves if not _is_wide(kitchen.things[name])]
    task = KitchenTask(
        id=number,
        type=shape,
        scene=_SCENE,
        start=next(iter(kitchen.description.rooms)),
        instruction=instructions[0],
        instructions=instructions,
        moved=moved,
        conditions=('; '.join(goal.lines),),
        knock=f'{light[0]} 1' if light else '',
        plan=known_plan(goal, kitchen),
    )
    try:
        for seed in _SEEDS:
            start_of(task, seed)
    except ConfigurationError:
        return None
    return task


def _ever_at(place: str, goal: ArmGoal, kitchen: Kitchen) -> set[str]:
    """Return what stands at a place at the start, or is put there."""
    start = (kitchen.where | goal.start).items()
    return {name for name, at in (*start, *goal.moves) if at == place and name in kitchen.loads}


_FIELDS = 'id type scene start instruction instructions moved conditions knock plan'.split()


def _plain(task: KitchenTask) -> dict[str, Any]:
    return {name: getattr(task, name) for name in _FIELDS if getattr(task, name)}


def _instructions(goal: ArmGoal, draw: Draw) -> tuple[str, ...]:
    """Word a goal in some ways, each of another person."""
    found: dict[str, None] = {}
    for speaker in draw.shuffled(_speakers()):
        text = said_text(goal.said, speaker, draw)
        if text is not None:
            found[text] = None
        if len(found) == _WORDINGS:
            break
    return tuple(found)


@cache
def _speakers() -> tuple[Hand, ...]:
    """Those who speak English, with the nouns of the kitchen, too."""
    path = share('resource', 'wordings', 'nouns', f'{_SCENE}.yaml')
    nouns = yaml.safe_load(path.read_text(encoding='utf-8'))
    return tuple(
        replace(
            hand,
            data={**hand.data, **{part: {**hand.data[part], **nouns[part]} for part in nouns}},
        )
        for hand in hands()
        if hand.language == 'en'
    )


def _is_wide(thing: Thing) -> bool:
    """Return whether a thing does not fit between the fingers."""
    return min(thing.extents[:2]) > WIDEST


def _class(name: str) -> str:
    """Return the class of a name such as ``drawer 1``."""
    return name.rpartition(' ')[0]


class _Maker:
    """Draws one goal."""

    def __init__(self, draw: Draw, kitchen: Kitchen, shape: str) -> None:
        self.draw = draw
        self.kitchen = kitchen
        self.goal = ArmGoal(shape)

    def fitting(self, names: Sequence[str]) -> str:
        if not names:
            raise _UnfitError
        return self.draw.pick(names)

    def things(self, number: int, among: Sequence[str] = ()) -> list[str]:
        """So many things."""
        return self.draw.shuffled(among or self.kitchen.loads)[:number]

    def place(self, things: Sequence[str], among: Sequence[str] = (), avoid: str = '') -> str:
        """A place for things, which is free for them."""
        kitchen = self.kitchen
        places = among or [*kitchen.areas, 'tray', 'bowl']
        fitting = [p for p in places if p != avoid and kitchen.fit(things, p)]
        return self.fitting(fitting)

    def stand(self, name: str, avoid: Iterable[str], *, closed: bool = True) -> None:
        """Draw where a thing stands at the start."""
        kitchen, draw = self.kitchen, self.draw
        hidden = closed and draw.chance(_CLOSED)
        places = [*kitchen.headroom] if hidden else kitchen.open_places
        together = {p: [n for n, at in self.goal.start.items() if at == p] for p in places}
        self.goal.start[name] = self.fitting(
            [p for p in places if p not in avoid and kitchen.fit([name, *together[p]], p)]
        )

    def bring(self, things: Sequence[str], place: str) -> None:
        """Things, which stand elsewhere at the start, are put at a place."""
        below = place
        while below in self.kitchen.things:
            if below not in self.goal.start and below in self.kitchen.loads:
                self.stand(below, (), closed=False)
            below = self.goal.start.get(below, self.kitchen.where[below])
        for name in things:
            # On what they are to be put into is elsewhere, too.
            self.stand(name, {place})
            self.goal.moves.append((name, place))

    def at(self, place: str) -> str:
        return f'{self.kitchen.relation(place)} {place}'

    def want(self, frame: str, *lines: str, **said: Named | Counted) -> None:
        self.goal.lines += lines
        self.goal.said.append((frame, said))

    # Shapes.

    def hold(self) -> None:
        (name,) = self.things(1)
        self.stand(name, ())
        self.goal.moves.append((name, ''))
        self.want('hold', f'{name} held', item=Named(name))

    def put(self, number: int = 1) -> None:
        things = self.things(number)
        self.put_at(things, self.place(things))

    def put_at(self, things: Sequence[str], place: str, frame: str = 'put') -> None:
        self.bring(things, place)
        lines = [f'{name} {self.at(place)}' for name in things]
        self.want(frame, *lines, items=_each(things), place=Named(place))

    def put_several(self, number: int) -> None:
        """Things, each at another place."""
        places: list[str] = []
        things = self.things(number)
        said: dict[str, Named | Counted] = {}
        lines = []
        for end, name in zip(('', '2', '3'), things, strict=False):
            among = [*self.kitchen.areas, 'tray', 'bowl']
            if 'bowl' in things:
                among.remove('bowl')
            place = self.place([name], [p for p in among if p not in places])
            places.append(place)
            self.bring([name], place)
            lines.append(f'{name} {self.at(place)}')
            said |= {f'items{end}': _each([name]), f'place{end}': Named(place)}
        self.want(self.goal.shape, *lines, **said)

    def put_close(self) -> None:
        things = self.things(self.draw.whole(1, 2))
        place = self.place(things, [*self.kitchen.headroom])
        self.put_at(things, place, 'order_state')
        self.goal.lines.append(f'{place} closed')
        self.goal.closed.append(place)

    def take_close(self) -> None:
        """Things out of something closed, which is closed again."""
        things = self.things(self.draw.whole(1, 2))
        place = self.place(things, self.kitchen.open_places)
        closed = self.place(things, [*self.kitchen.headroom])
        self.put_at(things, place)
        for name in things:
            self.goal.start[name] = closed
        self.want('close', f'{closed} closed', place=Named(closed))
        self.goal.closed.append(closed)

    def leave_open(self) -> None:
        """Something open, and perhaps a thing in it, or out of it."""
        place = self.draw.pick([*self.kitchen.headroom])
        if self.draw.chance(0.85):
            (name,) = self.things(1)
            if self.draw.chance(0.5):
                self.put_at([name], self.place([name], [place]))
            else:
                if not self.kitchen.fit([name], place):
                    raise _UnfitError
                self.put_at([name], self.place([name], self.kitchen.open_places))
                self.goal.start[name] = place
        self.goal.opened.append(place)
        self.want('leave_open', f'{place} open', place=Named(place))

    def stack(self) -> None:
        """Two or three things on one another, perhaps at another place."""
        kitchen = self.kitchen
        tower = [self.fitting(kitchen.flat)]
        for _ in range(self.draw.whole(1, 2)):
            above = [n for n in kitchen.loads if n not in tower and kitchen.fit([n], tower[-1])]
            tower.append(self.fitting(above))
        if self.draw.chance(0.4):
            self.put_at(tower[:1], self.place(tower[:1], self.kitchen.open_places))
        for below, name in zip(tower, tower[1:], strict=False):
            self.put_at([name], below)

    def every(self) -> None:
        """All of a kind, of which some may be there already."""
        kind, names = self.kind()
        place = self.place(names)
        things = self.things(self.draw.whole(1, len(names)), names)
        if place in self.kitchen.things:
            things = names
        self.goal.start |= {name: place for name in names if name not in things}
        self.bring(things, place)
        self.want('all', f'all {kind} {self.at(place)}', item=Named(kind), place=Named(place))

    def count(self, frame: str) -> None:
        """A number of a kind at a place, where there are fewer at the start, or too many.

        All of them are in the open: who finds a drawer blocked must not take another instead.
        """
        kind, names = self.kind()
        exactly = frame == 'exactly'
        count = self.draw.whole(1 if exactly else 2, len(names) - exactly)
        there = self.draw.pick(
            [n for n in range(len(names) + 1) if n < count or (exactly and n > count)]
        )
        place = self.place(names, self.kitchen.open_places)
        names = self.draw.shuffled(names)
        self.goal.start |= dict.fromkeys(names[:there], place)
        for name in names[there:]:
            self.stand(name, {place}, closed=False)
        self.goal.moves += [(name, place) for name in names[there:count]]
        for name in names[count:there]:
            self.goal.moves.append((name, self.place([name], self.kitchen.open_places, place)))
        line = f'{"exactly " if exactly else ""}{count} {kind} {self.at(place)}'
        self.want(frame, line, exact=((Named(kind), count),), item=Named(kind), place=Named(place))

    def kind(self) -> tuple[str, list[str]]:
        kind = self.draw.pick([*self.kitchen.kinds])
        return kind, self.kitchen.kinds[kind]

    def clear_all(self) -> None:
        """Nothing at a place, and what was there at another."""
        kitchen = self.kitchen
        fixed = {at for name, at in kitchen.where.items() if name not in kitchen.loads}
        place = self.fitting([name for name in kitchen.open_places if name not in fixed])
        things = self.things(self.draw.whole(1, 3))
        target = self.place(things, [*kitchen.areas, 'tray'], avoid=place)
        for name in kitchen.loads:
            if name in things:
                self.goal.start[name] = place
            elif kitchen.where[name] == place:
                self.stand(name, {place})
        self.goal.moves += [(name, target) for name in things]
        self.want('clear_all', f'no thing on {place}', place=Named(place))
        lines = [f'{name} {self.at(target)}' for name in things]
        self.want('put', *lines, items=_each(things), place=Named(target))


def _each(names: Sequence[str]) -> Counted:
    return tuple((Named(name), 1) for name in names)


SHAPES: Mapping[str, Callable[[_Maker], None]] = {
    'put': _Maker.put,
    'put_two': lambda maker: maker.put_several(2),
    'hold': _Maker.hold,
    'put_close': _Maker.put_close,
    'stack': _Maker.stack,
    'all': _Maker.every,
    'put_same': lambda maker: maker.put(2),
    'leave_open': _Maker.leave_open,
    'exactly': lambda maker: maker.count('exactly'),
    'put_three': lambda maker: maker.put_several(3),
    'take_close': _Maker.take_close,
    'number': lambda maker: maker.count('number'),
    'clear_all': _Maker.clear_all,
}
"""What draws a goal of each shape; tasks take turns in them."""
