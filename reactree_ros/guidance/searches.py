# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Was a search given up too early? Small models leave a room while its cabinets are closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reactree_ros.behaviours.guidance import GoalCheck
from reactree_ros.core.situation import Situation, mentions, named_classes, unsearched
from reactree_ros.guidance.checks import verbs_of


def check_failure(goal: str, situation: Situation, rooms: Iterable[str] = ()) -> GoalCheck:
    """Return what was left undone before a search was given up.

    A search of a room ("find … in kitchen 1") is over when the robot has looked into every place
    of that room that it has seen there. What a goal that names no room is about is given up when
    that holds for the whole house.
    """
    verbs = verbs_of(goal, situation.classes)
    known = {item.room for item in situation.objects.values()} | {situation.room}
    named = next((room for room in sorted({*rooms, *known}) if room and mentions(goal, room)), '')
    if not named:
        return _searched_house(goal, situation, [room for room in rooms if room not in known])
    if named not in known or not verbs & {'find', 'hold'}:
        return GoalCheck()
    left = unsearched(named, situation)
    return GoalCheck(_not_looked_into(left)) if left else GoalCheck(confirmed=True)


def _searched_house(goal: str, situation: Situation, new_rooms: list[str]) -> GoalCheck:
    seen = {item.class_name for item in situation.objects.values()}
    wanted = named_classes(goal, situation.classes)
    if not any(name in situation.movable and name not in seen for name in wanted):
        return GoalCheck()
    known = sorted({item.room for item in situation.objects.values()})
    left = [place for room in known for place in unsearched(room, situation)]
    if left:
        return GoalCheck(_not_looked_into(left))
    return GoalCheck(f'you have not been in {new_rooms[0]}' if new_rooms else '')


def _not_looked_into(places: Sequence[str]) -> str:
    return f'you have not looked into {", ".join(places[:6])}'
