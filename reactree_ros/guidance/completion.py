# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Completes an expansion that asks for less than its goal, where the rest of it shows how.

Small models forget one thing of a list, how many of it, or where all of them should go, and
propose the same again after a rejection.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from reactree_ros.core.decision import ControlFlow, Expand
from reactree_ros.core.situation import class_pattern, named_classes, replace_classes
from reactree_ros.guidance.checks import counted, destination, number_asked, verbs_of

_APART = re.compile(r'\b(?:on top of|onto|on|inside|into|in|to|at|with|using|from|out of|off)\b')
_FURTHER = ('another', 'a third', 'a fourth', 'a fifth', 'a sixth')
# What stands on both sides of one of these is not a list.
_PRONOUN = re.compile(r'\b(?:it|them|these|those)\b')


def complete(
    expansion: Expand, goal: str, classes: Iterable[str], movable: Collection[str]
) -> Expand:
    """Return an expansion that has all things of a list, as many as asked for, and their place.

    If a thing of the goal is in no subgoal, but one is that the goal names beside it, in the same
    number, the other's subgoals are repeated with it. If the goal asks for several of a thing, and
    only one subgoal puts one of them somewhere, once or again and again, it puts down all of them;
    other subgoals about one of them that come again are about another of them. If the goal has one
    place to put things, and no subgoal names it, subgoals that put something nowhere that is known
    put it there. Subgoals that cannot be completed are left unchanged, and so are fallbacks.
    """
    if expansion.control_flow is ControlFlow.FALLBACK:
        return expansion
    known = frozenset(classes)
    subgoals = list(expansion.subgoals)
    things = [name for name in named_classes(goal, known) if name in movable]
    for missing in things:
        if missing not in named_classes('; '.join(subgoals), known):
            subgoals = _with_thing(missing, things, subgoals, goal, known, movable)
    for thing in things:
        asked = number_asked(goal, thing) or 1
        if asked > 1:
            subgoals = _with_number(asked, thing, subgoals, known, movable)
            subgoals = _with_another(asked, thing, subgoals, known, movable)
    return Expand(expansion.control_flow, tuple(_with_place(subgoals, goal, known, movable)))


def _with_thing(
    missing: str,
    things: list[str],
    subgoals: list[str],
    goal: str,
    classes: frozenset[str],
    movable: Collection[str],
) -> list[str]:
    if any(_PRONOUN.search(subgoal.lower()) for subgoal in subgoals):
        return subgoals  # the grouping is ambiguous
    lists = [named_classes(part, classes) for part in _APART.split(goal.lower())]
    beside = {name for one in lists if missing in one for name in one}
    for thing in things:
        if thing not in beside or number_asked(goal, thing) != number_asked(goal, missing):
            continue
        named = [set(named_classes(subgoal, classes)) & set(movable) for subgoal in subgoals]
        about = [number for number, names in enumerate(named) if thing in names]
        if about and all(named[number] == {thing} for number in about):
            copies = [replace_classes(subgoals[number], [thing], missing) for number in about]
            return subgoals[: about[-1] + 1] + copies + subgoals[about[-1] + 1 :]
    return subgoals


def _with_number(
    asked: int,
    thing: str,
    subgoals: list[str],
    classes: frozenset[str],
    movable: Collection[str],
) -> list[str]:
    about = [subgoal for subgoal in subgoals if thing in named_classes(subgoal, classes)]
    if len({one.casefold() for one in about}) != 1 or 'put' not in verbs_of(about[0], classes):
        return subgoals
    if not _is_about_one(about[0], thing, classes, movable):
        return subgoals
    rest = [one for one in subgoals if one not in about]
    first = subgoals.index(about[0])
    return [*rest[:first], _reword(about[0], thing, counted(asked, thing)), *rest[first:]]


def _with_another(
    asked: int,
    thing: str,
    subgoals: list[str],
    classes: frozenset[str],
    movable: Collection[str],
) -> list[str]:
    times: dict[str, int] = {}
    told_apart = []
    for subgoal in subgoals:
        key = subgoal.casefold()
        times[key] = times.get(key, 0) + 1
        if times[key] == 1 or not _is_about_one(subgoal, thing, classes, movable):
            told_apart.append(subgoal)
        elif times[key] <= min(asked, len(_FURTHER) + 1):
            told_apart.append(_reword(subgoal, thing, f'{_FURTHER[times[key] - 2]} {thing}'))
    return told_apart


def _is_about_one(
    subgoal: str, thing: str, classes: frozenset[str], movable: Collection[str]
) -> bool:
    alone = set(named_classes(subgoal, classes)) & set(movable) == {thing}
    return alone and number_asked(subgoal, thing) == 1


def _reword(subgoal: str, thing: str, words: str) -> str:
    one_of_it = rf'(?:\b(?:the|an?|one|1)\s+)?\b{class_pattern(thing)}(?:s|es)?\b'
    return re.sub(one_of_it, words, subgoal, count=1, flags=re.IGNORECASE)


def _with_place(
    subgoals: list[str], goal: str, classes: frozenset[str], movable: Collection[str]
) -> list[str]:
    where = destination(goal, classes)
    places = [name for name in named_classes(where, classes) if name not in movable]
    if len(places) != 1 or places[0] in named_classes('; '.join(subgoals), classes):
        return subgoals
    return [_put(subgoal, places[0], classes) for subgoal in subgoals]


def _put(subgoal: str, place: str, classes: frozenset[str]) -> str:
    if 'put' not in verbs_of(subgoal, classes):
        return subgoal
    where = destination(subgoal, classes)
    if not where:
        return f'{subgoal.rstrip(" .")} on the {place}'
    begin = subgoal.lower().rfind(where)
    if named_classes(where, classes) or begin < 0:
        return subgoal
    return f'{subgoal[:begin]}the {place}'
