# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The reader of skill libraries: an input is the YAML file of one.

A library that is accepted can be grounded: every skill that it offers in its own surroundings, or
in a shipped apartment, is a phrase that a decision can choose, and can be filled in and sent.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import yaml

from reactree_ros.core.decision import Act, Choices, parse_decision
from reactree_ros.core.observation import Observation
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError, SkillError
from reactree_ros.lab.strategies.plan_steps import steps_of
from reactree_ros.paths import share
from reactree_ros.sim.household import World
from reactree_ros.sim.household.shipped import shipped_scene
from reactree_ros.skills.call import Surroundings
from reactree_ros.skills.library import GroundedSkill, SkillLibrary
from reactree_ros.skills.reader import read_library
from reactree_ros.skills.references import filled

from .contract import Target, demand, scratch, told
from .mutations import ODD_TEXTS, mutate_bytes, mutate_lines, mutate_values

_SHIPPED = ('household', 'tabletop_arm', 'mobile_manipulator', 'panda_mobile', 'blocksworld')
_FEW = 12
"""So many skills of a library are looked at closely."""
_WORDS = (
    *(b'&a ', b'*a', b'<<: *a\n', b'!!int ', b'!!bool ', b'!!float ', b'!!timestamp ', b'!!set '),
    *(b'!!binary ', b'!!null ', b'!x ', b'? ', b': ', b'- ', b'[', b'{', b'|\n', b'>\n', b'---\n'),
    *(b'2001-99-99', b'0b_', b'0x_', b'0o9', b'1_000', b'-.inf', b'.nan', b'1:99', b'190:20:30'),
    *(b'=', b'~', b'"{item.pose}"', b'{item}', b'{result.x}', b'{feedback.x:.1f}', b'{robot.held}'),
    *(b'phrase: ', b'arguments: ', b'pose: {x: 1}', b'effects: {at: item}', b'world: {}\n'),
)


@cache
def seeds() -> list[bytes]:
    """Return the shipped libraries, those with long lists of words cut to a few."""
    made = [_cut(name) for name in _SHIPPED]
    for data in made:
        check(data)  # what is imported on the way takes its time only now
    return made


def mutate(random: Random, data: bytes, among: Sequence[bytes]) -> bytes:
    """Change values and keys, or lines, or bytes."""
    kind = random.randrange(3)
    if kind == 0:
        return mutate_bytes(random, data, among, _WORDS)
    text = data.decode('utf-8', 'replace')
    if kind == 1:
        words = (*ODD_TEXTS, *(word.decode() for word in _WORDS))
        return mutate_lines(random, text, words).encode('utf-8', 'replace')
    return _written(mutate_values(random, _values(text)))


def check(data: bytes) -> bool:
    """Hold an input against the contract; see the module."""
    path = scratch() / 'library.yaml'
    path.write_bytes(data)
    try:
        library = read_library(path)
    except ConfigurationError as error:
        return told(error)
    for skill in library.skills:
        seconds = skill.call.limit_sec
        demand(0.0 <= seconds < math.inf, f'{skill.name} may take {seconds} s')
    for name, pose in library.poses.items():
        numbers = (*pose.position, *pose.orientation)
        demand(all(map(math.isfinite, numbers)), f'the pose of {name} is {pose}')
    model = library.world_model()
    seen = _apartment() if model is None else model.observe()
    situation = _situation(library, seen)
    offered = library.executable(situation)
    if offered:
        choices = Choices(skills=tuple(one.phrase for one in offered))
        for one in offered[:_FEW]:
            chosen = parse_decision(f'Act: {one.phrase}', choices)
            demand(chosen == Act(one.phrase), f'{one.phrase!r} is read as {chosen!r}')
            _fill(one, library, situation)
    for grounded in offered[:_FEW]:
        if model is not None:
            seen = model.after(grounded, 'It is done.')
            library.executable(_situation(library, seen))
    for phrase, step in itertools.islice(steps_of(library, seen).items(), _FEW):
        demand(step.phrase == phrase, f'{phrase!r} is a step called {step.phrase!r}')
        step.ground(situation)
    return True


@cache
def _apartment() -> Observation:
    return World(shipped_scene('apartment_1'), 'kitchen 1').survey()


def _situation(library: SkillLibrary, seen: Observation) -> Situation:
    objects = {item.name: item for item in seen.objects}
    known = {'movable': library.objects, 'places': library.places}
    return Situation(seen.room, seen.place, objects, **known, rooms=seen.rooms)


def _fill(grounded: GroundedSkill, library: SkillLibrary, situation: Situation) -> None:
    """Fill in what is sent for a skill; only a pose that is not known may be missing."""
    try:
        filled(grounded.call.fields, Surroundings(grounded.named, library.poses, situation))
    except SkillError as error:
        told(error)


def _values(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except Exception:  # what is not YAML any more is changed as text
        return {'name': text}


def _written(values: Any) -> bytes:
    try:
        text = yaml.safe_dump(values, sort_keys=False, default_flow_style=None, allow_unicode=True)
        return text.encode()
    except (yaml.YAMLError, UnicodeEncodeError):
        return repr(values).encode('utf-8', 'replace')


def _cut(name: str) -> bytes:
    values = yaml.safe_load(share('behaviors', f'{name}.yaml').read_text(encoding='utf-8'))
    folder = share('behaviors').resolve()
    for key in ('pddl', 'examples', 'prompts'):
        if isinstance(values.get(key), dict):
            values[key] = {one: str(folder / path) for one, path in values[key].items()}
        elif key in values:
            values[key] = str(folder / values[key])
    if name == 'household':
        values['objects'] = ['apple', 'alcohol', 'juice', 'milk', 'wine', 'cutlery knife', 'plate']
        values['places'] = ['fridge', 'sink', 'faucet', 'stove', 'kitchen counter']
        values['kinds'] = {'drink': ['alcohol', 'juice', 'milk', 'wine']}
        held = {'phrase': '{item} held', 'item': 'movable', 'holds': {'held': True}}
        values['predicates'] = {'held': held}
    return _written(values)


TARGET = Target('skills', seeds, mutate, check)
