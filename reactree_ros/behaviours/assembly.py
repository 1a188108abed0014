# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Puts together what runs work with, from a planner's options; with ROS and without."""

from __future__ import annotations

from pathlib import Path

from reactree_ros.behaviours.ask import Operator
from reactree_ros.behaviours.options import PlannerOptions
from reactree_ros.behaviours.services import ExperienceSource, RunServices
from reactree_ros.behaviours.skill import SkillExecutor
from reactree_ros.behaviours.strategies import strategy
from reactree_ros.core.decision import ControlFlow
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.memory.examples import FixedExample, fitting
from reactree_ros.memory.experience import Experience, read_experiences
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
) -> RunServices:
    """Return what all runs of one strategy share.

    Args:
        options: the planner's.
        model: decides; ``models.start.start_model`` makes it from the options.
        executor: the robot, or a world.
        operator: who may be asked; None for nobody.
        name: name of the strategy; empty takes that of the options.
        library: the robot's skills; None reads them from the file of the options.

    Raises:
        ConfigurationError: if a file is missing or wrong, or there is no such strategy.
    """
    chosen = name or options.strategy
    settings = options.settings
    library = library or library_of(options)
    return RunServices(
        model=model,
        executor=executor,
        library=library,
        experiences=_experiences(options, chosen, model, library),
        system_prompt=system_prompt(options, chosen, library),
        settings=settings,
        operator=operator,
        strategy=chosen,
        deciding_prompt=deciding_prompt(chosen),
        matcher=SkillMatcher(model if _has_encoder(options) else None),
    )


def library_of(options: PlannerOptions) -> SkillLibrary:
    """Read the robot's skills.

    Raises:
        ConfigurationError: if there is no such file, or it is wrong.
    """
    named = options.skills
    looks_like_a_path = '/' in named or named.endswith(('.yaml', '.yml'))
    try:
        return read_library(
            Path(named) if looks_like_a_path else share('behaviors', f'{named}.yaml')
        )
    except ConfigurationError as error:
        raise ConfigurationError(f'parameter skills is {named!r}: {error}') from error


def system_prompt(options: PlannerOptions, name: str, library: SkillLibrary | None = None) -> str:
    """Return what every prompt of a strategy begins with; it tells only of what is on offer.

    Args:
        options: the planner's.
        name: name of the strategy.
        library: the robot's skills; None reads them from the file of the options.
    """
    names = (strategy(name).prompt, *(('ask_operator',) if options.ask_operator else ()))
    text = ''.join(
        share('resource', 'prompts', f'{one}.txt').read_text(encoding='utf-8') for one in names
    )
    *others, last = (_FLOWS[flow] for flow in options.settings.control_flows)
    flows = f'{", ".join(others)} or {last}' if others else last
    recall = _RECALL if options.working_memory else ''
    skills = ', '.join(skill.verb for skill in (library or library_of(options)).skills)
    for mark, words in (('skills', skills), ('recall', recall), ('control_flows', flows)):
        text = text.replace(f'{{{mark}}}', words)
    return text


def deciding_prompt(name: str) -> str:
    """Return what prompts begin with that ask for a choice among planned steps; empty if none."""
    file = strategy(name).deciding
    if not file:
        return ''
    return share('resource', 'prompts', f'{file}.txt').read_text(encoding='utf-8')


def _has_encoder(options: PlannerOptions) -> bool:
    return has_encoder(options.model_options, options.acting_options)


def _experiences(
    options: PlannerOptions, name: str, model: PlannerModel, library: SkillLibrary
) -> ExperienceSource | None:
    if options.example_tokens == 0:
        return None
    known = _known(options, name)
    if not options.episodic_memory:
        return FixedExample(known, options.seed)
    if not _has_encoder(options):
        return None
    return EpisodicMemory(
        known,
        model,
        objects=library.names_of(library.objects),
        places=library.names_of(library.places),
        shape_weight=options.shape_weight,
        margin=options.margin,
        seed=options.seed,
    )


def _known(options: PlannerOptions, name: str) -> tuple[Experience, ...]:
    chosen = strategy(name)
    flows = options.settings.control_flows if chosen.expands else ()
    if options.experiences and name == options.strategy:
        path = Path(options.experiences)
    else:
        variant = _VARIANTS.get(frozenset(flows), '') if chosen.expands else ''
        path = share('resource', 'experiences', f'{chosen.experiences}{variant}.txt')
    return fitting(read_experiences(path), flows, recall=options.working_memory)


_VARIANTS = {
    frozenset({ControlFlow.SEQUENCE}): '_sequence',
    frozenset({ControlFlow.SEQUENCE, ControlFlow.FALLBACK}): '_sequence_fallback',
}
"""Endings of files with experiences that do without some control flows (paper, Table 4)."""
