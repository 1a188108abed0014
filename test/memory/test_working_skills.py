# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What each skill of the household changes in working memory, however it ends; in a real world."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest

from reactree_ros.core.observation import Observation, ObservedObject, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.sim.household import World
from reactree_ros.skills.executor import EndedSkill
from reactree_ros.skills.library import GroundedSkill, SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor

DONE, REFUSED = SkillStatus.SUCCEEDED, SkillStatus.REFUSED
FAILED, CANCELED = SkillStatus.FAILED, SkillStatus.CANCELED

FRIDGE = 'go to fridge 1; open fridge 1'
CARRY = f'{FRIDGE}; pick up pudding 1'
AT_TABLE = f'{CARRY}; go to kitchen table 1'
ON_PLATE = f'{AT_TABLE}; put pudding 1 into plate 1'
OVEN = (
    f'{FRIDGE}; pick up chicken 1; go to microwave oven 1; open microwave oven 1; '
    'put down chicken 1; close microwave oven 1'
)
KNIFE = f'{FRIDGE}; go to kitchen counter 1; pick up cutlery knife 1; go to fridge 1'

# skill, how it ends, what was done before, phrase -> what is believed otherwise afterwards, and
# of the robot: its place, what it holds, which place it has looked into that it had not before
ROWS: list[tuple[str, SkillStatus, str, str, set[str], str]] = [
    # Furniture that comes into view, and what lies on it.
    (
        'go_to',
        DONE,
        '',
        'go to kitchen table 1',
        {
            'bananas 1: new, on kitchen table 1 in kitchen 1',
            'bread slice 1: new, on kitchen table 1 in kitchen 1',
            'cutlery fork 1: new, on kitchen table 1 in kitchen 1',
            'plate 1: new, on kitchen table 1 in kitchen 1',
            'water glass 2: new, on kitchen table 1 in kitchen 1',
        },
        'at kitchen table 1, looked into kitchen table 1',
    ),
    # A closed door shows nothing.
    ('go_to', DONE, '', 'go to fridge 1', set(), 'at fridge 1'),
    # Another room: what was seen in this one stays where it is.
    (
        'go_to',
        DONE,
        FRIDGE,
        'go to bathroom 1',
        {
            'bathroom cabinet 1: new, in bathroom 1, closed',
            'bathroom counter 1: new, in bathroom 1',
            'bathtub 1: new, in bathroom 1',
            'faucet 1: new, in bathroom 1, off',
            'sink 1: new, in bathroom 1',
            'toilet 1: new, in bathroom 1',
            'towel rack 1: new, in bathroom 1',
            'washing machine 1: new, in bathroom 1, closed, off',
        },
        'at nothing',
    ),
    ('go_to', REFUSED, FRIDGE, 'go to attic 1', set(), 'at fridge 1'),
    (
        'pick_up',
        DONE,
        FRIDGE,
        'pick up pudding 1',
        {'pudding 1: inside fridge 1 in kitchen 1 -> in your hand'},
        'at fridge 1, holds pudding 1',
    ),
    # With what is on it.
    (
        'pick_up',
        DONE,
        ON_PLATE,
        'pick up plate 1',
        {'plate 1: on kitchen table 1 in kitchen 1 -> in your hand'},
        'at kitchen table 1, holds plate 1',
    ),
    ('pick_up', REFUSED, 'go to fridge 1', 'pick up pudding 1', set(), 'at fridge 1'),
    # Out of reach: it is believed where it was seen.
    (
        'pick_up',
        REFUSED,
        f'{FRIDGE}; go to kitchen table 1',
        'pick up pudding 1',
        set(),
        'at kitchen table 1',
    ),
    (
        'pick_up',
        REFUSED,
        CARRY,
        'pick up juice 1',
        set(),
        'at fridge 1, holds pudding 1',
    ),
    # The new place in, the old one out.
    (
        'put_down',
        DONE,
        AT_TABLE,
        'put down pudding 1',
        {'pudding 1: in your hand -> on kitchen table 1 in kitchen 1'},
        'at kitchen table 1',
    ),
    (
        'put_down',
        DONE,
        CARRY,
        'put down pudding 1',
        {'pudding 1: in your hand -> inside fridge 1 in kitchen 1'},
        'at fridge 1',
    ),
    (
        'put_down',
        DONE,
        f'{ON_PLATE}; pick up plate 1; go to fridge 1',
        'put down plate 1',
        {'plate 1: in your hand -> inside fridge 1 in kitchen 1'},
        'at fridge 1',
    ),
    # What it does there by itself is seen.
    (
        'put_down',
        DONE,
        'go to stove 1; turn on stove 1; go to fridge 1; open fridge 1; pick up chicken 1; '
        'go to stove 1',
        'put down chicken 1',
        {'chicken 1: in your hand -> on stove 1 in kitchen 1, cooked, hot'},
        'at stove 1',
    ),
    (
        'put_down',
        REFUSED,
        f'{CARRY}; close fridge 1',
        'put down pudding 1',
        set(),
        'at fridge 1, holds pudding 1',
    ),
    ('put_down', REFUSED, FRIDGE, 'put down pudding 1', set(), 'at fridge 1'),
    (
        'put_into',
        DONE,
        AT_TABLE,
        'put pudding 1 into plate 1',
        {'pudding 1: in your hand -> on plate 1 in kitchen 1'},
        'at kitchen table 1',
    ),
    (
        'put_into',
        REFUSED,
        AT_TABLE,
        'put pudding 1 into bananas 1',
        set(),
        'at kitchen table 1, holds pudding 1',
    ),
    # A door that opens shows what is behind it.
    (
        'open',
        DONE,
        'go to fridge 1',
        'open fridge 1',
        {
            'chicken 1: new, inside fridge 1 in kitchen 1',
            'fridge 1: in kitchen 1, closed -> in kitchen 1, open',
            'juice 1: new, inside fridge 1 in kitchen 1',
            'milk 1: new, inside fridge 1 in kitchen 1',
            'pudding 1: new, inside fridge 1 in kitchen 1',
            'tomato 1: new, inside fridge 1 in kitchen 1',
        },
        'at fridge 1, looked into fridge 1',
    ),
    # What a device did behind its door, and that it stopped, is seen when it opens.
    (
        'open',
        DONE,
        f'{OVEN}; turn on microwave oven 1',
        'open microwave oven 1',
        {
            'chicken 1: inside microwave oven 1 in kitchen 1 '
            '-> inside microwave oven 1 in kitchen 1, cooked, hot',
            'microwave oven 1: on kitchen counter 2 in kitchen 1, closed, on '
            '-> on kitchen counter 2 in kitchen 1, off, open',
        },
        'at microwave oven 1',
    ),
    ('open', REFUSED, FRIDGE, 'open fridge 1', set(), 'at fridge 1'),
    # What is shut away is still there.
    (
        'close',
        DONE,
        FRIDGE,
        'close fridge 1',
        {'fridge 1: in kitchen 1, open -> in kitchen 1, closed'},
        'at fridge 1',
    ),
    ('close', REFUSED, 'go to fridge 1', 'close fridge 1', set(), 'at fridge 1'),
    # What is in view gets hot in view, what is behind a door does not.
    (
        'turn_on',
        DONE,
        'go to stove 1',
        'turn on stove 1',
        {
            'stove 1: in kitchen 1, off -> in kitchen 1, on',
            'cooking pot 1: on stove 1 in kitchen 1 -> on stove 1 in kitchen 1, hot',
        },
        'at stove 1',
    ),
    (
        'turn_on',
        DONE,
        OVEN,
        'turn on microwave oven 1',
        {
            'microwave oven 1: on kitchen counter 2 in kitchen 1, closed, off '
            '-> on kitchen counter 2 in kitchen 1, closed, on'
        },
        'at microwave oven 1',
    ),
    ('turn_on', REFUSED, 'go to fridge 1', 'turn on stove 1', set(), 'at fridge 1'),
    (
        'turn_off',
        DONE,
        'go to stove 1; turn on stove 1',
        'turn off stove 1',
        {'stove 1: in kitchen 1, on -> in kitchen 1, off'},
        'at stove 1',
    ),
    ('turn_off', REFUSED, 'go to stove 1', 'turn off stove 1', set(), 'at stove 1'),
    (
        'slice',
        DONE,
        KNIFE,
        'slice tomato 1',
        {
            'tomato 1: inside fridge 1 in kitchen 1 -> inside fridge 1 in kitchen 1, sliced',
        },
        'at fridge 1, holds cutlery knife 1',
    ),
    ('slice', REFUSED, FRIDGE, 'slice tomato 1', set(), 'at fridge 1'),
]


class Robot:
    """A robot in a real world, with its working memory."""

    def __init__(self, world: Any, library: SkillLibrary) -> None:
        self._executor = WorldExecutor(world)
        self._library = library
        self.memory = WorkingMemory(library.objects, library.places, 'skills_test')
        first = self._executor.observe().poll()
        assert first is not None
        self.memory.update(first)

    def do(self, phrase: str) -> tuple[GroundedSkill, SkillResult]:
        """Carry out a skill by its phrase, whether it is on offer or not."""
        for skill in self._library.skills:
            pattern = re.sub(r'{(\w+)}', r'(?P<\1>.+)', skill.phrase)
            match = re.fullmatch(pattern, phrase)
            if match:
                grounded = skill.ground(*match.groups())
                result = self._executor.start(grounded, self.memory.situation()).poll()
                assert result is not None
                self.memory.update(result.observation)
                return grounded, result
        raise AssertionError(f'no skill is called {phrase!r}')

    def beliefs(self) -> dict[str, str]:
        """What working memory holds of everything, in words."""
        return {name: told(item) for name, item in self.memory.situation().objects.items()}

    def state(self, looked_into: frozenset[str]) -> str:
        """Where the robot is, what it holds, and what it has looked into beyond what it had."""
        situation = self.memory.situation()
        parts = [f'at {situation.place or "nothing"}']
        parts += [f'holds {item.name}' for item in situation.held]
        parts += [f'looked into {name}' for name in situation.looked_into - looked_into]
        return ', '.join(parts)


def told(item: ObservedObject) -> str:
    if item.held:
        where = 'in your hand'
    elif item.receptacle:
        where = f'{item.relation} {item.receptacle} in {item.room}'
    else:
        where = f'in {item.room}'
    return ', '.join([where, *sorted(item.states)])


def changes(before: dict[str, str], after: dict[str, str]) -> set[str]:
    lines = {f'{name}: gone' for name in before.keys() - after.keys()}
    lines |= {f'{name}: new, {after[name]}' for name in after.keys() - before.keys()}
    return lines | {
        f'{name}: {before[name]} -> {after[name]}'
        for name in before.keys() & after.keys()
        if before[name] != after[name]
    }


@pytest.fixture
def robot(world: Any, household: SkillLibrary) -> Iterator[Robot]:
    robot = Robot(world, household)
    yield robot
    robot.memory.close()


@pytest.mark.parametrize(('skill', 'ending', 'before', 'phrase', 'changed', 'state'), ROWS)
def test_what_a_skill_changes(
    robot: Robot,
    skill: str,
    ending: SkillStatus,
    before: str,
    phrase: str,
    changed: set[str],
    state: str,
) -> None:
    for one in filter(None, before.split('; ')):
        assert robot.do(one)[1].status is DONE, one
    beliefs, looked_into = robot.beliefs(), robot.memory.situation().looked_into
    grounded, result = robot.do(phrase)
    assert (grounded.name, result.status) == (skill, ending), result.observation.text
    assert changes(beliefs, robot.beliefs()) == changed
    assert robot.state(looked_into) == state


def test_every_skill_is_in_the_table_done_and_refused(household: SkillLibrary) -> None:
    names = [skill.name for skill in household.skills]
    assert {(row[0], row[1]) for row in ROWS} == set(itertools.product(names, (DONE, REFUSED)))


class Thwarted(WorldExecutor):
    """A robot in a real world that does not bring one skill to its end.

    Args:
        world: where it is.
        phrase: the skill.
        ending: how that one ends.
        instead: what it does instead; empty for nothing, and then it tells nothing of the world.
    """

    def __init__(self, world: Any, phrase: str, ending: SkillStatus, instead: str = '') -> None:
        super().__init__(world)
        self._phrase = phrase
        self._ending = ending
        self._instead = instead

    def start(self, skill: GroundedSkill, situation: Situation) -> EndedSkill:
        """Carry out a skill, or something else."""
        if skill.phrase != self._phrase:
            return super().start(skill, situation)
        seen = Observation('It did not work.')
        if self._instead:
            name, _, item = self._instead.partition(' ')
            seen = self._world.execute(name, (item,)).observation
        return EndedSkill(SkillResult(self._ending, seen))


FIRST_DONE = {row[0]: row for row in reversed(ROWS) if row[1] is DONE}


@pytest.mark.parametrize('ending', [FAILED, CANCELED])
@pytest.mark.parametrize('skill', sorted(FIRST_DONE))
def test_a_skill_that_tells_nothing_of_the_world_changes_nothing(
    play: Any, robot: Robot, world: Any, skill: str, ending: SkillStatus
) -> None:
    """So it is when no answer came in time, when the robot was stopped, or went away."""
    _, _, before, phrase, _, _ = FIRST_DONE[skill]
    acts = [*filter(None, before.split('; ')), phrase]
    for one in acts[:-1]:
        robot.do(one)
    again = World(world.scene, 'kitchen 1')
    script = {'root': [*(f'Act: {one}' for one in acts), 'Think: what now?']}
    played = play(script, robot=Thwarted(again, phrase, ending))
    played.tick_until(lambda: len(played.model.requests) == len(acts) + 1)
    situation = played.run._state.memory.situation()
    assert situation == robot.memory.situation()
    assert list(situation.objects) == list(robot.memory.situation().objects)


# skill that does not come to its end, what was done before, what the robot does instead
# -> where the pudding is believed then
INSTEAD = [
    ('go to kitchen table 1', CARRY, 'put_down pudding 1', 'inside fridge 1 in kitchen 1'),
    ('pick up juice 1', FRIDGE, 'pick_up pudding 1', 'in your hand'),
    ('put down pudding 1', CARRY, 'go_to kitchen table 1', 'in your hand'),
    (
        'put pudding 1 into plate 1',
        AT_TABLE,
        'put_down pudding 1',
        'on kitchen table 1 in kitchen 1',
    ),
    ('close fridge 1', FRIDGE, 'pick_up pudding 1', 'in your hand'),
]


@pytest.mark.parametrize('ending', [FAILED, CANCELED])
@pytest.mark.parametrize(('phrase', 'before', 'instead', 'pudding'), INSTEAD)
def test_what_is_seen_counts_and_not_what_a_skill_was_to_do(
    play: Any,
    world: Any,
    ending: SkillStatus,
    phrase: str,
    before: str,
    instead: str,
    pudding: str,
) -> None:
    acts = [*before.split('; '), phrase]
    script = {'root': [*(f'Act: {one}' for one in acts), 'Think: what now?']}
    played = play(script, robot=Thwarted(world, phrase, ending, instead))
    played.tick_until(lambda: len(played.model.requests) == len(acts) + 1)
    assert told(played.run._state.memory.situation().objects['pudding 1']) == pudding
