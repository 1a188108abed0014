# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Puts together what runs work with, from a planner's options; with ROS and without."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from reactree_ros.behaviours.services import RobotSkills, RunServices
from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import PlannerModel
from reactree_ros.core.operator import Operator
from reactree_ros.errors import ConfigurationError
from reactree_ros.execution.guard import guarded
from reactree_ros.memory.store import ExperienceStore
from reactree_ros.models.kind import kind_of
from reactree_ros.paths import share
from reactree_ros.planner.memory_setup import experience_source
from reactree_ros.planner.options import PlannerOptions
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import library_at
from reactree_ros.strategies.registry import strategy

_RECALL = ', or "recall location of" an object to ask your memory'
_CONDITIONS = 'Conditions: what must hold in the end, said once for the whole goal.\n'
_MOST_NAMES = 80
"""So many things, kinds of things and places are named beside the predicates; of more, none is."""
_ENDINGS = '"done" when your goal is reached, or "failure" when it cannot be reached'
_EXPLAINED_ENDINGS = (
    '"done" when your goal is reached ("done: " and the answer if it is a question), or '
    '"failure: " and why it cannot be reached'
)
_FLOWS = {
    ControlFlow.SEQUENCE: 'sequence (one after another, all must succeed)',
    ControlFlow.FALLBACK: 'fallback (try until one succeeds)',
    ControlFlow.PARALLEL: 'parallel (each on its own)',
}
_SPLITS = '{splits}'
"""Where examples of splits stand in a prompt; a library may have its own for the same prompt."""
_NO_RULES = re.compile(r'\s*{rules}')


def assemble(
    options: PlannerOptions,
    model: PlannerModel,
    executor: SkillExecutor,
    operator: Operator | None = None,
    *,
    name: str = '',
    library: SkillLibrary | None = None,
    store: ExperienceStore | None = None,
) -> RunServices:
    """Return what all runs of one strategy share.

    Args:
        options: the planner's.
        model: decides; ``models.start.start_model`` makes it from the options.
        executor: the robot, or a world.
        operator: who may be asked; None for nobody.
        name: name of the strategy; empty takes that of the options.
        library: the robot's skills; None reads them from the file of the options.
        store: what was learned, from ``memory_setup.open_memory``; None if nothing is.

    Raises:
        ConfigurationError: if a file is missing or wrong, there is no such strategy, or a skill of
            the safe state would need a person.
    """
    chosen = name or options.strategy
    library = approved(library or library_of(options), options)
    options = options.for_library(library).for_strategy(strategy(chosen)).resolved
    embeds = kind_of(options.model.name).encoder
    return RunServices(
        model=model,
        executor=guarded(executor, library),
        library=library,
        experiences=experience_source(options, chosen, model, library, store),
        system_prompt=system_prompt(options, chosen, library),
        settings=options,
        operator=operator,
        strategy=chosen,
        strategy_options=options.options_of(chosen),
        prompts=further_prompts(options, chosen, library),
        encoder=model if embeds else None,
    )


def for_team(services: Mapping[str, RunServices]) -> RunServices:
    """Return what runs of several robots share: the services of the first, and the other robots.

    If not all have the same skills, their prompts say who they are and what each can do.

    Args:
        services: what each robot works with, by its name; all of one strategy.

    Raises:
        ConfigurationError: if different skill libraries have the same name.
    """
    first = next(iter(services))
    libraries = {name: one.library for name, one in services.items()}
    helpers = {name: one.executor for name, one in services.items() if name != first}
    team = replace(services[first], robot=first, helpers=helpers)
    kinds = {library.name: library for library in libraries.values()}
    if any(library != kinds[library.name] for library in libraries.values()):
        raise ConfigurationError(
            f'skill libraries of several robots have the same name: {", ".join(kinds)}; give each '
            'a name of its own'
        )
    if len(kinds) == 1:
        return team
    expands = strategy(team.strategy).expands
    skills_of = {
        name: RobotSkills(
            one.library,
            one.system_prompt + (_introduction(name, libraries) if expands else ''),
            one.prompts,
            one.experiences,
            one.settings,
        )
        for name, one in services.items()
    }
    return replace(team, skills_of=skills_of).of_robot(first)


def _introduction(robot: str, libraries: Mapping[str, SkillLibrary]) -> str:
    """Return what the prompts of a robot say of the team."""
    listed = (f'{name}, {library.agent}: {_verbs(library)}.' for name, library in libraries.items())
    filled = {
        'robots': '\n'.join(listed),
        'robot': robot,
        'other': next(name for name in libraries if name != robot),
    }
    return _with_words(_text('robots', libraries[robot]), filled)


def _with_words(text: str, words: Mapping[str, str]) -> str:
    for mark, given in words.items():
        text = text.replace(f'{{{mark}}}', given)
    return text


def _verbs(library: SkillLibrary) -> str:
    return ', '.join(skill.verb for skill in library.skills)


def approved(library: SkillLibrary, options: PlannerOptions) -> SkillLibrary:
    """Return a library with the approval that the options ask for.

    Raises:
        ConfigurationError: if a skill of its safe state would need approval: that is done when no
            model answers, and nobody may be there then.
    """
    asking = library.approved_from(options.operator.approval_risk_level)
    risks = {skill.name: skill.risk for skill in asking.skills}
    names = dict.fromkeys(one.name for one in asking.safe_state if one.approval)
    if names:
        listed = ', '.join(f'{name} (risk {risks[name]})' for name in names)
        raise ConfigurationError(
            f'parameter operator.approval_risk_level is {options.operator.approval_risk_level!r}, '
            f'so a person would have to allow {listed} in the safe_state of the library '
            f'{library.name!r}: a safe state must do without a person'
        )
    return asking


def library_of(options: PlannerOptions, robot: str = '') -> SkillLibrary:
    """Read the robot's skills.

    Args:
        options: the planner's.
        robot: the skill library of one of several robots; empty, or that of the options, for the
            options'.

    Raises:
        ConfigurationError: if there is no such file, or it is wrong.
    """
    if robot not in ('', options.skills):
        return library_at(robot)
    if not options.skills:
        raise ConfigurationError(
            'parameter skills is not set: it is the name of a shipped skill library, such as '
            'household, or the path of your own (docs/skills.md)'
        )
    try:
        return library_at(options.skills)
    except ConfigurationError as error:
        raise ConfigurationError(f'parameter skills is {options.skills!r}: {error}') from error


def system_prompt(options: PlannerOptions, name: str, library: SkillLibrary | None = None) -> str:
    """Return what every prompt of a strategy begins with; it names only what is on offer.

    Args:
        options: the planner's.
        name: name of the strategy.
        library: the robot's skills; None reads them from the file of the options.
    """
    library = library or library_of(options)
    text = _filled(strategy(name).prompt, options, library)
    asks = options.operator.ask and strategy(name).asks_operator
    return text + _filled('ask_operator', options, library) if asks else text


def further_prompts(
    options: PlannerOptions, name: str, library: SkillLibrary | None = None
) -> dict[str, str]:
    """Return the further system prompts of a strategy, by the names that it gives them.

    Args:
        options: the planner's.
        name: name of the strategy.
        library: the robot's skills; None reads them from the file of the options.
    """
    library = library or library_of(options)
    prompts = strategy(name).prompts
    return {key: _filled(file, options, library) for key, file in prompts.items()}


def _text(prompt: str | Path, library: SkillLibrary) -> str:
    path = prompt if isinstance(prompt, Path) else _prompt_file(prompt, library)
    try:
        return path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'the prompt {path} cannot be read: {error}') from error


def _prompt_file(name: str, library: SkillLibrary) -> Path:
    own = library.prompts and library.prompts / f'{name}.txt'
    return own if own and own.is_file() else share('resource', 'prompts', f'{name}.txt')


def _filled(prompt: str | Path, options: PlannerOptions, library: SkillLibrary) -> str:
    """Return a prompt with what it leaves open: skills, and decisions that may be switched off."""
    text = _text(prompt, library)
    if _SPLITS in text:
        text = text.replace(_SPLITS, _text('splits', library))
    if not library.rules:
        text = _NO_RULES.sub('', text)
    *others, last = (_FLOWS[flow] for flow in options.agent.control_flows)
    flows = f'{", ".join(others)} or {last}' if others else last
    recall = _RECALL if options.memory.recall else ''
    filled = {
        'agent': library.agent,
        'rules': library.rules,
        'skills': _verbs(library),
        'conditions': _conditions(options, library) if options.agent.read_conditions else '',
        'endings': _EXPLAINED_ENDINGS if options.agent.explain_endings else _ENDINGS,
        'recall': recall,
        'control_flows': flows,
    }
    return _with_words(text, filled)


def _conditions(options: PlannerOptions, library: SkillLibrary) -> str:
    """Return what a prompt says of conditions."""
    if not options.prompt.predicates:
        return _CONDITIONS
    phrases = dict.fromkeys(one.phrase for one in library.predicates)
    text = f'{_CONDITIONS.rstrip()[:-1]}, in these words: {"; ".join(phrases)}.'
    kinds = (f'{kind} ({", ".join(sorted(library.kinds[kind]))})' for kind in library.kinds)
    names = {
        'Things': sorted(library.objects),
        'Kinds': sorted(kinds),
        'Places': sorted(library.places),
    }
    if 0 < sum(map(len, names.values())) <= _MOST_NAMES:
        text += ''.join(f' {key}: {", ".join(one)}.' for key, one in names.items() if one)
    return f'{text}\n'
