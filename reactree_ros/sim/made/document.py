# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The skill library of a generated robot: phrases, and filters made of what its skills need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.robot import AT, HELD, IN, IS, LOAD, NEXT, ON, REACH, ROBOT, Build
from reactree_ros.sim.planning.facts import Operator, Precondition
from reactree_ros.sim.vocabulary import Trade

_FILLERS = {
    'holder': ('surfaces', 'containers'),
    'bin': ('containers',),
    'vessel': ('vessel',),
}
_SERVERS = ('robot', 'skills', 'base', 'execute', 'driver', 'task', 'unit', 'agent')


def document_of(b: Build, trade: Trade, draw: Draw) -> dict[str, Any]:
    """Return the skill library as plain data, which ``skills.reader.library_from`` accepts."""
    agent = draw.pick(trade.agents)
    places = sorted({one.noun.name for one in b.things.values() if one.is_place})
    objects = sorted({one.noun.name for one in b.things.values() if not one.is_place})
    server = f'{draw.pick(_SERVERS)}_{draw.whole(1, 99)}/{draw.pick(("do", "run", "skill"))}'
    skills = draw.shuffled(b.phrases) if draw.chance(0.5) else list(b.phrases)
    document: dict[str, Any] = {
        'name': f'{agent.split(" ", 1)[1]} {draw.whole(1, 999)}',
        'agent': agent,
    }
    if b.rules:
        document['rules'] = ' '.join(draw.shuffled(b.rules))
    document |= {'hands': b.hands, 'action': server, 'objects': objects, 'places': places}
    if b.kinds:
        document['kinds'] = {name: [*classes] for name, classes in b.kinds.items()}
    document['predicates'] = {
        name: {key: value for key, value in entry.items() if value != []}
        for name, entry in b.predicates.items()
    }
    document['skills'] = {name: _skill(b, name) for name in skills}
    return document


def _skill(b: Build, name: str) -> dict[str, Any]:
    operators = [one for one in b.operators if one.skill == name]
    entry: dict[str, Any] = {'phrase': b.phrases[name]}
    arguments = {}
    for argument in dict.fromkeys(key for one in operators for key in one.arguments):
        filters: list[dict[str, Any]] = []
        for one in operators:
            found = _filter(b, one, argument)
            if found not in filters:
                filters.append(found)
        arguments[argument] = _merged(filters)
    if arguments:
        entry['arguments'] = arguments
    if b.strict:
        when = _when(b, operators)
        if when:
            entry['when'] = when
    return entry


def _filter(b: Build, operator: Operator, argument: str) -> dict[str, Any]:
    """Return which things an argument of an operator can be, by what it needs."""
    variable, tag = f'?{argument}', operator.arguments[argument]
    found: dict[str, Any] = {}
    if tag == 'room':
        found['kind'] = 'room'
    elif tag in _FILLERS:
        affordances = _FILLERS[tag]
        found['affordance'] = affordances[0] if len(affordances) == 1 else [*affordances]
    else:
        found['affordance'] = tag
    if not b.strict:
        return found
    for need in operator.needs:
        found |= _of_need(need, variable, {**operator.arguments, **operator.hidden})
    return found


def _of_need(need: Precondition, variable: str, tags: Mapping[str, str]) -> dict[str, Any]:
    fact = need.fact
    if not need.offered or variable not in fact[1:]:
        return {}
    if fact == (HELD, variable):
        return {'held': need.holds}
    if fact[0] in (ON, IN) and fact[1] == variable and need.holds:
        return {'near': True, 'held': False}
    if fact[0] in (ON, IN) and need.holds and tags.get(fact[2][1:]) == 'surfaces':
        return {'near': True}
    if fact == (AT, ROBOT, variable):
        return {'here': need.holds}
    if fact[0] == REACH and fact[2] == variable and need.holds:
        return {'near': True}
    if fact[0] == IS and fact[1] == variable and fact[2][:1] != '?':
        return {'state' if need.holds else 'not_state': fact[2]}
    return {}


def _merged(filters: Sequence[dict[str, Any]]) -> Any:
    """Return filters as one where they differ in affordances only."""
    rests = [{k: v for k, v in one.items() if k != 'affordance'} for one in filters]
    if len(filters) > 1 and all(one == rests[0] for one in rests) and 'affordance' in filters[0]:
        names = dict.fromkeys(name for one in filters for name in _listed(one['affordance']))
        return {'affordance': [*names], **rests[0]}
    return filters[0] if len(filters) == 1 else [*filters]


def _listed(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value


def _when(b: Build, operators: Sequence[Operator]) -> dict[str, Any]:
    """Return what all ways of a skill need of the robot."""
    found: dict[str, Any] = {}
    if all(_needs_free_hand(one) for one in operators):
        found['hands'] = 'free'
    holdings = [{*_held_tags(one)} for one in operators]
    common = set.intersection(*holdings)
    if common:
        found['holding'] = sorted(common)[0]
    places = [_place_tags(b, one) for one in operators]
    if all(places):
        names = [*dict.fromkeys(name for one in places for name in one)]
        found['at'] = {'affordance': names[0] if len(names) == 1 else names}
        states = [_place_state(one) for one in operators]
        if states[0] and all(one == states[0] for one in states):
            found['at'] |= states[0]
    return found


def _needs_free_hand(operator: Operator) -> bool:
    relations = [need.fact for need in operator.needs if need.holds]
    return any(fact[0] == LOAD for fact in relations) and any(
        fact[:3] == (NEXT, LOAD, '?load') for fact in relations
    )


def _held_tags(operator: Operator) -> Iterator[str]:
    for need in operator.needs:
        if need.holds and need.offered and need.fact[0] == HELD:
            tag = operator.hidden.get(need.fact[1][1:])
            if tag is not None:
                yield tag


def _hidden_place(operator: Operator) -> str:
    """Return the variable of the place that the robot has to be at and that nobody names."""
    for need in operator.needs:
        if not need.holds:
            continue
        if need.fact[0] == REACH and need.fact[2][1:] in operator.hidden:
            return need.fact[2]
        if need.fact[:2] == (AT, ROBOT) and need.fact[2][1:] in operator.hidden:
            tag = operator.hidden[need.fact[2][1:]]
            if tag != 'spot':
                return need.fact[2]
    return ''


def _place_tags(b: Build, operator: Operator) -> tuple[str, ...]:
    variable = _hidden_place(operator)
    if not variable or not b.mobile:
        return ()
    tag = operator.hidden[variable[1:]]
    return _FILLERS.get(tag, (tag,))


def _place_state(operator: Operator) -> dict[str, Any]:
    variable = _hidden_place(operator)
    found: dict[str, Any] = {}
    for need in operator.needs:
        if need.offered and need.fact[0] == IS and need.fact[1] == variable:
            found['state' if need.holds else 'not_state'] = need.fact[2]
    return found
