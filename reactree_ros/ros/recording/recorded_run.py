# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The file of a run as what is needed to plan it again, and to account for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import DecisionRecord
from reactree_ros.core.option import parameters_of
from reactree_ros.core.wire import Values, prompt_digest, prompt_from_json
from reactree_ros.errors import ConfigurationError
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.assembly import assemble, for_team, library_of
from reactree_ros.planner.options import PlannerOptions, planner_options
from reactree_ros.planner.recorded_inputs import whole
from reactree_ros.planner.replay import RecordedRun
from reactree_ros.ros.conversions import (
    behaviour_from_msg,
    decision_record_from_msg,
    event_from_msg,
)
from reactree_ros.ros.nodes.planner_config import robot_libraries
from reactree_ros.ros.recording.run_file import RunFile
from reactree_ros.ros.recording.run_publisher import (
    AUDIT_TOPIC,
    EVENT_TOPIC,
    INPUT_TOPIC,
    TREE_TOPIC,
)
from reactree_ros.strategies.registry import strategy

_CUT = ('canceled', 'max_seconds', 'subtree_budget')


_DAMAGED = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""What values that are missing or of other types lead to."""


@contextmanager
def _reading(file: RunFile) -> Iterator[None]:
    """Raise ConfigurationError for what a damaged file leads to."""
    try:
        yield
    except _DAMAGED as error:
        raise ConfigurationError(f'{file.path} is incomplete or damaged: {error!r}') from error


def read_recorded_run(file: RunFile) -> RecordedRun:
    """Return what is needed to plan a run again.

    Raises:
        ConfigurationError: if the file does not have it.
    """
    with _reading(file):
        return _recorded_run(file)


def planner_of(file: RunFile) -> tuple[str, Values]:
    """Return the strategy that planned a run, and the planner's parameters.

    Raises:
        ConfigurationError: if the file does not have them.
    """
    with _reading(file):
        return str(file.began['strategy']), dict(file.began['parameters'])


def _recorded_run(file: RunFile) -> RecordedRun:
    inputs = _inputs(file)
    if not inputs:
        raise ConfigurationError(f'{file.path} does not say what model and robot have answered')
    if file.began.get('remembers'):
        raise ConfigurationError(
            f'{file.path} began with the working memory of earlier goals '
            '(memory.keep_between_goals), which is not recorded'
        )
    name = file.began['strategy']
    if not strategy(name).learns:
        raise ConfigurationError(
            f'{file.path} was planned by {name}, which maps plans to skills by a sentence encoder; '
            'only strategies made of agent nodes can be planned again'
        )
    trees = [one.message for one in file.messages if one.topic == TREE_TOPIC]
    return RecordedRun(
        name=file.path.name,
        goal=file.began['goal'],
        limits=_limits(file.began['limits']),
        events=[event_from_msg(one.message) for one in file.messages if one.topic == EVENT_TOPIC],
        tree=tuple(map(behaviour_from_msg, trees[-1].behaviours)) if trees else (),
        inputs=inputs,
        cut=not file.ended or file.ended['reason'] in _CUT,
        conditions=tuple(file.began.get('conditions', ())),
    )


def _inputs(file: RunFile) -> list[Values]:
    return [json.loads(one.message.data) for one in file.messages if one.topic == INPUT_TOPIC]


def read_audit(file: RunFile) -> tuple[list[DecisionRecord], frozenset[str]]:
    """Return the records of a run's decisions by number, and the digests of all prompts in it.

    Raises:
        ConfigurationError: if the file is damaged.
    """
    with _reading(file):
        asked = [one for one in whole(_inputs(file)) if one['op'] in ('decide', 'write')]
        prompts = frozenset(prompt_digest(prompt_from_json(one['prompt'])) for one in asked)
    found = (one.message for one in file.messages if one.topic == AUDIT_TOPIC)
    records = sorted(map(decision_record_from_msg, found), key=lambda record: record.index)
    return records, prompts


def _limits(recorded: dict[str, Any]) -> Limits:
    if not all(isinstance(value, (int, float)) for value in recorded.values()):
        raise TypeError(f'limits are numbers, not {recorded!r}')
    return Limits(**recorded)


def services_of(file: RunFile, skills: str = '') -> RunServices:
    """Return what a run of these parameters would work with, with nothing to ask yet.

    Args:
        file: the run's.
        skills: a skill library in the place of the recorded one.

    Raises:
        ConfigurationError: if its library is gone, or a parameter is not known any more.
    """
    with _reading(file):
        return _services(file, skills)


def _services(file: RunFile, skills: str) -> RunServices:
    known = {row.name for row in parameters_of(PlannerOptions)}
    recorded: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in file.began['parameters'].items()
        if key in known
    }
    parameters = file.began['parameters']
    libraries = robot_libraries(
        parameters['robots'],
        skills or recorded['skills'],
        parameters.get('skills_of_robots', ('',)),  # before there were any
    )
    recorded |= {'skills': next(iter(libraries.values()))}
    options = planner_options(recorded)
    nobody: Any = ScriptedModel({})
    # neither model nor robot nor memory is asked: their answers are in the file
    bare = replace(options, memory=replace(options.memory, example_tokens=0))
    budget = options.resolved.memory.example_tokens

    def services(skills: str) -> RunServices:
        library = library_of(bare, skills)
        found = assemble(bare, nobody, nobody, name=file.began['strategy'], library=library)
        memory = replace(found.settings.memory, example_tokens=budget)
        return replace(found, settings=replace(found.settings, memory=memory))

    of = {one: services(one) for one in {*libraries.values()}}
    return for_team({robot: of[one] for robot, one in libraries.items()})
