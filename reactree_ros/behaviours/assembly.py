# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Puts together what runs work with, from a planner's options; with ROS and without."""

from __future__ import annotations

from pathlib import Path

from reactree_ros.behaviours.ask import Operator
from reactree_ros.behaviours.guard import guarded
from reactree_ros.behaviours.memory_setup import experience_source
from reactree_ros.behaviours.options import PlannerOptions
from reactree_ros.behaviours.services import RunServices
from reactree_ros.behaviours.skill import SkillExecutor
from reactree_ros.behaviours.strategies import strategy
from reactree_ros.core.decision import ControlFlow
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.memory.store import ExperienceStore
from reactree_ros.models.interface import PlannerModel
from reactree_ros.models.start import has_encoder
from reactree_ros.paths import share
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.matching import SkillMatcher
from reactree_ros.skills.reader import read_library

_RECALL = ', or "recall location of" an object to ask your memory'
_FLOWS = {
    ControlFlow.SEQUENCE: 'sequence (one after another, all must succeed)',
    ControlFlow.FALLBACK: 'fallback (try until one succeeds)',
    ControlFlow.PARALLEL: 'parallel (each on its own)',
}


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
            the safe hold would need a person.
    """
    chosen = name or options.strategy
    library = approved(library or library_of(options), options)
    if not library.in_house:
        options = options.outside_a_house()
    settings = options.settings
    embeds = has_encoder(options.model_options, options.acting_options)
    return RunServices(
        model=model,
        executor=guarded(executor, library),
        library=library,
        experiences=experience_source(options, chosen, model, library, store),
        system_prompt=system_prompt(options, chosen, library),
        settings=settings,
        operator=operator,
        strategy=chosen,
        deciding_prompt=deciding_prompt(options, chosen, library),
        summary_prompt=_filled(_text('summarize'), options, library),
        check_prompt=_filled(_text('leaf_check'), options, library),
        matcher=SkillMatcher(model if embeds else None),
    )


def approved(library: SkillLibrary, options: PlannerOptions) -> SkillLibrary:
    """Return a library with the approval that the options ask for.

    Raises:
        ConfigurationError: if a skill of its safe hold would need approval: that is done when no
            model answers, and nobody may be there then.
    """
    asking = library.approved_from(options.approve_from)
    risks = {skill.name: skill.risk for skill in asking.skills}
    names = dict.fromkeys(one.name for one in asking.safe_hold if one.approval)
    if names:
        told = ', '.join(f'{name} (risk {risks[name]})' for name in names)
        raise ConfigurationError(
            f'parameter approve_from is {options.approve_from!r}, so a person would have to allow '
            f'{told} in the safe_hold of the library {library.name!r}: a safe hold must do without '
            'a person'
        )
    return asking


def library_of(options: PlannerOptions) -> SkillLibrary:
    """Read the robot's skills.

    Raises:
        ConfigurationError: if there is no such file, or it is wrong.
    """
    try:
        return library_at(options.skills)
    except ConfigurationError as error:
        raise ConfigurationError(f'parameter skills is {options.skills!r}: {error}') from error


def library_at(named: str) -> SkillLibrary:
    """Read a skill library.

    Args:
        named: name of one that comes with this package, or a file.

    Raises:
        ConfigurationError: if there is no such file, or it is wrong.
    """
    return read_library(library_file(named))


def library_file(named: str) -> Path:
    """Return where a skill library is; that of this package is found by its name.

    Raises:
        ConfigurationError: if this package has none of that name.
    """
    looks_like_a_path = '/' in named or named.endswith(('.yaml', '.yml'))
    return Path(named) if looks_like_a_path else share('behaviors', f'{named}.yaml')


def system_prompt(options: PlannerOptions, name: str, library: SkillLibrary | None = None) -> str:
    """Return what every prompt of a strategy begins with; it tells only of what is on offer.

    Args:
        options: the planner's.
        name: name of the strategy.
        library: the robot's skills; None reads them from the file of the options.
    """
    text = _text(strategy(name).prompt)
    if options.ask_operator:
        text += _text('ask_operator')
    return _filled(text, options, library)


def deciding_prompt(options: PlannerOptions, name: str, library: SkillLibrary | None = None) -> str:
    """Return what prompts begin with that ask for decisions of another kind; empty if none do.

    Args:
        options: the planner's.
        name: name of the strategy.
        library: the robot's skills; None reads them from the file of the options.
    """
    file = strategy(name).deciding
    return _filled(_text(file), options, library) if file else ''


def _text(prompt: str | Path) -> str:
    path = prompt if isinstance(prompt, Path) else share('resource', 'prompts', f'{prompt}.txt')
    try:
        return path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'the prompt {path} cannot be read: {error}') from error


def _filled(text: str, options: PlannerOptions, library: SkillLibrary | None) -> str:
    """Return a prompt with what it leaves open: skills, control flows, how memory is asked."""
    *others, last = (_FLOWS[flow] for flow in options.settings.control_flows)
    flows = f'{", ".join(others)} or {last}' if others else last
    recall = _RECALL if options.working_memory else ''
    library = library or library_of(options)
    filled = {
        'agent': library.agent,
        'rules': library.rules,
        'skills': ', '.join(skill.verb for skill in library.skills),
        'recall': recall,
        'control_flows': flows,
    }
    for mark, words in filled.items():
        text = text.replace(f'{{{mark}}}', words)
    return text
