# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Puts episodic memory together: what comes with a skill library, and what was learned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from reactree_ros.behaviours.services import ExperienceSource
from reactree_ros.core.decision import ACT_LINE, CONDITIONS_LINE, RECALL, ControlFlow
from reactree_ros.core.model import Encoder
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.embedding_cache import CachedEncoder
from reactree_ros.memory.episodic import EpisodicMemory, Run
from reactree_ros.memory.examples import EveryExample, FixedExample, as_plan, fitting, unexplained
from reactree_ros.memory.exchange import LEARNED, read_runs
from reactree_ros.memory.experience import (
    Experience,
    Origin,
    Termination,
    Verification,
    read_experiences,
)
from reactree_ros.memory.opening import open_store
from reactree_ros.memory.postgres.address import shown
from reactree_ros.memory.selection import Retrieval
from reactree_ros.memory.store import ExperienceStore
from reactree_ros.models.kind import kind_of
from reactree_ros.paths import cache
from reactree_ros.planner.options import PlannerOptions
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.strategies.registry import strategy
from reactree_ros.strategies.strategy import FLAT, PLANS, SKILLS, TREE

_VARIANTS = {
    frozenset({ControlFlow.SEQUENCE}): '_sequence',
    frozenset({ControlFlow.SEQUENCE, ControlFlow.FALLBACK}): '_sequence_fallback',
}
"""Endings of kinds of experiences that do without some control flows (paper, Table 4)."""


def open_memory(options: PlannerOptions, encoder: Encoder) -> ExperienceStore | None:
    """Open the store that a planner reads and learns into; it is made if it is not there.

    Args:
        options: the planner's.
        encoder: makes embeddings.

    Returns:
        The store, to be closed by the caller; None if there is to be none, or nothing can be
        embedded.

    Raises:
        ConfigurationError: if the file or database is not a store, or one of another encoder.
        StoreError: if another process keeps the file locked, or the server does not answer.
    """
    address = options.memory_address
    if not address or not kind_of(options.model.name).encoder:
        return None
    try:
        return open_store(address, encoder.encoder_name, limit=options.memory.max_experiences)
    except ConfigurationError as error:
        raise ConfigurationError(
            f'parameter memory.store is {shown(options.memory.store)!r}: {error}'
        ) from error


def experience_source(
    options: PlannerOptions,
    name: str,
    model: Encoder,
    library: SkillLibrary,
    store: ExperienceStore | None = None,
) -> ExperienceSource | None:
    """Return where the in-context examples of a strategy come from; None for no examples.

    Args:
        options: the planner's.
        name: name of the strategy.
        model: makes embeddings and counts tokens.
        library: the robot's skills.
        store: what was learned; None if nothing is.

    Raises:
        ConfigurationError: if a file is missing or wrong.
    """
    if options.resolved.memory.example_tokens == 0:
        return None
    written = _written(options, name, library)
    if not options.agent.explain_endings:
        written = tuple(replace(one, text=unexplained(one.text)) for one in written)
    flows = options.agent.control_flows if strategy(name).expands else ()
    offered = {
        f'{ACT_LINE}{RECALL}': options.memory.recall,
        CONDITIONS_LINE: options.agent.read_conditions,
    }
    left_out = tuple(line for line, is_offered in offered.items() if not is_offered)
    if _shows_skills(options, name, library):
        return EveryExample(fitting(written, flows, left_out))
    if not options.memory.episodic:
        return FixedExample(fitting(written, flows, left_out), options.seed)
    if not kind_of(options.model.name).encoder:
        return None
    by_hand = Origin(
        'shipped',
        skills=library.name,
        strategy=name,
        model='hand',
        verified=Verification.PERSON,
    )
    return EpisodicMemory(
        [(by_hand, written), *_learned(options, name, library)],
        cached_encoder(model),
        Retrieval(
            level_bonus=options.memory.level_bonus,
            margin=options.memory.similarity_margin,
            control_flows=frozenset(flows),
            left_out=left_out,
            strategy=name,
            skills=library.name,
            seed=options.seed,
            fixed_order=options.memory.fixed_order,
        ),
        store if strategy(name).learns else None,
    )


def cached_encoder(encoder: Encoder) -> CachedEncoder:
    """Return an encoder that remembers embeddings, also those of earlier processes."""
    return CachedEncoder(encoder, cache('embeddings.sqlite'))


def _written(options: PlannerOptions, name: str, library: SkillLibrary) -> tuple[Experience, ...]:
    """Return the experiences of a text file: the user's, or those of the library."""
    chosen = strategy(name)
    if _has_own(options, name):
        return read_experiences(Path(options.memory.experiences))
    flows = frozenset(options.agent.control_flows)
    variant = _VARIANTS.get(flows, '') if chosen.expands else ''
    kind = chosen.experiences
    for one in (f'{kind}{variant}', kind):
        if one in library.examples:
            return read_experiences(library.examples[one])
    # runs of another form would teach a model to do without the strategy's own
    if kind not in (TREE, FLAT, PLANS, SKILLS) or FLAT not in library.examples:
        return ()
    read = read_experiences(library.examples[FLAT])
    if kind != PLANS:
        return read
    return tuple(as_plan(one) for one in read if one.termination is Termination.SUCCESS)


def _shows_skills(options: PlannerOptions, name: str, library: SkillLibrary) -> bool:
    """Return whether a strategy reads demonstrations of skills, whatever the goal."""
    wanted = strategy(name).experiences == SKILLS and SKILLS in library.examples
    return wanted and not _has_own(options, name)


def _learned(options: PlannerOptions, name: str, library: SkillLibrary) -> list[Run]:
    """Return the runs that come with a library as they were learned."""
    path = library.examples.get(LEARNED)
    if path is None or _has_own(options, name) or not strategy(name).learns:
        return []
    return [
        (run.origin, tuple(record.experience for record in run.records))
        for run in read_runs(path, Origin(''))
        if (run.origin.skills, run.origin.strategy) == (library.name, name)
    ]


def _has_own(options: PlannerOptions, name: str) -> bool:
    return bool(options.memory.experiences) and name == options.strategy
