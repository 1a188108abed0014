# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws robots: a trade, a way of getting about, and the mechanisms that it is made of."""

from __future__ import annotations

from functools import lru_cache

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.document import document_of
from reactree_ros.sim.made.mechanisms import (
    extras,
    handling,
    looking,
    machines,
    modes,
    people,
    ways,
)
from reactree_ros.sim.made.robot import FULL, PLACE, ROOM, Build, MadeRobot, Speech
from reactree_ros.sim.planning.facts import Operator
from reactree_ros.sim.vocabulary import (
    HELD_OUT,
    STYLES,
    TRAINING,
    Station,
    Trade,
    owned,
    phrases,
    refusal_style,
    refusals,
    trades,
)

TRAIN, DEV, TEST = 'made_train', 'made_dev', 'made_test'
"""Sets of robots: to learn from; held out, of the same words; held out, with words and mixtures
of mechanisms that are in no other set."""
FIELD_TRAIN, FIELD_DEV = 'field_train', 'field_dev'
"""The same two as a robot meets goals in the field: in people's own words, or step by step; skills
can fail, and most robots answer as a ROS action server does."""
FIELD_SETS = (FIELD_TRAIN, FIELD_DEV)
SETS = (TRAIN, DEV, TEST, *FIELD_SETS)

_UNLEARNED: tuple[tuple[str, ...], ...] = (
    ('doors', 'started machine'),
    ('battery', 'arm to fold'),
    ('floors', 'inspection', 'people'),
    ('stacks', 'devices'),
    ('maker', 'people'),
    ('tools', 'doors'),
)
"""Mixtures of mechanisms that only robots of TEST have."""


@lru_cache(maxsize=32)
def made_robot(set_name: str, seed: int) -> MadeRobot:
    """Return a robot, always the same for a set and a seed.

    Args:
        set_name: one of SETS.
        seed: from 1.

    Raises:
        ConfigurationError: there is no such set or seed.
    """
    if set_name not in SETS or seed < 1:
        raise ConfigurationError(
            f'there is no generated robot {set_name} {seed}: the sets are {", ".join(SETS)}, seeds '
            'begin at 1'
        )
    for again in range(200):
        draw = Draw(f'{set_name} {seed}' + (f' again {again}' if again else ''))
        robot = _drawn(f'{set_name} {seed}', seed, draw, set_name)
        mixed = any({*one} <= {*robot.mechanisms} for one in _UNLEARNED)
        # Half of the test robots have a mixture that is never learned.
        if mixed is (set_name == TEST and seed % 2 == 1) or (set_name == TEST and seed % 2 == 0):
            return robot
    raise AssertionError(f'{set_name} {seed}: no robot is allowed')


def _drawn(name: str, seed: int, draw: Draw, set_name: str) -> MadeRobot:
    trade = draw.pick(trades(HELD_OUT if set_name == TEST else TRAINING))
    if set_name in FIELD_SETS and trade.language == 'en':
        trade = owned(trade, Draw(f'{name} owners'))
    strict = draw.chance(0.5)
    of_field = set_name in FIELD_SETS and trade.language == 'en'
    b = Build(
        draw, trade.language, strict, draw.pick(STYLES) if trade.language == 'en' else 'words',
        of_field, refusals(trade.language) if of_field else {},
    )  # fmt: skip
    layout = _layout(draw, trade, set_name)
    ways.add_rooms(b, trade, layout)
    handles = layout == ways.FIXED or draw.chance(0.85)
    b.hands = draw.weighted({1: 5, 2: 3, 3: 1, 4: 0.5}) if handles else 0
    stations, battery = _furnish(b, trade, layout)
    if handles:
        handling.add_handling(b)
    machines.add_work(b, stations)
    ways.add_ways(b, layout)
    if b.of('recipient'):
        people.add_service(b)
    if handles:
        handling.add_wishes(b)
    _hinder(b, layout, battery, stations)
    sees = FULL if layout == ways.FIXED else draw.weighted({FULL: 1, PLACE: 2.5, ROOM: 2.5})
    if sees == ROOM and (layout in (ways.OPEN, ways.ROOMS) or ways.THROUGH in b.mechanisms):
        sees = PLACE  # who drives to a place at once knows it
    field = Draw(f'{name} says')
    aborts, brief = (set_name in FIELD_SETS and field.chance(share) for share in (0.7, 0.5))
    seen = {key: draw.pick(forms) for key, forms in phrases(b.language)['seen'].items()}
    return MadeRobot(
        name=name,
        seed=seed,
        document=document_of(b, trade, draw),
        things=dict(b.things),
        rooms=tuple(b.rooms),
        static=frozenset(b.static),
        operators=_by_skill(b),
        starts=tuple(b.starts),
        wishes=tuple(b.wishes),
        sees=sees,
        hides=dict(b.hides),
        say=Speech(b.language, seen, refusal_style(draw), draw.chance(0.4), aborts, brief),
        levels=dict(b.levels),
        parts=dict(b.parts),
        trade=trade.name,
        mechanisms=tuple(dict.fromkeys(b.mechanisms)),
        strict=strict,
        kind_nouns=dict(b.kind_nouns),
        room_nouns=dict(b.room_nouns),
    )


def _layout(draw: Draw, trade: Trade, set_name: str) -> str:
    weights = {
        ways.OPEN: 2.0, ways.ROOMS: 3.0, ways.ENTERED: 2.0, ways.DOORS: 2.5, ways.FLOORS: 1.5,
        ways.FIXED: 1.5,
    }  # fmt: skip
    if set_name in FIELD_SETS:
        weights[ways.FLOORS] *= 2
    if trade.language != 'en':
        weights |= {ways.DOORS: 0.0, ways.FLOORS: 0.0}
    return draw.weighted(weights)


def _furnish(b: Build, trade: Trade, layout: str) -> tuple[list[tuple[Station, str, bool]], bool]:
    """Add all places and things."""
    draw = b.draw
    stations: list[tuple[Station, str, bool]] = []
    moves = layout != ways.FIXED
    if b.hands:
        handling.add_places(b, trade)
        handling.add_things(b, trade)
        if draw.chance(0.7):
            stations = machines.add_stations(b, trade)
    else:
        for noun in draw.shuffled(trade.lists['surfaces'])[:2]:
            b.add(noun, 1, 'furniture', 'spot', 'surfaces', room=b.a_room())
    if moves and draw.chance(0.4 if b.hands else 0.6):
        people.add_people(b, trade)
    battery = layout in (ways.OPEN, ways.ROOMS) and draw.chance(0.35)
    if battery:
        modes.add_dock(b)
    if draw.chance(0.4 if b.hands else 0.6):
        machines.add_devices(b, trade)
    if moves and draw.chance((0.5 if b.of_field else 0.3) if b.hands else 1.0):
        looking.add_looking(b, trade)
    if draw.chance(0.25):
        machines.add_cleaning(b)
    if b.hands and draw.chance(0.15):
        extras.add_maker(b)
    if moves and draw.chance(0.18):
        extras.add_tools(b)
    if draw.chance(0.3):
        extras.add_idle(b)
    return stations, battery


def _hinder(
    b: Build, layout: str, battery: bool, stations: list[tuple[Station, str, bool]]
) -> None:
    """Add what stands in the way of other skills."""
    draw = b.draw
    moves = layout != ways.FIXED
    if not moves and not b.of('can_open') and not stations and draw.chance(0.8):
        handling.add_stacking(b)
    if moves and b.of_field and draw.chance(0.5):
        for _ in range(1 + draw.chance(0.3)):
            modes.add_part(b)
    elif moves and b.hands and 'tools' not in b.mechanisms and draw.chance(0.2):
        modes.add_posture(b)
    if b.of('device') and 'inspection' in b.mechanisms and draw.chance(0.9 if b.of_field else 0.4):
        modes.add_darkness(b)
    if battery:
        modes.add_battery(b)


def _by_skill(b: Build) -> dict[str, tuple[Operator, ...]]:
    found: dict[str, tuple[Operator, ...]] = {name: () for name in b.phrases}
    for one in b.operators:
        found[one.skill] = (*found[one.skill], one)
    return found
