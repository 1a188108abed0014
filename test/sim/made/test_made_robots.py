# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Many robots drawn at random: their libraries are right, and simulator and facts agree."""

from __future__ import annotations

import itertools
import re
from copy import deepcopy
from dataclasses import replace

import pytest
import yaml

from reactree_ros.core.observation import SkillStatus
from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.household.truth import situation_of
from reactree_ros.sim.made.belief import Belief
from reactree_ros.sim.made.make import DEV, FIELD_TRAIN, SETS, TEST, TRAIN, made_robot
from reactree_ros.sim.made.mechanisms.ways import THROUGH
from reactree_ros.sim.made.robot import FULL, HELD, IN, IS, ON, ROBOT, MadeRobot
from reactree_ros.sim.made.seeing import View
from reactree_ros.sim.made.world import MadeWorld
from reactree_ros.sim.planning.facts import State
from reactree_ros.sim.vocabulary import HELD_OUT, TRAINING, phrases, trades
from reactree_ros.skills.reader import parse_library

SEEDS = range(1, 41)
ROBOTS = [(name, seed) for name in SETS for seed in (SEEDS if name == TRAIN else range(1, 16))]


@pytest.mark.parametrize('name', SETS)
def test_the_libraries_are_right(name: str) -> None:
    for seed in SEEDS:
        robot = made_robot(name, seed)
        text = yaml.safe_dump(dict(robot.document), allow_unicode=True, sort_keys=False)
        read = parse_library(text, robot.name)
        assert [(one.name, one.phrase, one.arguments) for one in read.skills] == [
            (one.name, one.phrase, one.arguments) for one in robot.library.skills
        ]
        assert read.predicates == robot.library.predicates


def test_no_two_are_alike() -> None:
    robots = [made_robot(TRAIN, seed) for seed in range(1, 151)]
    phrases = {frozenset(one.phrase for one in robot.library.skills) for robot in robots}
    places = {robot.library.places | robot.library.objects for robot in robots}
    assert len(phrases) > 145
    assert len(places) == 150


def test_a_seed_always_draws_the_same() -> None:
    first = made_robot(TRAIN, 7)
    made_robot.cache_clear()
    again = made_robot(TRAIN, 7)
    assert again is not first
    assert again.document == first.document
    assert again.start(3) == first.start(3)
    assert [(one.skill, one.arguments) for one in again.actions] == [
        (one.skill, one.arguments) for one in first.actions
    ]


def test_what_is_not_there_is_refused() -> None:
    for name, seed in (('made_other', 1), (TRAIN, 0)):
        with pytest.raises(ConfigurationError, match='seeds begin at 1'):
            made_robot(name, seed)


def test_half_of_them_mask_strictly() -> None:
    strict = sum(made_robot(TRAIN, seed).strict for seed in range(1, 151))
    assert 55 < strict < 95
    assert 0 < sum(made_robot(TRAIN, seed).sees == FULL for seed in range(1, 151)) < 75


def test_tests_have_words_of_their_own() -> None:
    learned, held_out = (
        {
            noun.name
            for trade in trades(file)
            for nouns in (
                *(*trade.lists.values(), *trade.kinds.values(), tuple(trade.kinds)),
                tuple(station.noun for station in trade.stations),
            )
            for noun in nouns
        }
        for file in (TRAINING, HELD_OUT)
    )
    assert not learned & held_out
    mixtures = {frozenset(made_robot(TEST, seed).mechanisms) for seed in range(1, 31)}
    assert any(
        one not in {frozenset(made_robot(TRAIN, seed).mechanisms) for seed in range(1, 151)}
        for one in mixtures
    )
    assert made_robot(DEV, 1).document != made_robot(TRAIN, 1).document


def walk(robot: MadeRobot, steps: int = 8) -> None:
    """Walk at random; at every step, what facts allow is what the world does."""
    draw, world = Draw(f'{robot.name} walk'), MadeWorld(robot, 1)
    for _ in range(steps):
        possible = [one for one in robot.actions if one.is_possible(world.state)]
        calls = {(one.skill, one.arguments) for one in possible}
        assert len(calls) == len(possible), 'two ways of one skill are possible'
        now = situation_of(world.truth(), robot.library)
        if robot.strict:
            offered = robot.library.executable(now)
            assert calls <= {(one.name, one.arguments) for one in offered}
        for other in draw.shuffled(robot.actions)[:25]:
            outcome = robot.attempt(other.skill, other.arguments, world.state)
            is_done = not isinstance(outcome, str)
            assert is_done == ((other.skill, other.arguments) in calls), other
            assert is_done or outcome, 'a refusal has a reason'
        if not possible:
            pytest.fail(f'{robot.name}: nothing can be done')
        action = draw.pick(possible)
        before = world.state
        done = world.execute(action.skill, action.arguments)
        assert done.status is SkillStatus.SUCCEEDED
        assert world.state == action.after(before)


@pytest.mark.parametrize(('name', 'seed'), ROBOTS[::3])
def test_the_simulator_does_what_the_facts_say(name: str, seed: int) -> None:
    walk(made_robot(name, seed))


def with_mechanism(mechanism: str) -> MadeRobot:
    robots = (made_robot(FIELD_TRAIN, seed) for seed in itertools.count(1))
    return next(one for one in robots if mechanism in one.mechanisms)


def test_a_closed_door_on_the_way_is_named() -> None:
    world = MadeWorld(with_mechanism(THROUGH), 1)
    is_open = phrases('en')['states']['open']
    doors = {name for name, one in world.robot.things.items() if 'door' in one.tags}
    parts = {(IS, name, state) for name, state in world.robot.postures.items()}

    def ways(state: State) -> list[str]:
        """Return how every way ends that is not hindered by a part of the robot."""
        return [
            'done' if not isinstance(outcome, str) else outcome
            for posture in (set(), parts)
            for one in world.robot.actions
            if one.skill == go and one.arguments[0] in world.robot.things
            for outcome in [world.robot.attempt(go, one.arguments, (state - parts) | posture)]
        ]

    go = next(
        name for name, of_one in world.robot.operators.items()
        if 'second' in of_one[-1].hidden
    )  # fmt: skip
    shut = frozenset(fact for fact in world.state if fact[1:] not in {(d, is_open) for d in doors})
    assert any(door in why for why in ways(shut) for door in doors)
    opened = shut | {(IS, door, is_open) for door in doors}
    assert not any(door in why for why in ways(opened) for door in doors)
    assert ways(opened).count('done') > ways(shut).count('done')


def test_a_part_must_be_put_in_place_first() -> None:
    robot = with_mechanism('part')
    part, state = next(iter(robot.parts.items()))
    hindered = [
        one for one in robot.actions
        if any(fact[:2] == (IS, part) for fact in (*one.needs, *one.lacks))
        and not any(fact[:2] == (IS, part) for fact in (*one.add, *one.delete))
    ]  # fmt: skip
    makes, unmakes = (
        next(one for one in robot.actions if (IS, part, state) in getattr(one, change))
        for change in ('add', 'delete')
    )
    assert hindered
    world = MadeWorld(robot, 1)
    for one in (makes, unmakes, makes):
        world.execute(one.skill, one.arguments)
        assert (state in View(robot, world.state).states(part)) is (one is makes)
    again = world.execute(makes.skill, makes.arguments)
    assert again.status is not SkillStatus.SUCCEEDED
    assert part.rpartition(' ')[0] in again.observation.text
    assert state in again.observation.text


def test_a_refusal_changes_nothing() -> None:
    robot = made_robot(TRAIN, 3)
    world = MadeWorld(robot, 1)
    refused = next(one for one in robot.actions if not one.is_possible(world.state))
    before = world.state
    result = world.execute(refused.skill, refused.arguments)
    assert result.status is SkillStatus.REFUSED
    assert result.observation.text
    assert not result.observation.objects
    assert world.state == before


def test_a_copy_goes_its_own_way() -> None:
    robot = made_robot(TRAIN, 3)
    world = MadeWorld(robot, 1)
    other = deepcopy(world)
    action = next(one for one in robot.actions if one.is_possible(world.state))
    other.execute(action.skill, action.arguments)
    assert world.state == robot.start(1) != other.state
    assert other.robot is robot


def test_who_sees_in_part_learns_by_looking() -> None:
    robot = next(made_robot(TRAIN, seed) for seed in SEEDS if made_robot(TRAIN, seed).sees != FULL
                 and made_robot(TRAIN, seed).library.hands)  # fmt: skip
    world = MadeWorld(robot, 1)
    unknown = {*world.belief.unknown}
    assert unknown
    assert {one.name for one in world.observe().objects}.isdisjoint(unknown)
    assumed = world.belief.assumed()
    assert world.belief.facts() <= assumed
    for action in robot.actions:
        if robot.operators[action.skill] and action.is_possible(world.state):
            world.execute(action.skill, action.arguments)
    assert {*world.belief.unknown} < unknown


def test_a_posture_is_always_told() -> None:
    """An arm that is not folded is told as well as one that is."""
    told = set()
    for seed in SEEDS:
        robot = made_robot(TRAIN, seed)
        for start in range(1, 4):
            world = MadeWorld(robot, start)
            for part, state in robot.postures.items():
                is_so = (IS, part, state) in world.state
                told.add(is_so)
                word = phrases(robot.say.language)['not'].format(state=state)
                text = world.observe().text
                assert (word if not is_so else state) in text
                assert (word in text) is not is_so
    assert told == {True, False}


def test_what_was_put_down_is_told_where_it_lies() -> None:
    for seed in SEEDS:
        robot = made_robot(TRAIN, seed)
        world = MadeWorld(robot, 1)
        for action in robot.actions:
            held = next((fact[1] for fact in action.delete if fact[0] == HELD), '')
            put = [fact for fact in action.add if fact[0] == ON and fact[1] == held]
            if put and not action.lacks:
                world.state = (world.state | {*action.needs}) - {
                    fact for fact in world.state if fact[0] in (ON, IN) and fact[1] == held
                }
                if not action.is_possible(world.state):
                    continue
                text = world.execute(action.skill, action.arguments).observation.text
                bearer = put[0][2]
                assert re.search(rf'{bearer[:-2]} \(?\d\)?: [^.]*{held[:-2]}', text), text
                return
    pytest.fail('nothing was put down')


def test_what_was_not_seen_is_assumed_where_the_prompt_would_have_it_looked_for() -> None:
    checked = 0
    for seed in SEEDS:
        robot = made_robot(TRAIN, seed)
        belief = MadeWorld(robot, 1).belief
        room = belief.room_of(ROBOT)
        for name in belief.unknown:
            places = belief.candidates(name)
            rooms = [*map(belief.room_of, places)]
            if len({*rooms}) > 1 and room in rooms:
                checked += 1
                here = [place for place in places if belief.room_of(place) == room]
                assert places[: len(here)] == tuple(here)
                place = places[0]
                assert {(ON, name, place), (IN, name, place)} & belief.assumed()
    assert checked > 50


def test_what_happens_behind_a_closed_door_is_known() -> None:
    """A machine that was started has changed what is in it, though nobody sees it."""
    for seed in SEEDS:
        robot = made_robot(TRAIN, seed)
        for action in robot.actions:
            state = robot.start(1) | {fact for when, _, _ in action.each for fact in when}
            state |= {*action.needs}
            inside = [(when, add) for when, add, _ in action.each if when and add]
            if inside and all(fact[0] != 'held' for fact in state):
                world = MadeWorld(robot, 1)
                world.state = state - {*action.lacks}
                world.belief = Belief(robot)
                world.belief.update(View(replace(robot, sees=FULL), world.state))
                world.belief.act(action)
                assert all(world.belief.knows(fact) for _, add in inside for fact in add)
                return
    pytest.fail('no robot has a machine that is started')
