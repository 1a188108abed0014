# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Generated homes and tasks are as promised, and the same everywhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.generator.build import differing, write_archive
from reactree_ros.lab.generator.catalogue import FURNITURE, THINGS
from reactree_ros.lab.generator.homes import FLOOR_PLANS
from reactree_ros.lab.generator.phrases import groups, names, phrases
from reactree_ros.paths import share
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.household import (
    World,
    scene_from_dict,
    shipped_scene,
)
from reactree_ros.sim.household.rearrange import rearranged
from reactree_ros.sim.household.shipped import read_archive
from reactree_ros.sim.household.task_sets import TASK_SETS, task_set
from reactree_ros.sim.household.task_world import TaskWorld
from reactree_ros.sim.household.words import words
from reactree_ros.skills.goal_conditions import Condition
from reactree_ros.skills.reader import read_library

from ...thorough import thorough

GENERATED = [name for name in TASK_SETS if name.startswith(('wah', 'alfred'))]
ALL = [(name, task) for name in GENERATED for task in task_set(name)]
SOME = ALL[:: thorough(1, 5)]
NUMBERS = {1: ('a', 'an', 'the', 'one', '1'), 2: ('two', '2'), 3: ('three', '3'), 4: ('four', '4')}


def test_a_draw_is_the_same_on_every_machine() -> None:
    """These numbers came from Python 3.11 on Linux."""
    draw = Draw('a test')

    assert [draw.whole(1, 6) for _ in range(8)] == [3, 1, 6, 4, 3, 4, 1, 3]
    assert draw.shuffled('abcdef') == ['e', 'b', 'a', 'f', 'd', 'c']
    assert draw.weighted({'never': 0.0, 'always': 1.0, 'nor this': 0.0}) == 'always'


@pytest.mark.thorough
def test_the_shipped_files_are_what_the_generator_makes() -> None:
    """Bit for bit, lengths of plans included."""
    assert differing(share('resource')) == []


@pytest.mark.parametrize('name', list(FLOOR_PLANS))
def test_a_home_is_big_plausible_and_hides_a_part_of_its_things(name: str) -> None:
    """Four or five rooms, 120 objects or more, everything closed and off."""
    scene = shipped_scene(name)
    graph = World(scene).state
    things = [node for node in scene.nodes.values() if 'grabbable' in node.affordances]
    places = {node.id: scene.nodes[graph.supports(node.id)[0].to_id] for node in things}

    assert len(scene.rooms) in (4, 5)
    assert len(scene.nodes) - len(scene.rooms) - 1 >= 120
    assert not any({'OPEN', 'ON'} & set(node.states) for node in scene.nodes.values())
    assert 0.25 < sum(graph.is_hidden(node.id) for node in things) / len(things) < 0.6
    assert all(places[n.id].class_name in THINGS[n.class_name].places for n in things)
    laid = Counter(place.id for place in places.values())
    assert all(count <= FURNITURE[scene.nodes[i].class_name].room_for for i, count in laid.items())


def test_some_homes_have_two_hands_and_some_are_kept_for_the_tests() -> None:
    """Three or more are in no training task."""
    seen = {task.scene for name, task in ALL if name.endswith('train')}
    unseen = {task.scene for _, task in ALL if task.unseen}

    assert {shipped_scene(name).hands for name in FLOOR_PLANS} == {1, 2}
    assert len(unseen) >= 3
    assert not seen & unseen
    assert seen | unseen == set(FLOOR_PLANS)


@pytest.mark.parametrize('name', GENERATED)
def test_any_first_part_of_a_set_is_balanced(name: str) -> None:
    """Over types, and in test sets over seen and unseen homes; one of ten is ambiguous."""
    tasks = task_set(name)

    assert [task.id for task in tasks] == list(range(1, len(tasks) + 1))
    assert len(tasks) == (250 if name.endswith('train') else 100)
    for size in (10, 21, 50, len(tasks)):
        first = tasks[:size]
        types = Counter(task.type for task in first)
        assert len(types) == (5 if name.startswith('wah') else 7)
        assert max(types.values()) - min(types.values()) <= 1
        wanted = size // 2 if name.endswith('test') else 0
        assert abs(sum(task.unseen for task in first) - wanted) <= 1
        assert abs(sum(task.ambiguous for task in first) - size // 10) <= 1


@pytest.mark.parametrize('family', ['wah', 'alfred'])
def test_no_two_tasks_want_the_same_in_the_same_home(family: str) -> None:
    """So that no test instruction repeats a training one."""
    tasks = [task for part in ('train', 'test') for task in task_set(f'{family}_{part}')]
    wanted = [(task.scene, frozenset(task.conditions)) for task in tasks]

    assert len(set(wanted)) == len(wanted)


def test_about_a_third_of_the_single_food_tasks_of_alfred_want_it_sliced() -> None:
    """As in ALFRED."""
    types = ('pick_and_place_simple', 'pick_clean_then_place', 'pick_heat_then_place')
    goals = [task.condition_line for task in task_set('alfred_train') if task.type in types]

    assert 0.2 < sum('sliced' in goal for goal in goals) / len(goals) < 0.5


def test_nothing_of_a_goal_holds_at_the_start() -> None:
    """Not even a part of a condition, and every condition fits the scene."""
    for name, task in SOME:
        assert TaskWorld(task).check().met == 0, (name, task.id)


def test_every_task_is_worded_in_four_ways_and_the_seed_chooses() -> None:
    """Whatever the seed, an instruction comes out."""
    for name, task in ALL:
        assert len(set(task.instructions)) == 4, (name, task.id)
        assert {task.wording(seed) for seed in range(8)} == set(task.instructions)
        assert task.instruction == task.instructions[0]
        assert all(re.fullmatch(r'[A-Z1-9][^{}]*[.?]', text) for text in task.instructions)


def test_a_clear_instruction_names_all_things_counts_and_the_place() -> None:
    """Whoever reads it knows what is wanted."""
    for name, task in SOME:
        wanted = TaskWorld(task).conditions
        for text in task.instructions:
            faults = list(_left_open(wanted, text.lower()))
            assert bool(faults) == task.ambiguous, (name, task.id, text, faults)


def _left_open(wanted: Sequence[Condition], text: str) -> list[str]:
    found = []
    for clause in (condition.clauses[0] for condition in wanted):
        subject, predicate = clause.subject, clause.predicate
        assert subject is not None and predicate is not None
        switched = predicate.holds.state == 'on'
        for place in (subject.noun,) if switched else clause.others:
            places = phrases()['places'].items()
            calls = next((said for name, said in places if words(name) == place.name), ())
            if not any(call.lower() in text for call in calls):
                found.append(place.name)
        if not switched:
            things = [one.noun.name for one in (subject, subject.load) if one]
            found += [thing for thing in things if not _named(thing, clause.count, text)]
    return found


def _named(thing: str, count: int, text: str) -> bool:
    nouns = next(nouns for name, nouns in names().items() if words(name) == thing)
    adjectives = r'(?:clean|hot|cold|cooked|sliced|washed|heated|chilled|freshly|and|,| )*'
    forms = [noun.one if count == 1 else noun.many for noun in nouns]
    numbers = '|'.join(NUMBERS[count])
    return any(re.search(rf'\b(?:{numbers}) {adjectives}\b{form}\b', text) for form in forms)


def test_what_goals_name_can_be_named_by_the_robot() -> None:
    """The shipped skill library lists every class."""
    library = read_library(share('behaviors', 'household.yaml'))

    assert {words(name) for name in (*names(), *groups())} <= library.objects
    assert {words(name) for name in phrases()['places']} <= library.places


def test_an_unknown_set_is_answered_with_those_there_are() -> None:
    """So that a mistyped name is mended at once."""
    with pytest.raises(ConfigurationError, match="'wah_tests', only household, wah_train"):
        task_set('wah_tests')


def test_worlds_of_a_task_share_their_scene_and_nothing_else() -> None:
    """The scene is arranged once."""
    task = task_set('wah_train')[0]
    one, other = TaskWorld(task), TaskWorld(task)
    one.execute('go_to', [one.observe().rooms[0]])

    assert one.scene is other.scene
    assert other.changes() == []


def test_a_moved_thing_takes_along_what_lies_on_it() -> None:
    """A plate with an apple on it, to the bed and then on to the sofa."""
    scene = shipped_scene('apartment_1')
    plate, apple = scene.by_name['plate', 1], scene.by_name['apple', 1]
    graph = World(scene).graph()
    graph['edges'] = [e for e in graph['edges'] if apple not in (e['from_id'], e['to_id'])]
    graph['edges'].append({'from_id': apple, 'relation_type': 'ON', 'to_id': plate})
    moves = [('plate 1', 'on', 'bed 1'), ('plate 1', 'on', 'sofa 1')]

    moved = World(rearranged(scene_from_dict(graph), moves)).state

    sofa = scene.by_name['sofa', 1]
    assert [(edge.relation, edge.to_id) for edge in moved.supports(plate)] == [('ON', sofa)]
    assert moved.supports(apple)[0].to_id == plate
    assert moved.room_of(plate) == moved.room_of(apple) == moved.room_of(sofa)
    assert list(moved.close_to(plate)) == [sofa]


def test_a_scene_can_begin_with_a_thing_in_hand_and_doors_open() -> None:
    """A plate is held, with the robot wherever it starts; the fridge is open, the tv on."""
    states = [('fridge 1', 'open'), ('tv 1', 'on')]
    scene = rearranged(shipped_scene('apartment_1'), [('plate 1', 'held', '')], states)

    world = World(scene, 'kitchen 1')

    assert [item.name for item in world.observe().held] == ['plate 1']
    assert world.state.is_open(scene.by_name['fridge', 1])
    assert world.state.is_on(scene.by_name['tv', 1])
    assert world.state.supports(scene.by_name['plate', 1]) == ()


def test_more_things_in_hand_than_hands_are_refused() -> None:
    """With the place of the one too many; so is the state of an object that there is not."""
    scene = shipped_scene('apartment_1')
    with pytest.raises(ConfigurationError, match=r"moved\[1\]: no hand is free for 'plate 2'"):
        rearranged(scene, [('plate 1', 'held', ''), ('plate 2', 'held', '')])
    with pytest.raises(ConfigurationError, match=r"states\[0\]: the scene has no 'unicorn 1'"):
        rearranged(scene, [], [('unicorn 1', 'open')])


@pytest.mark.parametrize(
    ('move', 'message'),
    [
        (('unicorn 1', 'on', 'bed 1'), r"moved\[0\]: the scene has no movable thing 'unicorn 1'"),
        (('bed 1', 'on', 'sofa 1'), r"moved\[0\]: the scene has no movable thing 'bed 1'"),
        (('plate 1', 'on', 'plate 2'), r"moved\[0\]: the scene has no furniture 'plate 2'"),
        (('plate 1', 'under', 'bed 1'), r"relation 'under' is not on or inside"),
    ],
)
def test_a_wrong_move_is_refused(move: tuple[str, str, str], message: str) -> None:
    """With its place and the value."""
    with pytest.raises(ConfigurationError, match=message):
        rearranged(shipped_scene('apartment_1'), [move])


@pytest.mark.parametrize('content', [b'no gzip', b'\x1f\x8b\x08\x00broken'])
def test_a_broken_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    """The message names the file."""
    path = tmp_path / 'broken.json.gz'
    path.write_bytes(content)

    with pytest.raises(ConfigurationError, match=r'broken\.json\.gz cannot be read'):
        read_archive(path)

    write_archive(path, b'{"a": ')
    with pytest.raises(ConfigurationError, match=r'broken\.json\.gz is not JSON'):
        read_archive(path)


def test_an_archive_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """As in an installation that is not one's own."""
    (tmp_path / 'tasks').write_text('no folder')

    with pytest.raises(ConfigurationError, match=r'wah\.json\.gz cannot be written'):
        write_archive(tmp_path / 'tasks' / 'wah.json.gz', b'[]')
