# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks a skill library against the interface types that are installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reactree_ros.errors import ConfigurationError, SkillError
from reactree_ros.ros.skills.message_guard import limit_faults
from reactree_ros.ros.skills.messages import fill, interface, lacks, sent_type
from reactree_ros.skills.call import EXECUTE_SKILL, Call, Kind
from reactree_ros.skills.conditions import Check, ServiceCondition, TopicCondition
from reactree_ros.skills.library import Skill, SkillLibrary
from reactree_ros.skills.pose import Pose
from reactree_ros.skills.references import Path, filled, references


def faults_of(skill: Skill) -> list[str]:
    """Return what is wrong with a skill for the types that are installed; nothing if all is right.

    Each fault names its place in the library. What only the running robot knows, such as whether
    a pose is known of a thing that perception finds, is not looked at.
    """
    where = f'skills.{skill.name}'
    faults = [f'{where}.{fault}' for fault in _of_call(skill.call, f'{skill.call.kind.value}.')]
    return [*faults, *_of_check(f'{where}.check', skill.check)]


def unfilled(skill: Skill, library: SkillLibrary) -> list[str]:
    """Return which arguments of a skill nothing in the library's world can fill."""
    if library.declared is None:
        return []
    given = {one for item in library.declared.objects for one in item.affordances}
    return [
        f'skills.{skill.name}.arguments.{name}: nothing in world has the affordance '
        + ' or '.join(sorted({word for one in filters for word in one.affordance}))
        for name, filters in skill.arguments.items()
        if all(one.affordance and not one.affordance & given for one in filters)
    ]


def faults_of_goals(library: SkillLibrary) -> list[str]:
    """Return what is wrong with the conditions of goals for the types that are installed."""
    checks = [(f'done[{place}].check', goal.check) for place, goal in enumerate(library.done)]
    return [fault for where, check in checks for fault in _of_check(where, check)]


def _of_check(where: str, check: Check) -> Iterator[str]:
    for condition in check.asked:
        if isinstance(condition, ServiceCondition):
            for fault in _of_call(condition.call):
                yield f'{where}.service.{fault}'
        elif isinstance(condition, TopicCondition):
            try:
                found = interface(condition.type)
            except ConfigurationError as error:
                yield f'{where}.topic.type: {error}'
                continue
            for path in condition.values:
                fault = lacks(found, path)
                if fault:
                    yield f'{where}.topic.is.{".".join(path)}: {fault}'


def _of_call(call: Call, kind: str = '') -> Iterator[str]:
    try:
        found = interface(call.type)
    except ConfigurationError as error:
        yield f'{kind}type: {error}'
        return
    if call.type != EXECUTE_SKILL:
        yield from _of_fields(call, found)
        yield from _of_answers(call, found)


def _of_fields(call: Call, found: Any) -> Iterator[str]:
    message = sent_type(call.kind, found)()
    try:
        fill(message, filled(call.fields, _sample), lambda pose: pose, call.kind.filled)
    except SkillError as error:
        yield str(error)
    yield from limit_faults(type(message), call.limits)


def _of_answers(call: Call, found: Any) -> Iterator[str]:
    if call.kind is Kind.TOPIC:
        return
    result = found.Result if call.kind is Kind.ACTION else found.Response
    for key, conditions in (('success_if', call.success_if), ('refused_if', call.refused_if)):
        for path in conditions:
            fault = lacks(result, path)
            if fault:
                yield f'{key}.{".".join(path)}: {fault}'
    for key, text in (
        ('success_text', call.success_text),
        ('failure_text', call.failure_text),
        ('feedback_text', call.feedback_text),
    ):
        for reference in references(text):
            word, *rest = reference.path
            if word not in ('result', 'feedback') or not rest:
                continue
            fault = lacks(result if word == 'result' else found.Feedback, tuple(rest))
            if fault:
                yield f'{key}: {reference}: {fault}'


def _sample(path: Path) -> Any:
    """Return a value of the type that a reference has."""
    values = {'pose': Pose('map'), 'tf': Pose('thing_1'), 'number': 1}
    return values.get(path[-1], 'thing 1') if len(path) > 1 else 'thing 1'
