# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The model of a declared world follows what skills change."""

from __future__ import annotations

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.skills.call import Call, Kind
from reactree_ros.skills.declared_world import Declared, DeclaredWorld, Effects
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.skills.reader import parse_library


def item(name: str, receptacle: str = '', *affordances: str) -> ObservedObject:
    class_name, number = name.rsplit(' ', 1)
    return ObservedObject(
        class_name,
        int(number),
        room='hall 1',
        receptacle=receptacle,
        relation='on' if receptacle else '',
        states=frozenset({'closed'}) if class_name == 'box' else frozenset(),
        affordances=frozenset(affordances),
    )


HALL = Declared(
    ('hall 1', 'yard 1'),
    (
        item('dock 1', '', 'furniture', 'surfaces'),
        item('bin 1', '', 'furniture', 'containers'),
        item('box 1', 'dock 1', 'grabbable', 'recipient'),
        item('cup 1', 'box 1', 'grabbable'),
        item('cup 2', 'bin 1', 'grabbable'),
    ),
    'dock 1',
)


def after(
    world: DeclaredWorld, effects: Effects, arguments: dict[str, str], said: str
) -> Observation:
    call = Call(Kind.ACTION, 'do', effects=effects)
    return world.after(GroundedSkill('do', (), 'do', call, arguments), said)


def names(seen: Observation, flag: str) -> list[str]:
    return [one.name for one in seen.objects if getattr(one, flag)]


def test_it_begins_as_declared() -> None:
    seen = DeclaredWorld(HALL).observe()
    assert seen.text == (
        'There are the rooms hall (1), yard (1). There are: bin (1), dock (1). '
        'You are at the dock (1). You see: box (1), cup (1).'
    )
    assert (seen.room, seen.place, seen.rooms) == ('hall 1', 'dock 1', ('hall 1', 'yard 1'))
    assert names(seen, 'near') == ['dock 1', 'box 1', 'cup 1']
    assert names(seen, 'held') == []


def test_nothing_need_be_known_of_where_the_robot_is() -> None:
    seen = DeclaredWorld(Declared()).observe()
    assert (seen.text, seen.room, seen.place) == ('', '', '')


def test_where_the_robot_is_not_known_nothing_is_near_it() -> None:
    nowhere = DeclaredWorld(Declared((), (*HALL.objects[:1], ObservedObject('jug', 1)), ''))
    assert names(nowhere.observe(), 'near') == []
    arm = DeclaredWorld(Declared((), (ObservedObject('jug', 1),), ''))
    assert names(arm.observe(), 'near') == ['jug 1']


def test_what_a_skill_did_where_it_went_is_told() -> None:
    arguments = {'place': 'bin 1', 'item': 'box 1'}
    world = DeclaredWorld(HALL)
    seen = after(world, Effects(at='place', puts='item'), arguments, 'Done.')
    assert seen.text == 'Done. You are at the bin (1). You see: box (1), cup (1, 2).'


def test_what_was_moved_has_no_declared_pose_any_more() -> None:
    library = parse_library(
        """
name: arm
world:
  places: {tray: {pose: {x: 1}}, bin: {pose: {x: 2}}}
  things: {block: {on_top_of: tray, pose: {x: 1, z: 0.1}}}
skills:
  reach: {phrase: "reach for {item}", arguments: {item: {affordance: grabbable}}, action: reach}
""",
        'arm.yaml',
    )
    world = library.world_model()
    assert world is not None and library.declared is not None

    def poses() -> set[str]:
        objects = {one.name: one for one in world.observe().objects}
        return {*library.surroundings({}, Situation(objects=objects)).poses}

    assert poses() == {'tray 1', 'bin 1', 'block 1'}
    for effects in (Effects(holds='item'), Effects(puts='item', onto='bin 1')):
        world.after(GroundedSkill('do', (), 'do', Call(Kind.ACTION, 'do', effects=effects),
                                  {'item': 'block 1'}), '')  # fmt: skip
        assert poses() == {'tray 1', 'bin 1'}


def test_what_is_held_goes_along_with_what_is_on_it() -> None:
    world = DeclaredWorld(HALL)
    seen = after(world, Effects(holds='item'), {'item': 'box 1'}, 'You have it.')
    assert seen.text == 'You have it. You hold box (1).'
    seen = after(world, Effects(at='place'), {'place': 'bin 1'}, 'You go.')
    assert seen.text == 'You go. You are at the bin (1). You see: cup (2). You hold box (1).'
    assert names(seen, 'held') == ['box 1']
    assert names(seen, 'near') == ['bin 1', 'box 1', 'cup 1', 'cup 2']
    seen = after(world, Effects(puts='item'), {'item': 'box 1'}, 'You let go.')
    box = next(one for one in seen.objects if one.name == 'box 1')
    assert (box.receptacle, box.relation, box.held) == ('bin 1', 'inside', False)
    assert seen.text == 'You let go.'


def test_a_thing_can_be_put_on_another() -> None:
    world = DeclaredWorld(HALL)
    given = {'item': 'cup 2', 'vessel': 'box 1'}
    after(world, Effects(holds='item'), given, '')
    seen = after(world, Effects(puts='item', onto='vessel', inside=True), given, '')
    cup = next(one for one in seen.objects if one.name == 'cup 2')
    assert (cup.receptacle, cup.relation) == ('box 1', 'inside')
    assert 'cup 2' not in names(seen, 'near'), 'the box is closed'
    seen = after(world, Effects(states={'vessel': ('open',)}), given, '')
    assert 'cup 2' in names(seen, 'near')


def test_what_is_carried_elsewhere_takes_along_what_lies_on_it() -> None:
    world = DeclaredWorld(HALL)
    after(world, Effects(holds='item'), {'item': 'box 1'}, '')
    after(world, Effects(at='place'), {'place': 'yard 1'}, '')
    seen = after(world, Effects(puts='item'), {'item': 'box 1'}, '')
    assert {one.room for one in seen.objects if one.name in ('box 1', 'cup 1')} == {'yard 1'}
    world.reset()
    assert world.observe() == DeclaredWorld(HALL).observe()


def test_names_may_be_written_as_the_planner_shows_them() -> None:
    library = parse_library(
        """
name: robot
world:
  start: table (1)
  rooms: [Hall (1)]
  places: {table (1): {room: hall 1}}
  things: {tray: {on_top_of: table 1}, Cup: {on_top_of: tray}}
skills: {go: {phrase: go, action: {name: go, type: std_srvs/action/Go}}}
""",
        'robot.yaml',
    )
    model = library.world_model()
    assert model is not None
    seen = model.observe()
    assert (seen.place, seen.room) == ('table 1', 'hall 1')
    assert {one.name: one.room for one in seen.objects} == dict.fromkeys(
        ('table 1', 'tray 1', 'cup 1'), 'hall 1'
    )


def test_a_state_ends_its_opposite_and_no_other() -> None:
    world = DeclaredWorld(HALL)
    after(world, Effects(states={'item': ('hot',)}), {'item': 'box 1'}, '')
    seen = after(world, Effects(states={'item': ('open',)}), {'item': 'box 1'}, '')
    box = next(one for one in seen.objects if one.name == 'box 1')
    assert box.states == {'hot', 'open'}


def test_in_a_room_what_stands_on_nothing_is_near() -> None:
    world = DeclaredWorld(HALL)
    seen = after(world, Effects(at='place'), {'place': 'hall 1'}, 'You go.')
    assert (seen.room, seen.place) == ('hall 1', '')
    assert names(seen, 'near') == ['dock 1', 'bin 1']
    seen = after(world, Effects(at='place'), {'place': 'yard 1'}, 'You go.')
    assert seen.text == 'You go. You are at the yard (1). You see nothing there.'


def test_what_is_not_declared_changes_nothing() -> None:
    world = DeclaredWorld(HALL)
    before = world.observe().objects
    effects = Effects(holds='item', puts='item', states={'item': ('open',)})
    assert after(world, effects, {'item': 'ghost 1'}, '').objects == before


def test_effects_may_name_what_is_declared() -> None:
    library = parse_library(
        """
name: robot
world: {start: dock, places: {dock: {}, gate: {states: [closed]}}}
skills:
  home:
    phrase: go home
    action: {name: home, type: std_srvs/action/Home}
    effects: {at: dock, states: {gate: [open]}}
""",
        'robot.yaml',
    )
    world = library.world_model()
    assert world is not None
    seen = world.after(library.skills[0].ground(), '')
    assert seen.place == 'dock 1'
    assert [one.states for one in seen.objects] == [frozenset(), {'open'}]
