# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What planners are told beforehand: everything there is, but not where movable things are."""

from __future__ import annotations

import pytest

from reactree_ros.sim.household import World
from reactree_ros.sim.household.shipped import shipped_scene


@pytest.fixture
def apartment() -> World:
    return World(shipped_scene('apartment_1'), 'kitchen 1')


def test_places_have_a_room_and_movable_things_do_not(apartment: World) -> None:
    told = apartment.survey()
    assert told.rooms == apartment.observe().rooms
    places = {item.name: item.room for item in told.objects if 'furniture' in item.affordances}
    assert places['fridge 1'] == 'kitchen 1'
    movable = [item for item in told.objects if 'furniture' not in item.affordances]
    assert {'pudding 1', 'apple 1'} <= {item.name for item in movable}
    for item in movable:
        assert 'grabbable' in item.affordances
        assert (item.room, item.receptacle, item.states) == ('', '', frozenset())
        assert not (item.near or item.held)


def test_the_text_begins_and_ends_as_the_first_observation_does(apartment: World) -> None:
    first, _, situation = apartment.observe().text.partition('. ')
    text = apartment.survey().text
    assert text.startswith(f'{first}. The ')
    assert text.endswith(f' {situation}')
    assert ' The kitchen (1) has: ' in text
    assert ' Somewhere in the house are: ' in text
    assert ' pudding (1' in text


def test_a_survey_changes_nothing_and_does_not_change(apartment: World) -> None:
    before = apartment.survey()
    # What was told of is not seen by that: it cannot be picked up from here.
    assert apartment.execute('pick_up', ('pudding 1',)).status.value == 'refused'
    apartment.execute('go_to', ('fridge 1',))
    apartment.execute('open', ('fridge 1',))
    apartment.execute('pick_up', ('pudding 1',))
    apartment.execute('go_to', ('kitchen 1',))
    after = apartment.survey()
    assert after.objects == before.objects
    assert apartment.changes() == [
        'fridge 1: closed -> open',
        "pudding 1: inside fridge 1 -> in the robot's hand",
    ]
